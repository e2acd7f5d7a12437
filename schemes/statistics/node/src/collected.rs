//! The reports of the last periods, shared by gossip, worker and RPC.

use codec::{DecodeAll, Encode};
use duet_primitives::{Keyset, SetId, H256};
use duet_statistics::{
    Added, Answer, AnswerError, Context, Evidence, Metric, Period, Report, ReportError, Reports,
    Weights,
};
use parking_lot::Mutex;
use rand_core::OsRng;
use sc_network_types::PeerId;
use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

/// Periods whose reports are kept: the newest, and the one before it.
const PERIODS: usize = 2;
/// Reports of one peer about a period that this node has not seen begin.
const EARLY_OF_A_PEER: usize = 1024;
/// Peers of which such reports are kept.
const EARLY_PEERS: usize = 64;

/// The validators' reports of the last two periods. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Collected(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    genesis: H256,
    terms: Mutex<VecDeque<Term>>,
    early: Mutex<Early>,
}

/// Messages that came before the period that they are about began here.
type Early = HashMap<PeerId, Vec<Vec<u8>>>;

/// A period, with its set and its reports.
#[derive(Clone, Debug)]
struct Term {
    set: Arc<Keyset>,
    /// Shared with the question that is being answered, and copied only if a report comes meanwhile.
    reports: Arc<Reports>,
}

/// The result of taking a message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It holds, and it is new or evidence: others should have it.
    Useful(Period),
    /// It is known, adds nothing, or is about a period that is over.
    Nothing,
    /// It is about a period that has not begun here, and waits.
    Early,
    /// Only a forger of reports sends it.
    Refused(Refusal),
}

/// Why a message is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// It is no report.
    #[error("malformed report: {0}")]
    Undecodable(codec::Error),
    /// A report that does not hold.
    #[error(transparent)]
    Report(#[from] ReportError),
}

impl Collected {
    /// Nothing yet, on the chain with this genesis block.
    pub fn new(genesis: H256) -> Self {
        Self(Arc::new(Inner {
            genesis,
            terms: Mutex::default(),
            early: Mutex::default(),
        }))
    }

    pub(crate) fn genesis(&self) -> H256 {
        self.0.genesis
    }

    /// Begins a period, unless it is known, and ends the oldest. The messages that waited, with their senders.
    pub(crate) fn begin(&self, period: Period, set: Arc<Keyset>) -> Vec<(PeerId, Vec<u8>)> {
        let mut terms = self.0.terms.lock();
        if terms.iter().any(|term| term.reports.period() == period) {
            return Vec::new();
        }
        terms.push_back(Term {
            set,
            reports: Arc::new(Reports::new(period)),
        });
        while terms.len() > PERIODS {
            terms.pop_front();
        }
        drop(terms);
        let early = std::mem::take(&mut *self.0.early.lock());
        let of_peer = |(peer, messages): (PeerId, Vec<Vec<u8>>)| {
            messages.into_iter().map(move |message| (peer, message))
        };
        early.into_iter().flat_map(of_peer).collect()
    }

    /// The periods, the newest last.
    pub(crate) fn periods(&self) -> Vec<Period> {
        let terms = self.0.terms.lock();
        terms.iter().map(|term| term.reports.period()).collect()
    }

    /// Checks a message, and keeps its report. An early message is kept for its sender, up to a bound.
    pub(crate) fn take(&self, sender: Option<PeerId>, message: &[u8]) -> Taken {
        let report = match Report::decode_all(&mut &message[..]) {
            Ok(report) => report,
            Err(error) => return Taken::Refused(Refusal::Undecodable(error)),
        };
        let period = report.period;
        let set = {
            let terms = self.0.terms.lock();
            let term = terms.iter().find(|term| term.reports.period() == period);
            match (term, terms.back()) {
                (Some(term), _) if term.reports.knows(&report) => return Taken::Nothing,
                (Some(term), _) => term.set.clone(),
                (None, Some(newest)) if newest.reports.period().block >= period.block => {
                    return Taken::Nothing;
                }
                (None, _) => {
                    drop(terms);
                    return self.wait(sender, message);
                }
            }
        };
        // Not under the lock: it takes milliseconds.
        let Ok(context) = Context::new(self.0.genesis, period, &set) else {
            return Taken::Nothing;
        };
        let checked = match report.check(&context, &mut OsRng) {
            Ok(checked) => checked,
            Err(error) if error.is_senders_fault() => return Taken::Refused(error.into()),
            Err(_) => return Taken::Nothing,
        };
        let mut terms = self.0.terms.lock();
        let term = terms
            .iter_mut()
            .find(|term| term.reports.period() == period);
        match term.map(|term| Arc::make_mut(&mut term.reports).add(checked)) {
            Some(Added::New | Added::Conflict) => Taken::Useful(period),
            Some(Added::Nothing) | None => Taken::Nothing,
        }
    }

