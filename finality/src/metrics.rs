//! Metrics for operators, under the prefix `substrate_duet_`.

use duet_gossip::{metrics, metrics::Counter};
use duet_voter::{Counters, Voter};

metrics! {
    /// The counters of the block import. Cheap to clone; clones count together.
    pub(crate) struct ImportMetrics {
        undecodable: Counter = "import_undecodable_justifications_total", "Justifications that came with blocks and do not decode";
        dropped: Counter = "import_dropped_justifications_total", "Justifications that came with blocks and were dropped because the worker is behind";
        sets_kept: Counter = "import_sets_kept_total", "Planned sets that were stored with their block";
        sets_missed: Counter = "import_sets_missed_total", "Planned sets that could not be read from their block's state";
    }
}

metrics! {
    /// The counters of the RPC. Cheap to clone; clones count together.
    pub(crate) struct RpcMetrics {
        subscriptions: Gauge = "rpc_subscriptions", "Subscriptions to justifications that are open";
        refused: Counter = "rpc_subscriptions_refused_total", "Subscriptions that were refused because their connection has too many";
        refused_calls: Counter = "rpc_calls_refused_total", "Calls that were refused because their connection has too many open";
        skipped: Counter = "rpc_skipped_justifications_total", "Justifications that a newer one replaced before a subscriber took them";
    }
}

metrics! {
    /// The chain's figures about the validators of the next session. Cheap to clone; clones count together.
    pub(crate) struct ParticipationMetrics {
        elected: Gauge = "elected_validators", "Validators of the next session";
        with_keys: Gauge = "elected_with_keys", "How many of these a set of keys would have if it were made now";
        needed: Gauge = "elected_needed", "How many of these a set of keys must have to take over";
        stake: Gauge = "elected_stake_permille", "Thousandths of their stake that would be behind a set if it were made now";
        below_floor: Gauge = "below_floor", "1 while a set of the next session's validators could not take over";
    }
}

metrics! {
    /// The chain's figures about recovery keys. Cheap to clone; clones count together.
    pub(crate) struct RecoveryMetrics {
        members: Gauge = "recovery_members", "Members of the recovery set in force; 0 while none is";
        validators: Gauge = "recovery_validators", "Validators of the session, whose ready keys make the recovery set";
        ready: Gauge = "recovery_ready", "How many of these have a recovery key that is ready";
        sessions_left: Gauge = "recovery_sessions_left", "Sessions for which the recovery key of this node's validator stays ready; 0 while it is not";
    }
}

