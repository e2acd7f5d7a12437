//! The worked examples in `docs/spec/examples.md` and the tags in `docs/spec/tags.md`, compared with the code.
//!
//! What the crate does not give out (challenges, coefficients, weights, the order of publishers) is worked out here from the
//! text of the spec, with hash functions and arkworks alone. Unit tests beside the code pin the same values.
//!
//! `cargo test -p duet-primitives --test objects spec_examples::regenerate -- --ignored` rewrites the examples.
//!
//! Rules: ENC-1, ENC-5, ENC-6, MSG-1, MSG-2, DLEQ-1, DLEQ-2, DLEQ-3, POP-1, POP-2, POP-3, POP-4, SET-1, SET-2, SET-3, JUST-2, JUST-5,
//! JUST-6, STATELESS-1, STATELESS-2, CHAIN-2, ROUND-6, REQ-1, REQ-3, LIGHT-2.

use ark_bls12_381::{g1, Fr, G1Affine, G1Projective};
use ark_ec::{
    hashing::{curve_maps::wb::WBMap, map_to_curve_hasher::MapToCurveBasedHasher, HashToCurve},
    AffineRepr, CurveGroup,
};
use ark_ff::{field_hashers::DefaultFieldHasher, PrimeField};
use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};
use codec::{Compact, Decode, Encode};
use duet_primitives::{
    ownership_statement, suite, Commitment, ConsensusLog, DualKeyset, EquivocationProof, Keysets,
    MerkleProof, Pk1Bytes, PossessedKey, RoundMessage, SecretKey, StatelessProof, UncheckedVote,
    Vote, H256,
};
use sha2::{Digest, Sha256};
use sha3::Keccak256;
use sp_core::{Blake2Hasher, Hasher};
use std::{collections::BTreeMap, fs, path::PathBuf};

const HEX_PER_LINE: usize = 96;
/// `twox_128("Duet") ‖ twox_128("Keysets")`; a test of the pallet makes it of the two names. (LIGHT-2)
const KEYSETS_KEY: &str = "ae5a543b37564ca242e71af4200f32a19dcb75a6220d974dec966d1500eff350";

fn keysets_key() -> Vec<u8> {
    hex::decode(KEYSETS_KEY).expect("hex")
}

fn blake2_256(bytes: &[u8]) -> [u8; 32] {
    Blake2Hasher::hash(bytes).0
}

fn page(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "docs", "spec", name]
        .iter()
        .collect()
}

/// A value of any type through its encoding, so that this test does not depend on which integers have types of their own.
fn scale<T: Decode>(value: impl Encode) -> T {
    T::decode(&mut &value.encode()[..]).expect("the same bytes")
}

fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    Sha256::digest(parts.concat()).into()
}

/// The scalar hash of docs/spec/proofs.md.
fn hash_to_scalar(parts: &[&[u8]]) -> Fr {
    let b0 = sha256(&[&[0; 48], &parts.concat(), &[0, 48], &[0], &[0]]);
    let b1 = sha256(&[&b0, &[1], &[0]]);
    let mixed: Vec<u8> = b0.iter().zip(b1).map(|(a, b)| a ^ b).collect();
    let b2 = sha256(&[&mixed, &[2], &[0]]);
    Fr::from_be_bytes_mod_order(&[&b1[..], &b2[..16]].concat())
}

/// 32 little-endian bytes.
fn scalar_bytes(scalar: &Fr) -> Vec<u8> {
    encode(scalar)
}

fn encode(value: &impl CanonicalSerialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    value
        .serialize_compressed(&mut bytes)
        .expect("a vector takes everything");
    bytes
}

fn g1_of(bytes: &[u8]) -> G1Affine {
    G1Affine::deserialize_compressed(bytes).expect("a point of G1")
}

/// MSG-1.
fn hash_to_g1(suite: &[u8], message: &[u8]) -> G1Affine {
    MapToCurveBasedHasher::<G1Projective, DefaultFieldHasher<Sha256, 128>, WBMap<g1::Config>>::new(
        &[1],
    )
    .and_then(|hasher| hasher.hash(&[suite, message].concat()))
    .expect("any message has a hash")
}

