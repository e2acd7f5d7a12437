//! Justifications as they come, and what is asked of peers.

use super::panel::{
    Panel, Row,
    Unit::{Number, PerMinute, PerSecond},
};

pub(super) fn row() -> Row {
    Row {
        title: "Justifications and requests",
        panels: [came(), asked()].into_iter().flatten().collect(),
    }
}

fn came() -> Vec<Panel> {
    vec![
        Panel::graph(
            "Justifications by gossip",
            PerSecond,
            "On the chosen nodes together, by what became of them. Known ones bring nothing new; ignored ones are too early or too late.",
        )
        .query("good", "sum(rate(@justifications_good_total[~]))")
        .query("known", "sum(rate(@justifications_known_total[~]))")
        .query("ignored", "sum(rate(@justifications_ignored_total[~]))")
        .query("bad", "sum(rate(@justifications_bad_total[~]))"),
        Panel::graph(
            "Published",
            PerMinute,
            "Justifications that this node was the one to publish (ROUND-6).",
        )
        .query("{{instance}}", "60 * rate(@justifications_published_total[~])"),
        Panel::graph(
            "Good justifications of no use",
            PerSecond,
            "Valid justifications that came too late, and those that found no room to wait: GRANDPA is far behind here.",
        )
        .query("{{instance}} too late", "rate(@stale_justifications_total[~])")
        .query("{{instance}} no room", "rate(@dropped_justifications_total[~])"),
        Panel::graph(
            "Justifications with blocks",
            PerSecond,
            "Those that came with blocks from sync. Bad ones and those that do not decode: a sync peer sends garbage. Dropped ones: too many wait, or the worker is behind.",
        )
        .query("{{instance}} good", "rate(@imported_justifications_good_total[~])")
        .query("{{instance}} bad", "rate(@imported_justifications_bad_total[~])")
        .query("{{instance}} too many", "rate(@imported_justifications_dropped_total[~])")
        .query("{{instance}} not decoded", "rate(@import_undecodable_justifications_total[~])")
        .query("{{instance}} worker behind", "rate(@import_dropped_justifications_total[~])"),
        Panel::graph(
            "Planned sets",
            Number,
            "In the last hour: sets that were stored with their block, and those that could not be read from its state.",
        )
        .query("{{instance}} stored", "increase(@import_sets_kept_total[1h])")
        .query("{{instance}} not read", "increase(@import_sets_missed_total[1h])"),
    ]
}

fn asked() -> Vec<Panel> {
    vec![
        Panel::graph(
            "Requests of peers",
            PerSecond,
            "Requests for justifications that this node answered, and those that it refused.",
        )
        .query("{{instance}} answered", "rate(@requests_served_total[~])")
        .query("{{instance}} refused", "rate(@requests_refused_total[~])"),
        Panel::graph(
            "Own requests for proofs",
            PerMinute,
            "What became of the requests that this node sent, because a proof is missing here.",
        )
        .query("{{instance}} sent", "60 * rate(@on_demand_sent_total[~])")
        .query("{{instance}} good", "60 * rate(@on_demand_good_total[~])")
        .query("{{instance}} bad", "60 * rate(@on_demand_bad_total[~])")
        .query("{{instance}} nothing", "60 * rate(@on_demand_empty_total[~])")
        .query("{{instance}} failed", "60 * rate(@on_demand_failed_total[~])"),
        Panel::graph(
            "Own requests for history",
            PerMinute,
            "The same of the handoffs from before this node began.",
        )
        .query("{{instance}} sent", "60 * rate(@history_sent_total[~])")
        .query("{{instance}} good", "60 * rate(@history_good_total[~])")
        .query("{{instance}} bad", "60 * rate(@history_bad_total[~])")
        .query("{{instance}} nothing", "60 * rate(@history_empty_total[~])")
        .query("{{instance}} failed", "60 * rate(@history_failed_total[~])"),
        Panel::graph(
            "History",
            Number,
            "Handoff proofs from before this node began: those that it lacks, and those that it has stored since its start.",
        )
        .query("{{instance}} missing", "@history_missing_sets")
        .query("{{instance}} stored", "@history_stored_total"),
    ]
}
