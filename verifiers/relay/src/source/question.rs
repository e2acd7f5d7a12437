//! Questions to one endpoint of the source, and what their answers are worth.

use duet_light_client::{
    last_reset, Error, FinalBlock, Outcome, ResetClaim, Trusted, Update, Verified,
};
use duet_light_rpc::{Fault, Lie, Missing, Server};
use duet_primitives::{BlockNumber, KeysetCommitment, SetId, StatelessProof, H256};

/// Entries of the state after a block, and what proves them.
pub(crate) struct Proven {
    /// The values, in the order of their keys.
    pub(crate) values: Vec<Option<Vec<u8>>>,
    /// The block's header in SCALE.
    pub(crate) header: Vec<u8>,
    /// The trie nodes that prove the values.
    pub(crate) nodes: Vec<Vec<u8>>,
}

/// The set with this id, from its predecessor's handoff, from the reset that began it, or from the block in which the
/// chain's sets begin: the genesis, or a later one. The answer is not verified: it counts only when the target trusts the
/// same set.
pub(super) async fn named(server: &Server, id: SetId) -> Result<KeysetCommitment, Fault> {
    let Some(before) = id.get().checked_sub(1).map(SetId::new) else {
        let proof = server.start_proof(None).await?;
        let proof = proof.ok_or(Fault::Incomplete(Missing::Genesis))?;
        return Ok(proof.keysets().map_err(Lie::Rule)?.current);
    };
    let is_it = |set: &KeysetCommitment| set.id == id;
    let proofs = server.stateless_handoff_proofs(before, 1).await?;
    let proof = proofs.into_iter().next();
    let next = proof.map(|proof| proof.justification.commitment.next);
    if let Some(next) = next.filter(is_it) {
        return Ok(next);
    }
    let header = server.reset(before).await?;
    let begun = header.and_then(|header| last_reset(&header).ok()?);
    begun
        .map(|(_, set)| set)
        .filter(is_it)
        .ok_or(Fault::Incomplete(Missing::HandoffProof(before)))
}

/// What an endpoint has for a verifier.
pub(super) struct Offered {
    /// The proof by which the newest set that the verifier knows has named its successor, verified.
    pub(super) handoff: Option<StatelessProof>,
    /// The newest block that the verifier's sets have proven. Beyond the verifier's the endpoint has proven it, if it matters.
    pub(super) head: Option<BlockNumber>,
    /// The proof of that block, where the endpoint has shown it now.
    pub(super) shown: Option<StatelessProof>,
    /// The newest proven block, as the endpoint says.
    pub(super) proven: Option<BlockNumber>,
}

/// What an endpoint is asked for a verifier.
#[derive(Clone, Copy)]
pub(super) struct Asks {
    /// Whether a block beyond the handoff matters, so that the endpoint has to prove it.
    pub(super) matters: bool,
    /// The newest block that it has proven before.
    pub(super) known: Option<BlockNumber>,
}

/// What an endpoint has for a verifier.
pub(super) async fn offered(
    server: &Server,
    trusted: &Trusted,
    Asks { matters, known }: Asks,
) -> Result<Offered, Fault> {
    let latest = trusted.latest_set().id;
    let proven = server.head().await?.map(|(number, _)| number);
    let proofs = server.stateless_handoff_proofs(latest, 1).await?;
    if let Some(proof) = proofs.into_iter().next() {
        let commitment = &proof.justification.commitment;
        if commitment.validator_set_id != latest || !commitment.is_handoff() {
            let (set, block) = (commitment.validator_set_id, commitment.block_number);
            let asked = format!("the handoff proof of set {latest}");
            let got = format!("a proof of block {block} by set {set}");
            return Err(Lie::OtherAnswer { asked, got }.into());
        }
        // One of an older block leads nowhere, and nobody has verified it.
        if commitment.block_number > trusted.best_number() {
            let _: Outcome = trusted.verify(proof.clone())?;
            return Ok(Offered {
                handoff: Some(proof),
                // The handoff comes first.
                head: None,
                shown: None,
                proven,
            });
        }
    }
    let beyond = proven.filter(|head| *head > trusted.best_number());
    let mut offered = Offered {
        handoff: None,
        head: beyond,
        shown: None,
        proven,
    };
    if reset(server, trusted).await?.is_some() {
        // Behind it the newest proof is by a set that the verifier does not know.
        offered.shown = last_proof(server, trusted).await?;
        offered.head = offered.shown.as_ref().map(block);
    } else if let Some(head) = beyond.filter(|head| matters && known != Some(*head)) {
        let proof = proof_of(server, trusted, head).await?;
        offered.shown = Some(proof.ok_or(Fault::Incomplete(Missing::Proof(head)))?);
    }
    Ok(offered)
}

