use super::*;
use crate::{
    block_import,
    evidence::Divergence,
    missing::Missing,
    statement::FalseStatement,
    store::{bounded, ReportBook, Reset, StoreError, MAX_LIST_BYTES},
    testing::{dual_keys, reader::TestReader, TestChain, TestClient},
    DuetBlockImport, VoterLinks,
};
use codec::{DecodeAll, Encode};
use duet_keystore::SignerError;
use duet_light_client::StartProof;
use duet_primitives::{
    check_stateless, ownership_statement, suite,
    testing::{secret, TestSet},
    ConsensusLog, DualKeyBytes, EvidenceStatus, Keyset, Pk1Bytes, PossessionProof, RoundMessage,
    SecretKey, SignerIndex, StatelessProof, UncheckedJustification, UncheckedVote,
};
use duet_voter::{MissingMember, RoundView, VotesView};
use futures::StreamExt;
use sc_client_api::AuxStore;
use sc_rpc::DenyUnsafe;
use sp_core::testing::TaskExecutor;
use sp_runtime::traits::{BlakeTwo256, Hash as _};
use tokio::runtime::Builder;

fn decode<T: codec::Decode>(bytes: &[u8]) -> T {
    T::decode_all(&mut &*bytes).unwrap()
}

/// A signer with the first key of the test keyring.
struct TestSigner(TestSet);

impl TestSigner {
    fn secret(&self, key: &Pk1Bytes) -> Result<&SecretKey, SignerError> {
        let mut secrets = self.0.secrets.iter();
        let found = secrets.find(|secret| secret.public().pk1() == *key);
        found.ok_or(SignerError::NoKey(*key))
    }
}

impl Signer for TestSigner {
    fn keys(&self) -> Result<Vec<DualKeyBytes>, SignerError> {
        Ok(dual_keys(&self.0))
    }

    fn sign_vote(
        &self,
        key: &Pk1Bytes,
        signer: SignerIndex,
        message: &RoundMessage,
    ) -> Result<UncheckedVote, SignerError> {
        Ok(UncheckedVote::sign(self.secret(key)?, signer, message))
    }

    fn prove_possession(
        &self,
        key: &Pk1Bytes,
        owner: &[u8],
    ) -> Result<PossessionProof, SignerError> {
        Ok(self.secret(key)?.prove_possession(owner))
    }

    fn generate(&self) -> Result<DualKeyBytes, SignerError> {
        Ok(self.0.secrets[0].public())
    }
}

/// A chain whose sets `0..SETS` have handed off at block `id + 1`, with the RPC over it.
struct Setup {
    chain: TestChain,
    sets: Vec<TestSet>,
    rpc: Duet,
    reader: Arc<TestReader>,
    links: VoterLinks,
    genesis: H256,
}

const SETS: u64 = 3;

fn setup() -> Setup {
    let chain = TestChain::default();
    let sets: Vec<_> = (0..=SETS).map(|id| TestSet::new(id, id..id + 4)).collect();
    let genesis = chain.push(&sets[0], &sets[0], &[]);
    let (_, links, rpc): (DuetBlockImport<_, TestClient, ()>, _, _) =
        block_import((), chain.client.clone(), chain.backend.clone(), None);
    let signer = Arc::new(TestSigner(TestSet::new(0, 0..1)));
    let reader = Arc::new(TestReader::of_states_from(BlockNumber::new(1)));
    let rpc = Duet::new(rpc, reader.clone(), signer, Arc::new(TaskExecutor::new()));
    Setup {
        chain,
        sets,
        rpc,
        reader,
        links,
        genesis,
    }
}

impl Setup {
    fn justification(&self, number: u32) -> Option<Bytes> {
        let answer = self.rpc.answers.justification(BlockNumber::new(number));
        answer.unwrap()
    }

    fn stateless_proof(&self, number: u32) -> Option<Bytes> {
        let answer = self.rpc.answers.stateless_proof(BlockNumber::new(number));
        answer.unwrap()
    }
}

/// As [`setup`], with everything proven.
fn proven() -> Setup {
    let setup = setup();
    let store = setup.chain.store();
    for (set, next) in setup.sets.iter().zip(&setup.sets[1..]) {
        store.put_set(set.set.commitment()).unwrap();
        store
            .put_keys(set.set.commitment(), &dual_keys(set))
            .unwrap();
        store
            .put_keys(next.set.commitment(), &dual_keys(next))
            .unwrap();
        let hash = setup.chain.push(set, next, &[]);
        let chain = setup.chain.chain();
        let commitment = chain.commitment(chain.finalized().0).unwrap();
        let message = RoundMessage::new(setup.genesis, commitment);
        let justification = set.justify(&message, 0..3).into_unchecked();
        store.put_handoff(&justification).unwrap();
        chain.append(hash, justification.encode()).unwrap();
    }
    setup
}

