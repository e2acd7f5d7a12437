//! Decoders answer any bytes without a panic.

use codec::{DecodeAll, Encode};
use duet_primitives::{testing::TestSet, Pk1Bytes, SignerIndex, H256};
use duet_remote_signer::{
    read_frame, Answer, Call, Hello, KeyList, Owner, Refusal, Reply, Request, Text, MAX_ANSWER_LEN,
    MAX_REQUEST_LEN,
};
use proptest::prelude::*;

const KEY: Pk1Bytes = Pk1Bytes([5; 48]);

fn requests() -> Vec<Request> {
    let set = TestSet::new(3, 0..2);
    let calls = [
        Call::Keys,
        Call::SignVote {
            key: KEY,
            signer: SignerIndex::new(1),
            genesis: H256::repeat_byte(9),
            commitment: set.commitment(4, &set.set),
        },
        Call::ProvePossession {
            key: KEY,
            owner: Owner::new(b"owner").unwrap(),
        },
        Call::Generate,
    ];
    calls
        .into_iter()
        .zip(1..)
        .map(|(call, id)| Request { id, call })
        .collect()
}

fn answers() -> Vec<Answer> {
    let keys = TestSet::new(3, 0..3).secrets;
    let mut keys: Vec<_> = keys.iter().map(|secret| secret.public()).collect();
    keys.sort();
    let results = [
        Ok(Reply::Generated(keys[0])),
        Ok(Reply::Keys(KeyList::new(keys).unwrap())),
        Err(Refusal::NoKey(KEY)),
        Err(Refusal::KeyStore(Text::new("the disk is full"))),
        Err(Refusal::Malformed),
    ];
    results
        .into_iter()
        .zip(1..)
        .map(|(result, id)| Answer { id, result })
        .collect()
}

/// An encoding of one of these, with some bytes replaced, and cut or extended.
fn mutated(of: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
    let tail = prop::collection::vec(any::<u8>(), 0..4);
    (
        prop::sample::select(of),
        changes,
        any::<prop::sample::Index>(),
        tail,
        any::<bool>(),
    )
        .prop_map(|(mut bytes, changes, cut, tail, is_cut)| {
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if is_cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            bytes.extend(tail);
            bytes
        })
}

fn encoded<T: Encode>(all: &[T]) -> Vec<Vec<u8>> {
    all.iter().map(Encode::encode).collect()
}

#[test]
fn requests_and_answers_come_back_as_they_were() {
    for request in requests() {
        assert_eq!(Request::from_frame(&request.encode()), Ok(request));
    }
    for answer in answers() {
        assert_eq!(Answer::decode_all(&mut &*answer.encode()), Ok(answer));
    }
}

/// `docs/spec/signer.md` specifies the position of each field.
#[test]
fn the_bytes_of_requests_are_those_of_the_specification() {
    let lengths: Vec<_> = requests()
        .iter()
        .map(|request| request.encode().len())
        .collect();
    assert_eq!(lengths, [9, 261, 63, 9]);
    let vote = requests()[1].encode();
    assert_eq!(vote[..9], [2, 0, 0, 0, 0, 0, 0, 0, 1]);
    assert_eq!(vote[9..57], KEY.0);
    assert_eq!(vote[57..61], [1, 0, 0, 0]);
    assert_eq!(vote[61..93], [9; 32]);
    let set = TestSet::new(3, 0..2);
    assert_eq!(vote[93..], set.commitment(4, &set.set).encode());
    assert_eq!(Hello::OURS.encode(), *b"duetsign\x01\x00");
    let answers = answers();
    assert_eq!(answers[2].encode()[..10], [3, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
    assert_eq!(answers[4].encode(), [5, 0, 0, 0, 0, 0, 0, 0, 1, 7]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn what_decodes_of_a_mutated_request_encodes_to_the_same_bytes(bytes in mutated(encoded(&requests()))) {
        match Request::from_frame(&bytes) {
            Ok(request) => prop_assert_eq!(request.encode(), bytes),
            Err(bad) => prop_assert_eq!(bad.id.is_some(), bytes.len() >= 8),
        }
    }

    #[test]
    fn what_decodes_of_a_mutated_answer_encodes_and_decodes_again(bytes in mutated(encoded(&answers()))) {
        if let Ok(answer) = Answer::decode_all(&mut &*bytes) {
            prop_assert_eq!(Answer::decode_all(&mut &*answer.encode()), Ok(answer));
        }
    }

    #[test]
    fn any_bytes_are_a_frame_within_its_bound_or_an_error(
        bytes in prop::collection::vec(any::<u8>(), 0..64),
        limit in prop::sample::select(vec![0, 10, MAX_REQUEST_LEN, MAX_ANSWER_LEN]),
    ) {
        if let Ok(frame) = read_frame(&mut &*bytes, limit) {
            prop_assert!(frame.len() <= limit as usize);
            prop_assert_eq!(&bytes[4..4 + frame.len()], &*frame);
        }
        let _ = Hello::check(&bytes);
    }
}
