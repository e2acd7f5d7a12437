//! A runtime whose chains follow each other and send each other messages, and the other chain's validators.

use crate::{self as pallet_bridge_duet, ChainWithDuet, InitializationData};
use bp_messages::{
    target_chain::{DispatchMessage, MessageDispatch},
    ChainWithMessages, HashedLaneId, LaneIdType, MessageNonce,
};
use bp_relayers::PaymentProcedure;
use bp_runtime::{messages::MessageDispatchResult, BasicOperatingMode, Chain, ChainId};
use duet_primitives::{testing::TestSet, Commitment, Keysets, RoundMessage, StatelessProof, H256};
use frame_support::{
    construct_runtime, derive_impl, parameter_types,
    traits::{ConstU32, Hooks, UnixTime},
    weights::{constants::ParityDbWeight, Weight},
};
use sp_runtime::{
    generic, traits::BlakeTwo256, BuildStorage, Digest, DigestItem, MultiSignature, StateVersion,
};
use std::time::Duration;

/// The trusting period, in seconds.
pub(crate) const TRUSTING_PERIOD: u64 = 1_000;
/// Genesis hash of the chain that is followed.
pub(crate) const GENESIS: H256 = H256::repeat_byte(7);
/// An account that submits proofs.
pub(crate) const RELAYER: u64 = 1;
/// The account that gets what relayers lose.
pub(crate) const SLASHED_TO: u64 = 9;
/// A relayer's initial balance.
pub(crate) const ENDOWMENT: u64 = 10_000;

construct_runtime!(
    pub enum Test {
        System: frame_system,
        Balances: pallet_balances,
        BridgeDuet: pallet_bridge_duet,
        Relayers: pallet_bridge_relayers,
        Messages: pallet_bridge_messages,
    }
);

type Block = generic::Block<Header, UncheckedExtrinsic>;
type UncheckedExtrinsic = frame_system::mocking::MockUncheckedExtrinsic<Test>;

/// A header of both chains.
pub(crate) type Header = generic::Header<u32, BlakeTwo256>;

#[derive_impl(frame_system::config_preludes::TestDefaultConfig)]
impl frame_system::Config for Test {
    type Block = Block;
    type AccountData = pallet_balances::AccountData<u64>;
    type DbWeight = ParityDbWeight;
}

#[derive_impl(pallet_balances::config_preludes::TestDefaultConfig)]
impl pallet_balances::Config for Test {
    type ReserveIdentifier = [u8; 8];
    type AccountStore = System;
}

parameter_types! {
    pub const FreeHeadersInterval: Option<u32> = Some(32);
    pub const ReserveId: [u8; 8] = *b"brdgrlrs";
    pub const Stake: u64 = 1_000;
    pub const Lease: u32 = 8;
    pub const Boost: u64 = 10;
    pub const SlashedTo: u64 = SLASHED_TO;
    /// The time of this chain, in seconds.
    pub static Now: u64 = 1_800_000_000;
    pub static HeadersToKeep: u32 = 5;
}

/// Stands at [`Now`].
pub struct Clock;

impl UnixTime for Clock {
    fn now() -> Duration {
        Duration::from_secs(Now::get())
    }
}

impl crate::Config for Test {
    type BridgedChain = OtherChain;
    type MaxFreeHeadersPerBlock = ConstU32<2>;
    type FreeHeadersInterval = FreeHeadersInterval;
    type HeadersToKeep = HeadersToKeep;
    type Time = Clock;
    type WeightInfo = crate::SubstrateWeight<Self>;
}

impl pallet_bridge_relayers::Config for Test {
    type RuntimeEvent = RuntimeEvent;
    type RewardBalance = u64;
    type Reward = u8;
    type PaymentProcedure = NoRewards;
    type StakeAndSlash =
        pallet_bridge_relayers::StakeAndSlashNamed<u64, u32, Balances, ReserveId, Stake, Lease>;
    type Balance = u64;
    type WeightInfo = ();
}

/// Nobody is rewarded.
pub struct NoRewards;

impl PaymentProcedure<u64, u8, u64> for NoRewards {
    type Error = &'static str;
    type Beneficiary = u64;

    fn pay_reward(_: &u64, _: u8, _: u64, _: u64) -> Result<(), Self::Error> {
        Ok(())
    }
}

impl pallet_bridge_messages::Config for Test {
    type RuntimeEvent = RuntimeEvent;
    type WeightInfo = ();
    type ThisChain = OtherChain;
    type BridgedChain = OtherChain;
    type BridgedHeaderChain = BridgeDuet;
    type OutboundPayload = Vec<u8>;
    type InboundPayload = Vec<u8>;
    type LaneId = HashedLaneId;
    type DeliveryPayments = ();
    type DeliveryConfirmationPayments = ();
    type OnMessagesDelivered = ();
    type MessageDispatch = Inbox;
}

/// Keeps arriving messages.
pub struct Inbox;

impl Inbox {
    /// The arrived messages.
    pub(crate) fn messages() -> Vec<Vec<u8>> {
        frame_support::storage::unhashed::get_or_default(b"inbox")
    }
}

impl MessageDispatch for Inbox {
    type DispatchPayload = Vec<u8>;
    type DispatchLevelResult = ();
    type LaneId = HashedLaneId;

