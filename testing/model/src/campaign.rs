//! The bounds and the broken rules that are checked, and what comes of each.

use crate::{
    bounds::{Bounds, Goal},
    chain::Call,
    model::{Duet, AGREES, GOES_ON, HONEST, SAFE},
    mutant::Mutant,
    recovery::{Recovering, NOT_ASTRAY, NOT_BOTH},
    state::Left,
};
use stateright::{Checker, Expectation, HasDiscoveries, Model};
use std::{fmt, fs};

const NONE: Left = Left {
    crashes: 0,
    power_cuts: 0,
    losses: 0,
    restores: 0,
    resets: 0,
    deactivations: 0,
};

/// Votes of one set on few blocks, one after the other, forged ones among them.
const VOTES: Bounds = Bounds {
    name: "votes",
    byzantine: 1,
    height: 1,
    lag: u32::MAX - 9,
    single_votes: true,
    signs_at_once: false,
    forged_votes: true,
    rekeys: &[],
    begins: &[],
    splits: false,
    restores_to: None,
    left: NONE,
    reaches: &[Goal::Proves],
};

/// Restarts, with and without what was not flushed.
const CRASHES: Bounds = Bounds {
    name: "crashes",
    height: 1,
    single_votes: false,
    forged_votes: false,
    left: Left {
        crashes: 1,
        power_cuts: 1,
        losses: 1,
        ..NONE
    },
    ..VOTES
};

/// Changes of keys, and a handoff that waits.
const SETS: Bounds = Bounds {
    name: "sets",
    height: 3,
    lag: 1,
    single_votes: false,
    signs_at_once: true,
    forged_votes: false,
    rekeys: &[3],
    begins: &[Call::Rekey(3)],
    reaches: &[Goal::Proves, Goal::Waits],
    ..VOTES
};

/// A reset, a deactivation and an activation, also while a handoff waits.
const RESETS: Bounds = Bounds {
    name: "resets",
    height: 3,
    left: Left {
        resets: 1,
        deactivations: 1,
        ..NONE
    },
    ..SETS
};

/// An older chain is restored, and lost statements are pardoned.
const RESTORES: Bounds = Bounds {
    name: "restores",
    height: 2,
    single_votes: false,
    signs_at_once: true,
    forged_votes: false,
    restores_to: Some(1),
    left: Left {
        restores: 1,
        ..NONE
    },
    ..VOTES
};

/// Three of four validators lie.
const LIARS: Bounds = Bounds {
    name: "liars",
    byzantine: 3,
    height: 2,
    ..VOTES
};

/// GRANDPA finalizes two chains, and two of four validators vote on both.
const TWO_CHAINS: Bounds = Bounds {
    name: "two chains",
    byzantine: 2,
    height: 2,
    single_votes: false,
    signs_at_once: true,
    splits: true,
    reaches: &[Goal::Proves, Goal::Differs],
    ..VOTES
};

/// A restart while there are two blocks to vote on.
const CRASHES_TWICE: Bounds = Bounds {
    name: "crashes, two blocks",
    height: 2,
    lag: 1,
    left: Left { crashes: 1, ..NONE },
    ..CRASHES
};

/// Bounds that take seconds.
pub const SMALL: [Bounds; 8] = [
    VOTES,
    CRASHES,
    CRASHES_TWICE,
    SETS,
    RESETS,
    RESTORES,
    LIARS,
    TWO_CHAINS,
];

/// Bounds that take longer.
pub const LARGE: [Bounds; 5] = [
    Bounds {
        name: "all crashes, two blocks",
        left: CRASHES.left,
        ..CRASHES_TWICE
    },
    Bounds {
        name: "liars, three blocks",
        height: 3,
        ..LIARS
    },
    Bounds {
        name: "sets, any delay",
        begins: &[],
        lag: VOTES.lag,
        ..SETS
    },
    Bounds {
        name: "resets, any delay",
        begins: &[],
        lag: VOTES.lag,
        ..RESETS
    },
    Bounds {
        name: "restores, and a crash",
        left: Left {
            crashes: 1,
            ..RESTORES.left
        },
        ..RESTORES
    },
];