fn code<T: std::fmt::Debug>(result: RpcResult<T>) -> i32 {
    result.unwrap_err().code()
}

#[test]
fn before_anything_is_proven_there_is_no_head_and_an_error_code() {
    assert_eq!(code(setup().rpc.answers.finalized_head()), 9001);
}

#[test]
fn the_head_is_the_highest_proven_block_from_the_store_alone() {
    let setup = proven();
    let (_, head) = setup.chain.chain().finalized();
    assert_eq!(setup.rpc.answers.finalized_head().unwrap(), head);
}

#[test]
fn a_blocks_justification_is_what_was_put_to_it() {
    let setup = proven();
    let found: UncheckedJustification = decode(&setup.justification(2).unwrap());
    assert!(found
        .check(setup.sets[1].set.keyset(), setup.genesis)
        .is_ok());
    for none in [0, 99] {
        assert_eq!(setup.justification(none), None);
    }
}

#[test]
fn set_proofs_lead_from_set_to_set() {
    let setup = proven();
    let bytes = setup.rpc.answers.set_proofs(SetId::new(0), 10).unwrap();
    let proofs: Vec<(UncheckedJustification, Vec<Pk1Bytes>)> = decode(&bytes);
    assert_eq!(proofs.len(), 3);
    let mut keyset = setup.sets[0].set.keyset().clone();
    for (justification, keys) in proofs {
        let checked = justification.check(&keyset, setup.genesis).unwrap();
        keyset = Keyset::check(&checked.commitment().next, &keys).unwrap();
    }
    assert_eq!(keyset.id().get(), SETS);
    let bytes = setup.rpc.answers.set_proofs(SetId::new(SETS), 10).unwrap();
    assert_eq!(bytes.0, [0], "a set that has not handed off has no proof");
}

/// An answer that would parse too many keys ends early; already parsed keys cost nothing when they are requested again.
#[test]
fn stateless_set_proofs_end_where_too_many_keys_would_be_parsed() {
    let mut setup = proven();
    Arc::get_mut(&mut setup.rpc.answers).unwrap().max_parsed = 4;
    let entries = |rpc: &Duet| {
        let bytes = rpc.answers.stateless_set_proofs(SetId::new(0), 9).unwrap();
        decode::<Vec<StatelessProof>>(&bytes).len()
    };
    assert_eq!(entries(&setup.rpc), 2);
    assert_eq!(entries(&setup.rpc), 3);
}

#[test]
fn stateless_set_proofs_lead_from_commitment_to_commitment() {
    let setup = proven();
    for _ in 0..2 {
        let bytes = setup
            .rpc
            .answers
            .stateless_set_proofs(SetId::new(1), 2)
            .unwrap();
        let proofs: Vec<StatelessProof> = decode(&bytes);
        assert_eq!(proofs.len(), 2);
        let mut commitment = setup.sets[1].set.commitment().clone();
        for proof in proofs {
            let checked = check_stateless(proof, &commitment, setup.genesis).unwrap();
            commitment = checked.commitment().next.clone();
        }
        assert_eq!(commitment.id.get(), SETS);
    }
}

#[test]
fn a_blocks_stateless_proof_holds_under_the_commitment_alone() {
    let setup = proven();
    let proof: StatelessProof = decode(&setup.stateless_proof(1).unwrap());
    assert!(check_stateless(proof, setup.sets[0].set.commitment(), setup.genesis).is_ok());
    assert_eq!(setup.stateless_proof(0), None);
}

#[test]
fn one_answer_brings_proof_path_header_and_nodes_of_a_block() {
    let setup = proven();
    let (block, under) = (BlockNumber::new(1), BlockNumber::new(2));
    let keys = vec![Bytes(vec![7]), Bytes(vec![8])];
    let answer = setup
        .rpc
        .answers
        .proofs(keys, Some(block), Some(under), None);
    let answer = answer.unwrap().unwrap();
    assert_eq!(
        Some(answer.proof),
        setup.justification(2),
        "the proof is that of the later block"
    );
    let hash = setup.chain.chain().hash(block).unwrap();
    let node = |key: u8| Bytes((hash, vec![key]).encode());
    assert_eq!(
        answer.nodes,
        [node(7), node(8)],
        "state is that of the block"
    );
    assert_eq!(BlakeTwo256::hash(&answer.header), hash);
    let path = answer.path.unwrap();
    assert_eq!(path.leaves.0, block.encode());
    assert_eq!(path.proof.0, under.encode());
}

