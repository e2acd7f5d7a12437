//! Who signs, and who will.

use super::panel::{
    Panel, Row,
    Unit::{Flag, Number, PerMinute, Percent},
    NODE,
};

pub(super) fn row() -> Row {
    Row {
        title: "Participation",
        panels: [now(), next()].into_iter().flatten().collect(),
    }
}

/// The set that signs now.
fn now() -> Vec<Panel> {
    vec![
        Panel::graph(
            "Signers of the newest proof",
            Number,
            "How many members of the set signed the newest proof, how many there are, and how many are needed. A proof begins with as many as are needed, and grows.",
        )
        .query("signed", "max(@signers_last)")
        .query("members", "max(@set_size)")
        .query("needed", "max(@set_size - floor((@set_size - 1) / 3))"),
        Panel::graph(
            "In the set",
            Flag,
            "1 while a key of the node is in the signing set.",
        )
        .query(NODE, "@in_set"),
        Panel::graph(
            "Own vote behind the target",
            Number,
            "How far the highest block that the node voted on is behind the one that the set should prove next. It matters for members of the set.",
        )
        .query(NODE, "clamp_min(@target_block - @best_voted, 0)"),
        Panel::graph(
            "Own votes",
            PerMinute,
            "Votes that the node sent for the first time. At 0 on a member of the set, it does not vote.",
        )
        .query(NODE, "60 * rate(@votes_sent_total[~])"),
        Panel::graph(
            "Own keys",
            Number,
            "In the last hour: sets that began without a key of this validator, and valid votes of its key that it did not make. The second must be 0: another node has the key.",
        )
        .query("{{instance}} not in a set", "increase(@no_key_in_set_total[1h])")
        .query("{{instance}} key votes elsewhere", "increase(@own_key_elsewhere_total[1h])")
        .alarms_from(1.0),
        Panel::graph(
            "Offences",
            Number,
            "In the last hour: equivocations that were found, and reports of these and of false statements that were submitted.",
        )
        .query("{{instance}} equivocations", "increase(@equivocations_total[1h])")
        .query("{{instance}} reports of these", "increase(@equivocation_reports_total[1h])")
        .query("{{instance}} reports of false statements", "increase(@false_statement_reports_total[1h])"),
    ]
}

/// The set of the next session, and what is on its way to the chain.
fn next() -> Vec<Panel> {
    vec![
        Panel::graph(
            "Validators of the next session",
            Number,
            "How many are elected, how many of these have Duet keys, and how many must have some for their set to take over.",
        )
        .query("elected", "max(@elected_validators)")
        .query("with keys", "min(@elected_with_keys)")
        .query("needed", "max(@elected_needed)"),
        Panel::graph(
            "Stake of the next session",
            Percent,
            "The part of the elected stake that would be behind a set. Below 67 the set stands for less than two thirds of it.",
        )
        .query(NODE, "@elected_stake_permille / 10")
        .alarms_below(67.0),
        Panel::graph(
            "Cannot take over",
            Flag,
            "1 while a set of the next session's validators could not take over, because too few have keys (CHAIN-6). The log names them.",
        )
        .query(NODE, "@below_floor")
        .alarms_from(1.0),
        Panel::graph(
            "Reports that wait",
            Number,
            "Evidence that is not on the finalized chain yet. It is submitted again each minute.",
        )
        .query("{{instance}} equivocations", "@equivocation_reports_waiting")
        .query("{{instance}} false statements", "@false_statement_reports_waiting"),
    ]
}
