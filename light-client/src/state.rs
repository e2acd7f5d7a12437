//! The trusted state as bytes: a version, the state with its date and its recovery in SCALE, the same of the state before
//! a crossing, a checksum.
//!
//! These bytes are the client's own. Decoding detects damage and inconsistencies, but cannot check them against the
//! chain: anybody who can write the file controls the client's trust.

use crate::{
    age::Dated,
    announced::Announced,
    checkpoint::Checkpoint,
    error::StateError,
    hashers::Blake2Hasher,
    trusted::{Best, Mode, Trusted, TrustedSet},
};
use alloc::{boxed::Box, string::ToString, sync::Arc, vec::Vec};
use codec::{Decode, DecodeAll, Encode};
use duet_primitives::{Keyset, Pk1Bytes, UncheckedJustification};
use sp_core::Hasher;

const VERSION: u8 = 4;
/// Without the state before a crossing.
const RECOVERED: u8 = 3;
/// Without the recovery.
const DATED: u8 = 2;
/// Without the date.
const UNDATED: u8 = 1;
const CHECKSUM_LEN: usize = 32;

#[derive(Encode, Decode)]
struct StateV1 {
    mode: Mode,
    checkpoint: Checkpoint,
    proof: Option<UncheckedJustification>,
    signing_keys: Option<Vec<Pk1Bytes>>,
    next_keys: Option<Vec<Pk1Bytes>>,
}

/// The state, its date and its recovery.
type Parts = (StateV1, Option<Dated>, Option<Announced>);

impl Trusted {
    /// The bytes of this state. Cost: a copy of the keys.
    pub fn encode(&self) -> Vec<u8> {
        let before = self.before.as_deref().map(Self::parts);
        let mut bytes = (VERSION, self.parts(), before).encode();
        let checksum = Blake2Hasher::hash(&bytes);
        bytes.extend(checksum.as_bytes());
        bytes
    }

    fn parts(&self) -> Parts {
        let keys = |set: &TrustedSet| set.keys.as_ref().map(|keys| keys.key_bytes());
        let state = StateV1 {
            mode: self.mode,
            checkpoint: self.checkpoint(),
            proof: self.best_proof().cloned(),
            signing_keys: keys(&self.signing),
            next_keys: self.next.as_ref().and_then(keys),
        };
        (state, self.dated, self.recovery.as_deref().cloned())
    }

    fn from_parts((state, dated, recovery): Parts) -> Result<Self, StateError> {
        let mut trusted = state.into_trusted()?;
        trusted.dated = dated;
        trusted.recovery = recovery.map(Box::new);
        if trusted.recovery.is_some()
            && trusted.announced().is_none()
            && trusted.crossed_by().is_none()
        {
            return Err(other_recovery());
        }
        Ok(trusted)
    }

    /// Reads back what [`Trusted::encode`] wrote. Cost: [`Keyset::check`] for both sets,
    /// and for those before a crossing.
    ///
    /// # Errors
    /// [`StateError`] when the bytes are no state, of another version, damaged, or do not belong together.
    ///
    /// # Security
    /// `bytes` must be the client's own: nothing else vouches for them.
    pub fn decode(bytes: &[u8]) -> Result<Self, StateError> {
        let (body, checksum) = bytes
            .split_last_chunk::<CHECKSUM_LEN>()
            .ok_or(StateError::NotAState)?;
        let (version, state) = body.split_first().ok_or(StateError::NotAState)?;
        let is_whole = Blake2Hasher::hash(body).as_bytes() == checksum;
        let known = [UNDATED, DATED, RECOVERED, VERSION];
        match (known.contains(version), is_whole) {
            (true, true) => {}
            (true, false) => return Err(StateError::Checksum),
            (false, true) => {
                return Err(StateError::Version {
                    expected: VERSION,
                    got: *version,
                })
            }
            // A newer format keeps the checksum, so that it is not taken for something else.
            (false, false) => return Err(StateError::NotAState),
        }
        let input = &mut &*state;
        let read = match *version {
            UNDATED => StateV1::decode_all(input).map(|state| ((state, None, None), None)),
            DATED => {
                DecodeAll::decode_all(input).map(|(state, dated)| ((state, dated, None), None))
            }
            RECOVERED => Parts::decode_all(input).map(|parts| (parts, None)),
            _ => <(Parts, Option<Parts>)>::decode_all(input),
        };
        let (parts, before) = read.map_err(|error| StateError::Malformed(error.to_string()))?;
        let mut trusted = Self::from_parts(parts)?;
        let before = before.map(Self::from_parts).transpose()?;
        if before
            .as_ref()
            .is_some_and(|before| !trusted.is_behind(before))
        {
            return Err(other_recovery());
        }
        trusted.before = before.map(Box::new);
        Ok(trusted)
    }

    /// Whether a crossing can have led here from this state.
    fn is_behind(&self, before: &Self) -> bool {
        before.announced().is_some()
            && before.genesis_hash == self.genesis_hash
            && before.best.number < self.best.number
            && self.best.proof.is_none()
    }
}

fn other_recovery() -> StateError {
    StateError::Malformed("the recovery is of another block".to_string())
}

impl StateV1 {
    fn into_trusted(self) -> Result<Trusted, StateError> {
        let Self {
            mode,
            checkpoint,
            proof,
            signing_keys,
            next_keys,
        } = self;
        let mut trusted = Trusted::from_checkpoint(checkpoint, mode)?;
        add_keys(&mut trusted.signing, signing_keys)?;
        match &mut trusted.next {
            Some(next) => add_keys(next, next_keys)?,
            None if next_keys.is_some() => {
                return Err(StateError::Malformed(
                    "keys of a next set, but no next set".to_string(),
                ))
            }
            None => {}
        }
        if let Some(proof) = proof {
            let Best { number, hash, .. } = trusted.best;
            let commitment = &proof.commitment;
            let same = commitment.block_number == number
                && commitment.block_hash == hash
                && commitment.validator_set_id == trusted.signing().id
                && commitment.next == *trusted.latest_set();
            if !same {
                return Err(StateError::Malformed(
                    "the proof is of another block".to_string(),
                ));
            }
            trusted.best.proof = Some(Box::new(proof));
        }
        Ok(trusted)
    }
}

fn add_keys(set: &mut TrustedSet, keys: Option<Vec<Pk1Bytes>>) -> Result<(), StateError> {
    let Some(keys) = keys else { return Ok(()) };
    let id = set.commitment.id;
    let keys = Keyset::check(&set.commitment, &keys)
        .map_err(|error| StateError::Keys { set: id, error })?;
    set.keys = Some(Arc::new(keys));
    Ok(())
}
