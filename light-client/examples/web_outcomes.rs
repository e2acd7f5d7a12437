//! What honest nodes answer about a chain with transactions, for the tests of outcomes in JavaScript: JSON on standard
//! output.
//!
//!     cargo run -p duet-light-client --features testing --example web_outcomes > verifiers/web/light-client/test/outcomes.json
//!
//! Blocks 1 to 8 have proofs. Block 4 changes the runtime, and the new one has its pallets in another order: the events of
//! block 4 are still those of the old one. `validity` is what the runtime says of any transaction.

#![allow(
    clippy::cast_possible_truncation,
    reason = "the derived encoding of enums has such casts"
)]
#![allow(
    clippy::expect_used,
    reason = "a program that makes test data ends when something fails"
)]

#[path = "web/chain.rs"]
mod chain;
mod web;

use chain::{runtime, Block, Recording};
use codec::{Compact, Encode};
use duet_primitives::{suite::KEYSETS_STORAGE_KEY, Keysets, H256};
use frame_metadata::{
    v15::{
        CustomMetadata, ExtrinsicMetadata, OuterEnums, PalletErrorMetadata, PalletEventMetadata,
        PalletMetadata, PalletStorageMetadata, RuntimeMetadataV15, SignedExtensionMetadata,
        StorageEntryMetadata, StorageEntryModifier, StorageEntryType,
    },
    RuntimeMetadataPrefixed,
};
use scale_info::{meta_type, MetaType, TypeInfo};
use sp_crypto_hashing::twox_128;

const NEWEST: u32 = 8;
const HEADS: [u32; 8] = [1, 2, 3, 4, 5, 6, 7, 8];
/// The first block with the second runtime in its state.
const UPGRADE: u32 = 4;
/// The first block after which the runtime calls transactions invalid.
const INVALID: u32 = 7;
/// More than the largest integer that JavaScript keeps exact.
const FEE: u128 = 1 << 60;
const TIP: u128 = 3;

#[derive(Encode, TypeInfo)]
#[allow(dead_code, reason = "as FRAME has it")]
enum Phase {
    ApplyExtrinsic(u32),
    Finalization,
    Initialization,
}

#[derive(Encode, TypeInfo)]
struct EventRecord<E> {
    phase: Phase,
    event: E,
    topics: Vec<H256>,
}

#[derive(Clone, Copy, Encode, TypeInfo)]
enum ArithmeticError {
    Underflow,
}

#[derive(Clone, Copy, Encode, TypeInfo)]
struct ModuleError {
    index: u8,
    error: [u8; 4],
}

#[derive(Clone, Copy, Encode, TypeInfo)]
enum DispatchError {
    BadOrigin,
    Module(ModuleError),
    Arithmetic(ArithmeticError),
}

#[derive(Encode, TypeInfo)]
enum SystemEvent {
    ExtrinsicSuccess {
        weight: u64,
    },
    ExtrinsicFailed {
        dispatch_error: DispatchError,
        weight: u64,
    },
}

#[derive(Encode, TypeInfo)]
enum BalancesEvent {
    Transfer {
        from: [u8; 32],
        to: [u8; 32],
        amount: u128,
    },
}

#[derive(Encode, TypeInfo)]
enum PaymentEvent {
    TransactionFeePaid {
        who: [u8; 32],
        actual_fee: u128,
        tip: u128,
    },
}

#[derive(TypeInfo)]
#[scale_info(capture_docs = "always")]
#[allow(dead_code, reason = "only its names are used")]
enum BalancesError {
    /// Balance too low to send value.
    InsufficientBalance,
}

/// Of the first runtime.
#[derive(Encode, TypeInfo)]
enum RuntimeEvent {
    System(SystemEvent),
    Balances(BalancesEvent),
    TransactionPayment(PaymentEvent),
}

/// Of the second one.
#[derive(Encode, TypeInfo)]
#[allow(dead_code, reason = "as the first one's")]
enum UpgradedEvent {
    TransactionPayment(PaymentEvent),
    Balances(BalancesEvent),
    System(SystemEvent),
}

#[derive(TypeInfo)]
#[allow(dead_code, reason = "no call is decoded")]
enum RuntimeCall {}

#[derive(TypeInfo)]
#[allow(dead_code, reason = "only skipped over")]
enum Address {
    Id([u8; 32]),
}

#[derive(TypeInfo)]
#[allow(dead_code, reason = "only skipped over")]
enum Signature {
    Ed25519([u8; 64]),
    Sr25519([u8; 64]),
}

/// The metadata of a runtime whose pallets are in this order.
fn metadata<E: TypeInfo + 'static>(names: [&'static str; 3]) -> Vec<u8> {
    let pallet = |(index, name)| PalletMetadata {
        name,
        index,
        storage: (name == "System").then(|| PalletStorageMetadata {
            prefix: name,
            entries: vec![StorageEntryMetadata {
                name: "Events",
                modifier: StorageEntryModifier::Default,
                ty: StorageEntryType::Plain(meta_type::<Vec<EventRecord<E>>>()),
                default: vec![0],
                docs: vec![],
            }],
        }),
        calls: None,
        event: Some(PalletEventMetadata {
            ty: match name {
                "System" => meta_type::<SystemEvent>(),
                "Balances" => meta_type::<BalancesEvent>(),
                _ => meta_type::<PaymentEvent>(),
            },
        }),
        constants: vec![],
        error: (name == "Balances").then(|| PalletErrorMetadata {
            ty: meta_type::<BalancesError>(),
        }),
        docs: vec![],
    };
    let extension = |(identifier, ty): (_, MetaType)| SignedExtensionMetadata {
        identifier,
        ty,
        additional_signed: meta_type::<()>(),
    };
    let extensions = [
        ("CheckGenesis", meta_type::<()>()),
        ("CheckNonce", meta_type::<Compact<u32>>()),
        // The era has no type that tells its length.
        ("CheckMortality", meta_type::<u8>()),
    ];
    let extrinsic = ExtrinsicMetadata {
        version: 4,
        address_ty: meta_type::<Address>(),
        call_ty: meta_type::<RuntimeCall>(),
        signature_ty: meta_type::<Signature>(),
        extra_ty: meta_type::<()>(),
        signed_extensions: extensions.map(extension).to_vec(),
    };
    let enums = OuterEnums {
        call_enum_ty: meta_type::<RuntimeCall>(),
        event_enum_ty: meta_type::<E>(),
        error_enum_ty: meta_type::<DispatchError>(),
    };
    let custom = CustomMetadata {
        map: Default::default(),
    };
    let pallets = (0..).zip(names).map(pallet).collect();
    let metadata =
        RuntimeMetadataV15::new(pallets, extrinsic, meta_type::<()>(), vec![], enums, custom);
    RuntimeMetadataPrefixed::from(metadata).encode()
}

