//! The voter with its helpers: events go in, its effects become orders.

use crate::{
    comparison::{Compared, Comparison},
    divergence::Divergences,
    error::Error,
    evidence::Divergence,
    handoffs::{check::Checked as CheckedAnswer, HandoffAnswer, HandoffSearch, NextAnswer},
    health::SharedVoting,
    kept::Votable,
    metrics::Metrics,
    order::Order,
    orders::Orders,
    own_keys::OwnKeys,
    reading::ToPrepare,
    signing::SignRequest,
};
use duet_gossip::{clock::Clock, GossipValidator};
use duet_primitives::{BlockNumber, Justification, Pk1Bytes, H256};
use duet_voter::{Config, Counters, Effect, Event, Millis, State, Voter, VotesView};
use std::sync::Arc;

/// Blocks further than this above the last proven one get their payload stored: when they are voted on, their
/// state may be pruned. A target is never less than half-way between the last proven block and the finalized
/// one, and state is kept for 256 blocks.
const KEEP_ABOVE: u32 = 64;

/// The voter's surroundings.
pub(crate) struct Parts {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) validator: Arc<GossipValidator>,
    pub(crate) orders: Orders,
    pub(crate) keys: OwnKeys,
    /// The search for handoff justifications that the voter misses.
    pub(crate) handoffs: HandoffSearch,
    /// Compares proofs with the finalized chain.
    pub(crate) comparison: Comparison,
    /// The contradictions known to this node.
    pub(crate) divergences: Divergences,
    /// Informs the RPC whether this node votes.
    pub(crate) voting: SharedVoting,
    pub(crate) metrics: Metrics,
}

/// The voter, once the chain has a set.
pub(crate) struct Voting {
    config: Config,
    voter: Option<Voter>,
    parts: Parts,
    /// Whether the node was catching up when the voter was last informed.
    syncing: bool,
    /// When the voter wants to be woken.
    wake_at: Option<Millis>,
    /// The part of the voter's counters already in the metrics.
    counted: Counters,
}

impl Voting {
    /// Without a voter: events lead to nothing until [`Voting::start`].
    pub(crate) fn new(config: Config, parts: Parts) -> Self {
        Self {
            config,
            voter: None,
            parts,
            syncing: false,
            wake_at: None,
            counted: Counters::default(),
        }
    }

    /// Loads the stored contradictions. The operator acknowledges those at these blocks. (ROUND-10)
    pub(crate) fn recall(&mut self, stored: Vec<Divergence>, acknowledged: &[BlockNumber]) {
        let Parts {
            divergences,
            orders,
            ..
        } = &mut self.parts;
        if let Some(all) = divergences.recall(stored, acknowledged) {
            orders.give(Order::KeepDivergences(all));
        }
    }

    /// Starts a voter, replacing a running one.
    pub(crate) fn start(&mut self, state: State) -> Result<(), Error> {
        let keys = self.parts.keys.get().to_vec();
        let votable = Votable::new(&state, state.scanned());
        self.parts.orders.give(Order::FindPayloads(votable));
        self.voter = Some(Voter::new(self.config.clone(), state, keys));
        self.parts.keys.voter_started();
        // Before it can ask for anything. (ROUND-10)
        self.halt_or_resume()?;
        self.handle(Event::Syncing(self.syncing))?;
        self.handle(Event::Tick)
    }

    /// Waits until all of the voter's orders are on their way.
    pub(crate) async fn leave_orders(&mut self) {
        self.parts.orders.leave().await;
    }

    /// Whether the store is up to date with the voter.
    pub(crate) fn is_stored(&self) -> bool {
        self.parts.orders.are_done()
    }

    /// Stores an initial state.
    pub(crate) fn persist(&mut self, state: &State) {
        self.parts.orders.give(Order::Persist(state.to_bytes()));
    }

    /// The voter's state; `None` while there is no voter.
    pub(crate) fn state(&self) -> Option<&State> {
        self.voter.as_ref().map(Voter::state)
    }

    /// The voter's view of the signing set's votes; `None` while there is no voter, or no set.
    pub(crate) fn votes(&self) -> Option<VotesView> {
        self.voter.as_ref()?.votes_view(self.parts.clock.now())
    }

    /// Whether the voter has room for another set change.
    pub(crate) fn accepts_set_changes(&self) -> bool {
        self.voter.as_ref().is_some_and(Voter::accepts_eras)
    }

