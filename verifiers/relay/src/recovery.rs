//! A reset of the source's chain that the target crosses by a recovery proof. Decided without I/O and without a clock.
//! (RECOVER-7, RECOVER-8)

use duet_light_client::ResetClaim;
use duet_primitives::{
    BlockNumber, RecoveryProof, RecoveryStatement, RecoveryTerms, StatelessProof, H256,
};
use std::cmp::Ordering;

/// What a verifier knows of recoveries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoveryStatus {
    /// The newest block that it holds for final.
    pub best: BlockNumber,
    /// That block's hash; `None` when the verifier does not say.
    pub hash: Option<H256>,
    /// The recovery from that block that it waits for.
    pub announced: Option<Announced>,
}

/// A recovery that a verifier waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announced {
    /// What the recovery set says; `None` when the verifier keeps a hash of it, and its node does not show the event.
    pub statement: Option<RecoveryStatement>,
    /// How many seconds of the wait are left, by the verifier's clock.
    pub left: u64,
    /// The recovery set has signed another statement about the same block. With two, nobody crosses.
    pub is_contradicted: bool,
}

/// A checked recovery proof, and the other inputs of a verifier.
#[derive(Clone, Debug)]
pub struct Announcement {
    /// The proof.
    pub proof: RecoveryProof,
    /// The terms in the state of the block that it is about.
    pub terms: RecoveryTerms,
    /// The header of that block in SCALE.
    pub header: Vec<u8>,
    /// The trie nodes that prove the terms under that header.
    pub nodes: Vec<Vec<u8>>,
    /// The root of the MMR in the proof of that block; `None` where no source has that proof.
    pub mmr_root: Option<H256>,
}

impl RecoveryStatus {
    /// Whether the verifier would take a proof of this statement: to wait for it, or as a contradiction.
    pub(crate) fn takes(&self, statement: &RecoveryStatement) -> bool {
        let hash = self.hash.unwrap_or(statement.block_hash);
        let is_news = self.announced.as_ref().is_none_or(|announced| {
            !announced.is_contradicted && announced.statement.as_ref() != Some(statement)
        });
        statement.is_about(self.best, hash) && is_news
    }

    /// Whether the verifier would cross by this statement now.
    pub(crate) fn crosses(&self, statement: &RecoveryStatement) -> bool {
        self.announced.as_ref().is_some_and(|announced| {
            announced.statement.as_ref() == Some(statement)
                && !announced.is_contradicted
                && announced.left == 0
        })
    }
}

/// The next step of a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// To bring the newest proof at once: it ends the announcement.
    Cancel,
    /// To bring the proof of the block that the operator's statement is about.
    Approach,
    /// To announce the operator's proof.
    Announce,
    /// To cross.
    Cross,
}

/// The next step, for a verifier's status, the newest block beyond it that its sets have proven, and the statement of the
/// operator's proof. (RECOVER-7, RECOVER-8)
pub(crate) fn step(
    status: &RecoveryStatus,
    newer: Option<BlockNumber>,
    given: Option<&RecoveryStatement>,
) -> Option<Step> {
    if newer.is_some() && status.announced.is_some() {
        return Some(Step::Cancel);
    }
    let given = given?;
    match newer {
        Some(newer) => (newer == given.block_number).then_some(Step::Approach),
        None if status.takes(given) => Some(Step::Announce),
        None => status.crosses(given).then_some(Step::Cross),
    }
}

/// Why the operator's proof is of no use where no step is due; `None` when there is only to wait, or nothing to do any
/// more.
pub(crate) fn obstacle(
    status: &RecoveryStatus,
    newer: Option<BlockNumber>,
    given: &RecoveryStatement,
) -> Option<String> {
    let (about, best) = (given.block_number, newer.unwrap_or(status.best));
    if best >= given.reset_number {
        return None;
    }
    match best.cmp(&about) {
        Ordering::Greater => Some(format!("RECOVER-7: block {best} is proven, which is newer")),
        Ordering::Less => {
            Some("no source has a proof of that block by a set that the target knows".to_owned())
        }
        Ordering::Equal => {
            let (hash, got) = (status.hash?, given.block_hash);
            (hash != got).then(|| {
                format!(
                    "RECOVER-7: the target's block has the hash {hash:?}, and that of the statement {got:?}"
                )
            })
        }
    }
}

/// What an endpoint of the source says of the chain behind a verifier.
#[derive(Clone, Debug)]
pub(crate) struct Witness {
    /// Who says it.
    pub(crate) url: String,
    /// The newest proof that the verifier would take, checked.
    pub(crate) newer: Option<StatelessProof>,
    /// The reset behind the verifier's sets. Nothing proves it.
    pub(crate) reset: Option<ResetClaim>,
}

/// Why the source does not bear out a statement about a verifier's newest block: what the first endpoint says that says
/// otherwise.
pub(crate) fn doubt(statement: &RecoveryStatement, witnesses: &[Witness]) -> Option<String> {
    witnesses.iter().find_map(|Witness { url, newer, reset }| {
        if let Some(newer) = newer {
            let block = newer.justification.commitment.block_number;
            if block > statement.block_number {
                return Some(format!(
                    "{url} has a proof of block {block}, which is newer"
                ));
            }
        }
        let dispute = ResetClaim::dispute(reset.as_ref(), statement);
        dispute.map(|dispute| format!("{url} {dispute}"))
    })
}