#[test]
fn the_newest_proven_block_is_read_under_its_own_proof() {
    let setup = proven();
    let head = setup.chain.chain().finalized().0;
    let answer = setup.rpc.answers.proofs(Vec::new(), None, None, Some(true));
    let answer = answer.unwrap().unwrap();
    assert_eq!(
        Some(answer.proof),
        setup.stateless_proof(head.get()),
        "in the form that was asked for"
    );
    assert_eq!(answer.path, None);
    assert!(answer.nodes.is_empty());
}

#[test]
fn what_is_not_proven_is_not_answered() {
    let setup = proven();
    let nothing = |block: u32, under: u32| {
        let (block, under) = (BlockNumber::new(block), BlockNumber::new(under));
        let answer = setup
            .rpc
            .answers
            .proofs(Vec::new(), Some(block), Some(under), None);
        assert_eq!(answer.unwrap(), None, "block {block} under block {under}");
    };
    nothing(2, 1);
    nothing(0, 0);
    nothing(1, 99);
    let fresh = self::setup();
    assert_eq!(
        code(fresh.rpc.answers.proofs(Vec::new(), None, None, None)),
        9001
    );
}

#[test]
fn a_state_that_is_gone_has_a_code_of_its_own_and_keys_are_counted() {
    let setup = proven();
    let ask = |keys: usize, block: u32| {
        let block = Some(BlockNumber::new(block));
        let keys = vec![Bytes(vec![7]); keys];
        setup.rpc.answers.proofs(keys, block, None, None)
    };
    assert_eq!(code(ask(1, 0)), 9008);
    assert!(ask(0, 0).unwrap().is_some(), "the header needs no state");
    assert!(ask(MAX_KEYS, 1).unwrap().is_some());
    assert_eq!(code(ask(MAX_KEYS + 1, 1)), 9002);
}

#[test]
fn a_call_that_is_longer_than_any_answer_needs_is_refused() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let methods = bounds::bounded(&proven().rpc.into_rpc()).unwrap();
    let answer = |id: &str, len: usize| {
        let parameters = format!("[0{}]", " ".repeat(len - 3));
        let request = format!(
            r#"{{"jsonrpc":"2.0","id":"{id}","method":"duet_getKeys","params":{parameters}}}"#
        );
        let answer = runtime.block_on(methods.raw_json_request(&request, 1));
        answer.unwrap().0
    };
    let longest = answer("", MAX_CALL_LEN);
    assert!(longest.contains("result"), "{longest}");
    for refused in [answer("", MAX_CALL_LEN + 1), answer("x", MAX_CALL_LEN)] {
        let why = "the parameters and the id of the call have 65537 bytes";
        assert!(
            refused.contains("9002") && refused.contains(why),
            "{refused}"
        );
    }
}

#[test]
fn a_damaged_proof_is_not_served_as_a_stateless_one() {
    let setup = proven();
    let store = setup.chain.store();
    let mut handoff = store.handoff(SetId::new(0)).unwrap().unwrap();
    handoff.commitment.mmr_root = H256::zero();
    store.put_handoff(&handoff).unwrap();
    assert_eq!(
        code(setup.rpc.answers.stateless_set_proofs(SetId::new(0), 1)),
        9003
    );
}

#[test]
fn keys_that_do_not_match_their_commitment_are_an_error_and_not_an_absence() {
    let setup = proven();
    let commitment = setup.sets[0].set.commitment();
    let others = dual_keys(&setup.sets[1]);
    setup.chain.store().put_keys(commitment, &others).unwrap();
    assert_eq!(
        code(setup.rpc.answers.stateless_set_proofs(SetId::new(0), 1)),
        9003
    );
    assert_eq!(
        code(setup.rpc.answers.stateless_proof(BlockNumber::new(1))),
        9003
    );
}

#[test]
fn limits_are_kept() {
    let setup = proven();
    for limit in [0, MAX_SETS + 1, u32::MAX] {
        assert_eq!(
            code(setup.rpc.answers.set_proofs(SetId::new(0), limit)),
            9002
        );
        assert_eq!(
            code(setup.rpc.answers.stateless_set_proofs(SetId::new(0), limit)),
            9002
        );
    }
    let long = |_| Ok(Some(vec![0u8; MAX_LIST_BYTES / 2]));
    assert_eq!(bounded::<_, StoreError>((0..9).map(long)).unwrap().len(), 1);
    let huge = |_| Ok(Some(vec![0u8; 2 * MAX_LIST_BYTES]));
    assert_eq!(bounded::<_, StoreError>((0..9).map(huge)).unwrap().len(), 1);
}

#[test]
fn keys_of_known_sets_are_served() {
    let setup = proven();
    let bytes = setup.rpc.answers.keys(SetId::new(1)).unwrap().unwrap();
    let keys: Vec<Pk1Bytes> = decode(&bytes);
    assert!(Keyset::check(setup.sets[1].set.commitment(), &keys).is_ok());
    assert_eq!(setup.rpc.answers.keys(SetId::new(77)).unwrap(), None);
}

