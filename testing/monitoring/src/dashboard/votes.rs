//! What comes in by gossip, and what checking it costs.

use super::panel::{
    Panel, Row,
    Unit::{Number, PerSecond, Seconds},
};

pub(super) fn row() -> Row {
    Row {
        title: "Votes and checks",
        panels: [received(), checked()].into_iter().flatten().collect(),
    }
}

fn received() -> Vec<Panel> {
    vec![
        Panel::graph(
            "Votes received",
            PerSecond,
            "Votes of others on the chosen nodes together, by what became of them. Known ones are normal: each vote comes from several peers. Ignored ones are too early or too late.",
        )
        .query("good", "sum(rate(@votes_good_total[~]))")
        .query("known", "sum(rate(@votes_known_total[~]))")
        .query("ignored", "sum(rate(@votes_ignored_total[~]))")
        .query("bad", "sum(rate(@votes_bad_total[~]))"),
        Panel::graph(
            "Good votes of no use",
            PerSecond,
            "Valid votes that came too late, and those that a later one of their signer replaced. As many as good votes: the network is slow.",
        )
        .query("{{instance}} too late", "rate(@stale_votes_total[~])")
        .query("{{instance}} replaced", "rate(@dropped_votes_total[~])"),
        Panel::graph(
            "Messages dropped",
            PerSecond,
            "Because too many wait, because their sender is banned, and because they do not decode.",
        )
        .query("{{instance}} too many", "rate(@queue_drops_total[~])")
        .query("{{instance}} banned", "rate(@banned_drops_total[~])")
        .query("{{instance}} not decoded", "rate(@undecodable_messages_total[~])"),
        Panel::graph(
            "Held",
            Number,
            "Rounds with votes that are not concluded, and their votes. They fall when something is proven.",
        )
        .query("{{instance}} rounds", "@rounds")
        .query("{{instance}} votes", "@votes_held"),
    ]
}

fn checked() -> Vec<Panel> {
    vec![
        Panel::graph(
            "Votes checked",
            PerSecond,
            "Votes whose proof was computed. Far above the good ones, somebody sends garbage.",
        )
        .query("{{instance}} checked", "rate(@dleq_checks_total[~])")
        .query("{{instance}} good", "rate(@votes_good_total[~])"),
        Panel::graph(
            "Time of a check",
            Seconds,
            "How long a check of a proof, or of a batch of votes on one block, takes: half of the checks at most the first, nine of ten the second, 99 of 100 the third.",
        )
        .query("{{instance}} half", "histogram_quantile(0.5, rate(@check_seconds_bucket[~]))")
        .query("{{instance}} 90 %", "histogram_quantile(0.9, rate(@check_seconds_bucket[~]))")
        .query("{{instance}} 99 %", "histogram_quantile(0.99, rate(@check_seconds_bucket[~]))"),
        Panel::graph(
            "Waiting for a check",
            Number,
            "Votes and justifications that wait to be checked. It must return to 0 again and again.",
        )
        .query("{{instance}}", "@checks_waiting"),
        Panel::graph(
            "Checks",
            PerSecond,
            "How many checks are made, each of a proof or of a batch of votes on one block. Batches are larger where more votes come.",
        )
        .query("{{instance}}", "rate(@check_seconds_count[~])"),
        Panel::graph(
            "Odd events",
            Number,
            "In the last hour: events that contradict what the voter knows, which is a bug, and changes of sets for which it had no room yet.",
        )
        .query("{{instance}} contradictions", "increase(@inconsistent_events_total[1h])")
        .query("{{instance}} no room", "increase(@deferred_plans_total[1h])"),
    ]
}
