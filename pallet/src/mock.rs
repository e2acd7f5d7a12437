//! A runtime with sessions, balances and offences, whose validators and clock the tests move.

use crate::{self as pallet_duet, OnHandoff, SessionHandler};
use codec::{Decode, Encode};
use duet_primitives::{
    ownership_statement,
    suite::ENGINE_ID,
    testing::{secret, TestSet},
    BlockNumber, ConsensusLog, DualKeyBytes, EquivocationProof, PossessionProof, RoundMessage,
    SetId, H256,
};
use frame_support::{
    derive_impl, parameter_types,
    traits::{fungible::Mutate, ConstU64, FindAuthor, OnInitialize},
    weights::Weight,
};
use pallet_session::{PeriodicSessions, SessionManager, TestSessionHandler};
use sp_runtime::{
    generic::{Digest, DigestItem},
    impl_opaque_keys,
    testing::UintAuthorityId,
    traits::Convert,
    BuildStorage, ConsensusEngineId, Perbill,
};
use sp_staking::{
    offence::{OffenceDetails, OnOffenceHandler},
    SessionIndex,
};
use std::collections::BTreeMap;

/// The parent hash of block 1.
pub(crate) const GENESIS: H256 = H256::repeat_byte(7);
/// The author of every block.
pub(crate) const AUTHOR: u64 = 77;
/// The deposit for a key.
pub(crate) const DEPOSIT: u64 = 10;
/// This account is not bonded.
pub(crate) const NOT_BONDED: u64 = 500;
/// Accounts from here on have no funds.
pub(crate) const NOT_ENDOWED: u64 = 100;

const PERIOD: u64 = 3;
const AUTHOR_ENGINE: ConsensusEngineId = *b"TEST";

frame_support::construct_runtime!(
    pub enum Test {
        System: frame_system,
        Balances: pallet_balances,
        Offences: pallet_offences,
        Duet: pallet_duet,
        Session: pallet_session,
    }
);

type Block = frame_system::mocking::MockBlock<Test>;
type Identified = (u64, ());

impl_opaque_keys! {
    pub struct TestKeys {
        pub dummy: UintAuthorityId,
    }
}

parameter_types! {
    /// The validators of the next planned session.
    pub static Elected: Vec<u64> = Vec::new();
    /// The calls of the runtime's other session handlers.
    pub static Heard: Vec<&'static str> = Vec::new();
    /// Punished offenders: offender, reporter, fraction, session.
    pub static Punished: Vec<(u64, Vec<u64>, Perbill, SessionIndex)> = Vec::new();
    pub static MaxValidators: u32 = 5;
    pub static ValidatorsPerBlock: u32 = 20;
    pub static SlashableSessions: SessionIndex = 3;
    pub static MinParticipation: Perbill = Perbill::zero();
    pub static AwaitHandoff: bool = false;
    pub static MinDelta: u32 = 1;
    pub static TrustingPeriod: u64 = 1000;
    /// The signers and non-signers of sets' handoffs.
    pub static Told: Vec<(SetId, Vec<u64>, Vec<u64>)> = Vec::new();
    /// Each validator's stake; empty if nobody has any.
    pub static Stakes: BTreeMap<u64, u128> = BTreeMap::new();
    pub MmrRoot: H256 = H256::repeat_byte(9);
    pub LeafExtra: H256 = H256::repeat_byte(8);
}

#[derive_impl(frame_system::config_preludes::TestDefaultConfig)]
impl frame_system::Config for Test {
    type Block = Block;
    type AccountData = pallet_balances::AccountData<u64>;
}

#[derive_impl(pallet_balances::config_preludes::TestDefaultConfig)]
impl pallet_balances::Config for Test {
    type AccountStore = System;
}

impl pallet_offences::Config for Test {
    type RuntimeEvent = RuntimeEvent;
    type IdentificationTuple = Identified;
    type OnOffenceHandler = Recorder;
}

/// A mock of staking.
pub struct Recorder;

impl OnOffenceHandler<u64, Identified, Weight> for Recorder {
    fn on_offence(
        offenders: &[OffenceDetails<u64, Identified>],
        fractions: &[Perbill],
        session: SessionIndex,
    ) -> Weight {
        Punished::mutate(|punished| {
            for (details, fraction) in offenders.iter().zip(fractions) {
                let reporters = details.reporters.clone();
                punished.push((details.offender.0, reporters, *fraction, session));
            }
        });
        Weight::zero()
    }
}

/// Elects the validators chosen by the test.
pub struct Manager;

impl SessionManager<u64> for Manager {
    fn new_session(_: SessionIndex) -> Option<Vec<u64>> {
        Some(Elected::get())
    }
    fn start_session(_: SessionIndex) {}
    fn end_session(_: SessionIndex) {}
}

/// The runtime's other session handlers: records the calls.
pub struct Listener;