#[test]
fn the_genesis_proof_is_served_when_there_is_one() {
    let setup = setup();
    assert_eq!(code(setup.rpc.answers.genesis_proof()), 9005);
    let header = setup.chain.blocks().header(setup.genesis).unwrap();
    let proof = StartProof {
        header: header.encoded,
        nodes: vec![vec![2]],
        keys: Vec::new(),
    };
    setup.chain.store().put_first_set_proof(&proof).unwrap();
    let bytes = setup.rpc.answers.genesis_proof().unwrap();
    assert_eq!(decode::<StartProof>(&bytes), proof);
    let start = setup.rpc.answers.start_proof(Some(setup.genesis));
    assert_eq!(start.unwrap(), Some(bytes), "the genesis is a start, too");
}

/// LIGHT-1.
#[test]
fn the_proof_of_a_later_block_is_served_when_the_chain_took_duet_up_there() {
    let setup = setup();
    let answers = &setup.rpc.answers;
    assert_eq!(code(answers.start_proof(None)), 9005);
    let proof = StartProof {
        header: vec![1],
        nodes: vec![vec![2]],
        keys: Vec::new(),
    };
    setup.chain.store().put_first_set_proof(&proof).unwrap();
    for asked in [None, Some(proof.block_hash())] {
        let bytes = answers.start_proof(asked).unwrap().unwrap();
        assert_eq!(decode::<StartProof>(&bytes), proof);
    }
    assert_eq!(
        code(answers.genesis_proof()),
        9005,
        "it is of another block"
    );
}

/// LIGHT-1.
#[test]
fn the_sets_at_any_final_block_whose_state_is_here_are_proven() {
    let setup = setup();
    let answers = &setup.rpc.answers;
    let asked = |hash| answers.start_proof(Some(hash)).unwrap();
    let hash = setup.chain.push(&setup.sets[0], &setup.sets[0], &[]);
    let kept = StartProof {
        header: vec![1],
        nodes: Vec::new(),
        keys: Vec::new(),
    };
    setup.chain.store().put_first_set_proof(&kept).unwrap();
    let proof: StartProof = decode(&asked(hash).unwrap());
    assert_eq!(proof.block_hash(), hash, "not that which is kept");
    assert_eq!(proof.block_number(), Some(BlockNumber::new(1)));
    let read = [suite::KEYSETS_STORAGE_KEY, suite::ENDED_STORAGE_KEY];
    let nodes = read.map(|key| (hash, key.to_vec()).encode());
    assert_eq!(proof.nodes, nodes);
    assert_eq!(proof.keys, [secret(1).public().pk1()]);

    assert_eq!(asked(setup.genesis), None, "its state is gone");
    assert_eq!(asked(H256::repeat_byte(9)), None, "nobody knows it");
    assert_eq!(asked(setup.chain.fork()), None, "it is not final");
    *setup.reader.without_set.lock() = Some(hash);
    assert_eq!(asked(hash), None, "no set signs");
}

/// As [`setup`], on a node that began with set 2 at block 30 and has fetched the handoff of set 0.
fn fetching() -> (Setup, duet_light_client::testing::TestChain) {
    let (setup, past) = (setup(), duet_light_client::testing::TestChain::new(2, 4, 0));
    setup.links.missing.set(Some(Missing {
        below_set: SetId::new(2),
        below_block: BlockNumber::new(30),
    }));
    let store = setup.chain.store();
    store.put_fetched(&past.handoff_proofs(0, 1)[0]).unwrap();
    for _ in 0..40 {
        setup.chain.push(&setup.sets[2], &setup.sets[2], &[]);
    }
    (setup, past)
}

/// REQ-6.
#[test]
fn what_is_still_being_fetched_is_not_here_yet_and_has_a_code_of_its_own() {
    let (setup, past) = fetching();
    let (answers, set) = (&setup.rpc.answers, SetId::new(1));
    let block = BlockNumber::new(past.mandatory(1));
    assert_eq!(code(answers.genesis_proof()), 9006);
    assert_eq!(code(answers.set_proofs(set, 9)), 9006);
    assert_eq!(code(answers.stateless_set_proofs(set, 9)), 9006);
    assert_eq!(code(answers.justification(block)), 9006);
    assert_eq!(code(answers.stateless_proof(block)), 9006);
    assert_eq!(code(answers.keys(SetId::new(0))), 9006);

    assert_eq!(answers.set_proofs(SetId::new(2), 9).unwrap().0, [0]);
    assert_eq!(setup.justification(30), None);
    assert_eq!(answers.keys(SetId::new(2)).unwrap(), None);
    setup.links.missing.set(None);
    assert_eq!(code(answers.genesis_proof()), 9005);
    assert_eq!(answers.set_proofs(set, 9).unwrap().0, [0]);
    assert_eq!(setup.justification(past.mandatory(1)), None);
}