/// The digest of JUST-5 and POP-4.
fn equation_digest(tag: &[u8], fields: [&[u8]; 4]) -> [u8; 32] {
    let field = |bytes: &[u8]| [&(bytes.len() as u64).to_le_bytes()[..], bytes].concat();
    let [a, b, c, d] = fields.map(field);
    sha256(&[&field(tag), &a, &b, &c, &d])
}

/// The first 16 bytes, never all zero, with the least significant one first.
fn sixteen(digest: [u8; 32]) -> [u8; 16] {
    let number = u128::from_le_bytes(digest[..16].try_into().expect("sixteen bytes"));
    number.max(1).to_le_bytes()
}

/// All layers of the tree of SET-2, the leaves' first.
fn layers(keys: &[Pk1Bytes]) -> Vec<Vec<[u8; 32]>> {
    let keccak = |parts: &[&[u8]]| -> [u8; 32] { Keccak256::digest(parts.concat()).into() };
    let mut layers: Vec<Vec<[u8; 32]>> =
        vec![keys.iter().map(|key| keccak(&[&[0], &key.0])).collect()];
    while layers.last().is_some_and(|layer| layer.len() > 1) {
        let above = layers.last().expect("there is one").chunks(2);
        let above = above.map(|pair| match pair {
            [left, right] => keccak(&[&[1], left, right]),
            single => single[0],
        });
        layers.push(above.collect());
    }
    layers
}

/// The multiproof of SET-2, as the spec's loop makes it.
fn multiproof(keys: &[Pk1Bytes], positions: &[usize]) -> Vec<H256> {
    let (mut known, mut hashes) = (positions.to_vec(), Vec::new());
    for layer in layers(keys) {
        for node in &known {
            let sibling = node ^ 1;
            if sibling < layer.len() && !known.contains(&sibling) {
                hashes.push(H256(layer[sibling]));
            }
        }
        known = known.iter().map(|node| node / 2).collect();
        known.dedup();
    }
    hashes
}

/// ROUND-6.
fn order(commitment: &[u8], len: u32) -> Vec<u32> {
    let seed = sha256(&[b"duet-schedule-v1", commitment]);
    let mut order: Vec<u32> = (0..len).collect();
    order.sort_by_key(|index| (sha256(&[&seed, &index.to_le_bytes()]), *index));
    order
}

fn secret(number: u8) -> SecretKey {
    SecretKey::from_seed(&[number; 32]).expect("no seed here hashes to zero")
}

/// A set and the secrets of its members, in set order.
struct Set {
    set: DualKeyset,
    secrets: Vec<SecretKey>,
}

impl Set {
    fn new(id: u64, seeds: std::ops::RangeInclusive<u8>) -> Self {
        let mut secrets: Vec<_> = seeds.map(secret).collect();
        secrets.sort_by_key(|secret| secret.public().pk1());
        let possessed = |secret: &SecretKey| -> PossessedKey {
            let proof = secret.prove_possession(b"owner");
            secret
                .public()
                .check_possession(b"owner", &proof)
                .expect("its own proof")
        };
        let keys = secrets.iter().map(possessed).collect();
        Self {
            set: DualKeyset::new(scale(id), keys).expect("keys that differ"),
            secrets,
        }
    }

    fn keys(&self) -> Vec<Pk1Bytes> {
        self.set.keyset().key_bytes()
    }

    fn vote(&self, signer: u32, message: &RoundMessage) -> Vote {
        let secret = &self.secrets[signer as usize];
        UncheckedVote::sign(secret, scale(signer), message)
            .check(self.set.keyset(), message)
            .expect("a member's vote")
    }

    fn votes(&self, signers: &[u32], message: &RoundMessage) -> Vec<Vote> {
        signers
            .iter()
            .map(|signer| self.vote(*signer, message))
            .collect()
    }
}

/// A state with the one entry `Duet.Keysets`: the nodes of its trie, version 1, and its root.
fn state(value: Vec<u8>) -> (Vec<Vec<u8>>, [u8; 32]) {
    let key = keysets_key();
    // A leaf with the hash of its value: 001, then 64 nibbles as 31 and 33.
    let leaf = [&[0x3f, 0x21], &key[..], &blake2_256(&value)].concat();
    let root = blake2_256(&leaf);
    (vec![leaf, value], root)
}

