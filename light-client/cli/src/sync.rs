//! From the trusted state to an endpoint's proven head: one proof per set, then the head's.

use crate::{event::Event, goal::Step, session::Session};
use duet_light_client::{Error, Mode, Update};
use duet_light_rpc::{Failure, Fault, Lie, Missing, Server};
use duet_primitives::{suite, BlockNumber, Pk1Bytes, SetId, H256};
use std::time::Duration;

/// The most sets in one request.
const MAX_SETS: u32 = 64;
/// About how many bytes an answer with several sets may have.
const ANSWER_LEN: u32 = 1 << 20;
/// How often a new set may take over and sign the head while we request the handoff proofs.
const MAX_ROUNDS: u32 = 8;
/// How often a proof of the head is requested, and after which pause: the head may have moved meanwhile.
const MAX_MISSING: u32 = 3;
const MISSING_WAIT: Duration = Duration::from_millis(300);

impl Session {
    /// Verifies everything up to the head that the endpoint names, or until the goal is reached.
    pub(crate) async fn catch_up(&mut self, server: &Server) -> Result<(), Fault> {
        let mut missing = 0_u32;
        self.doubt_recovery(server).await?;
        for _ in 0..MAX_ROUNDS {
            self.fetch_keys(server).await?;
            let head = server.head().await?;
            let Some((head, hash)) = head else {
                return Ok(());
            };
            let best = self.trusted()?.best_number();
            self.output.progress(best, head);
            if !self.is_news(head, hash)? {
                return Ok(());
            }
            if head > best {
                self.walk(server, head).await?;
                if self.is_done() || self.trusted()?.best_number() >= head {
                    return Ok(());
                }
            }
            let Some(update) = self.fetch_proof(server, head).await? else {
                missing = missing.saturating_add(1);
                if missing >= MAX_MISSING {
                    return Err(Fault::Incomplete(Missing::Proof(head)));
                }
                tokio::time::sleep(MISSING_WAIT).await;
                continue;
            };
            let got = update.commitment();
            if got.block_hash != hash {
                let what = format!("the head {hash:?}, but a proof of {:?}", got.block_hash);
                return Err(Lie::Contradiction(what).into());
            }
            match self.try_verify(update, &server.url)? {
                Ok(_) => return self.fetch_keys(server).await,
                // The set changed while we asked.
                Err(error @ Error::TooFarAhead { .. }) => {
                    if self.walk(server, head).await? == 0 {
                        self.take_last(server).await?;
                        return Err(self.no_way(server, error).await?);
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Whether a head has something to prove: it is newer than the newest proven block, or another block with its number,
    /// of which no server has a proof unless the validators contradict themselves. (LIGHT-4)
    pub(crate) fn is_news(&self, head: BlockNumber, hash: H256) -> Result<bool, Failure> {
        let trusted = self.trusted()?;
        let best = trusted.best_number();
        Ok(head > best || head == best && hash != trusted.best_hash())
    }

    /// Walks from set to set as far as the endpoint has proofs; how many were new.
    pub(crate) async fn walk(&mut self, server: &Server, head: BlockNumber) -> Result<u32, Fault> {
        let mut walked = 0_u32;
        loop {
            let proofs = self.fetch_handoff_proofs(server).await?;
            if proofs.is_empty() {
                return Ok(walked);
            }
            let first = self.trusted()?.latest_set().id;
            let handoffs = in_order(first, &proofs);
            let in_order = handoffs.len();
            let prefix = self.verify_prefix(handoffs, &server.url)?;
            walked = walked.saturating_add(prefix);
            self.output.progress(self.trusted()?.best_number(), head);
            if self.is_done() {
                return Ok(walked);
            }
            let stopped_at = usize::try_from(prefix).unwrap_or(usize::MAX);
            let Some(update) = proofs.into_iter().nth(stopped_at) else {
                continue;
            };
            let got = update.commitment().validator_set_id;
            if stopped_at >= in_order {
                let expected = SetId::new(first.get().saturating_add(prefix.into()));
                return Err(other_set(expected, got, update.commitment().is_handoff()));
            }
            // What did not hold with the others is verified alone, which says why.
            if self.verify(update, &server.url)? == Step::Old {
                let what = format!(
                    "the handoff block of set {got} is not after the previous handoff block"
                );
                return Err(Lie::Contradiction(what).into());
            }
            walked = walked.saturating_add(1);
        }
    }

    /// Takes the last proof by the trusted sets: behind a reset, the head is by another set, and no handoff leads there.
    async fn take_last(&mut self, server: &Server) -> Result<(), Fault> {
        let trusted = self.trusted()?;
        let (best, sets) = (trusted.best_number(), trusted.set_ids().collect::<Vec<_>>());
        for set in sets {
            let Some(last) = last_proof(server, set, self.mode).await? else {
                continue;
            };
            if last.commitment().block_number > best {
                self.verify(last, &server.url)?;
                return self.fetch_keys(server).await;
            }
        }
        Ok(())
    }

    /// Behind a crossed reset, before the new set's first proof: asks for the last proofs by the sets before it, which show
    /// a false recovery on a chain that goes on. (RECOVER-8)
    async fn doubt_recovery(&mut self, server: &Server) -> Result<(), Fault> {
        let trusted = self.trusted()?;
        let (best, sets) = (
            trusted.best_number(),
            trusted.ended_sets().collect::<Vec<_>>(),
        );
        for set in sets {
            // The keys of an ended set may be missing, and such a proof needs none.
            let last = last_proof(server, set, Mode::Stateless).await?;
            if let Some(last) = last.filter(|last| last.commitment().block_number >= best) {
                self.verify(last, &server.url)?;
            }
        }
        Ok(())
    }

    /// Why an endpoint leads no further than the trusted sets, although it has proofs of a later one: its chain was reset,
    /// or it lacks handoff proofs. (LIGHT-6, LIGHT-8)
    pub(crate) async fn no_way(&self, server: &Server, error: Error) -> Result<Fault, Fault> {
        let trusted = self.trusted()?;
        let Some(header) = server.reset(trusted.latest_set().id).await? else {
            return Ok(error.into());
        };
        Ok(match trusted.reset_claim(&header) {
            Ok(claim) => Fault::Reset(Box::new(claim)),
            Err(error) => error.into(),
        })
    }

    async fn fetch_handoff_proofs(&self, server: &Server) -> Result<Vec<Update>, Fault> {
        let latest = self.trusted()?.latest_set();
        let (from, limit) = (latest.id, sets_at_once(latest.len));
        Ok(match self.mode {
            Mode::Full => server
                .handoff_proofs(from, limit)
                .await?
                .into_iter()
                .map(Update::from)
                .collect(),
            Mode::Stateless => {
                let proofs = server.stateless_handoff_proofs(from, limit).await?;
                proofs.into_iter().map(Update::from).collect()
            }
        })
    }

    /// The proof of a block, in the form that this client needs.
    pub(crate) async fn fetch_proof(
        &self,
        server: &Server,
        block: BlockNumber,
    ) -> Result<Option<Update>, Fault> {
        let update = match self.mode {
            Mode::Full => server.justification(block).await?.map(Update::from),
            Mode::Stateless => server.stateless_proof(block).await?.map(Update::from),
        };
        match update
            .as_ref()
            .map(|update| update.commitment().block_number)
        {
            Some(got) if got != block => {
                let (asked, got) = (format!("block {block}"), format!("block {got}"));
                Err(Lie::OtherAnswer { asked, got }.into())
            }
            _ => Ok(update),
        }
    }

    /// Fetches the keys that are missing: the signing set's must be there, the next one's may come later.
    pub(crate) async fn fetch_keys(&mut self, server: &Server) -> Result<(), Fault> {
        while let Some(set) = self.trusted()?.missing_keys() {
            match server.keys(set).await? {
                Some(keys) => self.add_keys(set, &keys)?,
                None if set == self.trusted()?.signing().id => {
                    return Err(Fault::Incomplete(Missing::Keys(set)))
                }
                None => return Ok(()),
            }
        }
        Ok(())
    }

    fn add_keys(&mut self, set: SetId, keys: &[Pk1Bytes]) -> Result<(), Fault> {
        let trusted = self.trusted()?.with_keys(set, keys)?;
        self.set_trusted(trusted);
        Ok(())
    }

    /// Reports that the endpoint is ahead.
    pub(crate) fn report_behind(&self, url: &str, head: BlockNumber) -> Result<(), Failure> {
        let block = self.trusted()?.best_number();
        self.output.event(&Event::Behind { url, block, head });
        Ok(())
    }
}

/// The last proof by a set, as the endpoint says.
async fn last_proof(server: &Server, set: SetId, mode: Mode) -> Result<Option<Update>, Fault> {
    let last = match mode {
        Mode::Full => server.last_justification(set).await?.map(Update::from),
        Mode::Stateless => server.last_stateless_proof(set).await?.map(Update::from),
    };
    match last.as_ref().map(|last| last.commitment().validator_set_id) {
        Some(got) if got != set => {
            let asked = format!("the last proof of set {set}");
            let got = format!("one of set {got}");
            Err(Lie::OtherAnswer { asked, got }.into())
        }
        _ => Ok(last),
    }
}

/// The leading proofs that hand off from one set to the next, beginning with `first`.
fn in_order(first: SetId, proofs: &[Update]) -> &[Update] {
    let mut expected = Some(first);
    let follows = |update: &&Update| {
        let commitment = update.commitment();
        let follows = commitment.is_handoff() && expected == Some(commitment.validator_set_id);
        expected = expected.and_then(SetId::checked_next);
        follows
    };
    let count = proofs.iter().take_while(follows).count();
    proofs.get(..count).unwrap_or(proofs)
}

fn other_set(expected: SetId, got: SetId, is_handoff: bool) -> Fault {
    let asked = format!("the handoff proof of set {expected}");
    let got = if is_handoff {
        format!("one of set {got}")
    } else {
        format!("one of set {got} that names no next set")
    };
    Lie::OtherAnswer { asked, got }.into()
}

/// As many sets as give an answer of a sensible length.
fn sets_at_once(len: u32) -> u32 {
    let pk1 = u32::try_from(suite::G1_LEN).unwrap_or(u32::MAX);
    let sets = ANSWER_LEN.checked_div(len.saturating_mul(pk1));
    sets.unwrap_or(MAX_SETS).clamp(1, MAX_SETS)
}
