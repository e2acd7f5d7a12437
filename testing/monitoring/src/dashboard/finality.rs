//! What is proven, and what stands in the way.

use super::panel::{
    Panel, Row,
    Unit::{Flag, Number, PerMinute, PerSecond},
    NODE,
};

pub(super) fn row() -> Row {
    let mut panels = numbers();
    panels.extend(graphs());
    Row {
        title: "Finality",
        panels,
    }
}

fn numbers() -> Vec<Panel> {
    vec![
        Panel::number("Alerts", Number, "How many alerts of rules.yml fire, of all nodes, whatever is chosen above.")
            .query("alerts", r#"count(ALERTS{alertname=~"Duet.*|GrandpaStalled",alertstate="firing"}) or vector(0)"#)
            .alarms_from(1.0),
        Panel::number("Nodes", Number, "How many of the chosen nodes answer.").query("nodes", "count(@best_block)"),
        Panel::number("Proven block", Number, "The highest block with a Duet justification, on any node.")
            .query("block", "max(@best_block)"),
        Panel::number(
            "Not proven",
            Number,
            "By how many blocks the node that is behind most is behind its own GRANDPA.",
        )
        .query("blocks", "max(@finalized_block - @best_block)")
        .warns_from(20.0)
        .alarms_from(100.0),
        Panel::number("Set", Number, "The id of the set that signs now.").query("set", "max(@validator_set_id)"),
        Panel::number(
            "Contradicted",
            Flag,
            "Whether a valid proof contradicts the finalized chain of a node: stop acting on finality, and see docs/operators/divergence.md.",
        )
        .query("contradicted", "max(@diverged)")
        .alarms_from(1.0),
    ]
}

fn graphs() -> Vec<Panel> {
    vec![
        Panel::graph(
            "Blocks",
            Number,
            "The best block, the highest that GRANDPA finalized, and the highest that Duet proved. They should rise together, in this order.",
        )
        .query("{{instance}} best", r#"%block_height{status="best"}"#)
        .query("{{instance}} finalized", "@finalized_block")
        .query("{{instance}} proven", "@best_block"),
        Panel::graph(
            "Not proven",
            Number,
            "Blocks that GRANDPA finalized and Duet has not proven. It returns to 0 with every proof. It grows when votes are missing.",
        )
        .query(NODE, "@finalized_block - @best_block")
        .warns_from(100.0),
        Panel::graph(
            "Proofs",
            PerMinute,
            "Blocks that Duet finalized, and proofs that grew by late votes. Without the latter votes do not arrive, or all signers were in time.",
        )
        .query("{{instance}} proven", "60 * rate(@concluded_total[~])")
        .query("{{instance}} grown", "60 * rate(@grown_total[~])"),
        Panel::graph(
            "Signing set",
            Number,
            "The id of the set that signs now. All nodes step up together; one that stays below has missed a handoff.",
        )
        .query(NODE, "@validator_set_id"),
        Panel::graph(
            "A set is to sign",
            Flag,
            "0 before the chain takes Duet up, and after it puts it down: nothing is proven then, and nothing is wrong. 1 while there is a set that should sign, or while the node cannot read whether there is one.",
        )
        .query(NODE, "@active"),
        Panel::graph(
            "Handoffs",
            Number,
            "Sets whose handoff is not proven, and whether the planned set waits for that on chain. Either above 0 for longer than a session: docs/operators/recovery.md.",
        )
        .query("{{instance}} not proven", "@lagging_sets")
        .query("{{instance}} planned set waits", "@handoff_waits"),
        Panel::graph(
            "Handoffs brought on chain",
            PerMinute,
            "Proofs of handoffs that the transaction pool took, each try counted. It stays at 0 while others are faster.",
        )
        .query(NODE, "60 * rate(@handoffs_submitted_total[~])"),
        Panel::graph(
            "Does not take part",
            Flag,
            "1 while what the node has stored cannot be read (docs/operators/state.md), or while the set votes by rules that it does not know: upgrade it.",
        )
        .query("{{instance}} stopped", "@stopped")
        .query("{{instance}} unknown rules", "@unknown_rules")
        .alarms_from(1.0),
        Panel::graph(
            "Contradictions",
            PerSecond,
            "Valid proofs of blocks that this node did not finalize, and unchecked ones that were dropped because too many wait. The first must be 0.",
        )
        .query("{{instance}} valid", "rate(@justifications_diverged_total[~])")
        .query("{{instance}} dropped unchecked", "rate(@contradicting_justifications_dropped_total[~])"),
        Panel::graph(
            "Waiting for GRANDPA",
            Number,
            "Justifications that wait for GRANDPA, or for an earlier one. Near 256 there is no more room.",
        )
        .query(NODE, "@buffered_justifications")
        .warns_from(200.0),
    ]
}
