//! The choice of the next endpoint. A lying endpoint is never asked again. An unreachable one is retried with growing
//! delays.

use crate::{
    failure::{Failure, Kind},
    fault::{Fault, Missing},
};
use std::time::{Duration, Instant};

const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// An endpoint that lacks something, or lags, may have it later.
const LONG_WAIT: Duration = Duration::from_secs(30);

#[derive(Clone, Debug)]
enum Standing {
    /// May be asked, from a moment on.
    Usable { from: Instant, failures: u32 },
    /// Sent data that no honest server sends, or serves something else: not asked again.
    Dropped,
}

#[derive(Clone, Debug)]
struct Endpoint {
    url: String,
    standing: Standing,
    last: Option<Fault>,
}

/// The next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Ask this one: its position in the user's order.
    Ask(usize),
    /// Wait until then.
    Wait(Instant),
    /// All were dropped.
    Nobody,
}

/// All endpoints, in the order in which the user gave them. Each has its position as its index, from 0 on. The caller
/// passes the time, so that nothing here reads the clock.
#[derive(Clone, Debug)]
pub struct Endpoints {
    all: Vec<Endpoint>,
    /// Asked first: it proved a block that another endpoint lacked.
    preferred: Option<usize>,
    give_up_after: Duration,
    /// Since when none has helped.
    no_help_since: Instant,
}

impl Endpoints {
    /// All may be asked from `now` on. It is time to give up when none has helped for `give_up_after`; zero is never.
    pub fn new(urls: &[String], give_up_after: Duration, now: Instant) -> Self {
        let usable = |url: &String| Endpoint {
            url: url.clone(),
            standing: Standing::Usable {
                from: now,
                failures: 0,
            },
            last: None,
        };
        Self {
            all: urls.iter().map(usable).collect(),
            preferred: None,
            give_up_after,
            no_help_since: now,
        }
    }

    /// The first that may be asked now, or when to look again.
    pub fn choose(&self, now: Instant) -> Choice {
        let usable = self.usable();
        let ready: Vec<_> = usable.iter().filter(|(_, from)| *from <= now).collect();
        let preferred = ready
            .iter()
            .find(|(index, _)| Some(*index) == self.preferred);
        if let Some((index, _)) = preferred.or(ready.first()) {
            return Choice::Ask(*index);
        }
        let earliest = usable.iter().map(|(_, from)| *from).min();
        earliest.map_or(Choice::Nobody, Choice::Wait)
    }

    /// Those that are not dropped, in the user's order, and from when on each may be asked.
    fn usable(&self) -> Vec<(usize, Instant)> {
        let usable = |(index, endpoint): (usize, &Endpoint)| match endpoint.standing {
            Standing::Usable { from, .. } => Some((index, from)),
            Standing::Dropped => None,
        };
        self.all.iter().enumerate().filter_map(usable).collect()
    }

    /// Those that are not dropped without one, in the user's order, and from when on each may be asked.
    pub fn rivals(&self, index: usize) -> Vec<(usize, Instant)> {
        let mut rivals = self.usable();
        rivals.retain(|(other, _)| *other != index);
        rivals
    }

    /// Asks this one before the others as long as it does not fail.
    pub fn prefer(&mut self, index: usize) {
        self.preferred = Some(index);
    }

    /// The URL, as the user gave it; `None` for an unknown index.
    pub fn url(&self, index: usize) -> Option<&str> {
        self.all.get(index).map(|endpoint| endpoint.url.as_str())
    }

    /// Those that are not dropped, in the user's order.
    pub fn all(&self) -> Vec<usize> {
        let usable = self.usable().into_iter();
        usable.map(|(index, _)| index).collect()
    }

    /// The same without one.
    pub fn others(&self, index: usize) -> Vec<usize> {
        let mut others = self.all();
        others.retain(|other| *other != index);
        others
    }

    /// The endpoint answered the request.
    pub fn succeeded(&mut self, index: usize, now: Instant) {
        self.no_help_since = now;
        if let Some(endpoint) = self.all.get_mut(index) {
            endpoint.standing = Standing::Usable {
                from: now,
                failures: 0,
            };
            endpoint.last = None;
        }
    }

