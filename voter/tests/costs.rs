//! What the voter and its filter cost with 10 000 validators, each step of a round. Not a check: it prints milliseconds.
//!
//! `cargo test --release -p duet-voter --test costs -- --ignored --nocapture`

use duet_primitives::{
    testing::TestSet, BlockNumber, RoundMessage, UncheckedVote, Vote, H256,
};
use duet_voter::{Config, Effect, Event, Filter, State, Voter};
use std::{
    num::NonZeroUsize,
    sync::Arc,
    time::{Duration, Instant},
};

const VALIDATORS: u32 = 10_000;
/// Votes in one event at most, as the node checks them.
const BATCH: usize = 256;

/// The longest and the sum of several runs of one step.
#[derive(Default)]
struct Cost {
    longest: Duration,
    sum: Duration,
}

impl Cost {
    fn of<T>(&mut self, step: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = step();
        let took = start.elapsed();
        self.longest = self.longest.max(took);
        self.sum += took;
        result
    }

    fn print(&self, what: &str) {
        println!("{what}: longest {:?}, in all {:?}", self.longest, self.sum);
    }
}

fn one<T>(what: &str, step: impl FnOnce() -> T) -> T {
    let mut cost = Cost::default();
    let result = cost.of(step);
    cost.print(what);
    result
}

struct Round {
    base: TestSet,
    message: RoundMessage,
    votes: Vec<Vote>,
}

fn round() -> Round {
    let base = TestSet::new(0, 0..u64::from(VALIDATORS));
    let message = RoundMessage::new(H256::zero(), base.commitment(1, &base.set));
    let message = message.expecting(VALIDATORS);
    let votes = (0..).zip(&base.secrets).map(|(signer, secret)| {
        UncheckedVote::sign(secret, duet_primitives::SignerIndex::new(signer), &message)
    });
    let checked = UncheckedVote::check_all(
        votes.collect(),
        base.set.keyset(),
        &message,
        NonZeroUsize::MIN,
    );
    Round {
        votes: checked.into_iter().map(|vote| vote.expect("good")).collect(),
        base,
        message,
    }
}

#[test]
#[ignore = "prints how long the steps of a round take; needs minutes"]
fn steps_of_a_round_of_ten_thousand() {
    let Round {
        base,
        message,
        votes,
    } = round();
    let set = Arc::new(base.set.clone());
    let state = State::new(base.set.commitment().clone(), BlockNumber::new(1));
    let own = base.set.keyset().key_bytes().remove(17);
    let mut voter = Voter::new(Config::default(), state, vec![own]);
    let mut filter = Filter::new(32);
    one("a set is loaded", || voter.handle(Event::Set(set), 0));
    let number = BlockNumber::new(1);
    voter.handle(Event::Finalized { number }, 0);
    filter.update(voter.window());
    one("a message is prepared", || {
        voter.handle(Event::Prepared(message.clone()), 0)
    });
    filter.prepare(&message);

    let (mut record, mut take, mut follow) = (Cost::default(), Cost::default(), Cost::default());
    let mut asked = None;
    let threshold = base.set.keyset().threshold() as usize;
    let (first, late) = votes.split_at(threshold);
    for batch in first.chunks(BATCH) {
        record.of(|| batch.iter().for_each(|vote| drop(filter.record_vote(vote))));
        let batch = batch.to_vec();
        for effect in take.of(|| voter.handle(Event::Votes(batch), 0)) {
            if let Effect::Aggregate(votes) = effect {
                asked = Some(votes);
            }
        }
        follow.of(|| filter.update(voter.window()));
    }
    record.print("256 votes are recorded by the filter (threads that check)");
    take.print("256 votes are taken, at last with a quorum (loop)");
    follow.print("the filter follows (loop)");
    let asked = asked.expect("a quorum");
    let sum = one("a quorum is added up (desk)", || asked.run());
    let answer = Event::Aggregated(Box::new(sum));
    let effects = one("a block is concluded (loop)", || voter.handle(answer, 0));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Conclude { .. })));
    one("the filter follows a conclusion (loop)", || {
        filter.update(voter.window());
    });
    one("the state is encoded (loop)", || voter.state().to_bytes());
    drop(effects);
    drop(late);
}