metrics! {
    /// The worker's metrics. Cheap to clone; clones count together.
    pub(crate) struct Metrics {
        validator_set_id: Gauge = "validator_set_id", "Id of the set that signs now";
        active: Gauge = "active", "1 while the chain has a set of keys that is to sign, or that cannot be read; 0 while it has none";
        set_size: Gauge = "set_size", "Validators of the set that signs now";
        in_set: Gauge = "in_set", "1 while this node has a key of the set that signs now";
        signers: Gauge = "signers_last", "Signers of the proof of the highest proven block, as far as they are in it by now";
        best_block: Gauge = "best_block", "Highest block with a Duet justification";
        best_time: Gauge = "best_block_timestamp_seconds", "Time of that block, as Unix time; 0 while it is not known";
        finalized_block: Gauge = "finalized_block", "Highest block that GRANDPA finalized and Duet has scanned";
        best_voted: Gauge = "best_voted", "Highest block that this node voted on";
        lagging_sets: Gauge = "lagging_sets", "Set changes that wait for a mandatory justification";
        rounds: Gauge = "rounds", "Rounds with votes that are not concluded";
        votes_held: Gauge = "votes_held", "Votes of these rounds";
        target_block: Gauge = "target_block", "Block that the signing set should prove next, as far as GRANDPA has come";
        buffered_justifications: Gauge = "buffered_justifications", "Justifications that wait for GRANDPA or for an earlier one";

        stopped: Gauge = "stopped", "1 while this node takes no part because what it has stored cannot be read";
        unknown_rules: Gauge = "unknown_rules", "1 while the signing set votes by rules that this node does not know, so that it does not vote";

        payload_mismatches: Counter = "payload_mismatches_total", "Blocks that this node does not sign because their header names another payload than the runtime returns";
        votes_sent: Counter = "votes_sent_total", "Own votes sent for the first time";
        reports_waiting: Gauge = "equivocation_reports_waiting", "Equivocations whose report is not on the finalized chain yet";
        equivocation_reports: Counter = "equivocation_reports_total", "Equivocations reported to the runtime";
        false_statements_waiting: Gauge = "false_statement_reports_waiting", "Votes and proofs that are not true of the chain and whose report is not on the finalized chain yet";
        false_statement_reports: Counter = "false_statement_reports_total", "Votes and proofs that are not true of the chain and were reported to the runtime";
        handoff_waits: Gauge = "handoff_waits", "1 while the planned set waits for the proof of the handoff to it to be on chain";
        handoffs_submitted: Counter = "handoffs_submitted_total", "Proofs of handoffs submitted to the chain";
        own_key_elsewhere: Counter = "own_key_elsewhere_total", "Valid votes of a key of this node that this node did not make";
        no_key_in_set: Counter = "no_key_in_set_total", "Set changes after which this validator had no key in the signing set";

        justifications_published: Counter = "justifications_published_total", "Justifications that this node was the one to publish";
        justifications_diverged: Counter = "justifications_diverged_total", "Valid justifications for blocks that are not on this node's finalized chain";
        diverged: Gauge = "diverged", "1 while a valid justification contradicts this node's finalized chain and the operator has not acknowledged it";
        suspects_dropped: Counter = "contradicting_justifications_dropped_total", "Justifications of final blocks that were dropped before they were compared with the chain because too many wait";
        stale_votes: Counter = "stale_votes_total", "Valid votes that came too late for the voter";
        dropped_votes: Counter = "dropped_votes_total", "Valid votes that later ones of their signer replaced";
        stale_justifications: Counter = "stale_justifications_total", "Valid justifications that came too late for the voter";
        dropped_justifications: Counter = "dropped_justifications_total", "Valid justifications that found no room to wait";
        deferred_plans: Counter = "deferred_plans_total", "Set changes that found no room and are delivered again";
        inconsistent: Counter = "inconsistent_events_total", "Events that contradict what the voter knows";
        concluded: Counter = "concluded_total", "Blocks that Duet finalized on this node";
        grown: Counter = "grown_total", "Times that a stored justification got more signers from late votes";

        imported_good: Counter = "imported_justifications_good_total", "Valid justifications that came with blocks";
        imported_bad: Counter = "imported_justifications_bad_total", "Invalid justifications that came with blocks";
        imported_dropped: Counter = "imported_justifications_dropped_total", "Justifications that came with blocks and were dropped because too many wait";

        on_demand_sent: Counter = "on_demand_sent_total", "Requests for justifications that this node sent";
        on_demand_good: Counter = "on_demand_good_total", "Responses that brought valid justifications";
        on_demand_bad: Counter = "on_demand_bad_total", "Responses that brought invalid ones or did not decode";
        on_demand_empty: Counter = "on_demand_empty_total", "Answers of peers that had nothing of what was asked";
        on_demand_failed: Counter = "on_demand_failed_total", "Requests that were refused, lost or not answered in time";

        history_missing: Gauge = "history_missing_sets", "Handoff proofs from before this node began that it has not fetched yet";
        history_stored: Counter = "history_stored_total", "Handoff proofs from before this node began that peers sent and that were checked and stored";
        history_sent: Counter = "history_sent_total", "Requests for the history that this node sent";
        history_good: Counter = "history_good_total", "History responses that brought valid proofs";
        history_bad: Counter = "history_bad_total", "History responses that broke a rule";
        history_empty: Counter = "history_empty_total", "History responses of peers that had nothing of what was asked";
        history_failed: Counter = "history_failed_total", "Requests for the history that were refused, lost or not answered in time";
    }
}