    fn is_active(_: HashedLaneId) -> bool {
        true
    }
    fn dispatch_weight(_: &mut DispatchMessage<Vec<u8>, HashedLaneId>) -> Weight {
        Weight::zero()
    }
    fn dispatch(message: DispatchMessage<Vec<u8>, HashedLaneId>) -> MessageDispatchResult<()> {
        let mut messages = Self::messages();
        messages.extend(message.data.payload);
        frame_support::storage::unhashed::put(b"inbox", &messages);
        MessageDispatchResult {
            unspent_weight: Weight::zero(),
            dispatch_level_result: (),
        }
    }
}

/// The only lane.
pub(crate) fn lane() -> HashedLaneId {
    HashedLaneId::try_new(1_u8, 2_u8).expect("two ends")
}

/// A chain of this runtime, as the other one sees it.
pub struct OtherChain;

impl Chain for OtherChain {
    const ID: ChainId = *b"othr";
    const STATE_VERSION: StateVersion = StateVersion::V1;
    type BlockNumber = u32;
    type Hash = H256;
    type Hasher = BlakeTwo256;
    type Header = Header;
    type AccountId = u64;
    type Balance = u64;
    type Nonce = u64;
    type Signature = MultiSignature;

    fn max_extrinsic_size() -> u32 {
        65_536
    }
    fn max_extrinsic_weight() -> Weight {
        Weight::MAX
    }
}

impl ChainWithDuet for OtherChain {
    const WITH_CHAIN_DUET_PALLET_NAME: &'static str = "BridgeDuet";
    const MAX_FREE_HEADER_SIZE: u32 = 512;
}

impl ChainWithMessages for OtherChain {
    const WITH_CHAIN_MESSAGES_PALLET_NAME: &'static str = "Messages";
    const MAX_UNREWARDED_RELAYERS_IN_CONFIRMATION_TX: MessageNonce = 16;
    const MAX_UNCONFIRMED_MESSAGES_IN_CONFIRMATION_TX: MessageNonce = 128;
}

/// Set number `id` of the other chain: four validators, each set with a new one.
pub(crate) fn set(id: u64) -> TestSet {
    TestSet::new(id, id..id + 4)
}

/// A header with this number, of a state with this root.
pub(crate) fn header_of(number: u32, state_root: H256) -> Header {
    Header {
        number,
        parent_hash: H256::zero(),
        state_root,
        extrinsics_root: H256::zero(),
        digest: Digest::default(),
    }
}

/// A header with this number. Another `salt` gives another header.
pub(crate) fn header(number: u32, salt: u8) -> Header {
    header_of(number, H256::repeat_byte(salt))
}

/// A header with a digest of so many bytes.
pub(crate) fn large_header(number: u32, bytes: usize) -> Header {
    Header {
        digest: Digest {
            logs: vec![DigestItem::Other(vec![0; bytes])],
        },
        ..header(number, 0)
    }
}

/// A set's commitment to a block.
pub(crate) fn statement(by: &TestSet, header: &Header, next: &TestSet) -> Commitment {
    Commitment {
        block_hash: header.hash(),
        ..by.commitment(header.number, &next.set)
    }
}

/// A proof of the header by these signers.
pub(crate) fn proof_by(
    by: &TestSet,
    header: &Header,
    next: &TestSet,
    signers: impl IntoIterator<Item = u32>,
) -> StatelessProof {
    let message = RoundMessage::new(GENESIS, statement(by, header, next));
    StatelessProof::new(&by.justify(&message, signers), by.set.keyset())
        .expect("a proof of the set")
}

/// A proof by all but one.
pub(crate) fn proof(by: &TestSet, header: &Header, next: &TestSet) -> StatelessProof {
    proof_by(by, header, next, 1..4)
}

/// From where the other chain is followed: block 10, which set 0 signs.
pub(crate) fn init_data() -> InitializationData<Header> {
    InitializationData {
        header: Box::new(header(10, 0)),
        genesis_hash: GENESIS,
        keysets: Keysets::without_successor(set(0).set.commitment().clone()),
        trusting_period: TRUSTING_PERIOD,
        operating_mode: BasicOperatingMode::Normal,
    }
}

/// A chain that follows no other one yet.
pub(crate) fn empty() -> sp_io::TestExternalities {
    let mut storage = frame_system::GenesisConfig::<Test>::default()
        .build_storage()
        .expect("genesis");
    pallet_balances::GenesisConfig::<Test> {
        balances: vec![(RELAYER, ENDOWMENT), (SLASHED_TO, ENDOWMENT)],
        ..Default::default()
    }
    .assimilate_storage(&mut storage)
    .expect("balances");
    let mut ext = sp_io::TestExternalities::new(storage);
    ext.execute_with(next_block);
    ext
}

/// One that follows the other one from [`init_data`] on.
pub(crate) fn following() -> sp_io::TestExternalities {
    let mut ext = empty();
    ext.execute_with(|| {
        BridgeDuet::initialize(RuntimeOrigin::root(), init_data()).expect("by root, once");
    });
    ext
}

/// Ends the block and begins the next one.
pub(crate) fn next_block() {
    let number = System::block_number();
    BridgeDuet::on_finalize(number);
    System::reset_events();
    System::set_block_number(number + 1);
    BridgeDuet::on_initialize(number + 1);
}

/// Runs a test, and checks the invariants at its end.
pub(crate) fn check(mut ext: sp_io::TestExternalities, test: impl FnOnce()) {
    ext.execute_with(|| {
        test();
        BridgeDuet::on_finalize(System::block_number());
        crate::invariants::check::<Test, ()>().expect("the state holds together");
    });
}