    fn wait(&self, sender: Option<PeerId>, message: &[u8]) -> Taken {
        let Some(sender) = sender else {
            return Taken::Nothing;
        };
        let mut early = self.0.early.lock();
        if early.len() < EARLY_PEERS || early.contains_key(&sender) {
            let messages = early.entry(sender).or_default();
            if messages.len() < EARLY_OF_A_PEER && !messages.iter().any(|known| known == message) {
                messages.push(message.to_vec());
            }
        }
        Taken::Early
    }

    /// Drops a gone peer's early messages.
    pub(crate) fn forget(&self, peer: &PeerId) {
        self.0.early.lock().remove(peer);
    }

    /// The answer about a set: of the kept periods, that in which more members reported this metric, and the newer one of two
    /// that are equal. `None` when this set signs in neither, or nobody with a weight reported.
    ///
    /// # Errors
    /// [`AnswerError`] for weights that do not fit, or more members than one program takes.
    pub(crate) fn answer(
        &self,
        set: SetId,
        metric: Metric,
        weights: &Weights,
    ) -> Result<Option<Answer>, AnswerError> {
        let reported = |term: &Term| {
            let reports = term.reports.iter();
            reports
                .filter(|checked| checked.value(metric).is_some())
                .count()
        };
        let terms = self.of_set(set);
        let Some(term) = terms.iter().max_by_key(|term| reported(term)) else {
            return Ok(None);
        };
        let context = Context::new(self.0.genesis, term.reports.period(), &term.set)?;
        match term.reports.answer(&context, metric, weights) {
            Ok(answer) => Ok(Some(answer)),
            Err(AnswerError::Nobody(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The evidence against members of a set in the kept periods, encoded.
    pub(crate) fn evidence(&self, set: SetId) -> Vec<Vec<u8>> {
        let terms = self.of_set(set);
        let evidence = terms.iter().flat_map(|term| term.reports.evidence());
        evidence.map(Evidence::encode).collect()
    }

    /// The periods in which this set signs, the newest last, as they are now: an answer takes long.
    fn of_set(&self, set: SetId) -> Vec<Term> {
        let terms = self.0.terms.lock();
        let of_set = terms.iter().filter(|term| term.set.id() == set);
        of_set.cloned().collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use duet_mklhs::{Message, SigningKey};
    use duet_primitives::{testing::TestSet, BlockNumber, SignerIndex};
    use duet_statistics::{Certificate, Figure};

    pub(crate) const GENESIS: H256 = H256::repeat_byte(7);

    pub(crate) fn period(session: u32) -> Period {
        Period {
            set: SetId::new(1),
            session,
            block: BlockNumber::new(session * 10),
        }
    }

    pub(crate) fn test_set() -> TestSet {
        TestSet::new(1, 0..3)
    }

    pub(crate) fn keyset(test: &TestSet) -> Arc<Keyset> {
        Arc::new(test.set.keyset().clone())
    }

    /// A member's report about its peers.
    pub(crate) fn report(test: &TestSet, period: Period, member: u32, peers: u64) -> Vec<u8> {
        let set = test.set.keyset();
        let context = Context::new(GENESIS, period, set).unwrap();
        let key = SigningKey::generate(&[u8::try_from(member).unwrap(); 32]).unwrap();
        let statement = context.statement(&key.public().to_bytes());
        let proof = test.secrets[member as usize].prove_possession(&statement);
        let member = SignerIndex::new(member);
        let pk1 = set.key(member).unwrap().to_bytes();
        let label = context.label(&pk1, key.id(), Metric::Peers).unwrap();
        let signature = key.sign_unregistered(&label, Message::from(peers)).unwrap();
        let report = Report {
            period,
            member,
            certificate: Certificate::new(&key, proof.ownership()),
            figures: vec![Figure {
                metric: Metric::Peers,
                signature: signature.to_bytes(),
            }],
        };
        report.encode()
    }

    fn total(collected: &Collected) -> Option<(Period, u128)> {
        let (metric, weights) = (Metric::Peers, Weights::Equal);
        let answer = collected.answer(SetId::new(1), metric, &weights).unwrap()?;
        let test = test_set();
        let context = answer.context(GENESIS, test.set.keyset()).unwrap();
        let statistic = answer.verify(&context, metric, &weights).unwrap();
        Some((statistic.period(), statistic.total()))
    }

    #[test]
    fn reports_are_taken_once_and_served() {
        let (test, collected) = (test_set(), Collected::new(GENESIS));
        assert_eq!(total(&collected), None);
        collected.begin(period(1), keyset(&test));
        assert_eq!(total(&collected), None);
        let first = report(&test, period(1), 0, 5);
        assert_eq!(collected.take(None, &first), Taken::Useful(period(1)));
        assert_eq!(collected.take(None, &first), Taken::Nothing);
        collected.take(None, &report(&test, period(1), 2, 6));
        assert_eq!(total(&collected), Some((period(1), 11)));
        let other_set = collected.answer(SetId::new(2), Metric::Peers, &Weights::Equal);
        assert_eq!(other_set, Ok(None));
    }

    #[test]
    fn the_period_with_more_reports_is_served_and_of_equals_the_newer() {
        let (test, collected) = (test_set(), Collected::new(GENESIS));
        collected.begin(period(1), keyset(&test));
        for member in 0..2 {
            collected.take(None, &report(&test, period(1), member, 1));
        }
        collected.begin(period(2), keyset(&test));
        collected.take(None, &report(&test, period(2), 0, 10));
        assert_eq!(total(&collected), Some((period(1), 2)));
        collected.take(None, &report(&test, period(2), 1, 10));
        assert_eq!(total(&collected), Some((period(2), 20)));
    }

    #[test]
    fn two_periods_are_kept() {
        let (test, collected) = (test_set(), Collected::new(GENESIS));
        for session in 1..4 {
            collected.begin(period(session), keyset(&test));
        }
        assert_eq!(collected.periods(), [period(2), period(3)]);
        let late = report(&test, period(1), 0, 5);
        let sender = Some(PeerId::random());
        assert_eq!(collected.take(sender, &late), Taken::Nothing);
        collected.begin(period(3), keyset(&test));
        assert_eq!(collected.periods(), [period(2), period(3)], "it had begun");
    }

    #[test]
    fn what_comes_before_its_period_waits_for_it() {
        let (test, collected) = (test_set(), Collected::new(GENESIS));
        let (peer, other) = (PeerId::random(), PeerId::random());
        collected.begin(period(1), keyset(&test));
        let early = report(&test, period(2), 0, 5);
        for sender in [peer, peer, other] {
            assert_eq!(collected.take(Some(sender), &early), Taken::Early);
        }
        collected.forget(&other);
        let waited = collected.begin(period(2), keyset(&test));
        assert_eq!(waited, [(peer, early.clone())]);
        assert_eq!(collected.take(Some(peer), &early), Taken::Useful(period(2)));
        assert_eq!(collected.begin(period(3), keyset(&test)), []);
    }

    #[test]
    fn little_of_what_is_early_is_kept() {
        let (test, collected) = (test_set(), Collected::new(GENESIS));
        let mut early = report(&test, period(9), 0, 5);
        let peers: Vec<_> = (0..=EARLY_PEERS).map(|_| PeerId::random()).collect();
        let last = early.len() - 1;
        for (peer, messages) in peers
            .iter()
            .zip([EARLY_OF_A_PEER + 5].into_iter().chain([1; EARLY_PEERS]))
        {
            for message in 0..messages {
                early[last] = u8::try_from(message % 256).unwrap();
                early[last - 1] = u8::try_from(message / 256).unwrap();
                assert_eq!(collected.take(Some(*peer), &early), Taken::Early);
            }
        }
        let waited = collected.begin(period(9), keyset(&test));
        let of_first = waited.iter().filter(|(peer, _)| *peer == peers[0]);
        assert_eq!(of_first.count(), EARLY_OF_A_PEER);
        assert_eq!(waited.len(), EARLY_OF_A_PEER + EARLY_PEERS - 1);
    }

    #[test]
    fn what_only_a_liar_sends_is_refused() {
        let (test, collected) = (test_set(), Collected::new(GENESIS));
        collected.begin(period(1), keyset(&test));
        let mut bad = report(&test, period(1), 0, 5);
        let last = bad.len() - 1;
        bad[last] ^= 1;
        let refused = collected.take(None, &bad);
        assert!(
            matches!(refused, Taken::Refused(Refusal::Report(_))),
            "{refused:?}"
        );
        let refused = collected.take(None, &bad[..last]);
        assert!(
            matches!(refused, Taken::Refused(Refusal::Undecodable(_))),
            "{refused:?}"
        );
        bad.push(0);
        let refused = collected.take(None, &bad);
        assert!(
            matches!(refused, Taken::Refused(Refusal::Undecodable(_))),
            "{refused:?}"
        );
    }

    #[test]
    fn who_says_two_things_is_found_and_no_longer_counted() {
        let (test, collected) = (test_set(), Collected::new(GENESIS));
        collected.begin(period(1), keyset(&test));
        collected.take(None, &report(&test, period(1), 0, 5));
        let second = report(&test, period(1), 0, 6);
        assert_eq!(collected.take(None, &second), Taken::Useful(period(1)));
        assert_eq!(total(&collected), None);
        let evidence = collected.evidence(SetId::new(1));
        let evidence = Evidence::decode_all(&mut &evidence[0][..]).unwrap();
        let context = Context::new(GENESIS, period(1), test.set.keyset()).unwrap();
        assert_eq!(evidence.check(&context), Ok(()));
        assert_eq!(collected.evidence(SetId::new(2)), Vec::<Vec<u8>>::new());
    }
}
