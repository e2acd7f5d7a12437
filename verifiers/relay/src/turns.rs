//! How relayers of one target take turns, so that they do not pay for the same twice. They need not know each other.

use std::{num::NonZeroU32, time::Duration};

/// A relayer's place among the relayers of one target.
///
/// The item to relay determines which relayer goes first; after a while the next one follows, and so on. When the first
/// is down, it costs time and no money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turns {
    relayers: NonZeroU32,
    position: u32,
    turn: Duration,
}

/// The position is not below the number of relayers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("with {relayers} relayers, positions are 0 to {}, got {position}", relayers.get().saturating_sub(1))]
pub struct NoSuchPosition {
    relayers: NonZeroU32,
    position: u32,
}

impl Turns {
    /// The only relayer.
    pub fn alone() -> Self {
        Self {
            relayers: NonZeroU32::MIN,
            position: 0,
            turn: Duration::ZERO,
        }
    }

    /// One of several, by its position from 0 on. `turn` is each relayer's time before the next one tries: longer than
    /// a transaction takes to be in a block, and the same for all.
    ///
    /// # Errors
    /// [`NoSuchPosition`].
    pub fn new(
        relayers: NonZeroU32,
        position: u32,
        turn: Duration,
    ) -> Result<Self, NoSuchPosition> {
        if position >= relayers.get() {
            return Err(NoSuchPosition { relayers, position });
        }
        Ok(Self {
            relayers,
            position,
            turn,
        })
    }

    /// Each relayer's time before the next one tries.
    pub(crate) fn length(&self) -> Duration {
        self.turn
    }

    /// How long to wait for the others. `topic` is known to all relayers: a set's id, or the target's newest block.
    pub fn wait(&self, topic: u64) -> Duration {
        let first = spread(topic).checked_rem(self.relayers.get()).unwrap_or(0);
        let after = match self.position.checked_sub(first) {
            Some(after) => after,
            None => self
                .relayers
                .get()
                .saturating_sub(first.saturating_sub(self.position)),
        };
        self.turn.saturating_mul(after)
    }
}

/// Blocks relayed at even distances would always have the same first relayer. (Fibonacci hashing)
fn spread(topic: u64) -> u32 {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let [high @ .., _, _, _, _] = topic.wrapping_mul(GOLDEN).to_be_bytes();
    u32::from_be_bytes(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURN: Duration = Duration::from_secs(60);

    fn of(relayers: u32) -> Vec<Turns> {
        let count = NonZeroU32::new(relayers).expect("some");
        (0..relayers)
            .map(|position| Turns::new(count, position, TURN).expect("a position"))
            .collect()
    }

    #[test]
    fn for_each_topic_one_is_first_and_the_others_follow_one_by_one() {
        for topic in 0..100 {
            let mut waits: Vec<_> = of(5).iter().map(|turns| turns.wait(topic)).collect();
            waits.sort();
            assert_eq!(waits, (0..5).map(|after| TURN * after).collect::<Vec<_>>());
        }
    }

    #[test]
    fn everybody_is_first_about_as_often_also_for_blocks_at_even_distances() {
        for distance in [1, 2, 10, 64, 100] {
            let topics = (0..1_000).map(|step| step * distance);
            for turns in of(4) {
                let first = topics
                    .clone()
                    .filter(|topic| turns.wait(*topic).is_zero())
                    .count();
                assert!(
                    (200..300).contains(&first),
                    "{first} of 1 000 in {distance}"
                );
            }
        }
    }

    #[test]
    fn who_is_alone_never_waits_and_a_position_is_below_the_number() {
        assert!((0..50).all(|topic| Turns::alone().wait(topic).is_zero()));
        let error = Turns::new(NonZeroU32::MIN, 1, TURN).expect_err("one relayer is at 0");
        assert_eq!(
            error.to_string(),
            "with 1 relayers, positions are 0 to 0, got 1"
        );
    }
}