impl pallet_session::SessionHandler<u64> for Listener {
    const KEY_TYPE_IDS: &'static [sp_runtime::KeyTypeId] =
        <TestSessionHandler as pallet_session::SessionHandler<u64>>::KEY_TYPE_IDS;

    fn on_genesis_session<Ks: sp_runtime::traits::OpaqueKeys>(_: &[(u64, Ks)]) {
        Heard::mutate(|heard| heard.push("genesis"));
    }
    fn on_new_session<Ks: sp_runtime::traits::OpaqueKeys>(
        _: bool,
        _: &[(u64, Ks)],
        _: &[(u64, Ks)],
    ) {
        Heard::mutate(|heard| heard.push("new"));
    }
    fn on_before_session_ending() {
        Heard::mutate(|heard| heard.push("ending"));
    }
    fn on_disabled(_: u32) {
        Heard::mutate(|heard| heard.push("disabled"));
    }
}

/// Every account is its own validator id, except [`NOT_BONDED`].
pub struct Bonded;

impl Convert<u64, Option<u64>> for Bonded {
    fn convert(account: u64) -> Option<u64> {
        (account != NOT_BONDED).then_some(account)
    }
}

impl pallet_session::Config for Test {
    type RuntimeEvent = RuntimeEvent;
    type ValidatorId = u64;
    type ValidatorIdOf = Bonded;
    type ShouldEndSession = PeriodicSessions<ConstU64<PERIOD>, ConstU64<0>>;
    type NextSessionRotation = PeriodicSessions<ConstU64<PERIOD>, ConstU64<0>>;
    type SessionManager = Manager;
    type SessionHandler = SessionHandler<Test, Listener>;
    type Keys = TestKeys;
    type DisablingStrategy = ();
    type WeightInfo = ();
    type Currency = Balances;
    type KeyDeposit = ConstU64<0>;
}

/// Records the chain's reports of handoffs.
pub struct Teller;

impl OnHandoff<u64> for Teller {
    fn on_handoff(set: SetId, signed: &[u64], missed: &[u64]) {
        Told::mutate(|told| told.push((set, signed.to_vec(), missed.to_vec())));
    }
}

/// The stake that the test assigned to a validator.
pub struct StakeOf;

impl Convert<u64, u128> for StakeOf {
    fn convert(validator: u64) -> u128 {
        Stakes::get().get(&validator).copied().unwrap_or(0)
    }
}

/// Reads the author from the digest.
pub struct AuthorInDigest;

impl FindAuthor<u64> for AuthorInDigest {
    fn find_author<'a, I>(digests: I) -> Option<u64>
    where
        I: 'a + IntoIterator<Item = (ConsensusEngineId, &'a [u8])>,
    {
        let (_, mut data) = digests
            .into_iter()
            .find(|(engine, _)| *engine == AUTHOR_ENGINE)?;
        u64::decode(&mut data).ok()
    }
}

#[derive_impl(crate::config_preludes::TestDefaultConfig<Test>)]
impl pallet_duet::Config for Test {
    type KeyDeposit = ConstU64<DEPOSIT>;
    type MaxValidators = MaxValidators;
    type ValidatorsPerBlock = ValidatorsPerBlock;
    type SlashableSessions = SlashableSessions;
    type TrustingPeriod = TrustingPeriod;
    type MinParticipation = MinParticipation;
    type StakeOf = StakeOf;
    type AwaitHandoff = AwaitHandoff;
    type MinDelta = MinDelta;
    type OnHandoff = Teller;
    type MmrRoot = MmrRoot;
    type LeafExtra = LeafExtra;
    type ReportOffence = Offences;
    type FindAuthor = AuthorInDigest;
    type BenchmarkHelper = Endow;
}

/// Gives benchmarks' accounts funds for the deposit.
pub struct Endow;

impl pallet_duet::BenchmarkHelper<u64> for Endow {
    fn make_validator(account: &u64) {
        let endowed = <Balances as Mutate<u64>>::mint_into(account, 1_000);
        assert_eq!(endowed, Ok(1_000));
    }
}

/// The key of account `n`.
pub(crate) fn key(n: u64) -> DualKeyBytes {
    secret(n).public()
}

/// A proof that names `account` for the key of account `n`.
pub(crate) fn proof(n: u64, account: u64) -> PossessionProof {
    secret(n).prove_possession(&ownership_statement(GENESIS, &account))
}

/// The same for a key of the genesis.
pub(crate) fn genesis_proof(n: u64, account: u64) -> PossessionProof {
    secret(n).prove_possession(&ownership_statement(H256::zero(), &account))
}

/// Registers the key of account `n` for account `n`.
pub(crate) fn register(n: u64) {
    register_key_of(n, n);
}

