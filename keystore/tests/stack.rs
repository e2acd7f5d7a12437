//! Secrets do not stay on the stack: after a key was made, used and dropped, this thread's stack holds no copy of its
//! bytes.

#![cfg(target_os = "linux")]

use duet_primitives::{
    BlockNumber, Commitment, KeysetCommitment, RoundMessage, SecretKey, SetId, SignerIndex,
    UncheckedVote, H256,
};
use std::{
    fs::{self, File},
    hint::black_box,
    io::{Read, Seek, SeekFrom},
    thread,
};
use zeroize::Zeroizing;

/// How much of a secret to look for: one half is enough to call it a copy.
const PART: usize = 16;

/// The memory mapping with the current thread's stack.
fn own_stack() -> Vec<u8> {
    let here = 0u8;
    let address = std::ptr::from_ref(&here) as u64;
    let maps = fs::read_to_string("/proc/self/maps").expect("Linux");
    let (start, end) = maps
        .lines()
        .filter_map(|line| {
            let (start, rest) = line.split_once('-')?;
            let (end, _) = rest.split_once(' ')?;
            let number = |text| u64::from_str_radix(text, 16).ok();
            Some((number(start)?, number(end)?))
        })
        .find(|(start, end)| (*start..*end).contains(&address))
        .expect("the stack is mapped");
    let mut memory = File::open("/proc/self/mem").expect("own memory");
    memory
        .seek(SeekFrom::Start(start))
        .expect("a mapped address");
    let mut bytes = vec![0; usize::try_from(end - start).expect("64 bits")];
    memory
        .read_exact(&mut bytes)
        .expect("the stack is readable");
    bytes
}

/// The parts of a secret to look for, inverted, so that they are no copies themselves.
fn inverted_parts(seed: [u8; 32]) -> Vec<Vec<u8>> {
    let secret = SecretKey::from_seed(&seed).expect("a key");
    let little_endian = secret.expose().to_vec();
    let big_endian: Vec<u8> = little_endian.iter().rev().copied().collect();
    [little_endian, big_endian]
        .iter()
        .flat_map(|bytes| bytes.chunks(PART))
        .map(|part| part.iter().map(|byte| !byte).collect())
        .collect()
}

fn copies(memory: &[u8], inverted: &[Vec<u8>]) -> usize {
    memory
        .windows(PART)
        .filter(|window| {
            inverted
                .iter()
                .any(|part| window.iter().zip(part).all(|(byte, not)| *byte == !not))
        })
        .count()
}

fn message() -> RoundMessage {
    let next = KeysetCommitment {
        id: SetId::new(0),
        len: 1,
        root: H256::zero(),
        apk1: SecretKey::from_seed(&[1; 32])
            .expect("a key")
            .public()
            .pk1(),
    };
    let commitment = Commitment {
        block_number: BlockNumber::new(8),
        block_hash: H256::zero(),
        mmr_root: H256::zero(),
        validator_set_id: SetId::new(0),
        next,
    };
    RoundMessage::new(H256::zero(), commitment)
}

/// The leftovers on a new thread's stack after `work`.
fn left_by(work: impl FnOnce() + Send + 'static) -> Vec<u8> {
    let thread = thread::spawn(move || {
        deep_down(work);
        own_stack()
    });
    thread.join().expect("the work does not panic")
}

/// Runs `work` so far down that reading the stack later does not overwrite what it left.
#[inline(never)]
fn deep_down(work: impl FnOnce()) {
    let mut distance = [0u8; 128 * 1024];
    black_box(&mut distance);
    work();
    black_box(&mut distance);
}

#[test]
fn no_copy_of_a_secret_stays_on_the_stack_after_keys_are_made_and_sign() {
    let inverted = inverted_parts([1; 32]);
    let message = message();
    let stack = left_by(move || {
        let secret = SecretKey::from_seed(&[1; 32]).expect("a key");
        // Wherever it is moved to, the secret itself stays where it was.
        let secret = black_box(secret);
        let moved = black_box(secret.clone());
        let _ = (
            UncheckedVote::sign(&secret, SignerIndex::new(0), &message),
            moved.prove_possession(b"owner"),
        );
    });
    assert_eq!(copies(&stack, &inverted), 0);
}

#[test]
fn a_copy_that_is_left_behind_is_found() {
    let inverted = inverted_parts([1; 32]);
    let stack = left_by(|| {
        let secret = SecretKey::from_seed(&[1; 32]).expect("a key");
        let exposed: Zeroizing<[u8; 32]> = secret.expose();
        let left: [u8; 32] = *exposed;
        black_box(&left);
    });
    assert!(copies(&stack, &inverted) > 0);
}
