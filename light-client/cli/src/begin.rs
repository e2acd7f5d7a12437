//! The state from which a run starts.

use duet_light_client::{Checkpoint, Dated, Mode, Trusted};
use duet_light_rpc::{Failure, Kind};
use duet_primitives::{BlockNumber, H256};

/// All arguments that name a chain must name the same one.
pub(crate) fn genesis_hash(
    given: Option<H256>,
    checkpoint: Option<&Checkpoint>,
    kept: Option<&Trusted>,
) -> Result<H256, Failure> {
    let named = [
        ("--genesis", given),
        (
            "the checkpoint",
            checkpoint.map(|checkpoint| checkpoint.genesis_hash),
        ),
        ("the state file", kept.map(Trusted::genesis_hash)),
    ];
    let mut named = named
        .into_iter()
        .filter_map(|(who, hash)| Some((who, hash?)));
    let (first, hash) = named.next().ok_or_else(|| {
        usage("no chain given: use --genesis, --checkpoint, or a --state file of an earlier run")
    })?;
    match named.find(|(_, other)| *other != hash) {
        None => Ok(hash),
        Some((other, got)) => Err(usage(format!(
            "{first} names the chain {hash:?}, but {other} names {got:?}"
        ))),
    }
}

/// Whether a run starts from the checkpoint: the stored state is older or missing.
#[cfg(feature = "vouchers")]
pub(crate) fn is_begun_from(checkpoint: &Checkpoint, kept: Option<&Trusted>) -> bool {
    kept.is_none_or(|kept| kept.best_number() < checkpoint.block_number)
}

/// The newer of the stored state and the checkpoint. A checkpoint that contradicts a proven block is refused.
pub(crate) fn begin(
    checkpoint: Option<Checkpoint>,
    dated: Option<Dated>,
    kept: Option<Trusted>,
    mode: Mode,
) -> Result<Option<Trusted>, Failure> {
    let Some(checkpoint) = checkpoint else {
        return Ok(kept);
    };
    if let Some(kept) = kept {
        let (number, hash) = (checkpoint.block_number, checkpoint.block_hash);
        if !is_newer("the checkpoint", number, hash, &kept)? {
            return Ok(Some(kept));
        }
    }
    let trusted = Trusted::from_checkpoint(checkpoint, mode)
        .map_err(|error| usage(format!("the checkpoint is refused: {error}")))?;
    Ok(Some(match dated {
        Some(dated) => trusted.with_date(dated),
        None => trusted,
    }))
}

/// Whether a block that the user vouches for is newer than the stored state. A contradicting block is refused.
pub(crate) fn is_newer(
    who: &str,
    number: BlockNumber,
    hash: H256,
    kept: &Trusted,
) -> Result<bool, Failure> {
    if kept.best_number() == number && kept.best_hash() != hash {
        return Err(usage(format!(
            "{who} names {hash:?} as block {number}, but {:?} is proven",
            kept.best_hash()
        )));
    }
    Ok(kept.best_number() < number)
}

fn usage(message: impl Into<String>) -> Failure {
    Failure::new(Kind::Usage, message)
}
