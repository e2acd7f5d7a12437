//! Handoff justifications that a node misses. (REQ-1, REQ-2)
//!
//! A request is the SCALE of the first set and the number of sets. The response is the SCALE of a list of the handoff
//! justifications of these sets, in order, as far as the peer has them. It never exceeds a fixed number of
//! justifications nor 1 MiB.

use super::{
    refusal::{check_count, Refusal},
    response::{decode_list, ResponseError},
};
use crate::{
    protocol::{MAX_JUSTIFICATIONS, MAX_RESPONSE_SIZE},
    source::ProofSource,
};
use codec::{Compact, Decode, DecodeAll, Encode};
use duet_primitives::{SetId, UncheckedJustification};

/// Asks for handoff justifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct JustificationsRequest {
    /// The first set of the requested handoff justifications.
    pub first_set: SetId,
    /// The number of consecutive sets, that one included.
    pub count: u8,
}

/// REQ-1, REQ-2: decodes a request and collects the response.
pub(super) fn answer<S: ProofSource>(
    source: &S,
    payload: &[u8],
) -> Result<Vec<u8>, Refusal<S::Error>> {
    let JustificationsRequest { first_set, count } =
        JustificationsRequest::decode_all(&mut &*payload)?;
    check_count(count, MAX_JUSTIFICATIONS)?;
    let found = source
        .handoff_justifications(first_set, count.into())
        .map_err(Refusal::Store)?;
    Ok(fitting(found).encode())
}

/// As many of `found` as fit into one response.
fn fitting(mut found: Vec<UncheckedJustification>) -> Vec<UncheckedJustification> {
    let limit = usize::try_from(MAX_RESPONSE_SIZE).unwrap_or(usize::MAX);
    let mut size = Compact(u32::MAX).encoded_size();
    let fits = found
        .iter()
        .take_while(|justification| {
            size = size.saturating_add(justification.encoded_size());
            size <= limit
        })
        .count();
    found.truncate(fits);
    found
}

/// Decodes the response to a request for `count` justifications. (REQ-2)
///
/// # Errors
/// [`ResponseError`]; the answering peer is to blame.
pub fn decode_response(
    bytes: &[u8],
    count: u8,
) -> Result<Vec<UncheckedJustification>, ResponseError> {
    decode_list(bytes, count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{protocol::MAX_REQUEST_SIZE, reputation::PeerBehaviour, requests::testing::Stored};
    use duet_primitives::{suite, testing::TestSet, Bitfield, RoundMessage, H256};
    use std::convert::Infallible;

    /// A source in which the sets `0..sets` have handed off.
    fn source(sets: u64) -> Stored {
        let mut stored = Stored::default();
        for id in 0..sets {
            let (set, next) = (TestSet::new(id, 0..4), TestSet::new(id + 1, 0..4));
            let number = u32::try_from(id + 1).unwrap() * 10;
            let message = RoundMessage::new(H256::zero(), set.commitment(number, &next.set));
            let justification = set.justify(&message, 0..3).into_unchecked();
            stored.handoffs.push((justification, Vec::new()));
        }
        stored
    }

    fn ask(source: &Stored, first_set: u64, count: u8) -> Result<Vec<u8>, Refusal<Infallible>> {
        let first_set = SetId::new(first_set);
        answer(source, &JustificationsRequest { first_set, count }.encode())
    }

    /// REQ-1.
    #[test]
    fn the_sets_asked_for_are_served_in_order_as_far_as_known() {
        let source = source(5);
        let found = decode_response(&ask(&source, 1, 3).unwrap(), 3).unwrap();
        let ids: Vec<_> = found
            .iter()
            .map(|one| one.commitment.validator_set_id.get())
            .collect();
        assert_eq!(ids, [1, 2, 3]);
        let found = decode_response(&ask(&source, 3, 64).unwrap(), 64).unwrap();
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn a_node_that_has_nothing_of_what_is_asked_answers_with_an_empty_list() {
        for (first_set, count) in [(2, 1), (u64::MAX, 2)] {
            let answer = ask(&source(2), first_set, count).unwrap();
            assert_eq!(decode_response(&answer, count), Ok(Vec::new()));
        }
    }

    #[test]
    fn a_request_that_does_not_decode_blames_its_sender() {
        let source = source(1);
        let mut long = JustificationsRequest {
            first_set: SetId::new(0),
            count: 1,
        }
        .encode();
        assert!(answer(&source, &long).is_ok());
        long.push(0);
        for payload in [&long[..], &long[..3], &[]] {
            let refusal = answer(&source, payload).unwrap_err();
            assert!(matches!(refusal, Refusal::Malformed(_)), "{refusal}");
            assert_eq!(refusal.behaviour(), Some(PeerBehaviour::BadRequest));
        }
    }

    /// REQ-2.
    #[test]
    fn a_request_for_none_or_too_many_blames_its_sender() {
        let source = source(1);
        assert!(ask(&source, 0, MAX_JUSTIFICATIONS).is_ok());
        for count in [0, MAX_JUSTIFICATIONS + 1, u8::MAX] {
            let refusal = ask(&source, 0, count).unwrap_err();
            assert!(matches!(refusal, Refusal::Count { got, .. } if got == count));
            assert_eq!(refusal.behaviour(), Some(PeerBehaviour::BadRequest));
        }
    }

    #[test]
    fn the_request_is_nine_bytes_and_fits_its_limit() {
        let request = JustificationsRequest {
            first_set: SetId::new(0x0102),
            count: 3,
        };
        assert_eq!(request.encode(), [2, 1, 0, 0, 0, 0, 0, 0, 3]);
        assert!(u64::try_from(request.encoded_size()).unwrap() <= MAX_REQUEST_SIZE);
    }

    /// REQ-2.
    #[test]
    fn a_response_never_exceeds_its_limit() {
        let mut one = source(1).handoffs.remove(0).0;
        one.signers = Bitfield::empty(suite::MAX_VALIDATORS);
        let limit = usize::try_from(MAX_RESPONSE_SIZE).unwrap();
        let found = fitting(vec![one.clone(); 200]);
        assert!(found.encoded_size() <= limit);
        assert!(found.encoded_size() + one.encoded_size() > limit);
    }

    /// REQ-2.
    #[test]
    fn a_response_with_more_than_was_asked_for_is_refused() {
        let bytes = ask(&source(4), 0, 4).unwrap();
        assert_eq!(decode_response(&bytes, 4).unwrap().len(), 4);
        assert_eq!(
            decode_response(&bytes, 3),
            Err(ResponseError::TooMany { limit: 3, got: 4 })
        );
        let cut = decode_response(&bytes[..bytes.len() - 1], 4);
        assert!(matches!(cut, Err(ResponseError::Malformed(_))));
    }
}
