//! The source chain, queried through untrusted nodes.

mod question;

use crate::{
    event::Event,
    messages::{Ends, Lane},
    metrics::Metrics,
    news::News,
    plan::Offer,
    recovery::Witness,
    target::{SetRef, Status},
};
use duet_light_client::{Checkpoint, FinalBlock, Trusted};
use duet_light_rpc::{Choice, Endpoints, Failure, Fault, Lie, Server};
use duet_primitives::{BlockNumber, KeysetCommitment, Keysets, SetId, StatelessProof, H256};
use futures::future::join_all;
use question::{
    blake2, block, further_handoffs, mmr_root, named, newest_proof, offered, proof_of, reset,
    state, Asks, Proven,
};
use std::{
    collections::BTreeMap,
    future::Future,
    time::{Duration, Instant},
};

/// The number of remembered sets: the signing one, its successor, and sets for a reorganization of the target.
const REMEMBERED: usize = 16;

/// Asks endpoints: one after the other until one answers, or all at once to compare them. Who lies is not asked again.
#[derive(Debug)]
pub struct Source {
    endpoints: Endpoints,
    connected: BTreeMap<usize, Server>,
    /// The proof of the newest block that each endpoint has proven: it proves each once, and cannot take it back.
    heads: BTreeMap<usize, StatelessProof>,
    /// The newest block that each endpoint has named as proven.
    named: BTreeMap<usize, BlockNumber>,
    genesis_hash: H256,
    timeout: Duration,
    /// Sets by their ids, for fingerprints.
    sets: BTreeMap<SetId, Vec<KeysetCommitment>>,
    news: News<Event>,
    metrics: Option<Metrics>,
}

impl Source {
    /// Nodes of the chain with this genesis. A request may take `timeout`. When no endpoint has been useful for
    /// `give_up_after`, all questions fail; zero for never.
    pub fn new(
        urls: &[String],
        genesis_hash: H256,
        timeout: Duration,
        give_up_after: Duration,
    ) -> Self {
        Self {
            endpoints: Endpoints::new(urls, give_up_after, Instant::now()),
            connected: BTreeMap::new(),
            heads: BTreeMap::new(),
            named: BTreeMap::new(),
            genesis_hash,
            timeout,
            sets: BTreeMap::new(),
            news: News::default(),
            metrics: None,
        }
    }

    /// Names sets that no handoff has named: those of a checkpoint, after a reset of the chain.
    pub fn remember(&mut self, keysets: &Keysets) {
        for set in [&keysets.current, &keysets.next] {
            self.remember_set(set.clone());
        }
    }

    fn remember_set(&mut self, set: KeysetCommitment) {
        let known = self.sets.entry(set.id).or_default();
        if !known.contains(&set) {
            known.push(set);
        }
        while self.sets.len() > REMEMBERED {
            self.sets.pop_first();
        }
    }

    /// Where to tell of the faults of endpoints from now on.
    pub(crate) fn tell_to(&mut self, news: News<Event>) {
        self.news = news;
    }

    /// Counts what the endpoints do from now on.
    pub(crate) fn count_in(&mut self, metrics: Metrics) {
        for index in self.endpoints.all() {
            metrics.source_is(index, self.endpoints.url(index).unwrap_or_default());
        }
        self.metrics = Some(metrics);
    }

    /// The verifier's state in a light client's form, to check proofs before any fee is paid. `fingerprint` is
    /// the target's.
    ///
    /// Only the number of the target's newest block is known, which is enough for proofs of newer ones.
    ///
    /// # Errors
    /// When no endpoint knows the sets that the target trusts.
    pub async fn trusted(
        &mut self,
        status: &Status,
        fingerprint: impl Fn(&KeysetCommitment) -> H256,
    ) -> Result<Trusted, Failure> {
        let current = self.set(status.signing, &fingerprint).await?;
        let next = match status.next {
            Some(next) => self.set(next, &fingerprint).await?,
            None => current.clone(),
        };
        Ok(Trusted::from_own_checkpoint_unchecked(Checkpoint {
            genesis_hash: self.genesis_hash,
            block_number: status.best,
            block_hash: H256::zero(),
            keysets: Keysets { current, next },
        }))
    }