    /// Something was verified, even if the endpoint that sent it failed after that.
    pub fn made_progress(&mut self, now: Instant) {
        self.no_help_since = now;
    }

    /// The endpoint failed. It is dropped for good when the fault is [final](Fault::is_final); otherwise it is
    /// retried: an unreachable endpoint after 250 ms and growing delays of up to 30 s, any other after 30 s.
    pub fn failed(&mut self, index: usize, fault: Fault, now: Instant) {
        let Some(endpoint) = self.all.get_mut(index) else {
            return;
        };
        let failures = match endpoint.standing {
            Standing::Usable { failures, .. } => failures,
            Standing::Dropped => return,
        };
        let wait = match &fault {
            _ if fault.is_final() => None,
            Fault::Unreachable(_) => Some(
                FIRST_WAIT
                    .saturating_mul(2u32.saturating_pow(failures))
                    .min(LONGEST_WAIT),
            ),
            _ => Some(LONG_WAIT),
        };
        endpoint.standing = match wait {
            Some(wait) => Standing::Usable {
                from: now.checked_add(wait).unwrap_or(now),
                failures: failures.saturating_add(1),
            },
            None => Standing::Dropped,
        };
        endpoint.last = Some(fault);
    }

    /// The moment at which it is time to give up; `None` for never, and for later than a clock can show.
    pub fn deadline(&self) -> Option<Instant> {
        if self.give_up_after.is_zero() {
            return None;
        }
        self.no_help_since.checked_add(self.give_up_after)
    }

    /// Whether it is time to give up: the deadline is over, and every endpoint was tried.
    pub fn is_over(&self, now: Instant) -> bool {
        let tried = |endpoint: &Endpoint| match endpoint.standing {
            Standing::Usable { failures, .. } => failures > 0,
            Standing::Dropped => true,
        };
        self.deadline().is_some_and(|deadline| now >= deadline) && self.all.iter().all(tried)
    }

    /// Why no endpoint is useful. What an endpoint advises that may be honest, or lacks, comes before the lies of others,
    /// and lies come before silence.
    pub fn verdict(&self) -> Failure {
        let claims = self.with(|fault| fault.claimed().is_some());
        let gaps = self.with(|fault| matches!(fault, Fault::Incomplete(_)));
        let lies = self.with(|fault| matches!(fault, Fault::Lie(_) | Fault::OtherChain { .. }));
        let mut lines = claims.clone();
        if !gaps.is_empty() {
            lines.push(self.gap_message(&gaps));
        }
        let kind = match (lines.is_empty(), lies.is_empty()) {
            (false, _) => {
                lines.extend(lies);
                Kind::NoWay
            }
            (true, false) => {
                lines.push(format!("no honest endpoint is left: {}", lies.join("; ")));
                Kind::Unverified
            }
            (true, true) => {
                let rest = self.with(|_| true);
                lines.push(format!("no usable endpoint: {}", rest.join("; ")));
                Kind::Unreachable
            }
        };
        Failure::new(kind, lines.join("; "))
    }

    /// The advice when no endpoint has the proofs. A newer checkpoint is advised only when every endpoint was asked,
    /// and at least two showed a proof that cannot be reached from here. (LIGHT-7)
    fn gap_message(&self, gaps: &[String]) -> String {
        let beyond =
            self.with(|fault| matches!(fault, Fault::Incomplete(Missing::HandoffProof(_))));
        let gaps = gaps.join("; ");
        if beyond.is_empty() {
            return format!("no endpoint has the needed data: {gaps}; ask other nodes");
        }
        let unasked = self.unasked();
        let advice = if !unasked.is_empty() {
            format!(
                "some endpoints did not answer ({}): try again, or ask other nodes with --url",
                unasked.join(", ")
            )
        } else if beyond.len() < 2 {
            "one endpoint's claim is no reason to start again: ask other nodes with --url"
                .to_owned()
        } else {
            "every endpoint was asked: ask other nodes, and start from a newer checkpoint only if they lack \
             these proofs too"
                .to_owned()
        };
        format!(
            "no endpoint can prove the way from the trusted state: {gaps}; no proof contradicts that state; {advice}"
        )
    }

