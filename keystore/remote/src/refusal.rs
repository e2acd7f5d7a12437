//! Why a signer refused: on the wire, and for the caller.

// The codec's derive casts the indices of variants, which are constants below 256.
#![allow(clippy::cast_possible_truncation)]

use crate::{
    bounded::{Text, MAX_KEYS},
    error::RemoteError,
    fault::WireFault,
};
use codec::{Decode, Encode};
use duet_keystore::SignerError;
use duet_primitives::{BlockNumber, Pk1Bytes, H256};

/// Why a signer gave no signature. Its numbers are part of the protocol (`docs/spec/signer.md`).
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Refusal {
    /// The signer has no secret for this key.
    #[codec(index = 0)]
    NoKey(Pk1Bytes),
    /// ROUND-4: the key signed another commitment for this block.
    #[codec(index = 1)]
    AlreadyVoted {
        /// The key.
        key: Pk1Bytes,
        /// The block.
        block: BlockNumber,
    },
    /// ROUND-4: the block is below the remembered votes.
    #[codec(index = 2)]
    TooOld {
        /// The key.
        key: Pk1Bytes,
        /// The block.
        block: BlockNumber,
    },
    /// The fresh signature did not hold and was discarded.
    #[codec(index = 3)]
    Faulty {
        /// The key.
        key: Pk1Bytes,
        /// The broken rule.
        fault: WireFault,
    },
    /// The signer makes no keys for clients.
    #[codec(index = 4)]
    CannotGenerate,
    /// The key files or the record of votes failed.
    #[codec(index = 5)]
    KeyStore(Text),
    /// The signer does not sign for this chain.
    #[codec(index = 6)]
    OtherChain(H256),
    /// The request does not decode, and the signer closes the connection; or its content to sign is malformed.
    #[codec(index = 7)]
    Malformed,
    /// There are more keys than a list can hold.
    #[codec(index = 8)]
    TooManyKeys(u32),
}

impl From<SignerError> for Refusal {
    fn from(error: SignerError) -> Self {
        match error {
            SignerError::NoKey(key) => Self::NoKey(key),
            SignerError::AlreadyVoted { key, block } => Self::AlreadyVoted { key, block },
            SignerError::TooOld { key, block } => Self::TooOld { key, block },
            SignerError::Faulty { key, fault } => match WireFault::of(fault) {
                Some(fault) => Self::Faulty { key, fault },
                None => Self::KeyStore(Text::new(&SignerError::Faulty { key, fault }.to_string())),
            },
            SignerError::CannotGenerate => Self::CannotGenerate,
            other => Self::KeyStore(Text::new(&other.to_string())),
        }
    }
}

impl From<Refusal> for SignerError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NoKey(key) => Self::NoKey(key),
            Refusal::AlreadyVoted { key, block } => Self::AlreadyVoted { key, block },
            Refusal::TooOld { key, block } => Self::TooOld { key, block },
            Refusal::Faulty { key, fault } => Self::Faulty {
                key,
                fault: fault.into(),
            },
            Refusal::CannotGenerate => Self::CannotGenerate,
            Refusal::KeyStore(text) => RemoteError::KeyStore(text).into(),
            Refusal::OtherChain(genesis) => RemoteError::OtherChain(genesis).into(),
            Refusal::Malformed => RemoteError::Refused.into(),
            Refusal::TooManyKeys(got) => RemoteError::TooManyKeys {
                limit: MAX_KEYS,
                got,
            }
            .into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault;
    use codec::DecodeAll;
    use duet_keystore::KeyStoreError;

    const KEY: Pk1Bytes = Pk1Bytes([3; 48]);
    const BLOCK: BlockNumber = BlockNumber::new(9);

    /// The node's view of a signer's error.
    fn travelled(error: SignerError) -> SignerError {
        let bytes = Refusal::from(error).encode();
        Refusal::decode_all(&mut &*bytes).unwrap().into()
    }

    #[test]
    fn what_the_trait_has_an_error_for_comes_back_as_that_error() {
        let block = BLOCK;
        let key = KEY;
        for error in [
            SignerError::NoKey(key),
            SignerError::AlreadyVoted { key, block },
            SignerError::TooOld { key, block },
            SignerError::CannotGenerate,
        ] {
            let said = format!("{error:?}");
            assert_eq!(format!("{:?}", travelled(error)), said);
        }
        for fault in fault::tests::all() {
            let error = travelled(SignerError::Faulty { key, fault });
            assert!(
                matches!(error, SignerError::Faulty { key: of, fault: got } if of == key && got == fault)
            );
        }
    }

    #[test]
    fn an_error_of_key_files_comes_back_as_its_text() {
        let error = SignerError::KeyStore(KeyStoreError::EmptyPassword);
        let said = error.to_string();
        let SignerError::Unavailable(error) = travelled(error) else {
            panic!("an error of this machine's key files");
        };
        assert!(error.to_string().ends_with(&said), "{error}");
    }

    #[test]
    fn other_refusals_come_back_with_their_reason() {
        for (refusal, says) in [
            (
                Refusal::OtherChain(H256::repeat_byte(7)),
                "chain with genesis 0x0707",
            ),
            (Refusal::Malformed, "found the request malformed"),
            (Refusal::TooManyKeys(300), "300 keys, above the limit"),
        ] {
            let decoded = Refusal::decode_all(&mut &*refusal.encode()).unwrap();
            let error = SignerError::from(decoded).to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn the_numbers_of_refusals_are_those_of_the_specification() {
        let (key, block) = (KEY, BLOCK);
        let fault = WireFault::of(fault::tests::all()[0]).unwrap();
        for (number, refusal) in [
            Refusal::NoKey(key),
            Refusal::AlreadyVoted { key, block },
            Refusal::TooOld { key, block },
            Refusal::Faulty { key, fault },
            Refusal::CannotGenerate,
            Refusal::KeyStore(Text::new("x")),
            Refusal::OtherChain(H256::zero()),
            Refusal::Malformed,
            Refusal::TooManyKeys(1),
        ]
        .iter()
        .enumerate()
        {
            assert_eq!(usize::from(refusal.encode()[0]), number);
        }
    }
}