/// REQ-6.
#[test]
fn what_was_fetched_is_served_as_if_it_had_been_here_always() {
    let (setup, past) = fetching();
    let bytes = setup.rpc.answers.set_proofs(SetId::new(0), 9).unwrap();
    assert_eq!(bytes.0, past.handoff_proofs(0, 1).encode());
    let bytes = setup
        .rpc
        .answers
        .justification(BlockNumber::new(past.mandatory(0)))
        .unwrap()
        .unwrap();
    assert_eq!(bytes.0, past.handoff_proofs(0, 1)[0].justification.encode());
    let bytes = setup.rpc.answers.keys(SetId::new(1)).unwrap().unwrap();
    assert_eq!(bytes.0, past.keys(1).unwrap().encode());
}

fn extensions(deny: DenyUnsafe) -> Extensions {
    let mut extensions = Extensions::new();
    extensions.insert(deny);
    extensions
}

#[test]
fn generated_keys_come_with_a_proof_for_their_owner_on_this_chain() {
    let (setup, owner) = (setup(), AccountId::new([7; 32]));
    let ext = extensions(DenyUnsafe::No);
    let made = setup.rpc.generate_keys(&ext, owner.clone()).unwrap();
    let public: DualKeyBytes = decode(&made.public);
    let proof: PossessionProof = decode(&made.proof);
    let statement = ownership_statement(setup.genesis, &owner);
    assert!(public.check_possession(&statement, &proof).is_ok());
    let again = setup.rpc.prove_keys(&ext, made.public, owner).unwrap();
    assert_eq!(again, made.proof);
}

#[test]
fn keys_that_are_not_here_or_no_keys_are_not_proven() {
    let (setup, owner) = (setup(), AccountId::new([7; 32]));
    let ext = extensions(DenyUnsafe::No);
    let foreign = setup.sets[1].secrets[0].public().encode();
    for public in [foreign, vec![0; 143], vec![0; 145]] {
        let result = setup.rpc.prove_keys(&ext, public.into(), owner.clone());
        assert_eq!(code(result), 9004);
    }
}

#[test]
fn strangers_may_not_make_or_prove_keys() {
    let (setup, owner) = (setup(), AccountId::new([7; 32]));
    let ext = extensions(DenyUnsafe::Yes);
    assert!(setup.rpc.generate_keys(&ext, owner.clone()).is_err());
    let public = setup.sets[0].secrets[0].public().encode();
    assert!(setup.rpc.prove_keys(&ext, public.into(), owner).is_err());
}

#[test]
fn every_method_has_its_documented_name() {
    let module = setup().rpc.into_rpc();
    let mut names: Vec<_> = module.method_names().collect();
    names.sort_unstable();
    let expected = [
        "duet_generateKeys",
        "duet_getFinalizedHead",
        "duet_getGenesisProof",
        "duet_getJustification",
        "duet_getKeys",
        "duet_getLastJustification",
        "duet_getLastStatelessProof",
        "duet_getProofs",
        "duet_getReset",
        "duet_getSetProofs",
        "duet_getSigningRecords",
        "duet_getStartProof",
        "duet_getStatelessProof",
        "duet_getStatelessSetProofs",
        "duet_getWarpGenesis",
        "duet_getWarpProof",
        "duet_health",
        "duet_proveKeys",
        "duet_reportProof",
        "duet_roundState",
        "duet_subscribeFullerJustifications",
        "duet_subscribeJustifications",
        "duet_unsubscribeFullerJustifications",
        "duet_unsubscribeJustifications",
    ];
    assert_eq!(names, expected);
}

/// RESET-5.
#[test]
fn the_header_of_the_first_reset_after_a_set_is_served() {
    let setup = proven();
    let sets = [7, 9].map(|id| TestSet::new(id, id..id + 4));
    let headers = sets.clone().map(|set| {
        let (ended, commitment) = (
            SetId::new(set.set.commitment().id.get() - 1),
            set.set.commitment(),
        );
        let log = ConsensusLog::Reset {
            ended,
            set: commitment.clone(),
        };
        let hash = setup.chain.push(&set, &set, &[log]);
        let (block, _) = setup.chain.blocks().finalized();
        let reset = Reset {
            block,
            hash,
            ended,
            set: commitment.clone(),
        };
        setup.chain.store().put_reset(&reset).unwrap();
        setup.chain.store().put_reset(&reset).unwrap();
        setup.chain.blocks().header(hash).unwrap().encoded
    });
    assert_eq!(setup.chain.store().resets().unwrap().len(), 2);
    for (from, header) in [
        (0, Some(0)),
        (6, Some(0)),
        (7, Some(1)),
        (8, Some(1)),
        (9, None),
    ] {
        let served = setup.rpc.answers.reset(SetId::new(from)).unwrap();
        let expected: Option<usize> = header;
        assert_eq!(
            served.map(|bytes| bytes.0),
            expected.map(|at| headers[at].clone())
        );
    }
}