type Examples = BTreeMap<String, String>;

fn hexed(value: impl Encode) -> String {
    hex::encode(value.encode())
}

#[allow(clippy::too_many_lines)] // One line per example.
fn examples() -> Examples {
    let mut out = Examples::new();
    let mut add = |name: &str, value: String| assert!(out.insert(name.into(), value).is_none());
    let (first, second) = (Set::new(0, 1..=4), Set::new(1, 2..=5));
    let (set0, set1) = (
        first.set.commitment().clone(),
        second.set.commitment().clone(),
    );

    // Genesis.
    let keysets = Keysets {
        current: set0.clone(),
        next: set0.clone(),
    };
    let (nodes, root) = state(keysets.encode());
    let header = (H256::zero(), Compact(0_u32), root, [0xee_u8; 32], 0_u8).encode();
    let genesis = H256(blake2_256(&header));
    add("storage key", KEYSETS_KEY.into());
    add("Keysets", hexed(&keysets));
    add("genesis header", hex::encode(&header));
    add("genesis hash", hexed(genesis));
    add("StartProof", hexed((&header, &nodes, first.keys())));

    // Keys and possession.
    let one = secret(1);
    let key = one.public();
    add("sk", hex::encode(*one.expose()));
    assert_eq!(scalar_bytes(&hash_to_scalar(&[&[1; 32]])), *one.expose());
    add("pk1", hexed(key.pk1()));
    add("pk2", hexed(key.pk2()));
    let owner = ownership_statement(genesis, &[0xaa_u8; 32]);
    assert_eq!(
        owner,
        [&b"duet"[..], genesis.as_bytes(), &[0xaa; 32]].concat()
    );
    let proof = one.prove_possession(&owner);
    key.check_possession(&owner, &proof)
        .expect("its own proof holds");
    let hm_pop = encode(&hash_to_g1(
        b"BLS_POP_BLS12381G1_XMD:SHA-256_SSWU_RO_POP_",
        key.pk2().as_ref(),
    ));
    let sigma_pop = proof.possession().sigma();
    let t = hash_to_scalar(&[
        &hm_pop,
        key.pk2().as_ref(),
        key.pk1().as_ref(),
        sigma_pop.as_ref(),
    ]);
    add("owner", hex::encode(&owner));
    add("PossessionProof", hexed(proof));
    add("H_pop(pk2)", hex::encode(&hm_pop));
    add("t of POP-3", hex::encode(scalar_bytes(&t)));
    let digest = equation_digest(
        b"duet-v1/possession/r",
        [
            &hm_pop,
            key.pk1().as_ref(),
            key.pk2().as_ref(),
            sigma_pop.as_ref(),
        ],
    );
    add("digest of POP-4", hex::encode(digest));

    // Sets.
    for (position, key) in first.keys().iter().enumerate() {
        add(&format!("key {position} of set 0"), hexed(key));
        add(
            &format!("leaf {position} of set 0"),
            hex::encode(layers(&first.keys())[0][position]),
        );
    }
    assert_eq!(layers(&first.keys()).last(), Some(&vec![set0.root.0]));
    add("KeysetCommitment of set 0", hexed(&set0));
    add("KeysetCommitment of set 1", hexed(&set1));
    add("keys of set 1", hexed(second.keys()));
    let seven = Set::new(0, 1..=7);
    let positions = [1, 5];
    let hashes = multiproof(&seven.keys(), &positions);
    let proven =
        MerkleProof::prove(&seven.keys(), &[1_u32, 5].map(scale)).expect("positions of the set");
    assert_eq!(proven.encode(), hashes.encode());
    let tree = layers(&seven.keys());
    let nodes = [(0, 0), (0, 4), (1, 1), (1, 3)];
    assert!(hashes
        .iter()
        .eq(&nodes.map(|(layer, node): (usize, usize)| H256(tree[layer][node]))));
    for (layer, node) in nodes {
        let hash = hex::encode(tree[layer][node]);
        add(&format!("layer {layer}, node {node}"), hash);
    }
    add("root of seven keys", hexed(seven.set.commitment().root));
    add("MerkleProof", hexed(&proven));

    // What is signed.
    let commitment: Commitment = scale((10_u32, [0x11_u8; 32], [0x22_u8; 32], 0_u64, &set1));
    let message = RoundMessage::new(genesis, commitment.clone());
    let signed = commitment.signed_bytes(genesis);
    let hm = hash_to_g1(b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_", &signed);
    assert_eq!(encode(&hm), message.hash());
    add("Commitment", hexed(&commitment));
    add("signed bytes", hex::encode(&signed));
    add("H(m)", hex::encode(message.hash()));

    // A vote.
    let vote = first.vote(0, &message).into_unchecked();
    let (sigma, c, s) = (
        vote.signature.sigma(),
        &vote.signature.0[48..80],
        &vote.signature.0[80..],
    );
    let (c, s) = (
        Fr::from_le_bytes_mod_order(c),
        Fr::from_le_bytes_mod_order(s),
    );
    let pk1 = g1_of(&first.keys()[0].0);
    let a = (G1Affine::generator() * s + pk1 * c).into_affine();
    let b = (hm * s + g1_of(&sigma.0) * c).into_affine();
    let challenge = hash_to_scalar(&[
        &encode(&hm),
        &first.keys()[0].0,
        &sigma.0,
        &encode(&a),
        &encode(&b),
    ]);
    assert_eq!(challenge, c);
    let sk = first.secrets[0].expose();
    let witness = hash_to_scalar(&[&sha256(&[&sk[..]]), &encode(&hm)]);
    assert_eq!((G1Affine::generator() * witness).into_affine(), a);
    add("Vote", hexed(&vote));
    add("A", hex::encode(encode(&a)));
    add("B", hex::encode(encode(&b)));

    // A justification by three of four.
    let justification = first
        .set
        .aggregate(&message, &first.votes(&[0, 1, 3], &message))
        .expect("three of four");
    let apk1 = [0, 1, 3]
        .iter()
        .map(|position: &usize| G1Projective::from(g1_of(&first.keys()[*position].0)))
        .sum::<G1Projective>()
        .into_affine();
    let unchecked = justification.as_unchecked();
    let digest = equation_digest(
        b"duet-v1/justification/t",
        [
            &message.hash(),
            &encode(&apk1),
            unchecked.apk2.as_ref(),
            unchecked.signature.as_ref(),
        ],
    );
    add("Justification", hexed(unchecked));
    add("apk1", hex::encode(encode(&apk1)));
    add("digest of JUST-5", hex::encode(digest));
    add("t of JUST-5", hex::encode(sixteen(digest)));
    let synthetic = equation_digest(
        b"duet-v1/justification/t",
        [&[1; 48], &[2; 48], &[3; 96], &[4; 48]],
    );
    add(
        "t of JUST-5, patterned fields",
        hex::encode(sixteen(synthetic)),
    );

    let patterned = hash_to_scalar(&[&[1; 48], &[2; 96], &[3; 48], &[4; 48]]);
    add(
        "Hash, patterned fields",
        hex::encode(scalar_bytes(&patterned)),
    );

    // Weights of three digests.
    let digests = [[1_u8; 32], [2; 32], [3; 32]];
    let seed = sha256(&[b"duet-v1/justifications/r", &digests.concat()]);
    add("seed of JUST-6", hex::encode(seed));
    for number in 1..3_u64 {
        let weight = sixteen(sha256(&[&seed, &number.to_le_bytes()]));
        add(&format!("w{number} of JUST-6"), hex::encode(weight));
        let half = |at: usize| u64::from_le_bytes(weight[at..at + 8].try_into().expect("eight"));
        add(&format!("a{number} of JUST-6"), half(0).to_string());
        add(&format!("b{number} of JUST-6"), half(8).to_string());
    }

    // Without keys.
    let stateless = StatelessProof::new(&justification, first.set.keyset()).expect("of this set");
    let expected = (
        unchecked,
        vec![first.keys()[2]],
        multiproof(&first.keys(), &[2]),
    );
    assert_eq!(stateless.encode(), expected.encode());
    add("StatelessProof", hexed(&stateless));
    let later: Commitment = scale((12_u32, [0x33_u8; 32], [0x44_u8; 32], 1_u64, &set1));
    let later = RoundMessage::new(genesis, later);
    let full = second
        .set
        .aggregate(&later, &second.votes(&[0, 1, 2, 3], &later))
        .expect("all signed");
    let stateless = StatelessProof::new(&full, second.set.keyset()).expect("of this set");
    assert_eq!(
        stateless.encode(),
        [&full.as_unchecked().encode()[..], &[0, 0]].concat()
    );
    add("StatelessProof, all signed", hexed(&stateless));
    add("HandoffProof", hexed((unchecked, second.keys())));

    // Evidence.
    let other: Commitment = scale((10_u32, [0x55_u8; 32], [0x22_u8; 32], 0_u64, &set1));
    let other = RoundMessage::new(genesis, other);
    let evidence = EquivocationProof::new(
        first.set.keyset(),
        &first.vote(0, &message),
        &first.vote(0, &other),
    )
    .expect("two votes of one signer");
    add("EquivocationProof", hexed(&evidence));

    // Headers, gossip and requests.
    let item = |log: &ConsensusLog| [&b"\x04DUET"[..], &log.encode().encode()].concat();
    add(
        "digest item Planned",
        hex::encode(item(&ConsensusLog::Planned(set1.clone()))),
    );
    add(
        "digest item Activated",
        hex::encode(item(&ConsensusLog::Activated(set1.id))),
    );
    add("request for justifications", hexed((1_u64, 2_u8)));
    add("request for the first set", hexed(0_u8));
    add("request for handoff proofs", hexed((1_u8, 1_u64, 64_u8)));
    let orders = [
        ("order of ROUND-6", order(&commitment.encode(), set0.len)),
        (
            "order of ROUND-6, patterned commitment",
            order(&(0..168).collect::<Vec<u8>>(), 10),
        ),
    ];
    for (name, order) in orders {
        let order: Vec<_> = order.iter().map(u32::to_string).collect();
        add(name, order.join(" "));
    }
    out
}

/// The name that a line of an example begins with, and the value that follows on the same line.
fn head(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(" =")?;
    (!name.starts_with(' ')).then_some((name, value.trim()))
}

/// The page cut at its code blocks: every second part is in one.
fn parts(text: &str) -> Vec<&str> {
    text.split("```").collect()
}

/// The examples of the page.
fn written(text: &str) -> Examples {
    let mut found = Examples::new();
    for block in parts(text).into_iter().skip(1).step_by(2) {
        let mut name = None;
        for line in block.lines() {
            if let Some((next, value)) = head(line) {
                assert!(
                    found.insert(next.into(), value.into()).is_none(),
                    "{next} is there twice"
                );
                name = Some(next);
            } else if let Some(value) = name.and_then(|name| found.get_mut(name)) {
                value.push_str(line.trim());
            }
        }
    }
    found
}

fn wrapped(name: &str, value: &str) -> String {
    if value.len() <= HEX_PER_LINE {
        return format!("{name} = {value}\n");
    }
    let mut lines = format!("{name} =\n");
    let mut rest = value;
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(HEX_PER_LINE));
        lines.push_str(&format!("  {line}\n"));
        rest = after;
    }
    lines
}