    /// The endpoints whose last fault matches, with that fault.
    fn with(&self, matches: impl Fn(&Fault) -> bool) -> Vec<String> {
        let found = self.all.iter().filter_map(|endpoint| {
            let fault = endpoint.last.as_ref().filter(|fault| matches(fault))?;
            Some(format!("{}: {fault}", endpoint.url))
        });
        found.collect()
    }

    /// Those that never answered, or not when they were asked last.
    fn unasked(&self) -> Vec<&str> {
        let silent =
            |endpoint: &&Endpoint| matches!(endpoint.last, None | Some(Fault::Unreachable(_)));
        let urls = self.all.iter().filter(silent);
        urls.map(|endpoint| endpoint.url.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Lie;
    use duet_primitives::SetId;

    fn two(now: Instant) -> Endpoints {
        Endpoints::new(
            &["ws://a".to_owned(), "ws://b".to_owned()],
            Duration::from_secs(60),
            now,
        )
    }

    fn lie() -> Fault {
        Lie::Contradiction("yes and no".to_owned()).into()
    }

    #[test]
    fn a_liar_is_never_asked_again() {
        let now = Instant::now();
        let mut endpoints = two(now);
        assert_eq!(endpoints.choose(now), Choice::Ask(0));
        endpoints.failed(0, lie(), now);
        assert_eq!(
            endpoints.choose(now + Duration::from_secs(3600)),
            Choice::Ask(1)
        );
        endpoints.failed(1, lie(), now);
        assert_eq!(endpoints.choose(now), Choice::Nobody);
        assert_eq!(endpoints.verdict().kind, Kind::Unverified);
    }

    #[test]
    fn an_unreachable_endpoint_is_asked_later_and_later() {
        let now = Instant::now();
        let mut endpoints = two(now);
        endpoints.failed(1, lie(), now);
        let mut last = Duration::ZERO;
        for _ in 0..12 {
            endpoints.failed(0, Fault::Unreachable("refused".to_owned()), now);
            let Choice::Wait(until) = endpoints.choose(now) else {
                panic!("it has to wait")
            };
            assert!(until - now >= last && until - now <= LONGEST_WAIT);
            last = until - now;
        }
        assert_eq!(last, LONGEST_WAIT);
        endpoints.succeeded(0, now);
        assert_eq!(endpoints.choose(now), Choice::Ask(0));
    }

    #[test]
    fn nobody_gives_up_before_every_endpoint_was_tried() {
        let now = Instant::now();
        let mut endpoints = two(now);
        let late = now + Duration::from_secs(61);
        endpoints.failed(0, Fault::Unreachable("refused".to_owned()), now);
        assert!(!endpoints.is_over(late));
        endpoints.failed(1, Fault::Unreachable("refused".to_owned()), late);
        assert!(endpoints.is_over(late) && !endpoints.is_over(now));
    }

    #[test]
    fn a_deadline_that_no_clock_can_show_never_comes() {
        let now = Instant::now();
        let endpoints = Endpoints::new(&["ws://a".to_owned()], Duration::MAX, now);
        assert_eq!(endpoints.deadline(), None);
        assert!(!endpoints.is_over(now + Duration::from_secs(3600)));
    }

    #[test]
    fn a_gap_weighs_more_than_a_lie_and_a_lie_more_than_silence() {
        let now = Instant::now();
        let mut endpoints = two(now);
        endpoints.failed(0, Fault::Unreachable("refused".to_owned()), now);
        assert_eq!(endpoints.verdict().kind, Kind::Unreachable);
        let missing = Missing::HandoffProof(SetId::new(3));
        for (gap, kind) in [(None, Kind::Unverified), (Some(missing), Kind::NoWay)] {
            let mut endpoints = endpoints.clone();
            endpoints.failed(0, lie(), now);
            if let Some(gap) = gap {
                endpoints.failed(1, Fault::Incomplete(gap), now);
            }
            let verdict = endpoints.verdict();
            assert_eq!(verdict.kind, kind);
            assert!(verdict.message.contains("ws://a: RPC-2"), "{verdict}");
        }
    }
}
