//! The history that leads from the genesis to a set: the proof of the first set, and handoff proofs with their keys.
//! (REQ-3)
//!
//! A protocol of its own, beside that of [`justifications`](super::justifications): a node that uses the latter has
//! the keys from its own chain; a node that uses this one has no state of that time and also needs the keys. A
//! request is one byte and its fields:
//!
//! | byte | asks for | then come | the answer is SCALE of |
//! | --- | --- | --- | --- |
//! | 0 | the proof of the first set | nothing | `Option<StartProof>` |
//! | 1 | handoff proofs | the first set (`u64`), how many sets (`u8`) | `Vec<HandoffProof>`, in order, as far as known |

// The cast is in the code that `Encode` generates for enums.
#![allow(clippy::cast_possible_truncation)]

use super::{
    refusal::{check_count, Refusal},
    response::{bounded, decode_list, ResponseError},
};
use crate::{
    protocol::{MAX_HANDOFFS, MAX_HISTORY_RESPONSE_SIZE},
    source::{HandoffProof, ProofSource, StartProof},
};
use codec::{Decode, DecodeAll, Encode};
use duet_primitives::SetId;
use std::fmt;

/// Asks for a part of the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum HistoryRequest {
    /// The proof of the first set against the genesis header.
    #[codec(index = 0)]
    Genesis,
    /// Handoff proofs with the keys of the sets that take over.
    #[codec(index = 1)]
    Handoffs {
        /// The first set of the requested handoff proofs.
        first_set: SetId,
        /// The number of consecutive sets, that one included.
        count: u8,
    },
}

/// The first part of the history that a node misses, in the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HistoryPart {
    /// The proof of the first set.
    Genesis,
    /// The handoff proofs of this set and the following ones.
    Handoffs(SetId),
}

impl HistoryPart {
    /// The request for this part.
    pub fn request(self) -> HistoryRequest {
        match self {
            Self::Genesis => HistoryRequest::Genesis,
            Self::Handoffs(first_set) => HistoryRequest::Handoffs {
                first_set,
                count: MAX_HANDOFFS,
            },
        }
    }
}

impl fmt::Display for HistoryPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Genesis => f.write_str("the proof of the first set"),
            Self::Handoffs(set) => write!(f, "the handoff proof of set {set}"),
        }
    }
}

/// Decodes a request and collects the response. (REQ-3)
pub(super) fn answer<S: ProofSource>(
    source: &S,
    payload: &[u8],
) -> Result<Vec<u8>, Refusal<S::Error>> {
    let response = match HistoryRequest::decode_all(&mut &*payload)? {
        HistoryRequest::Genesis => source.first_set_proof().map_err(Refusal::Store)?.encode(),
        HistoryRequest::Handoffs { first_set, count } => {
            check_count(count, MAX_HANDOFFS)?;
            source
                .handoff_proofs(first_set, count.into())
                .map_err(Refusal::Store)?
                .encode()
        }
    };
    Ok(response)
}

/// Decodes the response to [`HistoryRequest::Genesis`]; `None` when the peer has no proof.
///
/// # Errors
/// [`ResponseError`]; the answering peer is to blame.
pub fn decode_first_set(bytes: &[u8]) -> Result<Option<StartProof>, ResponseError> {
    let bytes = bounded(bytes, MAX_HISTORY_RESPONSE_SIZE)?;
    Ok(Option::<StartProof>::decode_all(&mut &*bytes)?)
}

