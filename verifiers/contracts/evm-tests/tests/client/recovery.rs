//! The client that crosses a reset by a recovery proof. (RECOVER-4 to RECOVER-8)

use crate::common::{checkpoint, prove, GENESIS};
use codec::{Compact, Encode};
use duet_calldata::{
    announce_recovery, constructor, cross_recovery, proof_bytes, report_misbehaviour,
};
use duet_evm_tests::{topic, Called, Chain, Verdict, BEGINNING, FORKS, TRUSTING_PERIOD};
use duet_light_client::testing::{read_proof, trie};
use duet_primitives::{
    suite::RECOVERY_TERMS_STORAGE_KEY, testing::TestSet, BlockNumber, Pk1Bytes, Recovery,
    RecoveryMessage, RecoveryProof, RecoveryStatement, RecoveryTerms, RecoveryVote, RoundMessage,
    SetId, SignerIndex, StatelessProof, H256,
};
use sp_core::{Blake2Hasher, Hasher};

const NEWEST: u32 = 70_000;
const RESET: u32 = NEWEST + 9;
const DELAY: u64 = 3_600;

fn set(id: u64) -> TestSet {
    TestSet::new(id, 10 * id..10 * id + 4)
}

/// The recovery set.
fn members() -> TestSet {
    TestSet::new(3, 100..107)
}

fn terms() -> Vec<u8> {
    RecoveryTerms {
        set: members().set.commitment().clone(),
        delay: DELAY,
    }
    .encode()
}

/// The header of the newest block, and the trie nodes that prove the terms in its state, which has many other entries: some
/// part from the key at each of its nibbles, and some have values in the branches.
pub(crate) struct State {
    pub(crate) header: Vec<u8>,
    pub(crate) nodes: Vec<Vec<u8>>,
}

impl State {
    pub(crate) fn new(terms: Option<Vec<u8>>) -> Self {
        let key = RECOVERY_TERMS_STORAGE_KEY;
        let mut entries = vec![
            (key[..7].to_vec(), vec![9; 9]),
            (key[..9].to_vec(), vec![9; 99]),
        ];
        for place in [0, 1, 5, 16, 31] {
            for change in [1, 0x10, 0x70] {
                let mut other = key.to_vec();
                other[place] ^= change;
                entries.push((other, vec![1; 40]));
            }
        }
        entries.extend(terms.map(|terms| (key.to_vec(), terms)));
        let (state, root) = trie(entries);
        let mut header = (H256([1; 32]), Compact(NEWEST), root, H256([3; 32])).encode();
        header.extend(vec![8_u8; 300].encode());
        Self {
            header,
            nodes: read_proof(&state, root, &[&key]),
        }
    }

    fn good() -> Self {
        Self::new(Some(terms()))
    }

    fn hash(&self) -> H256 {
        Blake2Hasher::hash(&self.header)
    }
}

fn statement(state: &State) -> RecoveryStatement {
    RecoveryStatement {
        recovery_set: SetId::new(3),
        block_number: BlockNumber::new(NEWEST),
        block_hash: state.hash(),
        ended: SetId::new(1),
        reset_number: BlockNumber::new(RESET),
        reset_hash: H256::repeat_byte(8),
        set: set(2).set.commitment().clone(),
    }
}

fn sign(statement: &RecoveryStatement, signers: &[u32]) -> RecoveryProof {
    sign_by(&members(), statement, signers)
}

fn sign_by(members: &TestSet, statement: &RecoveryStatement, signers: &[u32]) -> RecoveryProof {
    let message = RecoveryMessage::new(GENESIS, statement.clone());
    let votes: Vec<_> = signers
        .iter()
        .map(|signer| {
            let secret = &members.secrets[*signer as usize];
            RecoveryVote::sign(secret, SignerIndex::new(*signer), &message)
        })
        .collect();
    let proof = Recovery::combine(members.set.keyset(), GENESIS, &votes);
    proof.expect("enough members").into_unchecked()
}

