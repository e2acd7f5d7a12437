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
    reading::{load_set, try_again, Preparation},
    review::review,
    store::Store,
    suspects::{self, Suspect},
    worker::Done,
};
use async_channel::Sender;
use duet_gossip::Network;
use duet_keystore::Signer;
use duet_primitives::SetId;
use duet_voter::{Aggregation, Event};
use std::sync::Arc;

/// The most answers of one kind that wait for the worker.
const ANSWERS: usize = 16;
/// The most rounds that wait for aggregation: one, unless the voter has moved on meanwhile.
const AGGREGATIONS: usize = 2;
/// The most sets that wait to be read: the signing one and the next.
const SETS: usize = 2;
/// The most blocks that wait to be read. After a restart all blocks with this node's votes are read again: 64 at most.
const BLOCKS: usize = 64;
/// The most waiting proofs from gossip that are to be compared with final blocks.
const SUSPECTS: usize = 64;

/// The desks, their answers, and their tasks.
pub(crate) struct Opened {
    /// The inputs for carrying out the voter's effects.
    pub(crate) desks: Desks,
    /// Lists the signer's keys.
    pub(crate) keys: Desk<()>,
    /// Checks justifications imported with blocks.
    pub(crate) imports: Desk<DueImports>,
    /// Checks responses about the history.
    pub(crate) history: Desk<Box<ToCheck>>,
    /// Checks proofs from gossip that name another block than the final one here.
    pub(crate) suspects: Desk<Suspect>,
    /// Compares the stored proofs with the finalized chain.
    pub(crate) reviews: Desk<SetId>,
    /// The answers.
    pub(crate) done: Done,
    /// The tasks, by name. The worker cannot go on without any of them.
    pub(crate) clerks: Vec<(&'static str, Clerk)>,
}

/// The inputs of the work.
pub(crate) struct With<'a> {
    pub(crate) chain: &'a Arc<Chain>,
    pub(crate) store: Store,
    pub(crate) network: Arc<dyn Network>,
    pub(crate) signer: Arc<dyn Signer>,
    pub(crate) metrics: &'a Metrics,
}

/// Aggregates votes, and returns the block that is final there. (ROUND-10)
fn add_up(chain: &Chain, votes: Aggregation) -> Option<Event> {
    let sum = votes.run();
    match chain.hash(sum.block()) {
        Ok(finalized) => Some(Event::Aggregated(Box::new(sum.with_finalized(finalized)))),
        Err(error) => {
            try_again("the block of the aggregated votes cannot be read", &error);
            None
        }
    }
}

/// The desks that look for contradictions. (ROUND-10)
struct Comparing {
    suspects: Desk<Suspect>,
    reviews: Desk<SetId>,
    clerks: [(&'static str, Clerk); 2],
}

fn compare(
    chain: &Arc<Chain>,
    store: Store,
    network: Arc<dyn Network>,
    to_events: &Sender<Event>,
) -> Comparing {
    let at = chain.clone();
    let (suspects, suspecting) = Desk::open(SUSPECTS, to_events.clone(), move |suspect| {
        suspects::check(&at, &*network, suspect)
    });
    let at = chain.clone();
    let (reviews, reviewing) =
        Desk::open(1, to_events.clone(), move |set| review(&at, &store, set));
    Comparing {
        suspects,
        reviews,
        clerks: [
            ("duet-check-suspects", suspecting),
            ("duet-review", reviewing),
        ],
    }
}

/// Opens all desks.
pub(crate) fn open(with: With<'_>) -> Opened {
    let With {
        chain,
        store,
        network,
        signer,
        metrics,
    } = with;
    let (to_events, events) = async_channel::bounded(ANSWERS);
    let at = chain.clone();
    let (aggregations, aggregating) =
        Desk::open(AGGREGATIONS, to_events.clone(), move |votes: Box<_>| {
            add_up(&at, *votes)
        });
    let comparing = compare(chain, store, network, &to_events);
    let at = chain.clone();
    let (sets, loading) = Desk::open(SETS, to_events.clone(), move |set| load_set(&at, &set));
    let mut preparation = Preparation::new(chain.clone(), metrics.clone());
    let (blocks, preparing) = Desk::open(BLOCKS, to_events, move |block| preparation.run(&block));
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
        suspects: comparing.suspects,
        reviews: comparing.reviews,
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
        ]
        .into_iter()
        .chain(comparing.clerks)
        .collect(),
    }
}