#[test]
fn the_examples_of_the_spec_are_what_the_code_makes() {
    let text = fs::read_to_string(page("examples.md")).expect("the page is committed");
    let (written, found) = (written(&text), examples());
    assert!(
        written.keys().eq(found.keys()),
        "{:?} where {:?}",
        written.keys(),
        found.keys()
    );
    for (name, value) in found {
        assert_eq!(written[&name], value, "{name}");
    }
}

#[test]
#[ignore = "rewrites the page"]
fn regenerate() {
    let text = fs::read_to_string(page("examples.md")).expect("the page is committed");
    let examples = examples();
    let mut unused: Vec<_> = examples.keys().cloned().collect();
    let rewrite = |block: &str, unused: &mut Vec<String>| -> String {
        let (language, body) = block.split_once('\n').expect("a block has lines");
        let names = body.lines().filter_map(head).map(|(name, _)| name);
        let lines: String = names
            .map(|name| {
                unused.retain(|other| other != name);
                wrapped(name, &examples[name])
            })
            .collect();
        format!("{language}\n{lines}")
    };
    let parts: Vec<String> = parts(&text)
        .into_iter()
        .enumerate()
        .map(|(number, part)| match number % 2 {
            0 => part.to_string(),
            _ => rewrite(part, &mut unused),
        })
        .collect();
    assert!(unused.is_empty(), "the page has no place for {unused:?}");
    fs::write(page("examples.md"), parts.join("```")).expect("the checkout is writable");
}

