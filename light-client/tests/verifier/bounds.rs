//! What a server may make a client allocate: lists are refused by what they claim, before anything is read into memory.

use codec::{Compact, Encode};
use duet_light_client::{
    decode,
    start::{start_keys, MAX_TRIE_BYTES, MAX_TRIE_NODES},
    testing::{self, genesis_header, TestChain},
    Culprit, Error, HandoffProof, Mode, Received, StartProof, StorageProofError, Trusted,
    MAX_ANSWER_LEN, MAX_STATE_BYTES,
};
use duet_primitives::{
    suite::{ENDED_STORAGE_KEY, KEYSETS_STORAGE_KEY, MAX_VALIDATORS},
    BlockNumber, Keysets, Pk1Bytes, StatelessProof, UncheckedJustification,
};
use sp_core::{Blake2Hasher, Hasher};
use sp_trie::{recorder::Recorder, LayoutV1};

fn chain() -> TestChain {
    TestChain::new(1, 4, 0)
}

/// A genesis proof with these nodes, as a server sends it.
fn with_nodes(nodes: Vec<Vec<u8>>) -> Vec<u8> {
    let honest = chain().genesis_proof();
    StartProof { nodes, ..honest }.encode()
}

/// Why these bytes do not decode, with everything else that an error says.
fn refusal<T: Received + std::fmt::Debug>(bytes: &[u8]) -> String {
    let error = decode::<T>(bytes).expect_err("refused");
    assert_eq!((error.rule(), error.culprit()), ("ENC-6", Culprit::Sender));
    let Error::Malformed { object, reason } = error else {
        panic!("not of the decoder: {error}")
    };
    assert_eq!(object, T::NAME);
    reason
}

/// ENC-6, LIGHT-2, STATE-2.
#[test]
fn the_most_bytes_of_each_object_are_those_of_the_specification() {
    let trie_bytes = usize::try_from(MAX_TRIE_BYTES).expect("small");
    assert_eq!(UncheckedJustification::MAX_LEN, 13_524);
    assert_eq!(StatelessProof::MAX_LEN, 9_600_000);
    assert_eq!(HandoffProof::MAX_LEN, 4_813_528);
    assert_eq!(Vec::<Pk1Bytes>::MAX_LEN, 4_800_004);
    assert_eq!(MAX_ANSWER_LEN, 14_400_000);
    assert_eq!((trie_bytes, MAX_STATE_BYTES), (65_536, 8_388_608));
}

/// LIGHT-2, ENC-6.
#[test]
fn a_genesis_proof_with_more_nodes_than_any_path_is_refused() {
    let most = usize::try_from(MAX_TRIE_NODES).expect("small");
    assert!(decode::<StartProof>(&with_nodes(vec![Vec::new(); most])).is_ok());
    let reason = refusal::<StartProof>(&with_nodes(vec![Vec::new(); most + 1]));
    assert_eq!(reason, "LIGHT-2: more trie nodes than any path has");
}

/// LIGHT-2, ENC-6. An empty node takes one byte in the answer and 24 in memory: this answer would take 346 MB.
#[test]
fn an_answer_full_of_empty_nodes_is_refused() {
    // One byte says that the header is empty, four how many nodes there are, one that there are no keys.
    let count = u32::try_from(MAX_ANSWER_LEN - 6).expect("small");
    let mut answer = (Vec::<u8>::new(), Compact(count)).encode();
    answer.resize(MAX_ANSWER_LEN, 0);
    assert!(answer.len() <= StartProof::MAX_LEN);
    let reason = refusal::<StartProof>(&answer);
    assert_eq!(reason, "LIGHT-2: more trie nodes than any path has");
}

/// LIGHT-2, ENC-6.
#[test]
fn a_genesis_proof_with_more_bytes_of_nodes_than_any_path_is_refused() {
    let most = usize::try_from(MAX_TRIE_BYTES).expect("small");
    let halves = |first: usize, second: usize| with_nodes(vec![vec![0; first], vec![0; second]]);
    assert!(decode::<StartProof>(&halves(most / 2, most / 2)).is_ok());
    for (first, second) in [(most / 2, most / 2 + 1), (most + 1, 0)] {
        let reason = refusal::<StartProof>(&halves(first, second));
        assert_eq!(
            reason,
            "LIGHT-2: the trie nodes have more bytes than any path"
        );
    }
}

/// LIGHT-2. The decoder has these bounds too; a proof that did not pass it is not believed to keep them.
#[test]
fn a_genesis_proof_that_was_never_decoded_is_bounded_all_the_same() {
    let chain = chain();
    let refuse = |nodes| {
        let honest = chain.genesis_proof();
        let proof = StartProof { nodes, ..honest };
        Trusted::from_genesis(chain.genesis_hash, &proof, Mode::Full).expect_err("refused")
    };
    // At the genesis one key is proven.
    let most = 2 * KEYSETS_STORAGE_KEY.len() + 2;
    let too_many = StorageProofError::TooManyNodes {
        expected: most,
        got: most + 1,
    };
    assert_eq!(refuse(vec![Vec::new(); most + 1]), too_many.into());
    let most = usize::try_from(MAX_TRIE_BYTES).expect("small");
    let too_many = StorageProofError::TooManyBytes {
        expected: most,
        got: most + 1,
    };
    assert_eq!(refuse(vec![vec![0; most], vec![0]]), too_many.into());
}

