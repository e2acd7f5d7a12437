//! The file in the making, and what its parts have in common.

use crate::cases::{
    builder::Builder,
    world::{from_genesis, justification, scenario, stateless, step, MODES},
};
use duet_light_client::testing::TestChain;
use duet_primitives::{StatelessProof, UncheckedJustification};
use serde_json::Value;

/// The file in the making, and the chain that clients follow in it.
pub(super) struct Attacks {
    pub(super) builder: Builder,
    pub(super) chain: TestChain,
}

impl Attacks {
    /// Steps from the chain's genesis, of which the last breaks the rule.
    pub(super) fn refused(&mut self, rule: &str, id: &str, mode: &str, steps: Vec<Value>) {
        let input = scenario(&from_genesis(&self.chain), mode, steps);
        self.builder
            .breaks(rule, &format!("{id}, {mode}"), "follow", input);
    }

    /// A proof of block 2 with one change, in both modes.
    pub(super) fn changed(
        &mut self,
        rule: &str,
        id: &str,
        change: impl Fn(&mut UncheckedJustification),
    ) {
        let mut bad = justification(&self.chain, 2);
        change(&mut bad);
        let whole = StatelessProof {
            justification: bad.clone(),
            ..stateless(&self.chain, 2)
        };
        self.refused(rule, id, "full", vec![step("justification", &bad)]);
        self.refused(rule, id, "stateless", vec![step("stateless", &whole)]);
    }

    /// A client cannot begin with this, whatever it keeps.
    pub(super) fn no_start(&mut self, rule: &str, id: &str, start: &Value) {
        for mode in MODES {
            let input = scenario(start, mode, vec![]);
            self.builder
                .breaks(rule, &format!("{id}, {mode}"), "follow", input);
        }
    }
}
