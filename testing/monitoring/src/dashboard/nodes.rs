//! The node around the voter: its network, its RPC, and what it takes of the machine.

use super::panel::{
    Panel, Row,
    Unit::{Bytes, BytesPerSecond, Microseconds, Number, PerMinute, PerSecond, Ratio, Seconds},
    NODE,
};

pub(super) fn network() -> Row {
    Row {
        title: "Network and peers",
        panels: vec![
            Panel::graph(
                "Peers",
                Number,
                "Peers that speak Duet's gossip, and all peers of the node. With fewer than two of the former votes arrive late.",
            )
            .query("{{instance}} Duet", "@live_peers")
            .query("{{instance}} all", "%sub_libp2p_peers_count"),
            Panel::graph(
                "Misbehaviour",
                PerMinute,
                "What peers of the chosen nodes did that cost them reputation. Refused requests and late responses happen to honest peers; the rest does not.",
            )
            .query("{{behaviour}}", r#"60 * sum by (behaviour) (rate(@peer_behaviour_total{behaviour!~"good_.*"}[~]))"#),
            Panel::graph(
                "Good behaviour",
                PerSecond,
                "What peers of the chosen nodes did that earned them reputation.",
            )
            .query("{{behaviour}}", r#"sum by (behaviour) (rate(@peer_behaviour_total{behaviour=~"good_.*"}[~]))"#),
            Panel::graph(
                "Messages sent",
                PerSecond,
                "Votes and justifications, counted for each peer. At 0 while there are peers, no connection has room.",
            )
            .query(NODE, "rate(@messages_sent_total[~])"),
            Panel::graph(
                "Messages kept",
                Number,
                "Votes and justifications that are kept to be sent to peers. They grow while nothing is proven.",
            )
            .query(NODE, "@messages_kept"),
            Panel::graph(
                "Traffic",
                BytesPerSecond,
                "All traffic of the node, of which Duet's gossip is a part.",
            )
            .query("{{instance}} {{direction}}", "rate(%sub_libp2p_network_bytes_total[~])"),
        ],
    }
}

pub(super) fn rpc() -> Row {
    Row {
        title: "RPC",
        panels: vec![
            Panel::graph(
                "Subscriptions to justifications",
                Number,
                "Those that are open. A connection may have 16.",
            )
            .query(NODE, "@rpc_subscriptions"),
            Panel::graph(
                "Refused",
                PerSecond,
                "Calls and subscriptions that were refused because their connection has as many as it may.",
            )
            .query("{{instance}} calls", "rate(@rpc_calls_refused_total[~])")
            .query("{{instance}} subscriptions", "rate(@rpc_subscriptions_refused_total[~])"),
            Panel::graph(
                "Justifications skipped",
                PerSecond,
                "Justifications that a newer one replaced before a subscriber took them: it does not read fast enough.",
            )
            .query(NODE, "rate(@rpc_skipped_justifications_total[~])"),
            Panel::graph(
                "Connections",
                Number,
                "Connections to the node's RPC server that are open.",
            )
            .query(NODE, "%rpc_sessions_opened - %rpc_sessions_closed"),
            Panel::graph(
                "Calls of Duet's methods",
                PerSecond,
                "Calls of methods that begin with duet_, by method, on the chosen nodes together.",
            )
            .query("{{method}}", r#"sum by (method) (rate(%rpc_calls_started{method=~"duet_.*"}[~]))"#),
            Panel::graph(
                "Time of a call",
                Microseconds,
                "Nine of ten calls of a node take at most this long, whatever their method.",
            )
            .query(NODE, "histogram_quantile(0.9, sum by (instance, le) (rate(%rpc_calls_time_bucket[~])))"),
        ],
    }
}

pub(super) fn resources() -> Row {
    Row {
        title: "Resources",
        panels: vec![
            Panel::graph(
                "Passes of the voter's loop",
                Seconds,
                "How long the loop is busy with one input: 99 of 100 passes take at most this long. The target is 5 ms.",
            )
            .query(NODE, "histogram_quantile(0.99, rate(@loop_pause_seconds_bucket[~]))")
            .warns_from(0.005),
            Panel::graph(
                "Slow passes",
                Ratio,
                "The part of the passes that take longer than 5 ms. Many: the processor is too slow, or too busy.",
            )
            .query(
                NODE,
                r#"1 - rate(@loop_pause_seconds_bucket{le="0.005"}[~]) / ignoring (le) rate(@loop_pause_seconds_count[~])"#,
            )
            .warns_from(0.05),
            Panel::graph(
                "Longest pass",
                Microseconds,
                "The longest pass since the start, and the most processor time in one. Where the first is far above the second, the loop waited for a processor.",
            )
            .query("{{instance}} on the clock", "@loop_pause_max_microseconds")
            .query("{{instance}} of the processor", "@loop_work_max_microseconds"),
            Panel::graph(
                "Syncing",
                Number,
                "1 while the node is far behind its peers. Alerts about proofs are silent then.",
            )
            .query(NODE, "%sub_libp2p_is_major_syncing"),
            Panel::graph(
                "Caches",
                Bytes,
                "Memory that the node takes for its caches of state and database.",
            )
            .query("{{instance}} state", "%state_cache_bytes")
            .query("{{instance}} database", "%database_cache_bytes"),
            Panel::graph(
                "Time since the start",
                Seconds,
                "It falls to 0 when the node starts again. Counters do, too.",
            )
            .query(NODE, "time() - %process_start_time_seconds"),
            Panel::graph(
                "Time in Duet's tasks",
                Ratio,
                "How much of the time tasks of Duet run, added up: 100 % is one core, if none of them waits for a processor. The SDK shows neither memory nor processor time of the process.",
            )
            .query(NODE, r#"sum by (instance) (rate(%tasks_polling_duration_sum{task_name=~"duet.*"}[~]))"#),
        ],
    }
}
