//! The signed statement about a checkpoint, and the current time.

use codec::Encode;
use duet_light_client::Checkpoint;
use duet_light_rpc::{Failure, Kind};
use duet_vouch::{GenesisHash, Subject, Time};
use std::time::{SystemTime, UNIX_EPOCH};

/// The checkpoint by its SCALE bytes, which do not depend on how its JSON is written.
pub(super) fn subject(checkpoint: &Checkpoint) -> Subject {
    Subject::new(GenesisHash(checkpoint.genesis_hash.0), &checkpoint.encode())
}

/// The current time.
pub(super) fn now() -> Result<Time, Failure> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let since = since
        .map_err(|_| Failure::new(Kind::Local, "this machine's clock shows a time before 1970"))?;
    Ok(Time(since.as_secs()))
}