/// Bytes with their length in front.
fn sized(bytes: &[u8]) -> Vec<u8> {
    bytes.to_vec().encode()
}

/// A signed transaction of version 4, with this era.
fn signed(nonce: u8, era: &[u8]) -> Vec<u8> {
    let (address, signature) = ((0_u8, [1_u8; 32]), (1_u8, [2_u8; 64]));
    let inner = (0x84_u8, address, signature, Compact(u32::from(nonce))).encode();
    sized(&[&inner, era, b"a call"].concat())
}

const IMMORTAL: [u8; 1] = [0];
/// A period of four blocks, with the phase 0.
const MORTAL: [u8; 2] = [1, 0];

/// The transaction of a block, which comes after an inherent.
fn transaction(number: u32) -> Option<Vec<u8>> {
    let nonce = u8::try_from(number).ok()?;
    (2..=5).contains(&number).then(|| signed(nonce, &IMMORTAL))
}

/// How the transaction of a block ended.
fn failure(number: u32) -> Option<DispatchError> {
    match number {
        3 => {
            let (index, error) = (1, [0; 4]);
            Some(DispatchError::Module(ModuleError { index, error }))
        }
        4 => Some(DispatchError::Arithmetic(ArithmeticError::Underflow)),
        5 => Some(DispatchError::BadOrigin),
        _ => None,
    }
}

/// The events of a block, by the runtime that executed it.
fn events<E: Encode>(
    number: u32,
    system: fn(SystemEvent) -> E,
    balances: fn(BalancesEvent) -> E,
    payment: fn(PaymentEvent) -> E,
) -> Vec<u8> {
    let weight = 7;
    let end = |failure| match failure {
        None => SystemEvent::ExtrinsicSuccess { weight },
        Some(dispatch_error) => SystemEvent::ExtrinsicFailed {
            dispatch_error,
            weight,
        },
    };
    let mut events = vec![(0, system(end(None)))];
    if transaction(number).is_some() {
        let [who, to] = [1, 2].map(|byte| [byte; 32]);
        let transfer = BalancesEvent::Transfer {
            from: who,
            to,
            amount: 7,
        };
        if failure(number).is_none() {
            events.push((1, balances(transfer)));
        }
        let paid = PaymentEvent::TransactionFeePaid {
            who,
            actual_fee: FEE,
            tip: TIP,
        };
        events.push((1, payment(paid)));
        events.push((1, system(end(failure(number)))));
    }
    let record = |(index, event)| EventRecord {
        phase: Phase::ApplyExtrinsic(index),
        event,
        topics: vec![],
    };
    events.into_iter().map(record).collect::<Vec<_>>().encode()
}

fn block(number: u32, keysets: &Keysets) -> Block {
    let code = if number < UPGRADE {
        let names = ["System", "Balances", "TransactionPayment"];
        runtime(1, &metadata::<RuntimeEvent>(names))
    } else {
        let names = ["TransactionPayment", "Balances", "System"];
        runtime(2, &metadata::<UpgradedEvent>(names))
    };
    let events = if number <= UPGRADE {
        let (system, balances) = (RuntimeEvent::System, RuntimeEvent::Balances);
        events(number, system, balances, RuntimeEvent::TransactionPayment)
    } else {
        let (system, balances) = (UpgradedEvent::System, UpgradedEvent::Balances);
        events(number, system, balances, UpgradedEvent::TransactionPayment)
    };
    // `Ok`, with an empty `ValidTransaction`; or `Err`: the birth of the transaction is too old.
    let validity = if number < INVALID {
        [&[0][..], &[0; 19]].concat()
    } else {
        vec![1, 0, 5]
    };
    let key = [twox_128(b"System"), twox_128(b"Events")].concat();
    let inherent = sized(&[4, 3, u8::try_from(number).expect("few blocks")]);
    Block {
        entries: vec![
            (KEYSETS_STORAGE_KEY.to_vec(), keysets.encode()),
            (b":code".to_vec(), code),
            (key, events),
            (b"validity".to_vec(), validity),
        ],
        extrinsics: Some([inherent].into_iter().chain(transaction(number)).collect()),
        is_upgrade: number == UPGRADE,
    }
}

fn main() {
    let in_block = |number| transaction(number).expect("a block with one");
    let named = [
        ("transfer", in_block(2)),
        ("insufficient", in_block(3)),
        ("underflow", in_block(4)),
        ("badOrigin", in_block(5)),
        ("mortal", signed(9, &MORTAL)),
        ("immortal", signed(9, &IMMORTAL)),
    ];
    Recording::new(NEWEST, &HEADS, block).print(&named);
}