/// The handoffs that follow one, each with its set, as far as they are valid: the first false one is judged when it is asked
/// for next.
pub(super) async fn further_handoffs(
    server: &Server,
    trusted: &Trusted,
    handoff: &StatelessProof,
    most: u32,
) -> Result<Vec<(StatelessProof, KeysetCommitment)>, Fault> {
    let next = handoff.justification.commitment.next.id;
    // One more, which shows that the one before is not the newest.
    let mut found = server
        .stateless_handoff_proofs(next, most.saturating_add(1))
        .await?;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    if found.len() > most {
        found.truncate(most);
    } else if found.last().is_some_and(|it| !it.non_signers.is_empty()) {
        found.pop();
    }
    let all = [handoff].into_iter().chain(&found);
    let updates: Vec<_> = all.map(|proof| Update::from(proof.clone())).collect();
    let verified = trusted.verify_prefix(&updates);
    let sets = verified.iter().skip(1).zip(next.get()..);
    let is_handoff = |(verified, id): &(&Verified, u64)| {
        verified.trusted.signing().id.get() == *id && verified.next_set().is_some()
    };
    let sets = sets.take_while(is_handoff);
    let sets = sets.map(|(verified, _)| verified.trusted.signing().clone());
    Ok(found.into_iter().zip(sets).collect())
}

/// The proof of a block that is newer than the verifier's, verified, with the signers so far.
pub(super) async fn proof_of(
    server: &Server,
    trusted: &Trusted,
    number: BlockNumber,
) -> Result<Option<StatelessProof>, Fault> {
    let Some(proof) = server.stateless_proof(number).await? else {
        return Ok(None);
    };
    let got = block(&proof);
    if got != number {
        let asked = format!("the proof of block {number}");
        let got = format!("one of block {got}");
        return Err(Lie::OtherAnswer { asked, got }.into());
    }
    let _: Outcome = trusted.verify(proof.clone())?;
    Ok(Some(proof))
}

/// The reset behind the sets of a verifier, as an endpoint says. (LIGHT-8)
pub(super) async fn reset(server: &Server, trusted: &Trusted) -> Result<Option<ResetClaim>, Fault> {
    let header = server.reset(trusted.latest_set().id).await?;
    let claim = header.map(|header| trusted.reset_claim(&header));
    Ok(claim.transpose()?)
}

/// The newest proof by the sets of a verifier beyond its newest block, checked; also where the chain was reset behind
/// them. An endpoint that cannot be asked for it may have the proof of its newest block or of another one.
pub(super) async fn newest_proof(
    server: &Server,
    trusted: &Trusted,
    other: Option<BlockNumber>,
) -> Result<Option<StatelessProof>, Fault> {
    let head = server.head().await?.map(|(number, _)| number);
    let mut newest = last_proof(server, trusted).await?;
    for number in [head, other].into_iter().flatten() {
        let best = newest.as_ref().map_or(trusted.best_number(), block);
        if number > best {
            let proof = server.stateless_proof(number).await?;
            newest = checked(trusted, proof)?.or(newest);
        }
    }
    Ok(newest)
}

/// The last proof by the sets of a verifier beyond its newest block, checked. `None` also when the endpoint does not know
/// the question.
pub(super) async fn last_proof(
    server: &Server,
    trusted: &Trusted,
) -> Result<Option<StatelessProof>, Fault> {
    for set in trusted.set_ids() {
        let proof = server.last_stateless_proof(set).await?;
        if let Some(proof) = checked(trusted, proof)? {
            return Ok(Some(proof));
        }
    }
    Ok(None)
}

/// The root of the MMR in the proof of a verifier's newest block, checked.
pub(super) async fn mmr_root(server: &Server, trusted: &Trusted) -> Result<Option<H256>, Fault> {
    let best = trusted.best_block();
    let proof = server.stateless_proof(best.number()).await?;
    let Some(proof) = proof.filter(|proof| {
        let commitment = &proof.justification.commitment;
        (commitment.block_number, commitment.block_hash) == (best.number(), best.hash())
    }) else {
        return Ok(None);
    };
    let commitment = proof.justification.commitment.clone();
    trusted.verify(proof)?;
    Ok(Some(commitment.mmr_root))
}

/// A proof that a verifier would take. One of an older block, or by a set behind a reset, is none.
fn checked(
    trusted: &Trusted,
    proof: Option<StatelessProof>,
) -> Result<Option<StatelessProof>, Fault> {
    let Some(proof) = proof.filter(|proof| block(proof) > trusted.best_number()) else {
        return Ok(None);
    };
    match trusted.verify(proof.clone()) {
        Ok(_) => Ok(Some(proof)),
        Err(Error::TooFarAhead { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Entries of the state after a block; `None` when the endpoint keeps it no longer, or so much does not fit into an
/// answer. (STATE-1, STATE-2)
pub(super) async fn state(
    server: &Server,
    block: FinalBlock,
    keys: &[&[u8]],
) -> Result<Option<Proven>, Fault> {
    match read(server, block, keys).await {
        Err(Fault::Incomplete(Missing::State(_) | Missing::ShortAnswer { .. })) => Ok(None),
        read => read.map(Some),
    }
}

async fn read(server: &Server, block: FinalBlock, keys: &[&[u8]]) -> Result<Proven, Fault> {
    let bytes = server.header(block.hash()).await?;
    let header = block.header(&bytes)?;
    let nodes = server
        .read_proof(keys, block.number(), block.hash())
        .await?;
    let entries = header.read(keys, &nodes)?;
    let values = entries
        .iter()
        .map(|entry| entry.value().map(<[u8]>::to_vec))
        .collect();
    Ok(Proven {
        values,
        header: bytes,
        nodes,
    })
}

/// The block that a proof proves.
pub(super) fn block(proof: &StatelessProof) -> BlockNumber {
    proof.justification.commitment.block_number
}

pub(super) fn blake2(bytes: &[u8]) -> H256 {
    H256(sp_crypto_hashing::blake2_256(bytes))
}