/// RESET-5: what a light client needs that was not there when the set proved its last block.
#[test]
fn the_last_proof_of_a_set_that_was_reset_is_served() {
    let setup = proven();
    let answers = &setup.rpc.answers;
    let full = |id| answers.last_justification(SetId::new(id)).unwrap();
    let stateless = |id| answers.last_stateless_proof(SetId::new(id)).unwrap();
    // The handoffs of the sets before, and the head.
    for id in 0..SETS {
        let block = u32::try_from(id).unwrap() + 1;
        assert_eq!(full(id), setup.justification(block));
        assert_eq!(stateless(id), setup.stateless_proof(block));
    }
    assert_eq!((full(SETS), stateless(SETS)), (None, None));

    let ended = &setup.sets[usize::try_from(SETS).unwrap() - 1];
    let new = TestSet::new(9, 9..13);
    let chain = setup.chain.chain();
    let last = full(SETS - 1).unwrap();
    let hash = setup.chain.push(&new, &new, &[]);
    let message = RoundMessage::new(
        setup.genesis,
        chain.commitment(chain.finalized().0).unwrap(),
    );
    let proof = new.justify(&message, 0..3).into_unchecked();
    chain.append(hash, proof.encode()).unwrap();
    setup.chain.store().put_best(&proof).unwrap();
    assert_eq!(full(SETS - 1), Some(last));
    assert_eq!(full(9), Some(proof.encode().into()));
    let served: StatelessProof = decode(&stateless(SETS - 1).unwrap());
    check_stateless(served, ended.set.commitment(), setup.genesis).unwrap();

    // Nothing that GRANDPA has not finalized here.
    let ahead = new.commitment(chain.finalized().0.get() + 1, &new.set);
    let ahead = new.justify(&RoundMessage::new(setup.genesis, ahead), 0..3);
    setup.chain.store().put_best(ahead.as_unchecked()).unwrap();
    assert_eq!(full(9), None);
}

/// RESET-5: headers below where a node began are what peers say, until they are the chain's.
#[test]
fn a_reset_in_a_block_that_is_not_the_chains_is_not_served() {
    let setup = proven();
    let set = TestSet::new(7, 7..11).set.commitment().clone();
    let (block, hash) = setup.chain.blocks().finalized();
    let mut reset = Reset {
        block,
        hash: H256::repeat_byte(0xee),
        ended: SetId::new(6),
        set,
    };
    setup.chain.store().put_unchecked_reset(&reset).unwrap();
    assert_eq!(setup.rpc.answers.reset(SetId::new(0)).unwrap(), None);
    reset.hash = hash;
    setup.chain.store().put_reset(&reset).unwrap();
    assert!(setup.rpc.answers.reset(SetId::new(0)).unwrap().is_some());
    reset.block = block.saturating_next();
    setup.chain.store().put_reset(&reset).unwrap();
    assert_eq!(
        setup.rpc.answers.reset(SetId::new(0)).unwrap(),
        None,
        "not final"
    );
}

