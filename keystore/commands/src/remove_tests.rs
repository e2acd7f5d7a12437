//! The node's answers about a key, and whether the key is then removed.

use super::*;
use duet_primitives::{
    Bitfield, BlockNumber, Commitment, KeysetCommitment, Keysets, Pk2Bytes, SignatureBytes,
};
use duet_runtime::Runtime;
use jsonrpsee::{
    server::{RpcModule, Server},
    types::ErrorObjectOwned,
};
use serde_json::json;

const GENESIS: H256 = H256::repeat_byte(1);
const BLOCK: H256 = H256::repeat_byte(2);
const OWNER: AccountId32 = AccountId32::new([3; 32]);
const KEY: DualKeyBytes = DualKeyBytes([7; 144]);
const OTHER: DualKeyBytes = DualKeyBytes([8; 144]);

/// A node's answers. Set 5 signs, and set 6 is next.
#[derive(Clone, Copy)]
struct Said {
    is_syncing: bool,
    /// The registry's entry for the key.
    status: Option<KeyStatus>,
    signs: bool,
    is_planned: bool,
    /// The set that takes over, according to the newest proof.
    proven: Option<u64>,
}

/// No set has the key, the registry has forgotten it, and there is no proof.
const NOTHING: Said = Said {
    is_syncing: false,
    status: None,
    signs: false,
    is_planned: false,
    proven: None,
};

/// The last set that contains the key.
fn retired(last_set: u64) -> Said {
    let last_set = SetId::new(last_set);
    Said {
        status: Some(KeyStatus::Retired { last_set }),
        ..NOTHING
    }
}

fn set(id: u64) -> KeysetCommitment {
    KeysetCommitment {
        id: SetId::new(id),
        len: 1,
        root: H256::zero(),
        apk1: Pk1Bytes([0; 48]),
    }
}

impl Said {
    fn owner(self) -> Option<Bytes> {
        let owner = |status| KeyOwner {
            validator: OWNER,
            account: OWNER,
            status,
        };
        self.status.map(|status| Bytes(owner(status).encode()))
    }

    fn call(self, function: &str) -> Bytes {
        let keys = |has_it| vec![if has_it { KEY } else { OTHER }].encode();
        Bytes(match function {
            "DuetApi_keysets" => Some(Keysets {
                current: set(5),
                next: set(6),
            })
            .encode(),
            "DuetApi_current_keys" => keys(self.signs),
            "DuetApi_next_keys" => keys(self.is_planned),
            other => panic!("no function {other}"),
        })
    }

    fn health(self) -> Health {
        Health {
            best_proven: self.proven.map(|_| BlockNumber::new(40)),
            best_proven_age: None,
            finalized: BlockNumber::new(42),
            active: Some(true),
            voting: true,
            stopped: None,
            diverged: Vec::new(),
        }
    }

    fn justification(self) -> Option<Bytes> {
        let proof = |next| UncheckedJustification {
            commitment: Commitment {
                block_number: BlockNumber::new(40),
                block_hash: BLOCK,
                mmr_root: H256::zero(),
                validator_set_id: SetId::new(5),
                next: set(next),
            },
            signers: Bitfield::from_indices(1, []),
            signature: SignatureBytes([0; 48]),
            apk2: Pk2Bytes([0; 96]),
        };
        self.proven.map(|next| Bytes(proof(next).encode()))
    }
}