/// Registers the key of account `n` for `account`.
pub(crate) fn register_key_of(n: u64, account: u64) {
    let origin = RuntimeOrigin::signed(account);
    assert_eq!(
        Duet::register_keys(origin, key(n), proof(n, account)),
        Ok(())
    );
}

/// The genesis of a chain with these validators, the first `with_keys` of which have Duet keys.
pub(crate) fn genesis(validators: &[u64], with_keys: usize) -> RuntimeGenesisConfig {
    Elected::set(validators.to_vec());
    let session_keys = |v: u64| {
        (
            v,
            v,
            TestKeys {
                dummy: UintAuthorityId(v),
            },
        )
    };
    let others = (1..20).filter(|v| !validators.contains(v));
    RuntimeGenesisConfig {
        balances: pallet_balances::GenesisConfig {
            balances: (1..NOT_ENDOWED).map(|v| (v, 1_000)).collect(),
            ..Default::default()
        },
        session: pallet_session::GenesisConfig {
            keys: validators.iter().copied().map(session_keys).collect(),
            non_authority_keys: others.map(session_keys).collect(),
        },
        duet: pallet_duet::GenesisConfig {
            keys: validators[..with_keys]
                .iter()
                .map(|v| (*v, key(*v), genesis_proof(*v, *v)))
                .collect(),
            inactive: false,
        },
        ..Default::default()
    }
}

/// A chain for benchmarks at its genesis, as for frame-omni-bencher, with a largest set too big for one block.
pub(crate) fn for_benchmarks() -> sp_io::TestExternalities {
    ValidatorsPerBlock::set(3);
    sp_io::TestExternalities::new(genesis(&[1], 0).build_storage().expect("good"))
}

/// Runs a test in block 1 of a chain, and checks the invariants at its end.
pub(crate) fn on(genesis: RuntimeGenesisConfig, test: impl FnOnce()) {
    let mut ext = sp_io::TestExternalities::new(genesis.build_storage().expect("a good genesis"));
    ext.execute_with(|| {
        next_block();
        test();
        assert_eq!(crate::invariants::check::<Test>(), Ok(()));
    });
}

/// Runs a test on a chain whose validators all have keys.
pub(crate) fn with(validators: &[u64], test: impl FnOnce()) {
    on(genesis(validators, validators.len()), test);
}

/// Starts the next block.
pub(crate) fn next_block() {
    let number = System::block_number() + 1;
    let parent = if number == 1 {
        GENESIS
    } else {
        H256::from_low_u64_be(number)
    };
    let author = DigestItem::PreRuntime(AUTHOR_ENGINE, AUTHOR.encode());
    System::reset_events();
    System::initialize(&number, &parent, &Digest { logs: vec![author] });
    AllPalletsWithSystem::on_initialize(number);
}

/// Starts the block with which the next session begins; returns its header's announcements.
pub(crate) fn next_session() -> Vec<ConsensusLog> {
    let session = Session::current_index();
    while Session::current_index() == session {
        next_block();
    }
    assert_eq!(crate::invariants::check::<Test>(), Ok(()));
    logs()
}

/// Starts the next `count` sessions.
pub(crate) fn sessions(count: u32) {
    for _ in 0..count {
        next_session();
    }
}

/// The announcements in this block's header.
pub(crate) fn logs() -> Vec<ConsensusLog> {
    let digest = System::digest();
    let ours = digest.logs().iter().filter_map(|item| match item {
        DigestItem::Consensus(ENGINE_ID, data) => Some(data),
        _ => None,
    });
    ours.map(|data| ConsensusLog::decode(&mut &data[..]).expect("our log"))
        .collect()
}

/// This block's events of the pallet.
pub(crate) fn events() -> Vec<pallet_duet::Event<Test>> {
    let ours = System::events()
        .into_iter()
        .filter_map(|record| match record.event {
            RuntimeEvent::Duet(event) => Some(event),
            _ => None,
        });
    ours.collect()
}

/// Evidence that account `offender`, a member of `set`, signed two statements about a block.
pub(crate) fn evidence(set: &TestSet, offender: u64, block: BlockNumber) -> EquivocationProof {
    evidence_on(GENESIS, set, offender, block)
}

/// The same on the chain with another genesis.
pub(crate) fn evidence_on(
    genesis: H256,
    set: &TestSet,
    offender: u64,
    block: BlockNumber,
) -> EquivocationProof {
    let signer = set
        .set
        .keyset()
        .position(&key(offender).pk1())
        .expect("a member");
    let said = set.commitment(block.get(), &set.set);
    let mut other = said.clone();
    other.mmr_root = H256::repeat_byte(0xee);
    let vote = |commitment| {
        let message = RoundMessage::new(genesis, commitment);
        set.vote(signer.get(), &message)
            .expect("a member's vote holds")
    };
    EquivocationProof::new(set.set.keyset(), &vote(said), &vote(other)).expect("two commitments")
}