/// FALSE-3.
#[test]
fn a_proof_that_is_handed_in_is_judged_and_a_false_one_is_filed() {
    let setup = proven();
    let (set, genesis) = (&setup.sets[0], setup.genesis);
    let block = BlockNumber::new(1);
    let truth = setup.rpc.answers.justification(block).unwrap().unwrap();
    let truth: UncheckedJustification = decode(&truth);
    let signed = |change: &dyn Fn(&mut duet_primitives::Commitment)| {
        let mut said = truth.commitment.clone();
        change(&mut said);
        let proof = set.justify(&RoundMessage::new(genesis, said), 0..3);
        Bytes(proof.into_unchecked().encode())
    };
    let judged = |proof: &Bytes| setup.rpc.answers.report_proof(proof);
    let waiting = || {
        let book = ReportBook::<FalseStatement>::new(&setup.chain.store());
        book.len().unwrap()
    };
    assert_eq!(judged(&signed(&|_| ())).unwrap(), Verdict::True);
    let next = setup.chain.blocks().finalized().0.saturating_next();
    let early = signed(&|said| said.block_number = next);
    assert_eq!(judged(&early).unwrap(), Verdict::Undecided);
    assert_eq!(waiting(), 0);
    // A false statement without punishable signers is reported to the caller, and not kept.
    let old = signed(&|said| said.block_hash = H256::repeat_byte(9));
    for status in [
        EvidenceStatus::Reported,
        EvidenceStatus::NotSlashable,
        EvidenceStatus::Invalid,
    ] {
        *setup.reader.status.lock() = Some(status);
        assert_eq!(judged(&old).unwrap(), Verdict::False);
        assert_eq!(waiting(), 0);
    }
    *setup.reader.status.lock() = Some(EvidenceStatus::New);
    let forked = signed(&|said| said.block_hash = H256::repeat_byte(1));
    let beyond = signed(&|said| said.block_number = BlockNumber::new(u32::MAX));
    for (proof, filed) in [(&forked, 1), (&forked, 1), (&beyond, 2)] {
        assert_eq!(judged(proof).unwrap(), Verdict::False);
        assert_eq!(waiting(), filed);
        // An older runtime does not support the question: then it is kept.
        *setup.reader.status.lock() = None;
    }

    let mut unsigned: UncheckedJustification = decode(&forked);
    unsigned.commitment.mmr_root = H256::zero();
    let mut foreign = unsigned.clone();
    foreign.commitment.validator_set_id = SetId::new(99);
    let bad = [unsigned.encode(), foreign.encode(), vec![1, 2, 3]];
    let rules = ["JUST-5", "set 99 is not known", "not a justification"];
    for (proof, rule) in bad.into_iter().zip(rules) {
        let error = judged(&Bytes(proof)).unwrap_err();
        assert_eq!(error.code(), 9009);
        assert!(error.message().contains(rule), "{}", error.message());
    }
    assert_eq!(waiting(), 2);
}

#[test]
fn the_nodes_own_code_gets_each_justification_once() {
    let setup = proven();
    let justification = setup.chain.store().best().unwrap().unwrap();
    let mut stream = setup.rpc.answers.links.justifications.subscribe(1);
    setup.links.subscribers.publish(justification.clone());
    assert_eq!(stream.next().now_or_never(), Some(Some(justification)));
    assert!(stream.next().now_or_never().is_none());
}

/// ROUND-9.
#[test]
fn a_proof_that_has_grown_is_served_by_every_method() {
    let Setup {
        chain,
        sets,
        rpc,
        genesis,
        ..
    } = proven();
    let block = BlockNumber::new(1);
    let served = || {
        let one: UncheckedJustification =
            decode(&rpc.answers.justification(block).unwrap().unwrap());
        let stateless: StatelessProof =
            decode(&rpc.answers.stateless_proof(block).unwrap().unwrap());
        let list: Vec<StatelessProof> =
            decode(&rpc.answers.stateless_set_proofs(SetId::new(0), 1).unwrap());
        let full: Vec<duet_gossip::source::HandoffProof> =
            decode(&rpc.answers.set_proofs(SetId::new(0), 1).unwrap());
        assert_eq!(list[0], stateless);
        assert_eq!(
            (&full[0].justification, &stateless.justification),
            (&one, &one)
        );
        let checked = check_stateless(stateless.clone(), sets[0].set.commitment(), genesis);
        assert!(checked.is_ok());
        (one.signers.count(), stateless.non_signers.len())
    };
    assert_eq!(served(), (3, 1));
    let commitment = chain.chain().commitment(block).unwrap();
    let grown = sets[0].justify(&RoundMessage::new(genesis, commitment), 0..4);
    let store = chain.store();
    store.put_fuller(grown.as_unchecked()).unwrap();
    store.put_fuller_handoff(grown.as_unchecked()).unwrap();
    assert_eq!(served(), (4, 0));
}

#[test]
fn health_says_what_is_proven_and_serves_the_evidence() {
    let setup = proven();
    let health = setup.rpc.answers.health().unwrap();
    let expected = Health {
        best_proven: Some(BlockNumber::new(3)),
        best_proven_age: None,
        finalized: BlockNumber::new(3),
        active: None,
        voting: false,
        stopped: None,
        diverged: Vec::new(),
    };
    assert_eq!(health, expected);
    let json = serde_json::to_value(&health).unwrap();
    assert_eq!(
        json,
        serde_json::json!({ "bestProven": 3, "bestProvenAge": null, "finalized": 3, "active": null, "voting": false, "stopped": null, "diverged": [] })
    );

    setup.links.voting.set(true);
    setup.links.activity.set(Some(false));
    let store = setup.chain.store();
    let best = store.best().unwrap().unwrap();
    let one = Divergence {
        finalized: Some(H256::repeat_byte(1)),
        justification: best.clone(),
        acknowledged: true,
    };
    store.put_divergences(&[one]).unwrap();
    let health = setup.rpc.answers.health().unwrap();
    assert!(health.voting);
    assert_eq!(health.active, Some(false));
    let [one] = &health.diverged[..] else {
        panic!("there is one");
    };
    assert_eq!(decode::<UncheckedJustification>(&one.evidence), best);
    let json = serde_json::to_value(one).unwrap();
    assert_eq!(
        json,
        serde_json::json!({
            "block": 3,
            "finalized": H256::repeat_byte(1),
            "proven": best.commitment.block_hash,
            "setId": 2,
            "signers": 3,
            "acknowledged": true,
            "evidence": one.evidence,
        })
    );
}