/// A model before a reset: whether recovery keys are stolen, whether their owners sign, the time, and the blocks of
/// each set.
pub type Recovery = (&'static str, bool, bool, u8, u32);

/// Clients before a reset.
pub const RECOVERIES: [Recovery; 3] = [
    ("recovery", false, true, 10, 2),
    ("stolen recovery keys", true, false, 6, 5),
    ("two statements", true, true, 5, 1),
];

/// What came of a check.
#[derive(Debug)]
pub struct Checked {
    /// The name of the bounds.
    pub name: &'static str,
    /// How many states there are.
    pub states: usize,
    /// How many steps led to them.
    pub steps: usize,
    /// The most steps on the shortest way to a state.
    pub depth: usize,
    /// How many states of one validator, and of one client, the real code computed.
    pub computed: (usize, usize),
    /// The seconds of processor time that it took, where the system says so.
    pub took: f64,
    /// Properties that do not hold, each with the steps of the shortest way there.
    pub broken: Vec<(&'static str, Vec<String>)>,
    /// What was to happen, and did not.
    pub missed: Vec<&'static str>,
}

/// A broken rule, and the property that fails.
pub type Fault = (Mutant, &'static str);

/// Visits every state within bounds; with a broken rule, until the property fails.
pub fn check(bounds: Bounds, fault: Option<Fault>, symmetry: bool) -> Checked {
    let model = Duet::new(bounds, fault.map(|(mutant, _)| mutant), symmetry);
    run(bounds.name, model, fault, |model| {
        let shared = model.shared();
        (shared.computed().0, shared.clients.computed().0)
    })
}

/// The same for clients before a reset.
pub fn check_recovery(of: Recovery, fault: Option<Fault>) -> Checked {
    let (name, stolen, honest, time, blocks) = of;
    let mutant = fault.map(|(mutant, _)| mutant);
    let model = Recovering::new(stolen, honest, time, blocks, mutant);
    run(name, model, fault, |model| (0, model.clients()))
}

fn run<M>(
    name: &'static str,
    model: M,
    fault: Option<Fault>,
    computed: fn(&M) -> (usize, usize),
) -> Checked
where
    M: Model + Send + Sync + 'static,
    M::State: std::hash::Hash + fmt::Debug + Clone + PartialEq + Send + Sync + 'static,
    M::Action: fmt::Debug + Clone + PartialEq + Send + Sync + 'static,
{
    let began = processor_time();
    let checker = model.checker().threads(1);
    let checker = match fault {
        Some((_, fails)) => checker.finish_when(HasDiscoveries::AllOf([fails].into())),
        None => checker,
    };
    let checker = checker.spawn_bfs().join();
    let took = processor_time() - began;
    let mut found = checker.discoveries();
    let (mut broken, mut missed) = (vec![], vec![]);
    for property in checker.model().properties() {
        match (property.expectation, found.remove(property.name)) {
            (Expectation::Sometimes, None) => missed.push(property.name),
            (Expectation::Sometimes, Some(_)) | (_, None) => {}
            (_, Some(path)) => {
                let steps = path.into_actions().into_iter();
                let steps = steps.map(|step| format!("{step:?}")).collect();
                broken.push((property.name, steps));
            }
        }
    }
    Checked {
        name,
        states: checker.unique_state_count(),
        steps: checker.state_count(),
        depth: checker.max_depth(),
        computed: computed(checker.model()),
        took,
        broken,
        missed,
    }
}

/// The seconds that this process has computed: other processes share the machine.
fn processor_time() -> f64 {
    let status = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = status
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace();
    let ticks = fields
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// A broken rule, the bounds in which it shows, and the property that fails.
pub struct Break {
    /// The rule.
    pub mutant: Mutant,
    /// The rule in words.
    pub what: &'static str,
    /// The property that fails.
    pub fails: &'static str,
    within: Within,
}

impl Break {
    /// Whether the same steps break nothing when the rule is kept. Steps that only the broken rule allows are left
    /// out.
    pub fn holds_when_kept(&self, steps: &[String]) -> bool {
        match self.within {
            Within::Network(bounds) => replay(&Duet::new(bounds, None, false), steps),
            Within::Recovery((_, stolen, honest, time, blocks)) => {
                replay(&Recovering::new(stolen, honest, time, blocks, None), steps)
            }
        }
    }
}

fn replay<M: Model>(model: &M, steps: &[String]) -> bool
where
    M::Action: fmt::Debug,
{
    let mut states = model.init_states();
    for wanted in steps {
        let Some(state) = states.last() else {
            return false;
        };
        let mut actions = vec![];
        model.actions(state, &mut actions);
        let found = actions
            .into_iter()
            .find(|action| format!("{action:?}") == *wanted);
        let next = found.and_then(|action| model.next_state(state, action));
        states.extend(next);
    }
    let properties = model.properties().into_iter();
    let mut always =
        properties.filter(|property| matches!(property.expectation, Expectation::Always));
    always.all(|property| {
        states
            .iter()
            .all(|state| (property.condition)(model, state))
    })
}

enum Within {
    Network(Bounds),
    Recovery(Recovery),
}

impl Break {
    /// Checks until the property fails.
    pub fn check(&self) -> Checked {
        match self.within {
            Within::Network(bounds) => check(bounds, Some((self.mutant, self.fails)), false),
            Within::Recovery(of) => check_recovery(of, Some((self.mutant, self.fails))),
        }
    }
}

/// Every broken rule.
pub fn breaks() -> Vec<Break> {
    let lossy = Bounds {
        left: Left {
            losses: 1,
            ..RESTORES.left
        },
        ..RESTORES
    };
    let network = |mutant, what, fails, bounds| Break {
        mutant,
        what,
        fails,
        within: Within::Network(bounds),
    };
    let recovery = |mutant, what, fails, at: usize| Break {
        mutant,
        what,
        fails,
        within: Within::Recovery(RECOVERIES[at]),
    };
    vec![
        network(
            Mutant::VoteBeforeRecord,
            "ROUND-4: a vote is given out before its record is on disk",
            HONEST,
            RESTORES,
        ),
        network(
            Mutant::VoteBeforeGrandpa,
            "ROUND-1: a vote before GRANDPA",
            HONEST,
            VOTES,
        ),
        network(
            Mutant::VoteBeforeGrandpa,
            "ROUND-1: a vote before GRANDPA",
            SAFE,
            VOTES,
        ),
        network(
            Mutant::ComparedEarly,
            "ROUND-10: a proof is compared before GRANDPA has come to its block",
            AGREES,
            VOTES,
        ),
        network(
            Mutant::ProofSentOnce,
            "ROUND-6: a node does not send its newest proof again",
            GOES_ON,
            Bounds {
                left: NONE,
                ..CRASHES_TWICE
            },
        ),
        network(
            Mutant::FloorSkipped,
            "ROUND-4: without its record, a validator begins without a floor",
            HONEST,
            lossy,
        ),
        network(
            Mutant::LossForgotten,
            "ROUND-4: without its record, it begins before the chain has passed its last vote",
            HONEST,
            lossy,
        ),
        network(
            Mutant::RecordRestored,
            "ROUND-4: the record is restored with the chain",
            HONEST,
            RESTORES,
        ),
        network(
            Mutant::NotPardoned,
            "FALSE-4: lost statements are not pardoned",
            HONEST,
            RESTORES,
        ),
        network(
            Mutant::ResetRepeatsId,
            "RESET-1: a reset repeats the id of a planned set",
            GOES_ON,
            RESETS,
        ),
        recovery(
            Mutant::DelayIgnored,
            "RECOVER-8: a client does not wait",
            NOT_ASTRAY,
            1,
        ),
        recovery(
            Mutant::ContradictionForgotten,
            "RECOVER-8: a client forgets the second statement",
            NOT_BOTH,
            2,
        ),
        recovery(
            Mutant::PeriodIgnored,
            "LIGHT-9: a client does not ask how old its block is",
            NOT_ASTRAY,
            0,
        ),
    ]
}