/// A proof of a block by a set, that names another one.
fn proof(by: &TestSet, next: &TestSet, number: u32, hash: H256) -> StatelessProof {
    let mut commitment = by.commitment(number, &next.set);
    commitment.block_hash = hash;
    let justification = by.justify(&RoundMessage::new(GENESIS, commitment), 0..4);
    StatelessProof::new(&justification, by.set.keyset()).expect("members")
}

struct Client {
    chain: Chain,
    state: State,
    mmr_root: H256,
}

impl Client {
    /// At the newest block, in which set 0 has named set 1.
    fn at(state: State) -> Self {
        Self::at_block(NEWEST, state)
    }

    /// The same with another number.
    fn at_block(number: u32, state: State) -> Self {
        let begin = checkpoint(GENESIS, set(0).set.commitment());
        let arguments = constructor(&begin, TRUSTING_PERIOD);
        let mut chain =
            Chain::with("RecoverableDuetLightClient", FORKS[1], arguments).expect("deployed");
        let newest = proof(&set(0), &set(1), number, state.hash());
        let mmr_root = newest.justification.commitment.mmr_root;
        let (verdict, _) = chain.submit(&proof_bytes(&newest, set(0).set.commitment()));
        assert_eq!(verdict, Verdict::New);
        Self {
            chain,
            state,
            mmr_root,
        }
    }

    fn new() -> Self {
        Self::at(State::good())
    }

    fn statement(&self) -> RecoveryStatement {
        statement(&self.state)
    }

    /// The statement with a change, signed by five of the seven.
    fn other(&self, change: impl FnOnce(&mut RecoveryStatement)) -> RecoveryProof {
        let mut statement = self.statement();
        change(&mut statement);
        sign(&statement, &[0, 2, 3, 4, 6])
    }

    fn announce_by(&mut self, proof: &RecoveryProof, nodes: &[Vec<u8>]) -> Called {
        let set = members().set.commitment().clone();
        let call = announce_recovery(&self.state.header, self.mmr_root, nodes, proof, &set);
        self.chain.call_raw(call)
    }

    fn announce(&mut self, proof: &RecoveryProof) -> Called {
        let nodes = self.state.nodes.clone();
        self.announce_by(proof, &nodes)
    }

    /// The client, waiting.
    fn announced() -> Self {
        let mut client = Self::new();
        let proof = client.other(|_| {});
        let called = client.announce(&proof);
        assert!(called.ok, "{called:?}");
        client
    }

    fn cross(&mut self) -> Called {
        let statement = self.statement();
        self.chain.call_raw(cross_recovery(&statement))
    }

    fn submit(&mut self, by: u64, number: u32) -> Verdict {
        let proof = prove(&set(by), number, &set(by), 0);
        let proof = proof_bytes(&proof, set(by).set.commitment());
        self.chain.submit(&proof).0
    }

    /// `recovery`: whether something is announced, and whether it is contradicted.
    fn waits(&mut self) -> (bool, bool) {
        let output = self.chain.call("recovery()", &[]).output;
        (output[..32] != [0; 32], output[95] == 1)
    }
}

#[track_caller]
fn refused(called: &Called, error: &str) {
    assert!(!called.ok, "{error}");
    assert_eq!(
        called.output[..4],
        topic(error)[..4],
        "{error}, not {:?}",
        called.output
    );
}

#[test]
fn a_reset_is_crossed_after_the_wait_and_the_new_set_proves_blocks() {
    let mut client = Client::announced();
    assert_eq!(client.waits(), (true, false));
    client.chain.time = BEGINNING + DELAY - 1;
    refused(&client.cross(), "Rule_RECOVER_8_Early(uint256)");
    client.chain.time += 1;
    let crossed = client.cross();
    assert!(crossed.ok, "{crossed:?}");
    for event in [
        "RecoveryCrossed(uint32,bytes32)",
        "SetAnnounced(uint64,bytes)",
        "SetChanged(uint64)",
    ] {
        assert!(crossed.events.contains(&topic(event)), "{event}");
    }
    assert_eq!(client.chain.status(), (RESET.into(), 2, false, false));
    assert_eq!(client.waits(), (false, false));
    refused(&client.cross(), "Rule_RECOVER_8_Nothing()");
    assert_eq!(client.submit(0, RESET + 1), Verdict::Refused);
    assert_eq!(client.submit(1, RESET + 1), Verdict::Refused);
    assert_eq!(client.submit(2, RESET + 1), Verdict::New);
    // What the ended sets sign is still evidence.
    for id in [0, 1] {
        let both = [5, 6].map(|salt| proof(&set(id), &set(id), 99_999, H256::repeat_byte(salt)));
        let commitment = set(id).set.commitment().clone();
        let call = report_misbehaviour(both.each_ref().map(|proof| (proof, &commitment)));
        let mut chain = client.chain.clone();
        assert!(chain.call_raw(call).ok, "set {id}");
    }
}

