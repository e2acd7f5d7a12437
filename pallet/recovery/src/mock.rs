//! A runtime with sessions, balances, offences and Duet, whose validators and clock the tests move.

use crate as pallet_duet_recovery;
use codec::Encode;
use duet_primitives::{
    ownership_statement, recovery_ownership_statement, suite::ENGINE_ID, testing::secret,
    BlockNumber, ConsensusLog, Drill, KeysetCommitment, Pk1Bytes, PossessionProof, SecretKey,
    SetId, H256,
};
use frame_support::{
    derive_impl, parameter_types,
    traits::{fungible::Mutate, ConstU64, OnFinalize, OnInitialize},
    weights::Weight,
};
use pallet_duet::SessionHandler;
use pallet_duet_recovery::RecoveryOffence;
use pallet_session::{PeriodicSessions, SessionManager, TestSessionHandler};
use sp_runtime::{
    generic::{Digest, DigestItem},
    impl_opaque_keys,
    testing::UintAuthorityId,
    traits::Convert,
    BuildStorage, Perbill,
};
use sp_staking::{
    offence::{OffenceDetails, OffenceError, OnOffenceHandler, ReportOffence},
    SessionIndex,
};
use std::collections::BTreeMap;

/// The parent hash of block 1.
pub(crate) const GENESIS: H256 = H256::repeat_byte(7);
/// The deposit for a recovery key.
pub(crate) const DEPOSIT: u64 = 10;
/// This account is not bonded.
pub(crate) const NOT_BONDED: u64 = 50;
/// The secret of an account's recovery key has the account's number and this in the test keyring.
const OFFLINE: u64 = 100;
/// Blocks in a session.
const PERIOD: u64 = 3;

