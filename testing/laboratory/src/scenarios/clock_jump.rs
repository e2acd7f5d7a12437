//! The clock of a node jumps half a minute ahead, then behind, and is put right; then all clocks jump ahead.
//!
//! The node is started again after its clock was behind. Until then blocks come from its future. The SDK's sync refuses them, bans the
//! peers that sent them, and does not ask these again as long as the node runs (docs/laboratory.md).

use crate::{
    group::Group,
    scenario::{Need, Scenario, Setting, Step},
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "clock_jump",
    what: "the clock of one node jumps ahead and behind, then the clocks of all nodes jump ahead; the others go on proving, and the node catches up",
    needs: Some(Need::Faketime),
    setting: Setting::Clocks(0),
    steps: &[
        Step::Prove(3),
        Step::Clock(Group::Last(0), 30),
        Step::OthersProve(Group::Last(0), 8),
        Step::Clock(Group::Last(0), 0),
        Step::Recover(60),
        Step::Clock(Group::Last(0), -30),
        Step::OthersProve(Group::Last(0), 8),
        Step::Clock(Group::Last(0), 0),
        Step::Kill(Group::Last(0)),
        Step::Start(Group::Last(0)),
        Step::Recover(120),
        Step::Clock(Group::All, 600),
        Step::Recover(60),
    ],
};