/// The header of a checkpoint, whose MMR root nobody knows.
#[test]
fn a_checkpoint_is_left_by_a_recovery_too() {
    let state = State::good();
    let mut begin = checkpoint(GENESIS, set(1).set.commitment());
    begin.block_number = BlockNumber::new(NEWEST);
    begin.block_hash = state.hash();
    let arguments = constructor(&begin, TRUSTING_PERIOD);
    let chain = Chain::with("RecoverableDuetLightClient", FORKS[0], arguments).expect("deployed");
    let mut client = Client {
        chain,
        state,
        mmr_root: H256::repeat_byte(0xee),
    };
    // All seven of them.
    let proof = sign(&client.statement(), &[0, 1, 2, 3, 4, 5, 6]);
    assert!(client.announce(&proof).ok);
    client.chain.time += DELAY;
    assert!(client.cross().ok);
    assert_eq!(client.chain.status(), (RESET.into(), 2, false, false));
}

/// RECOVER-8.
#[test]
fn a_newer_block_ends_the_wait() {
    let mut client = Client::announced();
    client.chain.time += DELAY;
    assert_eq!(client.submit(1, NEWEST + 1), Verdict::New);
    assert_eq!(client.waits(), (false, false));
    refused(&client.cross(), "Rule_RECOVER_8_Nothing()");
    let proof = client.other(|_| {});
    refused(&client.announce(&proof), "Rule_RECOVER_7_OtherBlock()");
}

/// RECOVER-8.
#[test]
fn two_statements_about_one_block_lead_nowhere() {
    let mut client = Client::announced();
    let again = client.other(|_| {});
    refused(&client.announce(&again), "Rule_RECOVER_7_Known()");
    // Of sets that the client does not know.
    let second = client.other(|said| said.ended = SetId::new(0));
    let called = client.announce(&second);
    assert!(
        called.ok
            && called
                .events
                .contains(&topic("RecoveryContradicted(uint32,bytes)"))
    );
    assert_eq!(client.waits(), (true, true));
    refused(&client.announce(&again), "Rule_RECOVER_8_Contradicted()");
    client.chain.time += DELAY;
    refused(&client.cross(), "Rule_RECOVER_8_Contradicted()");
    assert_eq!(client.submit(1, NEWEST + 1), Verdict::New);
}