frame_support::construct_runtime!(
    pub enum Test {
        System: frame_system,
        Balances: pallet_balances,
        Offences: pallet_offences,
        Duet: pallet_duet,
        Session: pallet_session,
        DuetRecovery: pallet_duet_recovery,
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
    /// Punished offenders: offender, reporter, fraction, session.
    pub static Punished: Vec<(u64, Vec<u64>, Perbill, SessionIndex)> = Vec::new();
    /// Whether reports are dropped in silence, as staking's filter drops old ones.
    pub static DropsReports: bool = false;
    pub static ValidatorsPerBlock: u32 = 20;
    pub static SlashableSessions: SessionIndex = 3;
    pub static MinParticipation: Perbill = Perbill::from_rational(2u32, 3);
    pub static Delay: u64 = 120;
    pub static DrillPeriod: SessionIndex = 4;
    pub static KeyDeposit: u64 = DEPOSIT;
    /// Each validator's stake; empty if nobody has any.
    pub static Stakes: BTreeMap<u64, u128> = BTreeMap::new();
    pub MmrRoot: H256 = H256::repeat_byte(9);
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

/// A mock of staking's filter.
pub struct Filter;

impl ReportOffence<u64, Identified, RecoveryOffence<Identified>> for Filter {
    fn report_offence(
        reporters: Vec<u64>,
        offence: RecoveryOffence<Identified>,
    ) -> Result<(), OffenceError> {
        if DropsReports::get() {
            return Ok(());
        }
        Offences::report_offence(reporters, offence)
    }

    fn is_known_offence(offenders: &[Identified], slot: &pallet_duet::TimeSlot) -> bool {
        <Offences as ReportOffence<u64, Identified, RecoveryOffence<Identified>>>::is_known_offence(
            offenders, slot,
        )
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
    type SessionHandler = SessionHandler<Test, TestSessionHandler>;
    type Keys = TestKeys;
    type DisablingStrategy = ();
    type WeightInfo = ();
    type Currency = Balances;
    type KeyDeposit = ConstU64<0>;
}

/// The stake that the test assigned to a validator.
pub struct StakeOf;

impl Convert<u64, u128> for StakeOf {
    fn convert(validator: u64) -> u128 {
        Stakes::get().get(&validator).copied().unwrap_or(0)
    }
}

#[derive_impl(pallet_duet::config_preludes::TestDefaultConfig<Test>)]
impl pallet_duet::Config for Test {
    type ValidatorsPerBlock = ValidatorsPerBlock;
    type SlashableSessions = SlashableSessions;
    type MinParticipation = MinParticipation;
    type StakeOf = StakeOf;
    type MmrRoot = MmrRoot;
    type ReportOffence = Offences;
    #[cfg(feature = "runtime-benchmarks")]
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

impl pallet_duet_recovery::Config for Test {
    type Currency = Balances;
    type KeyDeposit = KeyDeposit;
    type Delay = Delay;
    type DrillPeriod = DrillPeriod;
    type ReportOffence = Filter;
    type WeightInfo = pallet_duet_recovery::SubstrateWeight<Test>;
    type BenchmarkHelper = Endow;
}

/// The recovery key number `n`, which account `n` usually has.
pub(crate) fn offline(n: u64) -> SecretKey {
    secret(OFFLINE + n)
}

/// Its half in G1.
pub(crate) fn pk1(n: u64) -> Pk1Bytes {
    offline(n).public().pk1()
}

/// A proof that names `account` for recovery key `n`.
pub(crate) fn proof(n: u64, account: u64) -> PossessionProof {
    offline(n).prove_recovery_possession(&recovery_ownership_statement(GENESIS, &account))
}

/// Registers recovery key `n` for `account`.
pub(crate) fn register_key_of(n: u64, account: u64) {
    let origin = RuntimeOrigin::signed(account);
    let registered = DuetRecovery::register_key(origin, offline(n).public(), proof(n, account));
    assert_eq!(registered, Ok(()));
}

/// The drill of recovery key `n` for `account` over the last block.
pub(crate) fn drill_of(n: u64, account: u64) -> Drill {
    let number = u32::try_from(System::block_number() - 1).unwrap();
    let number = BlockNumber::new(number);
    Drill::sign(
        &offline(n),
        GENESIS,
        &account,
        number,
        System::parent_hash(),
    )
}

/// Account `n` drills with its key `n`.
pub(crate) fn drill(n: u64) {
    let origin = RuntimeOrigin::signed(n);
    assert_eq!(DuetRecovery::drill(origin, drill_of(n, n)), Ok(()));
}

/// Accounts register the recovery keys of their numbers, and drill.
pub(crate) fn make_ready(accounts: &[u64]) {
    for n in accounts {
        register_key_of(*n, *n);
        drill(*n);
    }
}

/// Starts the block with which the next session's set is made.
pub(crate) fn next_set() {
    let session = Session::current_index();
    while Session::current_index() == session {
        next_block();
    }
    next_block();
}

/// Makes the next `count` sets.
pub(crate) fn sets(count: u32) {
    (0..count).for_each(|_| next_set());
}

/// The genesis of a chain whose validators have Duet keys.
fn genesis(validators: &[u64]) -> RuntimeGenesisConfig {
    Elected::set(validators.to_vec());
    let session_keys = |v: u64| {
        let dummy = UintAuthorityId(v);
        (v, v, TestKeys { dummy })
    };
    let others = (1..20).filter(|v| !validators.contains(v));
    let duet = |v: &u64| {
        let owner = ownership_statement(H256::zero(), v);
        (*v, secret(*v).public(), secret(*v).prove_possession(&owner))
    };
    RuntimeGenesisConfig {
        balances: pallet_balances::GenesisConfig {
            balances: (1..100).map(|v| (v, 1_000)).collect(),
            ..Default::default()
        },
        session: pallet_session::GenesisConfig {
            keys: validators.iter().copied().map(session_keys).collect(),
            non_authority_keys: others.map(session_keys).collect(),
        },
        duet: pallet_duet::GenesisConfig {
            keys: validators.iter().map(duet).collect(),
            inactive: false,
        },
        ..Default::default()
    }
}

/// A chain at its genesis, as for a tool that runs benchmarks.
pub(crate) fn for_benchmarks() -> sp_io::TestExternalities {
    sp_io::TestExternalities::new(genesis(&[1]).build_storage().expect("good"))
}

/// Runs a test in block 1 of a chain with these validators, and checks the invariants at its end.
pub(crate) fn with(validators: &[u64], test: impl FnOnce()) {
    let storage = genesis(validators).build_storage().unwrap();
    sp_io::TestExternalities::new(storage).execute_with(|| {
        next_block();
        test();
        assert_eq!(crate::invariants::check::<Test>(), Ok(()));
    });
}

/// Finalizes this block and starts the next one.
pub(crate) fn next_block() {
    let now = System::block_number();
    let mut parent = GENESIS;
    if now > 0 {
        AllPalletsWithSystem::on_finalize(now);
        parent = System::finalize().hash();
    }
    System::reset_events();
    System::initialize(&(now + 1), &parent, &Digest::default());
    AllPalletsWithSystem::on_initialize(now + 1);
}

/// Writes a reset into this block's header, as Duet does.
pub(crate) fn announce_reset(ended: u64, set: KeysetCommitment) {
    let ended = SetId::new(ended);
    let log = ConsensusLog::Reset { ended, set };
    System::deposit_log(DigestItem::Consensus(ENGINE_ID, log.encode()));
}

/// This block's events of the pallet.
pub(crate) fn events() -> Vec<pallet_duet_recovery::Event<Test>> {
    let ours = System::events()
        .into_iter()
        .filter_map(|record| match record.event {
            RuntimeEvent::DuetRecovery(event) => Some(event),
            _ => None,
        });
    ours.collect()
}
