//! What leads from the genesis to a set: who asks for it gets it with all that checking it takes. (REQ-3)
//!
//! A protocol of its own, beside that of [`requests`](super::requests): there, who asks has the keys from its
//! own chain; here, it has no state of the time, so that the keys travel along. A request is one byte and what
//! belongs to it:
//!
//! | byte | asks for | then come | the answer is SCALE of |
//! | --- | --- | --- | --- |
//! | 0 | the proof of the first set | nothing | `Option<GenesisProof>` |
//! | 1 | hand-overs | the first set (`u64`), how many sets (`u8`) | `Vec<SetProof>`, in order, as far as known |

// In what `Encode` generates for enums; there is no cast here.
#![allow(clippy::cast_possible_truncation)]

use super::{
    message::decode_exactly,
    protocol::{MAX_HANDOVERS, MAX_HISTORY_RESPONSE_SIZE},
    requests::Refusal,
};
use crate::client::Store;
use codec::{Compact, Decode, Encode};
use duet_light_client::{GenesisProof, SetProof};
use duet_primitives::SetId;

/// Most nodes in the proof of the first set; a trie of 2^64 entries has no longer path.
const MAX_TRIE_NODES: u32 = 64;

/// Asks for something of the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub(crate) enum HistoryRequest {
    /// The proof of the first set against the genesis header.
    #[codec(index = 0)]
    Genesis,
    /// Hand-overs with the keys of the sets that they name.
    #[codec(index = 1)]
    Handovers {
        /// The first set whose hand-over is wanted.
        first_set: SetId,
        /// Of how many sets in order, that one included.
        count: u8,
    },
}

/// What a node misses of the past, in the order in which it can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Past {
    /// The proof of the first set.
    Genesis,
    /// The hand-over of this set and of those after it.
    Handovers(SetId),
}

impl Past {
    /// The question for it.
    pub(crate) fn request(self) -> HistoryRequest {
        match self {
            Self::Genesis => HistoryRequest::Genesis,
            Self::Handovers(first_set) => HistoryRequest::Handovers {
                first_set,
                count: MAX_HANDOVERS,
            },
        }
    }
}

/// Decodes a request and collects the response. (REQ-3)
pub(super) fn answer(store: &Store, payload: &[u8]) -> Result<Vec<u8>, Refusal> {
    let response = match decode_exactly(payload).ok_or(Refusal::Malformed)? {
        HistoryRequest::Genesis => store.genesis_proof()?.encode(),
        HistoryRequest::Handovers { first_set, count } => {
            if !(1..=MAX_HANDOVERS).contains(&count) {
                return Err(Refusal::Count {
                    limit: MAX_HANDOVERS,
                    got: count,
                });
            }
            store.set_proofs(first_set, count.into())?.encode()
        }
    };
    Ok(response)
}

/// Decodes the answer to [`HistoryRequest::Genesis`]; the inner `None` says that the peer has no proof.
pub(crate) fn decode_genesis(bytes: &[u8]) -> Option<Option<GenesisProof>> {
    let bytes = bounded(bytes)?;
    if *bytes.first()? != 0 {
        // A node of the trie takes more room decoded than a byte does encoded: they are counted first.
        let (_some, _header, Compact(nodes)) =
            <(u8, Vec<u8>, Compact<u32>)>::decode(&mut &*bytes).ok()?;
        if nodes > MAX_TRIE_NODES {
            return None;
        }
    }
    decode_exactly(bytes)
}

/// Decodes the answer to [`HistoryRequest::Handovers`]; at most [`MAX_HANDOVERS`] of them.
pub(crate) fn decode_handovers(bytes: &[u8]) -> Option<Vec<SetProof>> {
    let found: Vec<SetProof> = bounded(bytes).and_then(decode_exactly)?;
    (found.len() <= usize::from(MAX_HANDOVERS)).then_some(found)
}