#[test]
fn every_tag_of_the_code_is_in_the_table_with_its_bytes() {
    let text = fs::read_to_string(page("tags.md")).expect("the page is committed");
    let mut listed = Vec::new();
    for line in text.lines() {
        let cells: Vec<_> = line
            .split('|')
            .map(|cell| cell.trim().trim_matches('`'))
            .collect();
        let [_, _, text, bytes, ..] = cells[..] else {
            continue;
        };
        let Ok(bytes) = hex::decode(bytes) else {
            continue;
        };
        if !text.starts_with('(') && !text.starts_with("twox_128") && !bytes.is_empty() {
            assert_eq!(text.as_bytes(), bytes, "{line}");
        }
        listed.push(bytes);
    }
    let tags: [&[u8]; 23] = [
        suite::HASH_TO_CURVE_DST,
        suite::SIGNATURE_SUITE,
        suite::POSSESSION_SUITE,
        suite::MESSAGE_PREFIX,
        suite::OWNERSHIP_TAG,
        &suite::OWNER_CONTEXT,
        suite::AGGREGATE_TAG,
        suite::POSSESSION_TAG,
        suite::BATCH_TAG,
        &[suite::MERKLE_LEAF_TAG],
        &[suite::MERKLE_NODE_TAG],
        &suite::ENGINE_ID,
        &suite::KEY_TYPE,
        &suite::KEYSETS_STORAGE_KEY,
        &suite::ENDED_STORAGE_KEY,
        &suite::TRUSTING_PERIOD_STORAGE_KEY,
        suite::RECOVERY_SUITE,
        suite::RECOVERY_POSSESSION_SUITE,
        suite::RECOVERY_STATEMENT_PREFIX,
        suite::RECOVERY_DRILL_PREFIX,
        &suite::RECOVERY_OWNER_CONTEXT,
        &suite::RECOVERY_TERMS_STORAGE_KEY,
        suite::SCHEDULE_TAG,
    ];
    for tag in tags {
        assert!(
            listed.iter().any(|bytes| bytes == tag),
            "{} is not in the table",
            hex::encode(tag)
        );
    }
}

/// LIGHT-2, ACTIVE-3, LIGHT-9, RECOVER-4. Tests of the pallets make the keys of the names.
#[test]
fn every_storage_key_is_in_the_table_with_its_names() {
    let text = fs::read_to_string(page("tags.md")).expect("the page is committed");
    let (pallet, recovery) = (suite::PALLET_NAME, suite::RECOVERY_PALLET_NAME);
    for (pallet, item, key) in [
        (pallet, suite::KEYSETS_ITEM, suite::KEYSETS_STORAGE_KEY),
        (pallet, suite::ENDED_ITEM, suite::ENDED_STORAGE_KEY),
        (
            pallet,
            suite::TRUSTING_PERIOD_ITEM,
            suite::TRUSTING_PERIOD_STORAGE_KEY,
        ),
        (
            recovery,
            suite::RECOVERY_TERMS_ITEM,
            suite::RECOVERY_TERMS_STORAGE_KEY,
        ),
    ] {
        let row = format!(
            "| `{pallet}.{item}` | `twox_128(\"{pallet}\") ‖ twox_128(\"{item}\")` | `{}` |",
            hex::encode(key)
        );
        assert!(text.lines().any(|line| line == row), "{row}");
    }
}