    /// Whether the node was catching up when the voter was last informed.
    pub(crate) fn is_syncing(&self) -> bool {
        self.syncing
    }

    /// Informs the voter whether the node is catching up.
    pub(crate) fn set_syncing(&mut self, syncing: bool) -> Result<(), Error> {
        if syncing == self.syncing {
            return Ok(());
        }
        self.syncing = syncing;
        self.handle(Event::Syncing(syncing))
    }

    /// Requests the signer's keys if it is time; [`Voting::on_keys`] follows.
    pub(crate) fn refresh_keys(&mut self) {
        self.parts.keys.refresh(self.parts.clock.now());
    }

    /// Informs the voter of keys added to or removed from the signer. `None` when the signer did not list them.
    pub(crate) fn on_keys(&mut self, keys: Option<Vec<Pk1Bytes>>) -> Result<(), Error> {
        match self.parts.keys.listed(keys) {
            Some(keys) => self.handle(Event::OwnKeys(keys)),
            None => Ok(()),
        }
    }

    /// The latest time of the next action of [`Voting::on_timer`].
    pub(crate) fn wake_at(&self) -> Option<Millis> {
        let wakes = [self.wake_at, self.parts.handoffs.wake_at()];
        wakes.into_iter().flatten().min()
    }

    /// Wakes the voter and sends requests, if it is time.
    pub(crate) fn on_timer(&mut self) -> Result<(), Error> {
        let now = self.parts.clock.now();
        if self.wake_at.is_some_and(|at| at <= now) {
            self.wake_at = None;
            self.handle(Event::Tick)?;
        }
        self.parts.handoffs.send(now);
        Ok(())
    }