/// Decodes the response to [`HistoryRequest::Handoffs`]; empty when the peer does not have the first proof.
///
/// # Errors
/// [`ResponseError`]; the answering peer is to blame.
pub fn decode_handoffs(bytes: &[u8]) -> Result<Vec<HandoffProof>, ResponseError> {
    let bytes = bounded(bytes, MAX_HISTORY_RESPONSE_SIZE)?;
    decode_list(bytes, MAX_HANDOFFS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{protocol::MAX_REQUEST_SIZE, reputation::PeerBehaviour, requests::testing::Stored};
    use duet_light_client::{start::MAX_TRIE_NODES, testing::TestChain};
    use duet_primitives::{suite, Bitfield, Pk1Bytes};
    use sp_io::hashing::sha2_256;
    use std::convert::Infallible;

    /// A source with the genesis proof and the first handoff proofs of `chain`.
    fn source(chain: &TestChain, handoffs: usize) -> Stored {
        let handoffs = chain.handoff_proofs(0, handoffs).into_iter();
        Stored {
            genesis: Some(chain.genesis_proof()),
            handoffs: handoffs
                .map(|proof| (proof.justification, proof.next_keys))
                .collect(),
        }
    }

    fn ask(source: &Stored, first_set: u64, count: u8) -> Result<Vec<u8>, Refusal<Infallible>> {
        let first_set = SetId::new(first_set);
        answer(
            source,
            &HistoryRequest::Handoffs { first_set, count }.encode(),
        )
    }

    #[test]
    fn requests_are_pinned_and_fit_their_limit() {
        let handoffs = HistoryRequest::Handoffs {
            first_set: SetId::new(0x0102),
            count: 3,
        };
        assert_eq!(HistoryRequest::Genesis.encode(), [0]);
        assert_eq!(handoffs.encode(), [1, 2, 1, 0, 0, 0, 0, 0, 0, 3]);
        assert!(u64::try_from(handoffs.encoded_size()).unwrap() <= MAX_REQUEST_SIZE);
        assert_eq!(HistoryPart::Genesis.request(), HistoryRequest::Genesis);
    }

    /// REQ-3.
    #[test]
    fn answers_are_pinned() {
        let chain = TestChain::new(3, 4, 0);
        let source = source(&chain, 3);
        let genesis = answer(&source, &[0]).unwrap();
        let handoffs = ask(&source, 1, 2).unwrap();
        let pinned = [
            "1d33c8931e4d46dbc03449f80f419c4f",
            "4a731deb4c86a59b2f3bd15f09ebdb2f",
        ];
        assert_eq!(
            [&genesis, &handoffs].map(|bytes| hex::encode(&sha2_256(bytes)[..16])),
            pinned
        );
        assert_eq!(decode_first_set(&genesis), Ok(Some(chain.genesis_proof())));
        assert_eq!(decode_handoffs(&handoffs), Ok(chain.handoff_proofs(1, 2)));
    }

    #[test]
    fn a_node_that_has_nothing_of_what_is_asked_says_so() {
        let empty = Stored::default();
        assert_eq!(decode_first_set(&answer(&empty, &[0]).unwrap()), Ok(None));
        let chain = TestChain::new(2, 4, 0);
        for first_set in [2, u64::MAX] {
            let answer = ask(&source(&chain, 2), first_set, 64).unwrap();
            assert_eq!(decode_handoffs(&answer), Ok(Vec::new()));
        }
    }

    #[test]
    fn a_request_that_does_not_decode_blames_its_sender() {
        let source = source(&TestChain::new(1, 4, 0), 1);
        for payload in [&[][..], &[0, 0], &[2], &[1, 0]] {
            let refusal = answer(&source, payload).unwrap_err();
            assert!(matches!(refusal, Refusal::Malformed(_)), "{refusal}");
            assert_eq!(refusal.behaviour(), Some(PeerBehaviour::BadRequest));
        }
    }

    #[test]
    fn a_request_for_none_or_too_many_blames_its_sender() {
        let source = source(&TestChain::new(1, 4, 0), 1);
        assert!(ask(&source, 0, MAX_HANDOFFS).is_ok());
        for count in [0, MAX_HANDOFFS + 1] {
            let refusal = ask(&source, 0, count).unwrap_err();
            assert!(matches!(refusal, Refusal::Count { got, .. } if got == count));
            assert_eq!(refusal.behaviour(), Some(PeerBehaviour::BadRequest));
        }
    }

    #[test]
    fn the_handoff_proof_of_the_largest_set_fits_an_answer() {
        let mut proof = TestChain::new(1, 4, 0).handoff_proofs(0, 1).remove(0);
        let most = usize::try_from(suite::MAX_VALIDATORS).unwrap();
        proof.next_keys = vec![Pk1Bytes([0; Pk1Bytes::LEN]); most];
        proof.justification.signers = Bitfield::empty(suite::MAX_VALIDATORS);
        let size = vec![proof].encoded_size();
        assert!(u64::try_from(size).unwrap() <= MAX_HISTORY_RESPONSE_SIZE);
    }

    #[test]
    fn the_nodes_of_a_genesis_proof_are_bounded() {
        let mut genesis = TestChain::new(1, 4, 0).genesis_proof();
        genesis.nodes = vec![Vec::new(); usize::try_from(MAX_TRIE_NODES).unwrap()];
        assert!(decode_first_set(&Some(&genesis).encode()).is_ok());
        genesis.nodes.push(Vec::new());
        let error = decode_first_set(&Some(&genesis).encode()).unwrap_err();
        assert!(matches!(error, ResponseError::Malformed(_)), "{error}");
        assert!(error.to_string().contains("LIGHT-2"), "{error}");
    }

    /// REQ-3.
    #[test]
    fn the_handoff_proofs_of_an_answer_are_bounded() {
        let one = TestChain::new(1, 4, 0).handoff_proofs(0, 1).remove(0);
        let many = |count: u8| vec![one.clone(); usize::from(count)].encode();
        assert!(decode_handoffs(&many(MAX_HANDOFFS)).is_ok());
        let (limit, got) = (u32::from(MAX_HANDOFFS), u32::from(MAX_HANDOFFS) + 1);
        assert_eq!(
            decode_handoffs(&many(MAX_HANDOFFS + 1)),
            Err(ResponseError::TooMany { limit, got })
        );
    }

    #[test]
    fn the_bytes_of_an_answer_are_bounded_before_they_are_decoded() {
        let limit = MAX_HISTORY_RESPONSE_SIZE;
        let bytes = vec![0; usize::try_from(limit).unwrap() + 1];
        let error = ResponseError::TooLong {
            limit,
            got: limit + 1,
        };
        assert_eq!(decode_first_set(&bytes), Err(error.clone()));
        assert_eq!(decode_handoffs(&bytes), Err(error));
        let fits = decode_handoffs(&bytes[1..]).unwrap_err();
        assert!(matches!(fits, ResponseError::Malformed(_)), "{fits}");
    }
}
