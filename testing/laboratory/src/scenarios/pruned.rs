//! A node prunes blocks and states, and light clients that are many sets behind ask it alone.

use crate::{
    group::Group,
    scenario::{Reader, Scenario, Setting, Step},
};

/// How many blocks the node keeps: fewer than the chain has since its first set.
const KEPT: u32 = 32;

pub(super) const SCENARIO: Scenario = Scenario {
    name: "pruned",
    what: "a node keeps the bodies and states of 32 blocks while the set changes several times; a light client of the first set gets from it to the head, and to the header of a pruned block",
    needs: None,
    setting: Setting::Pruned(Group::First(1), KEPT),
    steps: &[
        Step::Prove(2),
        Step::Sync(Reader::Behind),
        Step::NewKeys(Group::First(4)),
        Step::Sessions(2),
        Step::Recover(60),
        Step::HasPruned(Group::First(1), 5),
        Step::Sync(Reader::Behind),
        Step::ShowsHeader(Reader::Behind, 5),
        Step::Recover(60),
    ],
};