    /// The set that the target trusts: a remembered set, or the one that its predecessor named.
    async fn set(
        &mut self,
        wanted: SetRef,
        fingerprint: &impl Fn(&KeysetCommitment) -> H256,
    ) -> Result<KeysetCommitment, Failure> {
        let is_it = |set: &&KeysetCommitment| fingerprint(set) == wanted.fingerprint;
        let known = self.sets.get(&wanted.id).into_iter().flatten().find(is_it);
        if let Some(set) = known {
            return Ok(set.clone());
        }
        let set = self
            .ask(async |server| {
                let set = named(server, wanted.id).await?;
                if fingerprint(&set) == wanted.fingerprint {
                    return Ok(set);
                }
                let fingerprint = wanted.fingerprint;
                let asked = format!(
                    "set {} as the target trusts it ({fingerprint:?})",
                    wanted.id
                );
                let got = "another set of that id".to_owned();
                Err(Lie::OtherAnswer { asked, got }.into())
            })
            .await?;
        self.remember_set(set.clone());
        Ok(set)
    }

    /// The chain's proofs for a verifier in this state, and its newest proven block: the best of what all endpoints have, so that
    /// none hides anything by being the first. The handoff is verified; where a block beyond it `matters`, each endpoint proves
    /// the one that it names.
    ///
    /// # Errors
    /// When no endpoint is useful.
    pub(crate) async fn offer(
        &mut self,
        trusted: &Trusted,
        matters: bool,
    ) -> Result<(Offer, Option<StatelessProof>, Option<BlockNumber>), Failure> {
        let (ready, _) = self.ready();
        let heads = self.heads.iter();
        let heads: BTreeMap<_, _> = heads.map(|(index, proof)| (*index, block(proof))).collect();
        let answers = self
            .ask_all(ready, async |index, server: &Server| {
                let known = heads.get(&index).copied();
                offered(server, trusted, Asks { matters, known }).await
            })
            .await?;
        let mut offers = Vec::new();
        for (index, offer) in answers {
            self.has_named(index, offer.proven);
            offers.push((index, offer));
        }
        if offers.is_empty() {
            let asks = Asks {
                matters,
                known: None,
            };
            let offer = self.ask_any(async |server| offered(server, trusted, asks).await);
            let (index, offer) = offer.await?;
            self.has_named(index, offer.proven);
            offers.push((index, offer));
        }
        let head = offers.iter().filter_map(|(_, offer)| offer.head).max();
        let proven = offers.iter().filter_map(|(_, offer)| offer.proven).max();
        let mut handoffs = Vec::new();
        for (index, offer) in offers {
            self.heads.extend(offer.shown.map(|proof| (index, proof)));
            handoffs.extend(offer.handoff);
        }
        let handoff = fullest(handoffs);
        if let Some(proof) = &handoff {
            self.remember_set(proof.justification.commitment.next.clone());
        }
        let offer = Offer {
            handoff: handoff.as_ref().map(block),
            head,
        };
        Ok((offer, handoff, proven))
    }

    /// What each endpoint says of the chain behind a verifier, and of the block that a recovery proof is `about`.
    /// (RECOVER-8)
    ///
    /// # Errors
    /// When the validators contradict themselves.
    pub(crate) async fn witnesses(
        &mut self,
        trusted: &Trusted,
        about: Option<BlockNumber>,
    ) -> Result<Vec<Witness>, Failure> {
        let all = self.endpoints.all();
        let witnesses = self
            .ask_all(all, async |_, server: &Server| {
                Ok(Witness {
                    url: server.url.clone(),
                    newer: newest_proof(server, trusted, about).await?,
                    reset: reset(server, trusted).await?,
                })
            })
            .await?;
        Ok(witnesses.into_iter().map(|(_, witness)| witness).collect())
    }

    /// The newest proven block that an endpoint names.
    fn has_named(&mut self, index: usize, head: Option<BlockNumber>) {
        if head > self.named.get(&index).copied() {
            self.named.extend(head.map(|head| (index, head)));
            if let Some(metrics) = &self.metrics {
                metrics.source_has_news(index, self.endpoints.url(index).unwrap_or_default());
            }
        }
    }

    /// The verified proof of a block that is newer than the trusted state: the one with the most signers, because
    /// each missing one costs. `None` when no endpoint that answers has it, nor has shown it before.
    ///
    /// # Errors
    /// When the validators contradict themselves.
    pub async fn proof(
        &mut self,
        trusted: &Trusted,
        number: BlockNumber,
    ) -> Result<Option<StatelessProof>, Failure> {
        let (ready, _) = self.ready();
        let question = async |_, server: &Server| proof_of(server, trusted, number).await;
        let answers = self.ask_all(ready, question).await?;
        let answers = answers.into_iter().filter_map(|(_, proof)| proof);
        let shown = self
            .heads
            .values()
            .filter(|proof| block(proof) == number && trusted.verify((*proof).clone()).is_ok());
        Ok(fullest(answers.chain(shown.cloned())))
    }

