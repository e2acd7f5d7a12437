//! By the metadata of this repository's runtime, in each version that it has.

use codec::Encode;
use duet_light_metadata::{Failure, Fee, MetadataError, RuntimeMetadata, Token};
use duet_runtime::{
    constants::{TOKEN_DECIMALS, TOKEN_SYMBOL},
    Runtime, RuntimeEvent,
};
use frame_system::{DispatchEventInfo, EventRecord, Phase};
use sp_core::H256;
use sp_runtime::{AccountId32, DispatchError};

const FEE: u128 = 1 << 60;

fn metadata_at(version: u32) -> RuntimeMetadata {
    let bytes = Runtime::metadata_at_version(version).expect("a version that the runtime has");
    RuntimeMetadata::decode(&bytes).expect("metadata")
}

fn of_all_versions() -> Vec<RuntimeMetadata> {
    let versions = Runtime::metadata_versions();
    // The last one is unstable.
    let stable = versions.into_iter().filter(|version| *version < u32::MAX);
    stable.map(metadata_at).collect()
}

fn record(phase: Phase, event: impl Into<RuntimeEvent>) -> EventRecord<RuntimeEvent, H256> {
    let (event, topics) = (event.into(), vec![]);
    EventRecord {
        phase,
        event,
        topics,
    }
}

/// The events of a block whose second extrinsic is a transfer, and whose third one fails like this.
fn events(dispatch_error: DispatchError) -> Vec<u8> {
    let dispatch_info = DispatchEventInfo::default();
    let [from, to] = [1, 2].map(|byte| AccountId32::new([byte; 32]));
    let who = from.clone();
    let (amount, actual_fee, tip) = (7, FEE, 3);
    let transfer = pallet_balances::Event::<Runtime>::Transfer { from, to, amount };
    let paid = pallet_transaction_payment::Event::<Runtime>::TransactionFeePaid {
        who,
        actual_fee,
        tip,
    };
    let succeeded = || frame_system::Event::<Runtime>::ExtrinsicSuccess { dispatch_info };
    let failed = frame_system::Event::<Runtime>::ExtrinsicFailed {
        dispatch_error,
        dispatch_info,
    };
    vec![
        record(
            Phase::Initialization,
            frame_system::Event::<Runtime>::NewAccount {
                account: AccountId32::new([3; 32]),
            },
        ),
        record(Phase::ApplyExtrinsic(0), succeeded()),
        record(Phase::ApplyExtrinsic(1), transfer),
        record(Phase::ApplyExtrinsic(1), paid),
        record(Phase::ApplyExtrinsic(1), succeeded()),
        record(Phase::ApplyExtrinsic(2), failed),
    ]
    .encode()
}

/// STATE-9.
#[test]
fn the_events_of_a_transaction_tell_its_outcome_and_fee() {
    let bytes = events(DispatchError::BadOrigin);
    let all = of_all_versions();
    assert!(all.len() >= 2, "versions 14 and 15 at least");
    for metadata in all {
        let outcome = metadata.outcome(&bytes, 1).unwrap();
        assert_eq!(outcome.result, Ok(()));
        assert_eq!(outcome.fee, Some(Fee { paid: FEE, tip: 3 }));
        let names: Vec<_> = outcome
            .events
            .iter()
            .map(|event| format!("{}.{}", event.pallet, event.name))
            .collect();
        let expected = [
            "Balances.Transfer",
            "TransactionPayment.TransactionFeePaid",
            "System.ExtrinsicSuccess",
        ];
        assert_eq!(names, expected);
        let transfer = outcome.events[0].fields.to_string();
        let [from, to] = ["01", "02"].map(|byte| byte.repeat(32));
        assert_eq!(
            transfer,
            format!(r#"{{"amount":7,"from":"0x{from}","to":"0x{to}"}}"#)
        );
        // More than 2^53.
        assert_eq!(outcome.events[1].fields["actual_fee"], FEE.to_string());
    }
}

#[test]
fn a_failure_names_the_error_of_its_pallet() {
    for metadata in of_all_versions() {
        let error = pallet_balances::Error::<Runtime>::InsufficientBalance;
        let outcome = metadata
            .outcome(&events(DispatchError::from(error)), 2)
            .unwrap();
        let failure = Failure::Module {
            pallet: "Balances".into(),
            error: "InsufficientBalance".into(),
            docs: "Balance too low to send value.".into(),
        };
        assert_eq!(outcome.result, Err(failure));
        assert_eq!(outcome.fee, None);

        let outcome = metadata
            .outcome(&events(DispatchError::BadOrigin), 2)
            .unwrap();
        assert_eq!(outcome.result, Err(Failure::Other("BadOrigin".into())));
    }
}

#[test]
fn an_extrinsic_without_an_end_has_no_outcome() {
    let bytes = events(DispatchError::BadOrigin);
    for index in [3, u32::MAX] {
        let error = metadata_at(14).outcome(&bytes, index).unwrap_err();
        assert_eq!(error, MetadataError::NoOutcome { index });
    }
}

#[test]
fn events_of_another_type_are_refused_at_every_length() {
    let metadata = metadata_at(14);
    let bytes = events(DispatchError::BadOrigin);
    let wrong = MetadataError::Bytes {
        of: "System.Events",
    };
    for length in 0..bytes.len() {
        assert_eq!(
            metadata.outcome(&bytes[..length], 1),
            Err(wrong.clone()),
            "{length}"
        );
    }
    let longer = [&bytes[..], &[0]].concat();
    assert_eq!(metadata.outcome(&longer, 1), Err(wrong.clone()));
    // A list that claims four thousand million events.
    let claim = [3, 0xff, 0xff, 0xff, 0xff];
    assert_eq!(metadata.outcome(&claim, 1), Err(wrong));
}

#[test]
fn bytes_that_are_no_metadata_are_refused() {
    let bytes = Runtime::metadata_at_version(14).unwrap();
    for length in (0..bytes.len()).step_by(997) {
        let error = RuntimeMetadata::decode(&bytes[..length]).unwrap_err();
        assert_eq!(error, MetadataError::Undecodable, "{length}");
    }
    let mut other = bytes.to_vec();
    other[0] ^= 1;
    assert_eq!(
        RuntimeMetadata::decode(&other).unwrap_err(),
        MetadataError::Undecodable
    );
}

#[test]
fn the_digest_depends_on_the_token() {
    let token = Token {
        symbol: TOKEN_SYMBOL.into(),
        decimals: TOKEN_DECIMALS,
    };
    let metadata = metadata_at(15);
    let digest = metadata.digest(&token).unwrap();
    let other_symbol = Token {
        symbol: "OTHER".into(),
        ..token.clone()
    };
    let other_decimals = Token {
        decimals: 10,
        ..token.clone()
    };
    for other in [other_symbol, other_decimals] {
        assert_ne!(metadata.digest(&other).unwrap(), digest);
    }
    let error = metadata_at(14).digest(&token).unwrap_err();
    assert!(matches!(error, MetadataError::NoDigest { .. }), "{error}");
}
