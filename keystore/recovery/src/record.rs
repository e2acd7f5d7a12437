//! The record of the statements that a key signed on a chain. (RECOVER-10)
//!
//! One line for each: hex of SCALE, a space, and SHA-256 over tag, `pk1`, genesis and that hex. The file is replaced as
//! a whole and flushed to disk, before the signature is given out.

use crate::failure::Failure;
use codec::{DecodeAll, Encode};
use duet_keystore::{
    self as keystore, file_name, read_record, replace_file, VoteRecords, FILE_PREFIX,
};
use duet_primitives::{Pk1Bytes, RecoveryStatement, H256};
use sha2::{Digest, Sha256};
use std::{
    io,
    path::{Path, PathBuf},
};

const CHECKSUM_TAG: &[u8] = b"duet-recovery-record/v1/checksum";
/// Bytes of the genesis hash in the name.
const GENESIS_BYTES: usize = 4;

/// The record of one key on one chain. While it lives, no other process signs with the keys of the directory.
pub(crate) struct Record {
    path: PathBuf,
    key: Pk1Bytes,
    genesis_hash: H256,
    _lock: VoteRecords,
}

impl Record {
    /// Locks the directory.
    pub(crate) fn open(
        directory: &Path,
        key: Pk1Bytes,
        genesis_hash: H256,
    ) -> Result<Self, Failure> {
        let lock = VoteRecords::open(directory)?;
        let of_key = file_name(&key);
        let of_key = of_key.strip_prefix(FILE_PREFIX).unwrap_or(&of_key);
        let of_chain: Vec<u8> = genesis_hash.0.into_iter().take(GENESIS_BYTES).collect();
        let name = format!("statements-{of_key}-{}", hex::encode(of_chain));
        Ok(Self {
            path: directory.join(name),
            key,
            genesis_hash,
            _lock: lock,
        })
    }

    /// Records a statement, unless it is there already. It lasts when this returns.
    ///
    /// # Errors
    /// [`Failure::SignedOther`] when another one about a block with the same number is there,
    /// [`Failure::DamagedRecord`], [`Failure::WritableRecord`], [`Failure::File`].
    pub(crate) fn add(&self, statement: &RecoveryStatement) -> Result<(), Failure> {
        let mut text = self.text()?;
        let block = statement.block_number;
        for old in self.statements(&text)? {
            if old == *statement {
                return Ok(());
            }
            if old.block_number == block {
                let path = self.path.clone();
                return Err(Failure::SignedOther { block, path });
            }
        }
        let hex = hex::encode(statement.encode());
        text.push_str(&format!("{hex} {}\n", self.checksum(&hex)));
        replace_file(&self.path, text.as_bytes()).map_err(|error| self.io_error(error))
    }

    /// The content; nothing when the key signed no statement yet.
    fn text(&self) -> Result<String, Failure> {
        match read_record(&self.path, u64::MAX) {
            Ok(keystore::Record::Absent) => Ok(String::new()),
            // Whoever cut it wants it to be forgotten.
            Ok(keystore::Record::Read(text)) if text.is_empty() => Err(Failure::DamagedRecord {
                path: self.path.clone(),
                line: 1,
            }),
            // A byte that is no text is damage, too, and breaks the checksum of its line.
            Ok(keystore::Record::Read(text)) => Ok(String::from_utf8_lossy(&text).into_owned()),
            Ok(keystore::Record::Writable(mode)) => Err(Failure::WritableRecord {
                path: self.path.clone(),
                mode,
            }),
            Err(error) => Err(self.io_error(error)),
        }
    }

    fn statements(&self, text: &str) -> Result<Vec<RecoveryStatement>, Failure> {
        let lines = text.split_inclusive('\n').enumerate();
        let read = |(at, line): (usize, &str)| {
            self.statement(line).ok_or_else(|| Failure::DamagedRecord {
                path: self.path.clone(),
                line: at.saturating_add(1),
            })
        };
        lines.map(read).collect()
    }

    fn statement(&self, line: &str) -> Option<RecoveryStatement> {
        let (hex, sum) = line.strip_suffix('\n')?.split_once(' ')?;
        let bytes = hex::decode(hex)
            .ok()
            .filter(|_| sum == self.checksum(hex))?;
        RecoveryStatement::decode_all(&mut &bytes[..]).ok()
    }

    fn checksum(&self, hex: &str) -> String {
        let parts = [
            CHECKSUM_TAG,
            self.key.as_ref(),
            self.genesis_hash.as_bytes(),
            hex.as_bytes(),
        ];
        hex::encode(Sha256::digest(parts.concat()))
    }

    fn io_error(&self, error: io::Error) -> Failure {
        Failure::File {
            path: self.path.clone(),
            error,
        }
    }
}