    /// The handoffs that follow a verified one, with their sets, as far as a node has them, up to `most`. The newest is left
    /// out while a member's vote is missing: it may come yet.
    ///
    /// # Errors
    /// When no endpoint has a valid answer.
    pub(crate) async fn further_handoffs(
        &mut self,
        trusted: &Trusted,
        handoff: &StatelessProof,
        most: u32,
    ) -> Result<Vec<(StatelessProof, KeysetCommitment)>, Failure> {
        let further = self
            .ask(async |server| further_handoffs(server, trusted, handoff, most).await)
            .await?;
        for (proof, _) in &further {
            self.remember_set(proof.justification.commitment.next.clone());
        }
        Ok(further)
    }

    /// The header with this hash in SCALE, checked.
    ///
    /// # Errors
    /// When no endpoint has it.
    pub async fn header(&mut self, hash: H256) -> Result<Vec<u8>, Failure> {
        self.ask(async |server| {
            let header = server.header(hash).await?;
            let got = blake2(&header);
            if got == hash {
                return Ok(header);
            }
            let (asked, got) = (
                format!("the header of {hash:?}"),
                format!("the header of {got:?}"),
            );
            Err(Lie::OtherAnswer { asked, got }.into())
        })
        .await
    }

    /// Both ends of a lane after a block that is final for the target, or that has a proof; `None` when there is no
    /// such lane, or no endpoint keeps that state.
    ///
    /// # Errors
    /// When the validators contradict themselves.
    pub(crate) async fn ends(
        &mut self,
        lane: &Lane,
        block: FinalBlock,
    ) -> Result<Option<Ends>, Failure> {
        let keys = [lane.outbound_key(), lane.inbound_key()];
        let state = self.state(block, &keys).await?;
        Ok(state.and_then(|state| match state.values.as_slice() {
            [outbound, inbound] => Ends::decode(outbound.as_deref(), inbound.as_deref()),
            _ => None,
        }))
    }

    /// Entries of the state after a block, and the trie nodes that prove them, from the first endpoint that keeps that
    /// state. (STATE-1, STATE-2)
    ///
    /// # Errors
    /// When the validators contradict themselves.
    pub(crate) async fn state<K: AsRef<[u8]>>(
        &mut self,
        block: FinalBlock,
        keys: &[K],
    ) -> Result<Option<Proven>, Failure> {
        let keys: Vec<_> = keys.iter().map(AsRef::as_ref).collect();
        self.first(async |server| state(server, block, &keys).await)
            .await
    }

    /// The root of the MMR in the proof of a verifier's newest block, checked, from the first endpoint that has it. None has
    /// that of a block in which a verifier began.
    ///
    /// # Errors
    /// When the validators contradict themselves.
    pub(crate) async fn mmr_root(&mut self, trusted: &Trusted) -> Result<Option<H256>, Failure> {
        self.first(async |server| mmr_root(server, trusted).await)
            .await
    }

    /// The endpoints that may be asked now, and those that may be asked later.
    fn ready(&self) -> (Vec<usize>, Vec<usize>) {
        let now = Instant::now();
        let usable = self.endpoints.rivals(usize::MAX).into_iter();
        let (ready, later): (Vec<_>, Vec<_>) = usable.partition(|(_, from)| *from <= now);
        let index = |(index, _)| index;
        (
            ready.into_iter().map(index).collect(),
            later.into_iter().map(index).collect(),
        )
    }