/// Whether the key is removed when a node answers this.
async fn check(said: Said) -> Result<(), DuetKeyError> {
    type Answer = Result<Value, ErrorObjectOwned>;
    let mut module = RpcModule::new(said);
    let mut method = |name: &'static str, answer: fn(Said) -> Value| {
        module
            .register_method(name, move |_, said, _| -> Answer { Ok(answer(*said)) })
            .expect("a name is used once");
    };
    method("chain_getBlockHash", |_| json!(GENESIS));
    method("chain_getFinalizedHead", |_| json!(BLOCK));
    method(
        "system_health",
        |said| json!({ "isSyncing": said.is_syncing }),
    );
    method("state_getStorage", |said| json!(said.owner()));
    method("duet_health", |said| json!(said.health()));
    method("duet_getJustification", |said| json!(said.justification()));
    module
        .register_method("state_call", |params, said, _| -> Answer {
            let (function, _, _): (String, Bytes, H256) = params.parse()?;
            Ok(json!(said.call(&function)))
        })
        .expect("a name is used once");
    let server = Server::builder().build("127.0.0.1:0").await;
    let server = server.expect("a port is free");
    let address = server.local_addr().expect("it listens");
    let _running = server.start(module);
    check_unneeded(&format!("ws://{address}"), GENESIS, &KEY).await
}

async fn is_kept(said: Said, expected: StillNeeded) {
    let error = check(said).await.expect_err("the key is still needed");
    let (got, expected) = (error.to_string(), expected.to_string());
    assert!(got.contains(&expected), "{got}, and not {expected}");
}

#[tokio::test]
async fn a_key_that_no_set_has_and_no_proof_needs_is_removed() {
    for said in [
        NOTHING,
        // Set 4 was the last one with the key, and has handed off.
        Said {
            proven: Some(5),
            ..retired(4)
        },
        Said {
            proven: Some(6),
            ..retired(4)
        },
    ] {
        check(said).await.expect("nobody needs it");
    }
}

#[tokio::test]
async fn a_node_that_syncs_does_not_know() {
    let said = Said {
        is_syncing: true,
        ..NOTHING
    };
    is_kept(said, StillNeeded::Syncing).await;
}

#[tokio::test]
async fn a_registered_key_stays() {
    for status in [KeyStatus::Fresh, KeyStatus::Enlisted] {
        let said = Said {
            status: Some(status),
            ..NOTHING
        };
        is_kept(said, StillNeeded::Registered { account: OWNER }).await;
    }
}

#[tokio::test]
async fn a_key_that_signs_stays_whatever_the_registry_has_of_it() {
    for said in [NOTHING, retired(4), retired(5)] {
        let said = Said {
            signs: true,
            ..said
        };
        let set = SetId::new(5);
        is_kept(said, StillNeeded::Signs { set }).await;
    }
}

#[tokio::test]
async fn a_key_of_a_planned_set_stays() {
    let signing = SetId::new(5);
    let planned = |last| StillNeeded::Planned {
        signing,
        last: SetId::new(last),
    };
    is_kept(retired(5), planned(5)).await;
    is_kept(retired(7), planned(7)).await;
    let forgotten = Said {
        is_planned: true,
        ..NOTHING
    };
    is_kept(forgotten, planned(6)).await;
}

#[tokio::test]
async fn a_key_whose_last_handoff_is_not_proven_stays() {
    let unproven = |proven: Option<u32>| StillNeeded::Unproven {
        last: SetId::new(4),
        proven: proven.map(BlockNumber::new),
    };
    is_kept(retired(4), unproven(None)).await;
    // The newest proof is of a block after which set 4 goes on.
    let said = Said {
        proven: Some(4),
        ..retired(4)
    };
    is_kept(said, unproven(Some(40))).await;
}

#[test]
fn an_entry_has_the_key_and_the_format_of_the_pallet() {
    let status = KeyStatus::Enlisted;
    let validator = AccountId32::new([4; 32]);
    let ours = KeyOwner {
        validator: validator.clone(),
        account: OWNER,
        status,
    };
    let pallets = pallet_duet::KeyOwner::<Runtime> {
        validator,
        account: OWNER,
        status,
    };
    assert_eq!(ours.encode(), pallets.encode());
    let key = pallet_duet::KeyOwners::<Runtime>::hashed_key_for(KEY.pk1());
    assert_eq!(owner_key(&KEY.pk1()), key);
}
