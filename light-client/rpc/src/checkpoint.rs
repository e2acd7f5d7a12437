//! Checkpoints as JSON, to publish, to compare by eye, and to start from.

use crate::failure::{Failure, Kind};
use duet_light_client::{Checkpoint, Dated, Trusted};
use duet_primitives::{BlockNumber, KeysetCommitment, Keysets, Pk1Bytes, SetId, H256};
use serde::{Deserialize, Serialize};
use std::{fs, path::Path};

/// A checkpoint as `duet-light status --checkpoint` prints it: hashes and keys are 0x-hex.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointJson {
    genesis_hash: H256,
    block_number: BlockNumber,
    block_hash: H256,
    #[serde(with = "KeysetJson")]
    current: KeysetCommitment,
    #[serde(with = "KeysetJson")]
    next: KeysetCommitment,
    /// Time of the block, in seconds since the Unix epoch. (LIGHT-9)
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time: Option<u64>,
    /// The chain's trusting period, in seconds. (LIGHT-9)
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trusting_period: Option<u64>,
}

impl CheckpointJson {
    /// The checkpoint of a client, with its date.
    pub fn of(trusted: &Trusted) -> Self {
        let dated = trusted.dated();
        Self {
            time: dated.map(|dated| dated.time / 1000),
            trusting_period: dated.and_then(|dated| dated.trusting_period),
            ..Self::from(trusted.checkpoint())
        }
    }

    /// The date in it, if it has one.
    pub fn dated(&self) -> Option<Dated> {
        Some(Dated {
            time: self.time?.saturating_mul(1000),
            trusting_period: self.trusting_period,
        })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "KeysetCommitment", deny_unknown_fields)]
struct KeysetJson {
    id: SetId,
    len: u32,
    root: H256,
    apk1: Pk1Bytes,
}

impl From<Checkpoint> for CheckpointJson {
    fn from(checkpoint: Checkpoint) -> Self {
        let Checkpoint {
            genesis_hash,
            block_number,
            block_hash,
            keysets,
        } = checkpoint;
        let Keysets { current, next } = keysets;
        Self {
            genesis_hash,
            block_number,
            block_hash,
            current,
            next,
            time: None,
            trusting_period: None,
        }
    }
}

impl From<CheckpointJson> for Checkpoint {
    fn from(json: CheckpointJson) -> Self {
        let CheckpointJson {
            genesis_hash,
            block_number,
            block_hash,
            current,
            next,
            ..
        } = json;
        let keysets = Keysets { current, next };
        Self {
            genesis_hash,
            block_number,
            block_hash,
            keysets,
        }
    }
}

/// Reads a checkpoint file.
///
/// # Errors
/// [`Kind::Local`] when the file does not exist or is not the JSON of a checkpoint. The checkpoint's content is not
/// checked.
pub fn read(path: &Path) -> Result<CheckpointJson, Failure> {
    let failed = |what: &str| {
        let path = path.display();
        Failure::new(
            Kind::Local,
            format!("the checkpoint {path} cannot be read: {what}"),
        )
    };
    let text = fs::read_to_string(path).map_err(|error| failed(&error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| failed(&error.to_string()))
}
