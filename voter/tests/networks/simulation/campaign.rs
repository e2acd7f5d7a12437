//! Many networks, each drawn from its seed: how many voters, what the chain does, what goes wrong, who lies.

use super::{
    adversaries::Kind, below, network::Conditions, pick, scenario::Scenario, world::Outcome, NodeId,
};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use std::{
    collections::BTreeMap,
    fmt,
    ops::{AddAssign, Range},
    panic,
    sync::{
        atomic::{AtomicU64, Ordering},
        Mutex,
    },
    thread,
    time::Instant,
};

/// The name of its scenarios.
pub(crate) const NAME: &str = "campaign";
/// How many voters a network has; small ones are quick, and seldom ones are there.
const SIZES: [u64; 11] = [1, 4, 4, 4, 4, 4, 4, 5, 6, 7, 10];

/// The network of a seed.
pub(crate) fn scenario(seed: u64) -> Scenario {
    // Not the numbers that the network itself draws.
    let rng = &mut ChaCha8Rng::seed_from_u64(seed ^ 0xca3b_a16e);
    let n = *choice(rng, &SIZES);
    let mut scenario = Scenario::new(NAME, n).with_changes(below(rng, 4));
    scenario.gaps = vec![*choice(rng, &[0, 2, 4])];
    scenario.session = *choice(rng, &[2, 4]);
    scenario.tail = 6;
    scenario.calm = 60_000;
    scenario.conditions = *choice(
        rng,
        &[
            Conditions::GOOD,
            Conditions::BAD,
            Conditions::BAD,
            Conditions::STORM,
        ],
    );
    scenario.crashes = *choice(rng, &[0, 0, 2, 6]);
    draw_sessions(&mut scenario, rng);
    draw_config(&mut scenario, rng);
    draw_nodes(&mut scenario, n, rng);
    scenario
}

fn draw_sessions(scenario: &mut Scenario, rng: &mut ChaCha8Rng) {
    let sets = scenario.sets.len();
    if sets > 1 && one_in(rng, 6) {
        scenario.resets.push(1 + pick(rng, sets - 1));
    }
    if one_in(rng, 5) {
        scenario.kept.push(pick(rng, sets));
        scenario.keyless = pick(rng, 2);
    }
    if one_in(rng, 4) {
        let first = 1 + u32::try_from(below(rng, 8)).expect("small");
        let length = 4 + u32::try_from(below(rng, 16)).expect("small");
        scenario.stalls.push(first..first + length);
    }
}

fn draw_config(scenario: &mut Scenario, rng: &mut ChaCha8Rng) {
    let config = &mut scenario.config;
    config.lookahead = *choice(rng, &[8, 32, 64]);
    config.rounds_per_signer = *choice(rng, &[4, 32]);
    config.max_eras = *choice(rng, &[2, 256, 256]);
    // With less room the last proof of the chain may find none, and no later one comes here to make up for it.
    config.max_justifications = *choice(rng, &[16, 256]);
    config.grace = *choice(rng, &[0, 1_000]);
    scenario.min_deltas = choice(rng, &[vec![1], vec![1], vec![1, 3], vec![3, 2, 1]]).clone();
    scenario.mixed = one_in(rng, 3);
}

fn draw_nodes(scenario: &mut Scenario, n: u64, rng: &mut ChaCha8Rng) {
    if n >= 4 && one_in(rng, 24) {
        // A quorum of all sets, which have the same members.
        let members = scenario.sets[0].clone();
        scenario.sets.fill(members);
        let colluders = 0..usize::try_from(n - (n - 1) / 3).expect("small");
        scenario.adversaries = colluders.map(|id| (id, Kind::Colluder)).collect();
        return;
    }
    if below(rng, 3) > 0 {
        draw_adversaries(scenario, n, rng);
    }
    let honest = |node: &NodeId| scenario.adversaries.iter().all(|(bad, _)| bad != node);
    let members = usize::try_from(n).expect("small");
    let node = Some(pick(rng, members)).filter(honest);
    let faults = scenario.adversaries.len();
    match below(rng, 6) {
        0 => scenario.late.extend(node),
        // One more that is not to be relied on.
        1 if faults < members.saturating_sub(1) / 3 => scenario.reorging = node,
        _ => {}
    }
}

