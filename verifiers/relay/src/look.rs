//! The result of one look, and when the next one follows. Decided without a clock of its own.

use crate::{
    event::is_loss,
    target::{Cargo, Estimate, Receipt, Status, TargetError},
};
use std::time::{Duration, Instant};

/// After a loss, or when the target is in trouble, each look comes later than the one before, up to these.
const LONGEST_AFTER_LOSS: Duration = Duration::from_secs(600);
const LONGEST_IN_TROUBLE: Duration = Duration::from_secs(60);
/// The pause that is doubled when the operator's is shorter, or none.
const SHORTEST: Duration = Duration::from_millis(100);

/// The result of one look.
#[derive(Clone, Debug)]
pub enum Look {
    /// The target has everything that was wanted.
    Nothing(Status),
    /// Something is wanted, but not before then.
    Later(Instant),
    /// The estimated cost. Nothing was sent, because it is a dry run.
    Estimated(Cargo, Estimate),
    /// A submission ended.
    Submitted(Cargo, Receipt),
    /// The target cannot be used now.
    Trouble(TargetError),
}

/// How fast looks follow each other.
#[derive(Debug)]
pub(crate) struct Pace {
    pause: Duration,
    /// Looks one after the other that came to a loss, or to trouble.
    in_vain: u32,
}

impl Pace {
    /// A look every `pause`, as long as nothing goes wrong.
    pub(crate) fn new(pause: Duration) -> Self {
        Self { pause, in_vain: 0 }
    }

    /// How long to wait after this look, which has ended `now`.
    pub(crate) fn wait_after(&mut self, look: &Look, now: Instant) -> Duration {
        match look {
            Look::Submitted(_, receipt) if is_loss(receipt.result) => {
                self.longer(LONGEST_AFTER_LOSS)
            }
            Look::Trouble(_) => self.longer(LONGEST_IN_TROUBLE),
            Look::Submitted(..) => self.at_most_pause(Duration::ZERO),
            Look::Later(until) => self.at_most_pause(until.saturating_duration_since(now)),
            Look::Nothing(_) | Look::Estimated(..) => self.at_most_pause(self.pause),
        }
    }

    /// Twice as long as after the look before, if that was in vain, too. Never shorter than the pause.
    fn longer(&mut self, longest: Duration) -> Duration {
        self.in_vain = self.in_vain.saturating_add(1);
        let times = 2_u32.saturating_pow(self.in_vain);
        let longer = self.pause.max(SHORTEST).saturating_mul(times);
        longer.min(longest.max(self.pause))
    }

    fn at_most_pause(&mut self, wait: Duration) -> Duration {
        self.in_vain = 0;
        wait.min(self.pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        messages::{Contents, Lane, Parcel},
        target::{Delivered, SetRef},
    };
    use duet_primitives::{BlockNumber, SetId, H256};

    const PAUSE: Duration = Duration::from_secs(6);

    fn cargo() -> Cargo {
        Cargo::Parcel(Parcel {
            lane: Lane::new("BridgeMessages", "0x64756574".parse().expect("a lane")),
            under: BlockNumber::new(1),
            hash: H256::zero(),
            nodes: Vec::new(),
            contents: Contents::Messages {
                first: 1,
                messages: vec![vec![0]],
            },
        })
    }

    fn submitted(result: Delivered) -> Look {
        let receipt = Receipt {
            result,
            transaction: H256::zero(),
            work: 0,
            paid: 0,
        };
        Look::Submitted(cargo(), receipt)
    }

    fn nothing() -> Look {
        let signing = SetRef {
            id: SetId::new(0),
            fingerprint: H256::zero(),
        };
        Look::Nothing(Status {
            best: BlockNumber::new(1),
            signing,
            next: None,
            is_stopped: false,
            trust: None,
        })
    }

    fn estimated() -> Look {
        let (work, cost, bytes) = (1, 1, 1);
        Look::Estimated(cargo(), Estimate { work, cost, bytes })
    }

    fn trouble() -> Look {
        Look::Trouble(TargetError::NoKey)
    }

    /// Seconds from one look to the next.
    fn waits<const N: usize>(pause: Duration, looks: [Look; N]) -> [f64; N] {
        let (mut pace, now) = (Pace::new(pause), Instant::now());
        looks.map(|look| pace.wait_after(&look, now).as_secs_f64())
    }

    #[test]
    fn after_each_loss_the_next_look_comes_later_up_to_ten_minutes() {
        let lost = [(); 9].map(|()| submitted(Delivered::Reverted));
        let expected = [12.0, 24.0, 48.0, 96.0, 192.0, 384.0, 600.0, 600.0, 600.0];
        assert_eq!(waits(PAUSE, lost), expected);
        // It costs as much to bring what is known.
        let known = [(); 3].map(|()| submitted(Delivered::Known));
        assert_eq!(waits(PAUSE, known), [12.0, 24.0, 48.0]);
        let often = [(); 40].map(|()| submitted(Delivered::Reverted));
        assert_eq!(waits(PAUSE, often)[39], 600.0);
    }

    #[test]
    fn while_the_target_is_in_trouble_the_next_look_comes_later_up_to_a_minute() {
        let troubles = [(); 5].map(|()| trouble());
        assert_eq!(waits(PAUSE, troubles), [12.0, 24.0, 48.0, 60.0, 60.0]);
        // Both are in vain.
        let looks = [trouble(), submitted(Delivered::Reverted), trouble()];
        assert_eq!(waits(PAUSE, looks), [12.0, 24.0, 48.0]);
    }

    #[test]
    fn who_pauses_for_longer_than_that_goes_on_so() {
        let pause = Duration::from_secs(700);
        let looks = [submitted(Delivered::Reverted), trouble()];
        assert_eq!(waits(pause, looks), [700.0, 700.0]);
    }

    #[test]
    fn who_does_not_pause_waits_all_the_same_after_a_loss() {
        let lost = [(); 3].map(|()| submitted(Delivered::Reverted));
        assert_eq!(waits(Duration::ZERO, lost), [0.2, 0.4, 0.8]);
        assert_eq!(waits(Duration::ZERO, [nothing()]), [0.0]);
    }

    #[test]
    fn what_is_not_in_vain_ends_the_longer_waits() {
        let taken = || submitted(Delivered::Taken);
        let withdrawn = || submitted(Delivered::Withdrawn);
        let lost = || submitted(Delivered::Reverted);
        for (other, expected) in [
            (taken(), 0.0),
            (withdrawn(), 0.0),
            (nothing(), 6.0),
            (estimated(), 6.0),
        ] {
            let looks = [lost(), lost(), other, lost()];
            assert_eq!(waits(PAUSE, looks), [12.0, 24.0, expected, 12.0]);
        }
    }

    #[test]
    fn what_is_due_soon_is_looked_at_when_it_is_due() {
        let now = Instant::now();
        let after = |wait| Look::Later(now + wait);
        let mut pace = Pace::new(PAUSE);
        let second = Duration::from_secs(1);
        for (wait, expected) in [(second, second), (PAUSE * 2, PAUSE)] {
            assert_eq!(pace.wait_after(&after(wait), now), expected);
        }
        let late = now + second * 2;
        assert_eq!(pace.wait_after(&after(second), late), Duration::ZERO);
    }
}
