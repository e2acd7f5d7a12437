//! The owners of recovery keys: each has a folder of its own, and only `duet-recovery` touches the keys in it.

use crate::support::{is_final, proven_beyond, SOON};
use codec::Encode;
use duet_local_network::{transaction, wait, Executables, Network, Rpc, DEVELOPMENT_ACCOUNTS};
use duet_primitives::{suite::RECOVERY_TERMS_STORAGE_KEY, Drill, RecoveryTerms};
use duet_recovery::text::{self, Registration};
use duet_runtime::{configs::finality::RecoveryDelay, Hash, Runtime, RuntimeCall};
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// For how many seconds light clients wait in this scenario.
pub(crate) const DELAY: u64 = 4;

/// An owner's key, offline.
pub(crate) struct Owner {
    executable: PathBuf,
    folder: PathBuf,
    key: String,
}

impl Owner {
    /// Makes a recovery key.
    fn new(directory: &Path, name: usize) -> Self {
        let executables = Executables::locate().expect("this program is somewhere");
        let executable = executables.recovery().expect("it was built");
        let folder = directory.join(format!("recovery-{name}"));
        let mut owner = Self {
            executable,
            folder,
            key: String::new(),
        };
        let made = owner.run("generate", &[]);
        let key = first_line(&made).strip_prefix("pk1: ");
        owner.key = key.expect("the half in G1").to_owned();
        owner
    }

    /// Signs the statement in a file. The text of the signature.
    pub(crate) fn sign(&self, members: &str, statement: &str) -> String {
        let of = ["--key", &self.key, "--members", members];
        self.run("sign", &[&of[..], &["--statement", statement]].concat())
    }

    /// Combines files with signatures. The text of the proof.
    pub(crate) fn combine(&self, members: &str, signatures: &[String]) -> String {
        let signatures = signatures.iter().map(String::as_str);
        let arguments: Vec<_> = ["combine", "--members", members]
            .into_iter()
            .chain(signatures)
            .collect();
        self.output(&arguments)
    }

    fn run(&self, verb: &str, more: &[&str]) -> String {
        let keys = self.folder.display().to_string();
        self.output(&[&[verb, "--keys", &keys], more].concat())
    }

    fn output(&self, arguments: &[&str]) -> String {
        let ran = Command::new(&self.executable).args(arguments).output();
        let ran = ran.expect("it runs");
        let told = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{arguments:?}: {told}");
        String::from_utf8(ran.stdout).expect("text")
    }
}

/// Gives each of four validators a recovery key, and waits until the state of a proven block names their set.
pub(crate) async fn register(network: &Network, alice: &Rpc) -> Vec<Owner> {
    let delay = vec![(RecoveryDelay::key().to_vec(), DELAY.encode())];
    let call = RuntimeCall::System(frame_system::Call::<Runtime>::set_storage { items: delay });
    let call = Box::new(call);
    let sudo = pallet_sudo::Call::<Runtime>::sudo { call };
    let submitted = transaction::submit(alice, DEVELOPMENT_ACCOUNTS[0], sudo).await;
    submitted.expect("the sudo key is Alice's");

    let genesis = alice.genesis_hash().await.expect("there is a genesis");
    let best = alice.best().await.expect("there are blocks");
    let block = is_final(alice, best).await;
    let (at, hash) = (
        block.block_number.to_string(),
        format!("{:?}", block.block_hash),
    );
    let mut owners = Vec::new();
    for (name, account) in DEVELOPMENT_ACCOUNTS.into_iter().enumerate().take(4) {
        let owner = Owner::new(network.directory(), name);
        let (chain, address) = (format!("{genesis:?}"), account.to_account_id().to_string());
        let of = [
            "--key",
            &owner.key,
            "--genesis",
            &chain,
            "--account",
            &address,
        ];
        let text = owner.run("prove", &of);
        let Registration { key, proof } = text::read(first_line(&text)).expect("a registration");
        let call = pallet_duet_recovery::Call::<Runtime>::register_key { key, proof };
        let submitted = transaction::submit(alice, account, call).await;
        submitted.expect("the key is registered");
        let block = ["--block-number", &at, "--block-hash", &hash];
        let text = owner.run("drill", &[&of[..], &block].concat());
        let drill = text::read::<Drill>(first_line(&text)).expect("a drill");
        let call = pallet_duet_recovery::Call::<Runtime>::drill { drill };
        let submitted = transaction::submit(alice, account, call).await;
        submitted.expect("the drill counts");
        owners.push(owner);
    }
    let terms = || alice.storage::<RecoveryTerms>(&RECOVERY_TERMS_STORAGE_KEY, None::<Hash>);
    let all =
        |terms: &Option<RecoveryTerms>| terms.as_ref().is_some_and(|terms| terms.set.len == 4);
    let terms = wait::until("the recovery set", SOON, terms, all).await;
    let terms = terms.expect("the next session has it");
    assert_eq!(terms.map(|terms| terms.delay), Some(DELAY));
    // Clients read the terms in the state of the last proven block.
    let named = alice.best().await.expect("there are blocks");
    let proven = proven_beyond(alice, named).await;
    proven.expect("the network proves blocks");
    owners
}

/// The text; the arguments of the call follow it.
fn first_line(output: &str) -> &str {
    output.lines().next().unwrap_or_default()
}