/// Up to a third of each set. Sets are windows of the keyring, so members so far apart are never in one too many.
fn draw_adversaries(scenario: &mut Scenario, n: u64, rng: &mut ChaCha8Rng) {
    let nodes = scenario.sets.iter().flatten().max().copied().unwrap_or(0);
    let tolerated = (n - 1) / 3;
    if tolerated == 0 {
        return;
    }
    let first = below(rng, n);
    let step = n.div_ceil(tolerated);
    let bad = (first..=nodes).step_by(usize::try_from(step).expect("small"));
    for id in bad {
        let kind = *choice(rng, &Kind::ALL);
        let id = usize::try_from(id).expect("small");
        scenario.adversaries.push((id, kind));
    }
}

fn choice<'a, T>(rng: &mut ChaCha8Rng, all: &'a [T]) -> &'a T {
    &all[pick(rng, all.len())]
}

fn one_in(rng: &mut ChaCha8Rng, chances: u64) -> bool {
    below(rng, chances) == 0
}

/// What was played.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) counts: BTreeMap<String, u64>,
}

impl Tally {
    fn add(&mut self, what: impl Into<String>, count: u64) {
        *self.counts.entry(what.into()).or_default() += count;
    }

    /// How often something was counted.
    pub(crate) fn of(&self, what: &str) -> u64 {
        self.counts.get(what).copied().unwrap_or(0)
    }

    fn of_run(scenario: &Scenario, outcome: &Outcome) -> Self {
        let mut tally = Self::default();
        tally.add("networks", 1);
        tally.add("voters", outcome.honest().count() as u64);
        for (what, happens) in [
            ("with set changes", scenario.sets.len() > 1),
            ("with crashes", scenario.crashes > 0),
            ("with a reset", !scenario.resets.is_empty()),
            ("with a kept set", !scenario.kept.is_empty()),
            ("with a stall of GRANDPA", !scenario.stalls.is_empty()),
            ("with a late node", !scenario.late.is_empty()),
            ("with a reorging node", scenario.reorging.is_some()),
        ] {
            tally.add(what, happens.into());
        }
        for (_, kind) in &scenario.adversaries {
            tally.add(format!("adversaries: {kind:?}"), 1);
        }
        let judge = &outcome.judge;
        let false_votes = judge.false_votes();
        tally.add("votes", judge.votes());
        tally.add("proofs concluded", judge.proofs());
        tally.add("false votes taken", false_votes.taken);
        tally.add("false votes accused", false_votes.accused);
        tally.add("false votes forgotten", false_votes.forgotten);
        tally.add("equivocations reported", judge.reports.len() as u64);
        tally.add("contradictions seen by nodes", judge.diverged.len() as u64);
        tally
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        for (what, count) in other.counts {
            self.add(what, count);
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = self.counts.iter();
        lines.try_for_each(|(what, count)| writeln!(f, "{count:>12} {what}"))
    }
}

/// Plays the networks of these seeds, and says once in a while which of them it has played: a run that was stopped goes on
/// from there.
///
/// # Panics
/// With the seed and the command that plays it again, when anything that must not happen does.
pub(crate) fn play(seeds: Range<u64>) -> Tally {
    let began = Instant::now();
    let count = seeds.end.saturating_sub(seeds.start);
    let step = (count / 10).clamp(1_000, 10_000);
    let (mut next, mut sum) = (seeds.start, Tally::default());
    while next < seeds.end {
        let end = seeds.end.min(next.saturating_add(step));
        sum += play_all(next..end);
        next = end;
        println!("played {}..{next} in {:.0?}", seeds.start, began.elapsed());
    }
    sum
}

/// Plays all of them, on all cores.
fn play_all(seeds: Range<u64>) -> Tally {
    let (next, sum) = (AtomicU64::new(seeds.start), Mutex::new(Tally::default()));
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let play = || loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                break;
            }
            let scenario = scenario(seed);
            let tally = Tally::of_run(&scenario, &scenario.play(seed));
            *sum.lock().expect("no holder panics") += tally;
        };
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(play)).collect();
        for thread in threads {
            if let Err(failure) = thread.join() {
                panic::resume_unwind(failure);
            }
        }
    });
    sum.into_inner().expect("no holder panics")
}
