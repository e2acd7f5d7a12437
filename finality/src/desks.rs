//! Opens the desks of the worker: one task for each kind of work that may take longer than the worker may pause.
//!
//! Each has a thread, so that a kind of work that takes seconds does not hold up another that a round waits for.

use crate::{
    backfill::ToCheck,
    chain::Chain,
    desk::{Clerk, Desk},
    effects::Desks,
    imported::DueImports,
    metrics::Metrics,
    own_keys::list,
    reading::{load_set, prepare},
    worker::Done,
};
use duet_keystore::Signer;
use duet_voter::{Aggregation, Event};
use std::sync::Arc;

/// Answers of one kind that wait for the worker.
const ANSWERS: usize = 16;
/// Rounds whose votes wait to be added up: one, unless the voter has moved on meanwhile.
const AGGREGATIONS: usize = 2;
/// Sets that wait to be read: the one that signs and the next.
const SETS: usize = 2;
/// Blocks that wait to be read. After a restart all that this node has voted on are read again: 64 at most.
const BLOCKS: usize = 64;

/// The desks, what comes from them, and who works at them.
pub(crate) struct Opened {
    /// What the voter's effects are carried out with.
    pub(crate) desks: Desks,
    /// Has the signer list its keys.
    pub(crate) keys: Desk<()>,
    /// Checks justifications that came with blocks.
    pub(crate) imports: Desk<DueImports>,
    /// Checks responses about the history.
    pub(crate) history: Desk<Box<ToCheck>>,
    /// What is done.
    pub(crate) done: Done,
    /// The tasks, by name. The worker cannot go on without any of them.
    pub(crate) clerks: [(&'static str, Clerk); 6],
}

/// Opens all desks.
pub(crate) fn open(chain: &Arc<Chain>, signer: Arc<dyn Signer>, metrics: &Metrics) -> Opened {
    let (to_events, events) = async_channel::bounded(ANSWERS);
    let add_up = |votes: Box<Aggregation>| Some(Event::Aggregated(Box::new(votes.run())));
    let (aggregations, aggregating) = Desk::open(AGGREGATIONS, to_events.clone(), add_up);
    let at = chain.clone();
    let (sets, loading) = Desk::open(SETS, to_events.clone(), move |set| load_set(&at, &set));
    let at = chain.clone();
    let (blocks, preparing) = Desk::open(BLOCKS, to_events, move |block| prepare(&at, &block));
    let (to_keys, listed) = async_channel::bounded(ANSWERS);
    let (keys, listing) = Desk::open(1, to_keys, move |()| Some(list(&*signer)));
    let (to_imports, good) = async_channel::bounded(ANSWERS);
    let (at, counted) = (chain.clone(), metrics.clone());
    let (imports, importing) = Desk::open(1, to_imports, move |due: DueImports| {
        Some(due.check(&at, &counted))
    });
    let (to_history, checked) = async_channel::bounded(ANSWERS);
    let (history, backfilling) = Desk::open(1, to_history, |response: Box<ToCheck>| {
        Some(response.check())
    });
    Opened {
        desks: Desks {
            aggregations,
            sets,
            blocks,
        },
        keys,
        imports,
        history,
        done: Done {
            events,
            keys: listed,
            imports: good,
            history: checked,
        },
        clerks: [
            ("duet-aggregate", aggregating),
            ("duet-load-sets", loading),
            ("duet-prepare", preparing),
            ("duet-list-keys", listing),
            ("duet-check-imports", importing),
            ("duet-check-history", backfilling),
        ],
    }
}
