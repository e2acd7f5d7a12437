//! Transactions in blocks that are final. (STATE-4)

use codec::{Compact, Encode};
use duet_light_client::{testing, BodyError, Checkpoint, Culprit, FinalHeader, Mode, Trusted};
use duet_primitives::{testing::TestSet, BlockNumber, Keysets, H256};
use sp_core::{Blake2Hasher, Hasher};
use sp_trie::{trie_types::TrieDBMutBuilderV0, MemoryDB, TrieMut};

const NUMBER: u32 = 7;

/// Short ones, which a trie keeps in its nodes, and long ones, which state version 1 keeps beside them.
fn extrinsics() -> Vec<Vec<u8>> {
    (0..20_u8)
        .map(|index| vec![index; 1 + 11 * usize::from(index)].encode())
        .collect()
}

/// The roots of these extrinsics in state versions 0 and 1, by a trie that is written entry by entry.
fn roots(extrinsics: &[Vec<u8>]) -> [H256; 2] {
    let entries = || {
        let indices = (0_u32..).map(|index| Compact(index).encode());
        indices.zip(extrinsics)
    };
    let (mut db, mut root) = (MemoryDB::<Blake2Hasher>::default(), H256::zero());
    let mut trie = TrieDBMutBuilderV0::new(&mut db, &mut root).build();
    for (key, value) in entries() {
        trie.insert(&key, value).unwrap();
    }
    drop(trie);
    [root, testing::trie(entries()).1]
}

/// The header of a final block with this root of its extrinsics.
fn header(extrinsics_root: H256) -> FinalHeader {
    let bytes = (
        H256::repeat_byte(1),
        Compact(NUMBER),
        H256::repeat_byte(2),
        extrinsics_root,
        Compact(0_u8),
    )
        .encode();
    let commitment = TestSet::new(0, 0..4).set.commitment().clone();
    let checkpoint = Checkpoint {
        genesis_hash: H256::repeat_byte(1),
        block_number: BlockNumber::new(NUMBER),
        block_hash: Blake2Hasher::hash(&bytes),
        keysets: Keysets::without_successor(commitment),
    };
    let trusted = Trusted::from_checkpoint(checkpoint, Mode::Stateless).unwrap();
    trusted.best_block().header(&bytes).unwrap()
}

#[track_caller]
fn refused(header: &FinalHeader, changed: &[Vec<u8>]) {
    let [version_0, version_1] = roots(changed);
    let expected = header.extrinsics_root();
    let error = header.body(changed).unwrap_err();
    assert_eq!(
        error,
        BodyError {
            expected,
            version_0,
            version_1
        }
    );
    assert_eq!(
        (error.rule(), error.culprit()),
        ("STATE-4", Culprit::Sender)
    );
}

/// STATE-4.
#[test]
fn every_transaction_of_a_block_is_found_in_either_version_and_no_other() {
    let all = extrinsics();
    let [version_0, version_1] = roots(&all);
    assert_ne!(version_0, version_1);
    for root in [version_0, version_1] {
        let header = header(root);
        let body = header.body(&all).unwrap();
        assert_eq!(
            (body.block(), body.extrinsics()),
            (header.block(), &all[..])
        );
        for (index, bytes) in all.iter().enumerate() {
            let found = body.find(Blake2Hasher::hash(bytes)).unwrap();
            assert_eq!((found.index(), found.bytes()), (index, &bytes[..]));
            assert_eq!(found.block().number(), BlockNumber::new(NUMBER));
        }
        assert_eq!(body.find(Blake2Hasher::hash(b"another")), None);
    }
}

/// STATE-4.
#[test]
fn a_flipped_bit_in_any_byte_of_any_extrinsic_is_refused() {
    let all = extrinsics();
    for root in roots(&all) {
        let header = header(root);
        for at in 0..all.len() {
            for byte in 0..all[at].len() {
                let mut changed = all.clone();
                changed[at][byte] ^= 1 << (byte % 8);
                refused(&header, &changed);
            }
        }
    }
}

/// STATE-4.
#[test]
fn a_missing_a_superfluous_and_a_displaced_extrinsic_are_refused() {
    let all = extrinsics();
    for root in roots(&all) {
        let header = header(root);
        for at in 0..all.len() {
            let mut fewer = all.clone();
            fewer.remove(at);
            refused(&header, &fewer);
            let mut more = all.clone();
            more.insert(at, vec![]);
            refused(&header, &more);
            let mut displaced = all.clone();
            displaced.swap(at, (at + 1) % all.len());
            refused(&header, &displaced);
        }
        refused(&header, &[]);
    }
}

/// STATE-4. A block without extrinsics has the root of the empty trie.
#[test]
fn a_block_without_extrinsics_provably_has_none() {
    let [version_0, version_1] = roots(&[]);
    assert_eq!(version_0, version_1);
    let header = header(version_0);
    assert_eq!(header.body(&[]).unwrap().find(H256::zero()), None);
    refused(&header, &[vec![]]);
}