/// RECOVER-5 to RECOVER-7.
#[test]
fn each_condition_of_an_announcement_is_checked() {
    type Change = fn(&mut RecoveryStatement);
    let changes: [(Change, &str); 6] = [
        (
            |said| said.block_number = BlockNumber::new(NEWEST - 1),
            "Rule_RECOVER_7_OtherBlock()",
        ),
        (
            |said| said.block_hash = H256([9; 32]),
            "Rule_RECOVER_7_OtherBlock()",
        ),
        (
            |said| said.ended = SetId::new(2),
            "Rule_RECOVER_7_Sets(uint64)",
        ),
        (
            |said| {
                said.ended = SetId::new(0);
                said.set.id = SetId::new(1);
            },
            "Rule_RECOVER_7_Sets(uint64)",
        ),
        (|said| said.recovery_set = SetId::new(4), "Rule_RECOVER_6()"),
        (
            |said| said.reset_number = BlockNumber::new(NEWEST),
            "Rule_RECOVER_5()",
        ),
    ];
    let mut client = Client::new();
    let good = client.other(|_| {});
    for (change, error) in changes {
        let mut proof = good.clone();
        change(&mut proof.statement);
        refused(&client.announce(&proof), error);
    }
    // Not what was signed.
    let mut forged = good.clone();
    forged.statement.reset_hash = H256([9; 32]);
    refused(&client.announce(&forged), "Rule_JUST_5()");
    let mut few = good.clone();
    few.signers = duet_primitives::Bitfield::from_indices(7, [0, 2, 3, 4].map(SignerIndex::new));
    refused(&client.announce(&few), "Rule_JUST_4()");
    let other_root = H256::repeat_byte(1);
    let mmr_root = std::mem::replace(&mut client.mmr_root, other_root);
    refused(&client.announce(&good), "Rule_RECOVER_7_OtherBlock()");
    client.mmr_root = mmr_root;
    client.state.header.push(0);
    let nodes = client.state.nodes.clone();
    let called = client.announce_by(&good, &nodes);
    refused(&called, "Rule_STATE_1()");
    client.state.header.pop();
    assert!(client.announce(&good).ok, "nothing of it was taken");
}

/// RECOVER-4, STATE-2.
#[test]
fn the_terms_are_proven_by_each_node_of_the_path_and_by_no_other() {
    let mut client = Client::new();
    let good = client.other(|_| {});
    let nodes = client.state.nodes.clone();
    assert!(nodes.len() > 5, "{} nodes", nodes.len());
    for at in 0..nodes.len() {
        let mut fewer = nodes.clone();
        let node = fewer.remove(at);
        refused(&client.announce_by(&good, &fewer), "Rule_STATE_2()");
        for place in [0, node.len() / 2, node.len() - 1] {
            let mut garbled = nodes.clone();
            garbled[at][place] ^= 1;
            refused(&client.announce_by(&good, &garbled), "Rule_STATE_2()");
        }
    }
    let more = [&nodes[..], &[vec![7; 7]]].concat();
    refused(&client.announce_by(&good, &more), "Rule_STATE_2()");
    refused(
        &client.announce_by(&good, &vec![vec![7; 7]; 67]),
        "Rule_STATE_2()",
    );
    let reversed: Vec<_> = nodes.into_iter().rev().collect();
    assert!(client.announce_by(&good, &reversed).ok);

    let with = |change: fn(&mut RecoveryTerms)| {
        let mut terms = RecoveryTerms {
            set: members().set.commitment().clone(),
            delay: DELAY,
        };
        change(&mut terms);
        Some(terms.encode())
    };
    for (value, error) in [
        (None, "Rule_STATE_2()"),
        (Some(vec![1; 99]), "Rule_STATE_2()"),
        (Some(vec![1; 20]), "Rule_STATE_2()"),
        (with(|terms| terms.delay = 0), "Rule_RECOVER_4()"),
        (with(|terms| terms.set.len = 0), "Rule_RECOVER_4()"),
        (
            with(|terms| terms.set.root = H256([1; 32])),
            "Rule_RECOVER_6()",
        ),
    ] {
        let mut client = Client::at(State::new(value));
        let proof = client.other(|_| {});
        refused(&client.announce(&proof), error);
    }
    // A wait that never ends.
    let mut client = Client::at(State::new(with(|terms| terms.delay = u64::MAX)));
    let proof = client.other(|_| {});
    assert!(client.announce(&proof).ok);
    client.chain.time += TRUSTING_PERIOD;
    refused(&client.cross(), "Rule_RECOVER_8_Early(uint256)");
}

