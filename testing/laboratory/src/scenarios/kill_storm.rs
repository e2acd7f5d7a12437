//! Nodes are killed and started again, one after the other.

use crate::scenario::{Scenario, Setting, Step};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "kill_storm",
    what: "nodes are killed without warning and started again a few seconds later, never more at once than may be missing",
    needs: None,
    setting: Setting::Plain,
    steps: &[
        Step::Prove(3),
        Step::Storm(12),
        Step::Recover(120),
    ],
};