    /// The next answer of a peer to a request for handoff justifications.
    pub(crate) fn next_answer(&mut self) -> NextAnswer<'_> {
        self.parts.handoffs.next_answer()
    }

    /// Checks a peer's answer.
    pub(crate) fn on_answer(&mut self, answer: HandoffAnswer) {
        self.parts.handoffs.on_answer(answer);
        self.parts.handoffs.send(self.parts.clock.now());
    }

    /// Passes the valid part of a peer's answer to the voter.
    pub(crate) fn on_checked_answer(&mut self, checked: CheckedAnswer) -> Result<(), Error> {
        match self.parts.handoffs.on_checked(checked) {
            Some(event) => self.handle(event),
            None => {
                self.parts.handoffs.send(self.parts.clock.now());
                Ok(())
            }
        }
    }

    /// Stores the payload of a block that may be voted on after its state is pruned.
    pub(crate) fn keep_payload(&mut self, number: BlockNumber, hash: H256) {
        let Some(voter) = self.voter.as_ref().filter(|_| !self.syncing) else {
            return;
        };
        let state = voter.state();
        if number.saturating_sub(state.best_number()) > KEEP_ABOVE {
            self.parts.orders.give(Order::KeepPayload {
                number,
                hash,
                votable: Votable::new(state, number),
            });
        }
    }

    /// Passes an event to the voter and carries out its effects. A proof is first compared with the finalized chain.
    pub(crate) fn handle(&mut self, event: Event) -> Result<(), Error> {
        let event = match event {
            Event::Justification(justification) => match self.compare(justification) {
                Some(justification) => Event::Justification(justification),
                None => return self.halt_or_resume(),
            },
            Event::Response(list) => {
                let compared = list.into_iter().filter_map(|one| self.compare(one));
                Event::Response(compared.collect())
            }
            Event::Reset { block, set } => {
                // Earlier handoffs will not come. (RESET-4)
                self.parts.handoffs.found(set.id);
                Event::Reset { block, set }
            }
            other => other,
        };
        self.pass_on(event)?;
        self.halt_or_resume()
    }

    /// The node takes no part any more: it cannot read data that it needs.
    pub(crate) fn stop(&mut self, error: &Error) {
        self.parts.voting.stop(error.to_string());
        self.parts.metrics.stopped.set(1);
    }

    /// Passes the proofs to the voter whose height GRANDPA has finalized meanwhile.
    pub(crate) fn compare_due(&mut self) -> Result<(), Error> {
        let due = self.parts.comparison.take_due();
        if due.is_empty() {
            return Ok(());
        }
        self.handle(Event::Response(due))
    }

    /// Handles a valid proof that contradicts a final block here. (ROUND-10)
    pub(crate) fn diverged(&mut self, justification: &Justification) -> Result<(), Error> {
        self.keep_evidence(justification);
        self.halt_or_resume()
    }

    /// ROUND-10: the proof if it is about a final block here. A proof of another block is evidence, and a proof whose
    /// height is not final yet waits.
    fn compare(&mut self, justification: Justification) -> Option<Justification> {
        match self.parts.comparison.compare(justification) {
            Compared::Agrees(justification) => Some(justification),
            Compared::Contradicts(justification) => {
                self.keep_evidence(&justification);
                None
            }
            Compared::Waits => None,
        }
    }

    fn keep_evidence(&mut self, justification: &Justification) {
        let Parts {
            comparison,
            divergences,
            validator,
            orders,
            ..
        } = &mut self.parts;
        let commitment = justification.commitment();
        validator.forget_proofs(commitment);
        let finalized = comparison.finalized_at(commitment.block_number);
        if let Some(all) = divergences.add(justification, finalized) {
            orders.give(Order::KeepDivergences(all));
            let proof = Box::new(justification.as_unchecked().clone());
            orders.give(Order::Accuse(proof));
        }
    }

    /// Informs the voter whether it may vote, if that has changed. (ROUND-10)
    fn halt_or_resume(&mut self) -> Result<(), Error> {
        let halted = self.parts.divergences.is_halted();
        match &self.voter {
            Some(voter) if voter.is_halted() != halted => self.pass_on(Event::Halted(halted)),
            _ => Ok(()),
        }
    }

    fn pass_on(&mut self, event: Event) -> Result<(), Error> {
        let Some(voter) = &mut self.voter else {
            return Ok(());
        };
        if let Event::Prepared(message) = &event {
            self.parts.validator.prepare(message);
        }
        for effect in voter.handle(event, self.parts.clock.now()) {
            self.carry_out(effect);
        }
        self.follow_voter();
        self.parts.handoffs.send(self.parts.clock.now());
        Ok(())
    }

    /// Carries out one effect; the worker's own parts act at once.
    fn carry_out(&mut self, effect: Effect) {
        let Parts {
            orders, handoffs, ..
        } = &mut self.parts;
        let Some(voter) = &self.voter else {
            return;
        };
        match effect {
            Effect::Persist => orders.give(Order::Persist(voter.state().to_bytes())),
            Effect::Conclude {
                justification,
                mandatory,
            } => {
                let set = justification.commitment().validator_set_id;
                orders.give(Order::Conclude {
                    justification,
                    mandatory,
                });
                if mandatory {
                    handoffs.found(set);
                }
            }
            Effect::Grow {
                justification,
                mandatory,
            } => orders.give(Order::Grow {
                justification,
                mandatory,
            }),
            Effect::PublishVote(vote) => orders.give(Order::PublishVote(vote)),
            Effect::PublishJustification(justification) => {
                orders.give(Order::PublishJustification(justification));
            }
            Effect::Report(evidence) => orders.give(Order::Report(evidence)),
            Effect::Diverged(justification) => self.keep_evidence(&justification),
            Effect::LoadSet(commitment) => orders.give(Order::LoadSet(commitment)),
            Effect::Prepare { number } => orders.give(Order::Prepare(ToPrepare {
                number,
                votes: voter.state().signing().set.len,
            })),
            Effect::Sign {
                message,
                signer,
                key,
            } => {
                let set = voter.set(message.commitment().validator_set_id);
                if let Some(set) = set.cloned() {
                    orders.give(Order::Sign(SignRequest {
                        set,
                        message,
                        signer,
                        key,
                    }));
                }
            }
            Effect::Aggregate(votes) => orders.give(Order::Aggregate(votes)),
            Effect::Request { first_set } => handoffs.want(first_set),
            Effect::WakeAt(at) => self.wake_at = Some(at),
        }
    }

    /// Moves the filter's window and the metrics to the voter's position.
    fn follow_voter(&mut self) {
        let Some(voter) = &self.voter else { return };
        let Parts {
            validator,
            keys,
            comparison,
            voting,
            metrics,
            ..
        } = &mut self.parts;
        voting.set(voter.may_vote() && !self.syncing);
        validator.update(voter.window(), voter.state().best_number());
        metrics.follow(voter, comparison.len(), &mut self.counted);
        if let Some(set) = voter.set(voter.set_id()) {
            keys.announce(set.keyset());
            keys.voted_elsewhere(set.keyset().id(), self.counted.own_key_elsewhere);
        }
    }
}