/// RECOVER-5, KEY-1: what nothing else would notice before the new set signs.
#[test]
fn a_total_outside_the_subgroup_is_refused() {
    // A set of one, whose signature is the sum.
    let one = TestSet::new(3, 100..101);
    let terms = RecoveryTerms {
        set: one.set.commitment().clone(),
        delay: DELAY,
    };
    let mut client = Client::at(State::new(Some(terms.encode())));
    let good = client.statement();
    let mut total = [0; 48];
    (total[0], total[47]) = (0x80, 5);
    let mut bad = good.clone();
    bad.set.apk1 = Pk1Bytes(total);
    let mut proof = sign_by(&one, &good, &[0]);
    proof.statement = bad.clone();
    let message = RecoveryMessage::new(GENESIS, bad);
    proof.signature = RecoveryVote::sign(&one.secrets[0], SignerIndex::new(0), &message).signature;
    for (proof, error) in [
        (proof, Some("Rule_ENC(uint256)")),
        (sign_by(&one, &good, &[0]), None),
    ] {
        let State { header, nodes } = &client.state;
        let set = one.set.commitment();
        let call = announce_recovery(header, client.mmr_root, nodes, &proof, set);
        let called = client.chain.call_raw(call);
        match error {
            Some(error) => refused(&called, error),
            None => assert!(called.ok, "{called:?}"),
        }
    }
}

/// A leaf with the terms as a value, behind so many nibbles of the key: the older layout of the trie.
fn leaf(behind: usize) -> Vec<u8> {
    let nibbles = RECOVERY_TERMS_STORAGE_KEY.map(|byte| [byte >> 4, byte & 15]);
    let mut nibbles = nibbles.concat()[behind..].to_vec();
    let more = u8::try_from(nibbles.len() - 63).expect("a long key");
    if nibbles.len() % 2 == 1 {
        nibbles.insert(0, 0);
    }
    let key = nibbles.chunks(2).map(|pair| pair[0] << 4 | pair[1]);
    let mut leaf = vec![0x7f, more];
    leaf.extend(key);
    leaf.extend(terms().encode());
    leaf
}

/// The header of a block of this length, with a state that these nodes prove, the root first.
fn with_nodes(number: u32, length: usize, nodes: Vec<Vec<u8>>) -> State {
    let root = Blake2Hasher::hash(&nodes[0]);
    let mut header = (H256([1; 32]), Compact(number), root, H256([3; 32])).encode();
    header.resize(length, 9);
    State { header, nodes }
}

/// STATE-2.
#[test]
fn terms_in_the_older_layout_are_found_behind_children_and_values_of_a_branch() {
    for value in [None, Some(vec![7; 3]), Some(vec![7; 70])] {
        let mut branch = vec![if value.is_none() { 0x80 } else { 0xc0 }];
        let first = RECOVERY_TERMS_STORAGE_KEY[0] >> 4;
        branch.extend((1_u16 << first | 1 << 2 | 1 << 4).to_le_bytes());
        branch.extend(
            value
                .map(|value: Vec<u8>| value.encode())
                .unwrap_or_default(),
        );
        // A child that stands in the branch itself.
        branch.extend(vec![0x43_u8, 1, 0x23, 8, 5, 5].encode());
        branch.extend(vec![0xaa_u8; 32].encode());
        branch.extend(Blake2Hasher::hash(&leaf(1)).as_bytes().to_vec().encode());
        let mut client = Client::at(with_nodes(NEWEST, 200, vec![branch, leaf(1)]));
        let proof = client.other(|_| {});
        let called = client.announce(&proof);
        assert!(called.ok, "{called:?}");
    }
}

/// STATE-1, STATE-2: numbers of each size, and bytes around the blocks of the hash.
#[test]
fn headers_of_all_lengths_and_numbers_are_read() {
    let numbers = [
        1,
        63,
        64,
        16_383,
        16_384,
        (1 << 30) - 1,
        1 << 30,
        u32::MAX - 1,
    ];
    let lengths = [128, 129, 255, 256, 257, 384, 385, 65_535, 65_536, 65_537];
    let all = numbers.map(|number| (number, 127)).into_iter();
    for (number, length) in all.chain(lengths.map(|length| (NEWEST, length))) {
        let mut client = Client::at_block(number, with_nodes(number, length, vec![leaf(0)]));
        let proof = client.other(|said| {
            said.block_number = BlockNumber::new(number);
            said.reset_number = BlockNumber::MAX;
        });
        let called = client.announce(&proof);
        assert!(called.ok, "block {number}, {length} bytes: {called:?}");
    }
}