/// SET-1, ENC-6.
#[test]
fn more_keys_than_any_set_has_are_refused() {
    let most = usize::try_from(MAX_VALIDATORS).expect("small");
    let keys = |len: usize| vec![Pk1Bytes([0; Pk1Bytes::LEN]); len];
    let genesis = |len| {
        let honest = chain().genesis_proof();
        let keys = keys(len);
        StartProof { keys, ..honest }.encode()
    };
    assert!(decode::<StartProof>(&genesis(most)).is_ok());
    assert_eq!(
        refusal::<StartProof>(&genesis(most + 1)),
        "SET-1: more keys than any set has"
    );
    let handoffs = |len| {
        let mut proof = chain().handoff_proofs(0, 1).remove(0);
        proof.next_keys = keys(len);
        vec![proof].encode()
    };
    assert!(decode::<Vec<HandoffProof>>(&handoffs(most)).is_ok());
    // The decoder of a list says in which item it stopped.
    let reason = refusal::<Vec<HandoffProof>>(&handoffs(most + 1));
    assert!(
        reason.contains("SET-1: more keys than any set has"),
        "{reason}"
    );
}

/// LIGHT-2. A branch at each nibble of both paths: no state has longer ones.
#[test]
fn the_longest_start_proof_is_within_the_bounds() {
    let chain = chain();
    let keysets = Keysets::without_successor(chain.sets[0].set.commitment().clone());
    let keys = start_keys(BlockNumber::new(1)).iter();
    let beside = keys.flat_map(|key| {
        (0..64).map(move |nibble| {
            let mut other = *key;
            other[nibble / 2] ^= 1 << (4 * (1 - nibble % 2));
            (other, vec![1; 40])
        })
    });
    let own = [
        (KEYSETS_STORAGE_KEY, keysets.encode()),
        (ENDED_STORAGE_KEY, false.encode()),
    ];
    let (db, root) = testing::trie(beside.chain(own));
    let nodes = testing::read_proof(&db, root, &[&KEYSETS_STORAGE_KEY, &ENDED_STORAGE_KEY]);
    assert_eq!(nodes.len(), usize::try_from(MAX_TRIE_NODES).expect("small"));
    let proof = StartProof {
        header: genesis_header(root, 7),
        nodes,
        keys: chain.keys(0).expect("known"),
    };
    let proof: StartProof = decode(&proof.encode()).expect("it decodes");
    Trusted::from_start(chain.genesis_hash, proof.block_hash(), &proof, Mode::Full)
        .expect("what nodes send is accepted");
}

/// A storage key: two words, hashed as FRAME does for a value, and the entry of a map.
fn storage_key(pallet: u32, item: u32, entry: Option<u32>) -> Vec<u8> {
    let half = |seed: (&str, u32, u32)| Blake2Hasher::hash(&seed.encode()).0[..16].to_vec();
    let pallet = match pallet {
        0 => KEYSETS_STORAGE_KEY[..16].to_vec(),
        pallet => half(("pallet", pallet, 0)),
    };
    let entry = entry.map_or(Vec::new(), |entry| half(("entry", entry, 0)));
    [pallet, half(("item", item, 0)), entry].concat()
}

/// LIGHT-2. A genesis of 10 000 validators: 60 pallets of 16 values each, of which three, the one with the keysets
/// included, keep an entry per validator in two maps. The path grows with the number of pallets and of their values;
/// validators are below other branches.
#[test]
fn the_genesis_proof_of_ten_thousand_validators_is_far_below_the_bounds() {
    let chain = chain();
    let keysets = Keysets::without_successor(chain.sets[0].set.commitment().clone());
    let values = (0..60).flat_map(|pallet| (0..16).map(move |item| (pallet, item)));
    let values = values.map(|(pallet, item)| (storage_key(pallet, item, None), vec![1; 40]));
    let validators = (0..3).flat_map(|pallet| (0..20_000).map(move |index| (pallet, index)));
    let maps = validators.map(|(pallet, index)| {
        let key = storage_key(pallet, index % 2, Some(index / 2));
        (key, vec![2; 80])
    });
    let own = (KEYSETS_STORAGE_KEY.to_vec(), keysets.encode());
    let (db, root) = testing::trie(values.chain(maps).chain([own]));
    let recorder = Recorder::<Blake2Hasher>::default();
    {
        let mut recorder = recorder.as_trie_recorder(root);
        let key = &KEYSETS_STORAGE_KEY;
        sp_trie::read_trie_value::<LayoutV1<_>, _>(&db, &root, key, Some(&mut recorder), None)
            .expect("in memory");
    }
    let nodes: Vec<_> = recorder.to_storage_proof().into_iter_nodes().collect();
    let bytes: usize = nodes.iter().map(Vec::len).sum();
    println!("{} nodes with {bytes} bytes", nodes.len());
    assert!(nodes.len() * 8 <= usize::try_from(MAX_TRIE_NODES).expect("small"));
    assert!(bytes * 32 <= usize::try_from(MAX_TRIE_BYTES).expect("small"));

    let proof = StartProof {
        header: genesis_header(root, 0),
        nodes,
        keys: chain.keys(0).expect("known"),
    };
    let proof: StartProof = decode(&proof.encode()).expect("it decodes");
    let hash = Blake2Hasher::hash(&proof.header);
    Trusted::from_genesis(hash, &proof, Mode::Full).expect("what nodes send is accepted");
}