fn bounded(bytes: &[u8]) -> Option<&[u8]> {
    let limit = usize::try_from(MAX_HISTORY_RESPONSE_SIZE).unwrap_or(usize::MAX);
    (bytes.len() <= limit).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        client::testing::MemoryAux,
        network::{protocol::MAX_REQUEST_SIZE, reputation::Conduct},
    };
    use duet_light_client::testing::TestChain;
    use duet_primitives::{suite, Bitfield, Pk1Bytes};
    use sp_io::hashing::sha2_256;
    use std::sync::Arc;

    /// A store that holds the genesis and the first hand-overs of `chain`.
    fn store(chain: &TestChain, handovers: usize) -> Store {
        let store = Store::new(Arc::new(MemoryAux::default()));
        let first = chain.sets[0].set.commitment();
        store
            .put_fetched_genesis(&chain.genesis_proof(), first)
            .unwrap();
        for proof in chain.set_proofs(0, handovers) {
            store.put_fetched(&proof).unwrap();
        }
        store
    }

    fn ask(store: &Store, first_set: SetId, count: u8) -> Result<Vec<u8>, Refusal> {
        answer(
            store,
            &HistoryRequest::Handovers { first_set, count }.encode(),
        )
    }

    #[test]
    fn requests_are_pinned_and_fit_their_limit() {
        let handovers = HistoryRequest::Handovers {
            first_set: 0x0102,
            count: 3,
        };
        assert_eq!(HistoryRequest::Genesis.encode(), [0]);
        assert_eq!(handovers.encode(), [1, 2, 1, 0, 0, 0, 0, 0, 0, 3]);
        assert!(u64::try_from(handovers.encoded_size()).unwrap() <= MAX_REQUEST_SIZE);
        assert_eq!(Past::Genesis.request(), HistoryRequest::Genesis);
    }

    #[test]
    fn answers_are_pinned() {
        let chain = TestChain::new(3, 4, 0);
        let store = store(&chain, 3);
        let genesis = answer(&store, &[0]).unwrap();
        let handovers = ask(&store, 1, 2).unwrap();
        let pinned = [
            "1d33c8931e4d46dbc03449f80f419c4f",
            "4a731deb4c86a59b2f3bd15f09ebdb2f",
        ];
        assert_eq!(
            [&genesis, &handovers].map(|bytes| hex::encode(&sha2_256(bytes)[..16])),
            pinned
        );
        assert_eq!(decode_genesis(&genesis), Some(Some(chain.genesis_proof())));
        assert_eq!(decode_handovers(&handovers), Some(chain.set_proofs(1, 2)));
    }

    #[test]
    fn who_has_nothing_of_what_is_asked_says_so() {
        let empty = Store::new(Arc::new(MemoryAux::default()));
        assert_eq!(
            decode_genesis(&answer(&empty, &[0]).unwrap()),
            Some(None::<GenesisProof>)
        );
        let chain = TestChain::new(2, 4, 0);
        for first_set in [2, u64::MAX] {
            let answer = ask(&store(&chain, 2), first_set, 64).unwrap();
            assert_eq!(decode_handovers(&answer), Some(Vec::new()));
        }
    }

    #[test]
    fn a_request_that_does_not_decode_or_asks_for_too_much_is_blamed() {
        let store = store(&TestChain::new(1, 4, 0), 1);
        for payload in [&[][..], &[0, 0], &[2], &[1, 0]] {
            let refusal = answer(&store, payload).unwrap_err();
            assert_eq!(refusal.conduct(), Some(Conduct::BadRequest));
        }
        for count in [0, MAX_HANDOVERS + 1] {
            let refusal = ask(&store, 0, count).unwrap_err();
            assert_eq!(refusal.conduct(), Some(Conduct::BadRequest));
        }
    }

    #[test]
    fn the_hand_over_of_the_largest_set_fits_an_answer() {
        let mut proof = TestChain::new(1, 4, 0).set_proofs(0, 1).remove(0);
        let most = usize::try_from(suite::MAX_VALIDATORS).unwrap();
        proof.next_keys = vec![Pk1Bytes([0; Pk1Bytes::LEN]); most];
        proof.justification.signers = Bitfield::empty(suite::MAX_VALIDATORS);
        let size = vec![proof].encoded_size();
        assert!(u64::try_from(size).unwrap() <= MAX_HISTORY_RESPONSE_SIZE);
    }

    #[test]
    fn answers_are_bounded_before_they_are_decoded() {
        let chain = TestChain::new(1, 4, 0);
        let mut genesis = chain.genesis_proof();
        let most = usize::try_from(MAX_TRIE_NODES).unwrap();
        genesis.nodes = vec![Vec::new(); most];
        assert!(decode_genesis(&Some(&genesis).encode()).is_some());
        genesis.nodes.push(Vec::new());
        assert!(decode_genesis(&Some(&genesis).encode()).is_none());

        let one = chain.set_proofs(0, 1).remove(0);
        let many = |count: u8| vec![one.clone(); usize::from(count)].encode();
        assert!(decode_handovers(&many(MAX_HANDOVERS)).is_some());
        assert!(decode_handovers(&many(MAX_HANDOVERS + 1)).is_none());
        let long = usize::try_from(MAX_HISTORY_RESPONSE_SIZE).unwrap() + 1;
        assert!(bounded(&vec![0; long]).is_none());
        assert!(bounded(&vec![0; long - 1]).is_some());
    }
}
