//! Transactions of the template's chain, whose runtime is not that of `duet-node`.

use crate::support::SOON;
use codec::{DecodeAll, Encode};
use duet_local_network::{
    staking::new_duet_key, transaction::send, wait, Rpc, DEVELOPMENT_ACCOUNTS,
};
use duet_primitives::DualKeyBytes;
use pallet_transaction_payment::ChargeTransactionPayment;
use solochain_duet_runtime::{
    Runtime, RuntimeCall, SessionKeys, SignedPayload, UncheckedExtrinsic, VERSION, WASM_BINARY,
};
use sp_core::H256;
use sp_keyring::Sr25519Keyring;
use sp_runtime::generic::Era;

/// Root gives the chain the runtime with Duet.
pub(crate) async fn upgrade_runtime(alice: &Rpc) {
    let code = WASM_BINARY.expect("it was built").to_vec();
    let call = frame_system::Call::<Runtime>::set_code { code };
    // Its weight is that of a whole block, which no transaction may have.
    let sudo = pallet_sudo::Call::sudo_unchecked_weight {
        call: Box::new(call.into()),
        weight: Default::default(),
    };
    submit(alice, DEVELOPMENT_ACCOUNTS[0], sudo).await;
    let upgraded = |version: &u32| *version == VERSION.spec_version;
    wait::until("the runtime", SOON, || alice.spec_version(), upgraded)
        .await
        .expect("the chain is upgraded");
}

/// Root calls Duet.
pub(crate) async fn sudo(alice: &Rpc, call: pallet_duet::Call<Runtime>) {
    let call = Box::new(call.into());
    submit(
        alice,
        DEVELOPMENT_ACCOUNTS[0],
        pallet_sudo::Call::sudo { call },
    )
    .await;
}

/// Registers a new Duet key for a validator, which its node at `rpc` makes.
pub(crate) async fn register(rpc: &Rpc, account: Sr25519Keyring) {
    let (key, proof) = new_duet_key(rpc, account)
        .await
        .expect("the node makes a key");
    let call = pallet_duet::Call::<Runtime>::register_keys { key, proof };
    let block = submit(rpc, account, call).await;
    let owner = account.to_account_id().encode();
    let asked = rpc.call_runtime("DuetApi_registered_key", &owner, Some(block));
    let registered: Option<DualKeyBytes> = asked.await.expect("the API answers");
    assert_eq!(registered, Some(key));
}

/// Gives a validator new session keys, which its node at `rpc` makes: GRANDPA's voters change when the session after the next begins.
pub(crate) async fn rotate_session_keys(rpc: &Rpc, account: Sr25519Keyring) {
    let made = rpc.generate_session_keys(&account.to_account_id()).await;
    let (keys, proof) = made.expect("the node makes keys");
    let keys = SessionKeys::decode_all(&mut &*keys).expect("keys of the runtime");
    let call = pallet_session::Call::<Runtime>::set_keys { keys, proof };
    submit(rpc, account, call).await;
}

/// Signs a call for the runtime that the chain has, and waits until a block has it. What it does is for the caller to look at.
async fn submit(rpc: &Rpc, signer: Sr25519Keyring, call: impl Into<RuntimeCall>) -> H256 {
    let account = signer.to_account_id();
    let genesis = rpc.genesis_hash().await.expect("there is a genesis");
    let nonce = rpc.next_nonce(&account).await.expect("the node answers");
    let version = rpc.spec_version().await.expect("the node answers");
    let extension = (
        frame_system::CheckNonZeroSender::new(),
        frame_system::CheckSpecVersion::new(),
        frame_system::CheckTxVersion::new(),
        frame_system::CheckGenesis::new(),
        frame_system::CheckEra::from(Era::Immortal),
        frame_system::CheckNonce::from(nonce),
        frame_system::CheckWeight::new(),
        ChargeTransactionPayment::from(0),
    );
    let transactions = VERSION.transaction_version;
    let implicit = ((), version, transactions, genesis, genesis, (), (), ());
    let payload = SignedPayload::from_raw(call.into(), extension, implicit);
    let signature = payload.using_encoded(|bytes| signer.sign(bytes));
    let (call, extension, _) = payload.deconstruct();
    let signed = UncheckedExtrinsic::new_signed(call, account.into(), signature.into(), extension);
    send(rpc, signed.encode())
        .await
        .expect("a block takes the transaction")
}
