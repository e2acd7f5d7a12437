//! Compares the cost of a submission in this pallet and in the SDK's GRANDPA bridge pallet, in WASM.
//!
//! ```text
//! cargo run -p duet-bridge-weights --example compare -- duet_bridge_weights.wasm
//! ```
//!
//! Each row is a header that all of the Duet set signed, beside the same one with as many precommits as GRANDPA needs,
//! all of them for this header. Times are medians over rounds in which every call runs once, less the time of an empty
//! call.

use bp_runtime::BasicOperatingMode;
use bp_test_utils::{
    accounts, make_justification_for_header, JustificationGeneratorParams, TEST_GRANDPA_ROUND,
    TEST_GRANDPA_SET_ID,
};
use codec::{Decode, Encode};
use duet_bridge_weights::{
    BridgeDuet, BridgeGrandpa, Header, RuntimeCall, RuntimeGenesisConfig, RuntimeOrigin,
};
use duet_primitives::{
    prepare_stateless, testing::TestSet, Commitment, Keysets, RoundMessage, SetId, StatelessProof,
    H256,
};
use pallet_bridge_duet::InitializationData;
use sc_executor::WasmExecutor;
use sp_consensus_grandpa::{ConsensusLog, ScheduledChange, GRANDPA_ENGINE_ID};
use sp_core::traits::{CallContext, CodeExecutor, Externalities, RuntimeCode, WrappedRuntimeCode};
use sp_io::{SubstrateHostFunctions, TestExternalities};
use sp_runtime::{
    traits::{Dispatchable, Header as _},
    BuildStorage, Digest, DigestItem,
};
use std::time::{Duration, Instant};

const ROUNDS: usize = 25;
const SETS: [u16; 4] = [20, 100, 300, 1000];

/// A chain with one call to make.
struct Case {
    chain: TestExternalities,
    call: Vec<u8>,
    /// Bytes of the nodes of the state that the call reads.
    proof: usize,
    times: Vec<Duration>,
}

impl Case {
    fn new(set_up: impl FnOnce(), call: RuntimeCall) -> Self {
        let storage = RuntimeGenesisConfig::default().build_storage();
        let mut chain = TestExternalities::new(storage.expect("genesis"));
        chain.execute_with(set_up);
        chain.commit_all().expect("a state");
        let encoded = call.encode();
        let account = RuntimeOrigin::signed([1; 32].into());
        let (done, proof) = chain.execute_and_prove(|| {
            sp_io::storage::start_transaction();
            let done = call.dispatch(account);
            sp_io::storage::rollback_transaction();
            done
        });
        done.expect("the call holds");
        Self {
            chain,
            call: encoded,
            proof: proof.encoded_size(),
            times: Vec::new(),
        }
    }

    fn median(&mut self) -> Duration {
        self.times.sort_unstable();
        self.times[self.times.len() / 2]
    }

    /// Half of what lies between the quartiles, in percent of the median.
    fn spread(&mut self) -> f64 {
        let median = self.median();
        let quarter = self.times.len() / 4;
        let between = self.times[self.times.len() - 1 - quarter] - self.times[quarter];
        50.0 * between.as_secs_f64() / median.as_secs_f64()
    }
}

fn main() {
    let path = std::env::args().nth(1).expect("the path of the runtime");
    let wasm = std::fs::read(path).expect("the runtime");
    let fetcher = WrappedRuntimeCode(wasm.into());
    let code = RuntimeCode {
        code_fetcher: &fetcher,
        heap_pages: None,
        hash: vec![1],
    };
    let executor = WasmExecutor::<SubstrateHostFunctions>::builder().build();
    let remark = || RuntimeCall::System(frame_system::Call::remark { remark: Vec::new() });
    let mut cases = vec![Case::new(|| (), remark())];
    for len in SETS {
        for is_mandatory in [false, true] {
            cases.extend(duet(len, is_mandatory));
            cases.push(grandpa(len, is_mandatory));
        }
    }
    // The first round is for the caches.
    for round in 0..=ROUNDS {
        for case in &mut cases {
            let time = run(&executor, &code, case);
            if round > 0 {
                case.times.push(time);
            }
        }
    }
    print(&mut cases);
}

fn run(
    executor: &WasmExecutor<SubstrateHostFunctions>,
    code: &RuntimeCode,
    case: &mut Case,
) -> Duration {
    let argument = case.call.encode();
    let mut ext = case.chain.ext();
    ext.storage_start_transaction();
    let begin = Instant::now();
    let (answer, _) = executor.call(
        &mut ext,
        code,
        "Compare_dispatch",
        &argument,
        CallContext::Onchain { import: false },
    );
    let time = begin.elapsed();
    ext.storage_rollback_transaction().expect("it was started");
    let answer = answer.expect("the runtime has the method");
    assert_eq!(bool::decode(&mut &*answer), Ok(true), "the call holds");
    time
}

