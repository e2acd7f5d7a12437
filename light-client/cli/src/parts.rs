//! A block's header and entries of its state, each checked under the newest proof. (STATE-1 to STATE-3)

use crate::event::ProofParts;
use codec::{Compact, Decode, Encode};
use duet_light_client::{FinalBlock, FinalHeader, Outcome, StateProofError, Trusted};
use duet_light_rpc::{hex, Failure, Fault, Kind, Lie, Path, Server};
use duet_primitives::{BlockNumber, H256};
use sp_crypto_hashing::blake2_256;

/// The requested data of a block, with its proof under the newest final block. [`fetch`] makes and checks it.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// The block's header.
    pub(crate) header: FinalHeader,
    /// Its SCALE encoding.
    pub(crate) header_bytes: Vec<u8>,
    /// The proof of an older block under the newest.
    path: Option<Path>,
    /// Trie nodes that prove the entries.
    pub(crate) nodes: Vec<Vec<u8>>,
    /// The entries, in the order of the keys; none where the state provably has none.
    pub(crate) values: Vec<Option<Vec<u8>>>,
}

/// The same before it is checked.
struct Sent {
    header: Vec<u8>,
    path: Option<Path>,
    nodes: Vec<Vec<u8>>,
}

impl Parts {
    /// How many bytes prove it under the newest proof.
    pub(crate) fn proof_bytes(&self) -> usize {
        let path = self
            .path
            .as_ref()
            .map_or(0, |path| path.block.encoded_size());
        let nodes = self.nodes.iter().map(Vec::len);
        nodes.fold(
            self.header_bytes.len().saturating_add(path),
            usize::saturating_add,
        )
    }

    /// All that proves it, to be checked again elsewhere.
    pub(crate) fn proof(&self, trusted: &Trusted) -> ProofParts {
        ProofParts {
            justification: trusted.best_proof().map(|proof| hex(&proof.encode())),
            header: hex(&self.header_bytes),
            path: self.path.as_ref().map(Path::to_json),
            nodes: self.nodes.iter().map(|node| hex(node)).collect(),
            extrinsics: None,
        }
    }
}

/// The number of the block with this hash, as its header says, which hashes to it. (STATE-1)
pub(crate) async fn number_of(server: &Server, hash: H256) -> Result<BlockNumber, Fault> {
    let bytes = server.header(hash).await?;
    let (expected, got) = (hash, H256(blake2_256(&bytes)));
    if got != expected {
        return Err(StateProofError::Header { expected, got }.into());
    }
    let (_, Compact(number)) = <(H256, Compact<u32>)>::decode(&mut bytes.as_slice())
        .map_err(|_| StateProofError::NotAHeader)?;
    Ok(BlockNumber::new(number))
}

/// Requests a block's header and entries of its state, and checks them under the newest proof. One request suffices
/// if the node supports it. The default is the newest block.
pub(crate) async fn fetch(
    server: &Server,
    trusted: &Trusted,
    at: Option<BlockNumber>,
    keys: &[&[u8]],
) -> Result<Parts, Fault> {
    let newest = trusted.best_block();
    let at = at.unwrap_or(newest.number());
    if at > newest.number() {
        let newest = newest.number();
        let message = format!("block {at} is not proven yet: the newest proven block is {newest}");
        return Err(Failure::new(Kind::NoWay, message).into());
    }
    let sent = match at_once(server, trusted, at, keys).await? {
        Some(sent) => sent,
        None => one_by_one(server, newest, at, keys).await?,
    };
    check(newest, at, keys, sent)
}

/// The same in one request. None without a proof to refer to, or if the node does not know the method.
async fn at_once(
    server: &Server,
    trusted: &Trusted,
    at: BlockNumber,
    keys: &[&[u8]],
) -> Result<Option<Sent>, Fault> {
    if trusted.best_proof().is_none() {
        return Ok(None);
    }
    let under = trusted.best_number();
    let Some(proofs) = server.proofs(keys, at, under, trusted.mode()).await? else {
        return Ok(None);
    };
    let got = proofs.proof.commitment().block_number;
    if got != under {
        let (asked, got) = (
            format!("the proof of block {under}"),
            format!("one of block {got}"),
        );
        return Err(Lie::OtherAnswer { asked, got }.into());
    }
    // It is not needed, because the block is proven already. A false one is named all the same.
    match trusted.verify(proofs.proof)? {
        Outcome::Known | Outcome::New(_) => {}
    }
    Ok(Some(Sent {
        header: proofs.header,
        path: proofs.path,
        nodes: proofs.nodes,
    }))
}

/// By the SDK's own methods.
async fn one_by_one(
    server: &Server,
    newest: FinalBlock,
    at: BlockNumber,
    keys: &[&[u8]],
) -> Result<Sent, Fault> {
    let (path, block) = if at == newest.number() {
        (None, newest)
    } else {
        let path = server.path(at, newest.number(), newest.hash()).await?;
        let block = older(&path, newest, at)?;
        (Some(path), block)
    };
    let header = server.header(block.hash()).await?;
    let nodes = if keys.is_empty() {
        Vec::new()
    } else {
        server.read_proof(keys, at, block.hash()).await?
    };
    Ok(Sent {
        header,
        path,
        nodes,
    })
}

/// The trie nodes that prove entries of the state after a block, checked. (STATE-2)
pub(crate) async fn entries(
    server: &Server,
    header: &FinalHeader,
    keys: &[&[u8]],
) -> Result<Vec<Vec<u8>>, Fault> {
    let block = header.block();
    let nodes = server
        .read_proof(keys, block.number(), block.hash())
        .await?;
    header.read(keys, &nodes)?;
    Ok(nodes)
}

/// The older block that a path proves, which must be the requested one. (STATE-3)
fn older(path: &Path, newest: FinalBlock, at: BlockNumber) -> Result<FinalBlock, Fault> {
    let block = path.block.check(&newest)?;
    if block.number() != at {
        let (asked, got) = (format!("block {at}"), format!("block {}", block.number()));
        return Err(Lie::OtherAnswer { asked, got }.into());
    }
    Ok(block)
}

fn check(newest: FinalBlock, at: BlockNumber, keys: &[&[u8]], sent: Sent) -> Result<Parts, Fault> {
    let block = match (&sent.path, at == newest.number()) {
        (Some(path), false) => older(path, newest, at)?,
        (None, true) => newest,
        (path, _) => {
            let got = if path.is_some() { "a path" } else { "no path" };
            let (asked, got) = (
                format!("block {at} under block {}", newest.number()),
                got.to_owned(),
            );
            return Err(Lie::OtherAnswer { asked, got }.into());
        }
    };
    let header = block.header(&sent.header)?;
    let values = header.read(keys, &sent.nodes)?;
    let values = values.iter().map(|entry| entry.value().map(<[u8]>::to_vec));
    Ok(Parts {
        values: values.collect(),
        header,
        header_bytes: sent.header,
        path: sent.path,
        nodes: sent.nodes,
    })
}