/// The unreadable entry is the reason for the stop, and does not prevent the answer.
#[test]
fn a_node_that_takes_no_part_says_why() {
    let setup = proven();
    setup.links.voting.set(true);
    for key in ["duet/v1/best/", "duet/v1/diverged/"] {
        let (backend, key) = (&setup.chain.backend, key.as_bytes());
        backend.insert_aux(&[(key, &[0xff][..])], &[]).unwrap();
    }
    assert!(
        setup.rpc.answers.health().is_err(),
        "the worker did not find it yet"
    );
    setup.links.voting.stop("a reason".into());
    let health = setup.rpc.answers.health().unwrap();
    assert_eq!((health.voting, health.best_proven), (false, None));
    assert_eq!(health.stopped.as_deref(), Some("a reason"));
}

#[test]
fn before_anything_is_proven_the_health_says_so() {
    let health = setup().rpc.answers.health().unwrap();
    assert_eq!((health.best_proven, health.voting), (None, false));
}

#[test]
fn signing_records_are_those_of_the_finalized_block_and_are_read_once() {
    let setup = setup();
    let (_, finalized) = setup.chain.blocks().finalized();
    let expected = |block: H256, asked| Record {
        validator: AccountId::new(block.0),
        signed: asked,
        handoffs: 3,
    };
    for _ in 0..2 {
        let records = setup.rpc.answers.signing_records().unwrap();
        assert_eq!(records, [expected(finalized, 0)]);
    }
    let set = &setup.sets[0];
    let newer = setup.chain.push(set, set, &[]);
    let records = setup.rpc.answers.signing_records().unwrap();
    assert_eq!(records, [expected(newer, 1)]);
}

#[test]
fn the_round_state_is_what_the_worker_knows_in_numbers_and_hex() {
    let setup = proven();
    let key = setup.sets[0].set.keyset().key_bytes()[2];
    let block = BlockNumber::new;
    let round = |number| RoundView {
        block: block(number),
        votes: 2,
        agreeing: 1,
        own_vote: true,
        open_for: 70,
    };
    let view = VotesView {
        set: SetId::new(3),
        members: 3,
        threshold: 3,
        own: Some(SignerIndex::new(1)),
        best_proven: block(3),
        target: Some(block(90)),
        mandatory: None,
        rounds: (51..=90).map(round).collect(),
        newest: Some(block(90)),
        voted: vec![SignerIndex::new(0), SignerIndex::new(1)],
        missing: vec![MissingMember {
            signer: SignerIndex::new(2),
            key,
            last: Some((block(3), 4_000)),
        }],
    };
    let questions = setup.links.questions.clone();
    let worker = std::thread::spawn(move || {
        for answer in [None, Some(view)] {
            let question = questions.recv_blocking().unwrap();
            question.send(answer).unwrap();
        }
    });
    assert_eq!(setup.rpc.answers.round_state().unwrap(), None);
    let state = setup.rpc.answers.round_state().unwrap().unwrap();
    worker.join().unwrap();
    let rounds: Vec<_> = state.rounds.iter().map(|round| round.block.get()).collect();
    assert_eq!(rounds, (59..=90).collect::<Vec<_>>(), "the highest");
    let mut json = serde_json::to_value(&state).unwrap();
    json["rounds"].as_array_mut().unwrap().truncate(1);
    assert_eq!(
        json,
        serde_json::json!({
            "setId": 3, "members": 3, "threshold": 3, "own": 1, "bestProven": 3, "finalized": 3, "target": 90, "mandatory": null,
            "rounds": [{ "block": 59, "votes": 2, "agreeing": 1, "ownVote": true, "openForMs": 70 }],
            "newest": 90, "voted": [0, 1],
            "missing": [{ "position": 2, "key": key.to_string(), "lastVoted": 3, "silentForMs": 4000 }],
        })
    );
}

#[test]
fn a_worker_that_is_gone_gives_no_round_state_and_an_error_code() {
    let Setup { rpc, links, .. } = setup();
    drop(links);
    assert_eq!(code(rpc.answers.round_state()), 9011);
}