/// LIGHT-9: neither announcement nor crossing makes the newest proven block younger.
#[test]
fn a_client_that_slept_or_is_frozen_crosses_nothing() {
    let late = "Rule_LIGHT_9(uint256,uint256)";
    let mut client = Client::new();
    let proof = client.other(|_| {});
    client.chain.time = BEGINNING + TRUSTING_PERIOD + 1;
    refused(&client.announce(&proof), late);

    let mut client = Client::announced();
    client.chain.time = BEGINNING + TRUSTING_PERIOD + 1;
    refused(&client.cross(), late);
    client.chain.time -= 1;
    assert!(client.cross().ok);
    client.chain.time += 1;
    assert_eq!(client.submit(2, RESET + 1), Verdict::Refused);

    let mut client = Client::announced();
    let other = proof_bytes(
        &self::proof(&set(0), &set(1), NEWEST, H256([5; 32])),
        set(0).set.commitment(),
    );
    assert_eq!(client.chain.submit(&other).0, Verdict::Frozen);
    client.chain.time += DELAY;
    refused(&client.cross(), "IsFrozen()");
}

/// Bytes that are cut, or none.
#[test]
fn calls_that_are_cut_are_refused() {
    let mut client = Client::new();
    let proof = client.other(|_| {});
    let set = members().set.commitment().clone();
    let call = announce_recovery(
        &client.state.header,
        client.mmr_root,
        &client.state.nodes,
        &proof,
        &set,
    );
    for len in (4..call.len()).step_by(97) {
        assert!(!client.chain.call_raw(call[..len].to_vec()).ok, "{len}");
    }
    assert!(client.chain.call_raw(call).ok);
    client.chain.time += DELAY;
    for statement in [&[][..], &[0; 228]] {
        let called = client.chain.call("crossRecovery(bytes)", &[statement]);
        refused(&called, "Rule_RECOVER_8_Nothing()");
    }
}

/// JUST-1: behind a reset ids have a gap, and the place of a kept set is that of other ids too.
#[test]
fn evidence_is_by_the_set_whose_id_it_names() {
    let mut client = Client::new();
    // Sets 0 and 1 are kept, and evidence may be by sets from 2 on.
    let fresh = TestSet::new(6, 60..64);
    let mut statement = client.statement();
    statement.set = fresh.set.commitment().clone();
    let announced = client.announce(&sign(&statement, &[0, 2, 3, 4, 6]));
    assert!(announced.ok, "{announced:?}");
    client.chain.time += DELAY;
    let crossed = client.chain.call_raw(cross_recovery(&statement));
    assert!(crossed.ok, "{crossed:?}");
    let as_4 = TestSet::new(4, 0..4);
    assert_eq!(as_4.set.commitment().root, set(0).set.commitment().root);
    let by_0_as_4 = [1, 2].map(|salt| proof(&as_4, &set(5), NEWEST + 20, H256::repeat_byte(salt)));
    let set = set(0).set.commitment().clone();
    let report = report_misbehaviour([&by_0_as_4[0], &by_0_as_4[1]].map(|proof| (proof, &set)));
    refused(&client.chain.call_raw(report), "Rule_LIGHT_3()");
}

/// What the README says; a percent more fails.
#[test]
fn gas_of_a_recovery() {
    let mut client = Client::new();
    let deployment = client.chain.deployment;
    let proof = client.other(|_| {});
    let announced = client.announce(&proof).gas;
    client.chain.time += DELAY;
    let crossed = client.cross().gas;
    println!(
        "deployment {deployment}, announced {announced} with {} nodes, crossed {crossed}",
        client.state.nodes.len()
    );
    for (got, limit) in [
        (deployment, DEPLOYMENT),
        (announced, ANNOUNCED),
        (crossed, CROSSED),
    ] {
        assert!(got <= limit + limit / 100, "{got} is more than {limit}");
    }
}

const DEPLOYMENT: u64 = 2_168_776;
const ANNOUNCED: u64 = 372_764;
const CROSSED: u64 = 74_340;