    /// The answer of the first endpoint that has one; those that failed just now are asked last.
    async fn first<T>(
        &mut self,
        question: impl AsyncFn(&Server) -> Result<Option<T>, Fault>,
    ) -> Result<Option<T>, Failure> {
        let (ready, later) = self.ready();
        for index in ready.into_iter().chain(later) {
            let answer = self.ask_this(index, &question).await?;
            if let Some(answer) = answer.flatten() {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }

    /// Asks until one endpoint answers, and records the faults of the others.
    async fn ask<T>(
        &mut self,
        question: impl AsyncFn(&Server) -> Result<T, Fault>,
    ) -> Result<T, Failure> {
        Ok(self.ask_any(question).await?.1)
    }

    /// The same, and which one it was.
    async fn ask_any<T>(
        &mut self,
        question: impl AsyncFn(&Server) -> Result<T, Fault>,
    ) -> Result<(usize, T), Failure> {
        loop {
            let now = Instant::now();
            let index = match self.endpoints.choose(now) {
                Choice::Ask(index) => index,
                Choice::Wait(until) if !self.endpoints.is_over(now) => {
                    let until = self.endpoints.deadline().map_or(until, |at| at.min(until));
                    tokio::time::sleep_until(until.max(now).into()).await;
                    continue;
                }
                Choice::Wait(_) | Choice::Nobody => return Err(self.endpoints.verdict()),
            };
            if let Some(answer) = self.ask_this(index, &question).await? {
                return Ok((index, answer));
            }
        }
    }

    /// Asks all of these at once. Where there are several, none may take longer for all its answers than for one. The
    /// answers are in their order; failures are recorded.
    async fn ask_all<T>(
        &mut self,
        indices: Vec<usize>,
        question: impl AsyncFn(usize, &Server) -> Result<T, Fault>,
    ) -> Result<Vec<(usize, T)>, Failure> {
        let timeout = match indices.len() {
            1 => Duration::MAX,
            _ => self.timeout,
        };
        let question = &question;
        let asked = indices.into_iter().map(|index| {
            let dialogue = self.dialogue(index, async move |server: &Server| {
                question(index, server).await
            });
            async move {
                let ended = tokio::time::timeout(timeout, dialogue).await;
                (index, ended.unwrap_or_else(|_| Err(too_slow(timeout))))
            }
        });
        let mut answers = Vec::new();
        for (index, ended) in join_all(asked).await {
            answers.extend(self.ended(index, ended)?.map(|answer| (index, answer)));
        }
        Ok(answers)
    }

    /// Asks one endpoint; `None` when it failed, which is recorded.
    async fn ask_this<T>(
        &mut self,
        index: usize,
        question: &impl AsyncFn(&Server) -> Result<T, Fault>,
    ) -> Result<Option<T>, Failure> {
        let ended = self.dialogue(index, question).await;
        self.ended(index, ended)
    }

    /// Records how a dialogue has ended.
    fn ended<T>(
        &mut self,
        index: usize,
        ended: Result<(Server, T), Fault>,
    ) -> Result<Option<T>, Failure> {
        let (now, url) = (
            Instant::now(),
            self.endpoints.url(index).unwrap_or_default(),
        );
        match ended {
            Ok((server, answer)) => {
                if let Some(metrics) = &self.metrics {
                    metrics.source_answered(index, url);
                }
                self.connected.insert(index, server);
                self.endpoints.succeeded(index, now);
                Ok(Some(answer))
            }
            Err(Fault::Fatal(failure)) => Err(failure),
            Err(fault) => {
                if let Some(metrics) = &self.metrics {
                    metrics.source_failed(index, url);
                }
                self.news.tell(Event::of_fault(url.to_owned(), &fault));
                self.endpoints.failed(index, fault, now);
                Ok(None)
            }
        }
    }

    /// A question to an endpoint by its connection, which is kept with the answer, or by a new one.
    fn dialogue<T>(
        &mut self,
        index: usize,
        question: impl AsyncFn(&Server) -> Result<T, Fault>,
    ) -> impl Future<Output = Result<(Server, T), Fault>> {
        let kept = self.connected.remove(&index).filter(Server::is_connected);
        let url = self.endpoints.url(index).unwrap_or_default().to_owned();
        let (timeout, genesis_hash) = (self.timeout, self.genesis_hash);
        async move {
            let server = match kept {
                Some(server) => server,
                None => {
                    let server = Server::connect(&url, timeout).await?;
                    server.check_chain(genesis_hash).await?;
                    server
                }
            };
            let answer = question(&server).await?;
            Ok((server, answer))
        }
    }
}

/// The proof with the fewest members that have not signed.
fn fullest(proofs: impl IntoIterator<Item = StatelessProof>) -> Option<StatelessProof> {
    let proofs = proofs.into_iter();
    proofs.min_by_key(|proof| proof.non_signers.len())
}

/// An endpoint that answers, but not fast enough for a look.
fn too_slow(timeout: Duration) -> Fault {
    let seconds = timeout.as_secs_f64();
    Fault::Unreachable(format!("not all answers for a look within {seconds} s"))
}

/// A block that is final for the target, or that has a proof by the sets of `trusted`.
pub(crate) fn trusted_block(trusted: &Trusted, number: BlockNumber, hash: H256) -> FinalBlock {
    trusted_at(trusted, number, hash).best_block()
}

/// The state of the same verifier at such a block.
pub(crate) fn trusted_at(trusted: &Trusted, number: BlockNumber, hash: H256) -> Trusted {
    Trusted::from_own_checkpoint_unchecked(Checkpoint {
        block_number: number,
        block_hash: hash,
        ..trusted.checkpoint()
    })
}
