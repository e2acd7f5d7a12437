//! Listens, opens the keys, serves, and stops on a signal.

use crate::{args::Args, failure::Failure, logger};
use duet_keystore::{KeyStore, Signer};
use duet_process::Signals;
use duet_signer::{start, Generate, Limits, Listener, Policy};
use sp_core::crypto::SecretString;
use std::{fs, path::PathBuf, sync::Arc};

/// Runs until a signal stops it.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    logger::start(args.log);
    let password = password(args)?;
    // Before any client can connect, so that an early signal is not lost.
    let failed = |error| system("cannot wait for signals", error);
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = duet_process::runtime(builder.enable_all()).map_err(failed)?;
    let signals = runtime.block_on(async { Signals::new() });
    let mut signals = signals.map_err(failed)?;
    // Before the keys: a wrong address or certificate leaves no new folder behind.
    let files = args.tls.files();
    let listener = Listener::bind(&args.listen, files.as_ref())?;
    let keys = Arc::new(KeyStore::open(&args.keystore_path, password)?);
    let held = keys.keys()?;
    log::info!("{} keys in {}", held.len(), args.keystore_path.display());
    for key in held {
        log::info!("key {}", key.pk1());
    }
    match args.genesis.as_slice() {
        [] => log::warn!("votes of every chain are signed: name your chain with --genesis"),
        chains => chains
            .iter()
            .for_each(|chain| log::info!("signs for chain {chain:?}")),
    }
    let running = start(listener, keys, policy(args), Limits::default());
    let running = running.map_err(|error| system("cannot start", error))?;
    log::info!("listening on {}", running.address());
    let name = runtime.block_on(signals.wait());
    log::info!("{name}: stopping");
    running.stop();
    Ok(())
}

fn policy(args: &Args) -> Policy {
    let chains = args.genesis.iter().copied().collect();
    Policy {
        chains: (!args.genesis.is_empty()).then_some(chains),
        generate: if args.allow_generate {
            Generate::Allowed
        } else {
            Generate::Refused
        },
    }
}

/// The whole file, including a line break at its end: the SDK reads it this way, and both read the same files.
fn password(args: &Args) -> Result<Option<SecretString>, Failure> {
    let read = |path: &PathBuf| {
        fs::read_to_string(path).map_err(|error| Failure::Password {
            path: path.clone(),
            error,
        })
    };
    let text = args.password_filename.as_ref().map(read).transpose()?;
    Ok(text.map(SecretString::new))
}

fn system(what: &'static str, error: std::io::Error) -> Failure {
    Failure::System { what, error }
}