metrics! {
    /// The duration of the worker loop's passes, and their share of work. The target is 5 ms.
    pub(crate) struct LoopMetrics {
        pauses: Seconds = "loop_pause_seconds", "How long the voter's loop was busy with one input";
        longest: Gauge = "loop_pause_max_microseconds", "The longest time that the voter's loop was busy with one input since the start";
        most_work: Gauge = "loop_work_max_microseconds", "The most processor time that the voter's loop spent on one input since the start";
    }
}

impl Metrics {
    /// Shows the voter's position. `waiting` proofs wait for GRANDPA besides those in the voter; `counted` is the
    /// part of the voter's counters that was added before.
    pub(crate) fn follow(&self, voter: &Voter, waiting: usize, counted: &mut Counters) {
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        self.validator_set_id.set(voter.set_id().get());
        self.set_size.set(voter.state().signing().set.len.into());
        self.in_set.set(voter.own_signer().is_some().into());
        self.best_block
            .set(voter.state().best_number().get().into());
        self.finalized_block.set(voter.scanned().get().into());
        self.target_block
            .set(voter.target().map_or(0, |target| target.get().into()));
        self.unknown_rules.set((!voter.knows_rules()).into());
        self.lagging_sets.set(number(voter.lagging_sets()));
        self.rounds.set(number(voter.rounds_open()));
        self.votes_held.set(number(voter.votes_held()));
        self.buffered_justifications
            .set(number(voter.justifications_held().saturating_add(waiting)));

        let now = voter.counters();
        let add = |metric: &Counter, now: u64, before: u64| {
            metric.inc_by(now.saturating_sub(before));
        };
        add(&self.stale_votes, now.stale_votes, counted.stale_votes);
        add(
            &self.dropped_votes,
            now.dropped_votes,
            counted.dropped_votes,
        );
        add(
            &self.stale_justifications,
            now.stale_justifications,
            counted.stale_justifications,
        );
        add(
            &self.dropped_justifications,
            now.dropped_justifications,
            counted.dropped_justifications,
        );
        add(
            &self.deferred_plans,
            now.deferred_plans,
            counted.deferred_plans,
        );
        add(&self.inconsistent, now.inconsistent, counted.inconsistent);
        add(
            &self.own_key_elsewhere,
            now.own_key_elsewhere,
            counted.own_key_elsewhere,
        );
        *counted = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_gossip::metrics::Metrics as GossipMetrics;
    use prometheus_endpoint::Registry;

    #[test]
    fn every_metric_has_the_prefix_and_a_name_of_its_own() {
        let registry = Registry::new();
        Metrics::unregistered()
            .unwrap()
            .register_all(&registry)
            .unwrap();
        ImportMetrics::unregistered()
            .unwrap()
            .register_all(&registry)
            .unwrap();
        ParticipationMetrics::unregistered()
            .unwrap()
            .register_all(&registry)
            .unwrap();
        RecoveryMetrics::unregistered()
            .unwrap()
            .register_all(&registry)
            .unwrap();
        RpcMetrics::unregistered()
            .unwrap()
            .register_all(&registry)
            .unwrap();
        LoopMetrics::unregistered()
            .unwrap()
            .register_all(&registry)
            .unwrap();
        // A name already in use would leave some of these unregistered.
        GossipMetrics::new(Some(&registry));
        let mut registered: Vec<_> = registry
            .gather()
            .iter()
            .map(|family| family.get_name().to_owned())
            .collect();
        let mut expected = [
            Metrics::NAMES,
            ImportMetrics::NAMES,
            ParticipationMetrics::NAMES,
            RecoveryMetrics::NAMES,
            RpcMetrics::NAMES,
            LoopMetrics::NAMES,
            GossipMetrics::NAMES,
        ]
        .concat();
        registered.sort_unstable();
        expected.sort_unstable();
        assert_eq!(registered, expected);
        assert!(registered
            .iter()
            .all(|name| name.starts_with("substrate_duet_")));
    }
}