fn header(number: u32, digest: Digest) -> Header {
    let zero = H256::zero();
    Header::new(number, zero, zero, zero, digest)
}

/// Without a witness of the equation, and with one.
fn duet(len: u16, is_mandatory: bool) -> [Case; 2] {
    let set = TestSet::new(0, 0..len.into());
    let next = TestSet::new(1, 1..u64::from(len) + 1);
    let next = if is_mandatory { &next } else { &set };
    let header_1 = header(1, Digest::default());
    let said = Commitment {
        block_hash: header_1.hash(),
        ..set.commitment(1, &next.set)
    };
    let message = RoundMessage::new(H256::zero(), said);
    let justification = set.justify(&message, 0..len.into());
    let proof = StatelessProof::new(&justification, set.set.keyset()).expect("of the set");
    let data = InitializationData {
        header: Box::new(header(0, Digest::default())),
        genesis_hash: H256::zero(),
        keysets: Keysets::without_successor(set.set.commitment().clone()),
        trusting_period: u64::MAX,
        operating_mode: BasicOperatingMode::Normal,
    };
    let prepared = prepare_stateless(proof.clone(), set.set.commitment(), H256::zero(), None);
    let witness = prepared.expect("of the set").witness();
    let (finality_target, proof) = (Box::new(header_1), Box::new(proof));
    let current_set_id = SetId::new(0);
    let plain = pallet_bridge_duet::Call::submit_finality_proof_ex {
        finality_target: finality_target.clone(),
        proof: proof.clone(),
        current_set_id,
        is_free_execution_expected: false,
    };
    let by_witness = pallet_bridge_duet::Call::submit_finality_proof_by_witness {
        finality_target,
        proof,
        current_set_id,
        is_free_execution_expected: false,
        witness: Box::new(witness),
    };
    [plain, by_witness].map(|call| {
        let data = data.clone();
        Case::new(
            || BridgeDuet::initialize(RuntimeOrigin::root(), data).expect("by root"),
            RuntimeCall::BridgeDuet(call),
        )
    })
}

fn grandpa(len: u16, is_mandatory: bool) -> Case {
    let all: Vec<_> = accounts(len)
        .into_iter()
        .map(|account| (account, 1))
        .collect();
    let list: Vec<_> = all
        .iter()
        .map(|(account, weight)| ((*account).into(), *weight))
        .collect();
    let change = ConsensusLog::ScheduledChange(ScheduledChange {
        next_authorities: list.clone(),
        delay: 0_u32,
    });
    let logs = if is_mandatory {
        vec![DigestItem::Consensus(GRANDPA_ENGINE_ID, change.encode())]
    } else {
        Vec::new()
    };
    let header_1 = header(1, Digest { logs });
    let needed = usize::from(len) - (usize::from(len) - 1) / 3;
    let justification = make_justification_for_header(JustificationGeneratorParams {
        header: header_1.clone(),
        round: TEST_GRANDPA_ROUND,
        set_id: TEST_GRANDPA_SET_ID,
        authorities: all[..needed].to_vec(),
        ancestors: 0,
        forks: 1,
    });
    let data = bp_header_chain::InitializationData {
        header: Box::new(header(0, Digest::default())),
        authority_list: list,
        set_id: TEST_GRANDPA_SET_ID,
        operating_mode: BasicOperatingMode::Normal,
    };
    let call = pallet_bridge_grandpa::Call::submit_finality_proof_ex {
        finality_target: Box::new(header_1),
        justification,
        current_set_id: TEST_GRANDPA_SET_ID,
        is_free_execution_expected: false,
    };
    Case::new(
        || {
            BridgeGrandpa::initialize(RuntimeOrigin::root(), data).expect("by root");
        },
        RuntimeCall::BridgeGrandpa(call),
    )
}

fn print(cases: &mut [Case]) {
    let [empty, rest @ ..] = cases else { return };
    let base = empty.median();
    println!("| validators | header | witness | time, GRANDPA / Duet | spread, Duet | GRANDPA | call, Duet | GRANDPA | state read, Duet | GRANDPA |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (of_size, len) in rest.chunks_mut(6).zip(SETS) {
        for (of_kind, kind) in of_size.chunks_mut(3).zip(["any", "mandatory"]) {
            let [own @ .., grandpa] = of_kind else { return };
            let other = grandpa.median() - base;
            for (duet, witness) in own.iter_mut().zip(["no", "yes"]) {
                let one = duet.median() - base;
                println!(
                    "| {len} | {kind} | {witness} | {:.2} | {:.1} % | {:.1} % | {} | {} | {} | {} |",
                    other.as_secs_f64() / one.as_secs_f64(),
                    duet.spread(),
                    grandpa.spread(),
                    duet.call.len(),
                    grandpa.call.len(),
                    duet.proof,
                    grandpa.proof,
                );
                eprintln!(
                    "{len} {kind} {witness}: Duet {one:?}, GRANDPA {other:?}, empty {base:?}"
                );
            }
        }
    }
}
