//! `duet-relay`: relays finality proofs of a Duet chain to verifiers on other chains.
//!
//! The logic is in the library. This program reads arguments and keys, prints, and serves metrics.

mod args;

use crate::args::{Args, Command, Deploy, EvmChain, Relaying};
use alloy::signers::local::PrivateKeySigner;
use duet_light_client::Checkpoint;
use duet_light_rpc::{checkpoint, recovery_proof::GivenProof, Failure, Kind};
use duet_primitives::BlockNumber;
use duet_relay::{
    evm::{self, key, Evm, Options},
    messages::Lane,
    substrate::{self, Substrate},
    Event, Metrics, Policy, Relayer, Source, Target, TargetError, Turns,
};
use std::{future::Future, process::ExitCode, time::Duration};

/// Wei in a gwei.
const GWEI: u128 = 1_000_000_000;
/// How often a transaction that was sent is looked for: some times per block of any chain.
const LOOK_EVERY: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let Args { command, json } = duet_process::arguments();
    let goes_on = command.goes_on();
    let tell = move |event: Event| print(&event, json);
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let result = duet_process::runtime(builder.worker_threads(2).enable_all())
        .map_err(|error| Failure::new(Kind::Local, format!("cannot start: {error}")))
        .and_then(|runtime| {
            runtime.block_on(until_stopped(goes_on, async {
                match command {
                    Command::Evm(args) => {
                        let signer = key_of(&args.chain)?;
                        let target = Evm::new(
                            &args.chain.target,
                            args.contract,
                            signer,
                            options(&args.chain),
                        )?;
                        relay(args.relaying, target, None, tell).await
                    }
                    Command::Substrate(args) => {
                        let signer = args.key_file.as_deref().map(substrate::key_from_file);
                        let target = Substrate::new(
                            &args.target,
                            &args.pallet,
                            signer.transpose()?,
                            args.target_timeout,
                            args.final_after,
                        )?;
                        let lane = args.lane.map(|id| Lane::new(&args.messages_pallet, id));
                        relay(args.relaying, target, lane, tell).await
                    }
                    Command::Deploy(args) => deploy(&args, json).await,
                }
            }))
        });
    duet_process::exit(result, |failure| {
        let kind = failure.kind;
        if json {
            tell(Event::Failed {
                kind: kind.name(),
                reason: failure.message,
            });
        } else {
            duet_process::warn(format_args!("error: {failure}"));
        }
        kind.code()
    })
}

/// Works until it is done, or stopped by a signal.
async fn until_stopped(
    goes_on: bool,
    work: impl Future<Output = Result<(), Failure>>,
) -> Result<(), Failure> {
    let signals = duet_process::Signals::new()
        .map_err(|error| Failure::new(Kind::Local, format!("cannot wait for signals: {error}")));
    let mut signals = signals?;
    tokio::select! {
        ended = work => ended,
        signal = signals.wait() => match goes_on {
            // Nothing else ends it, so that this is its good end.
            true => Ok(()),
            false => Err(Failure::new(Kind::Interrupted, format!("stopped by {signal}"))),
        },
    }
}

async fn relay(
    args: Relaying,
    target: impl Target,
    lane: Option<Lane>,
    tell: impl Fn(Event),
) -> Result<(), Failure> {
    let usage = |error: String| Failure::new(Kind::Usage, error);
    let turns = Turns::new(args.relayers, args.position, args.turn);
    let policy = Policy {
        every: args.every,
        patience: args.patience,
        turns: turns.map_err(|error| usage(error.to_string()))?,
    };
    // Before anybody is asked: a file that cannot be read is this user's to mend.
    let checkpoint = args.checkpoint.as_deref().map(checkpoint::read);
    let checkpoint = checkpoint.transpose()?;
    let proof = args.recovery_proof.as_deref().map(GivenProof::read);
    let proof = proof.transpose()?;
    let genesis = genesis_of(&target, args.pause, args.once || args.dry_run, &tell).await?;
    let proof = proof.map(|proof| proof.of_chain(genesis)).transpose()?;
    let mut source = Source::new(&args.sources, genesis, args.timeout, args.give_up_after);
    if let Some(checkpoint) = checkpoint {
        source.remember(&Checkpoint::from(checkpoint).keysets);
    }
    let (mut relayer, demands) = Relayer::new(source, target, policy);
    if let Some(block) = args.block {
        demands.want(BlockNumber::new(block));
    }
    if let Some(lane) = lane {
        relayer = relayer.with_lane(lane);
    }
    if let Some(proof) = proof {
        relayer = relayer.with_recovery_proof(proof);
    }
    if args.dry_run {
        relayer = relayer.dry_run();
    }
    let registry = prometheus_endpoint::Registry::new();
    let metrics = Metrics::register(&registry).map_err(|error| usage(error.to_string()))?;
    relayer = relayer.with_metrics(metrics);
    let serving = async {
        let Some(address) = args.metrics else {
            return std::future::pending().await;
        };
        let served = prometheus_endpoint::init_prometheus(address, registry).await;
        let why = served.map_or_else(
            |error| error.to_string(),
            |()| "the server stopped".to_owned(),
        );
        let message = format!("cannot serve metrics at {address}: {why}");
        Failure::new(Kind::Local, message)
    };
    let relaying = async {
        if args.once || args.dry_run {
            relayer.run_once(tell).await.map(drop)
        } else {
            relayer.run(args.pause, tell).await
        }
    };
    tokio::select! {
        ended = relaying => ended,
        failure = serving => Err(failure),
    }
}

/// Which chain the target follows. Who runs for long waits for the target.
async fn genesis_of(
    target: &impl Target,
    pause: Duration,
    once: bool,
    tell: &impl Fn(Event),
) -> Result<duet_primitives::H256, Failure> {
    loop {
        match target.genesis_hash().await {
            Ok(hash) => return Ok(hash),
            Err(error @ (TargetError::Unreachable(_) | TargetError::NotReady(_))) if !once => {
                let reason = error.to_string();
                tell(Event::Trouble { reason });
                tokio::time::sleep(pause).await;
            }
            Err(error) => return Err(error.into()),
        }
    }
}

async fn deploy(args: &Deploy, json: bool) -> Result<(), Failure> {
    let nobody = alloy::primitives::Address::ZERO;
    let target = Evm::new(
        &args.chain.target,
        nobody,
        key_of(&args.chain)?,
        options(&args.chain),
    )?;
    let checkpoint = Checkpoint::from(checkpoint::read(&args.checkpoint)?);
    let contract = evm::Deployment {
        bytecode: &args.bytecode,
        libraries: &args.libraries,
        checkpoint: &checkpoint,
        trusting_period: args.trusting_period,
        owner: args.owner,
    };
    let library = |name: &str, it: &evm::Deployed| tell_deployed(Some(name), it, json);
    let deployed = evm::deploy(&target, &contract, library).await?;
    tell_deployed(None, &deployed, json);
    Ok(())
}

/// The contract, or a library before it.
fn tell_deployed(library: Option<&str>, deployed: &evm::Deployed, json: bool) {
    let (address, receipt) = (deployed.address, deployed.receipt);
    let line = if json {
        serde_json::json!({
            "event": if library.is_some() { "library" } else { "deployed" },
            "name": library,
            "address": address,
            "transaction": receipt.transaction,
            "work": receipt.work,
            "paid": receipt.paid.to_string(),
        })
        .to_string()
    } else {
        let what = library.map_or_else(String::new, |name| format!("{name} at "));
        format!(
            "deployed: {what}{address}: work {}, paid {}",
            receipt.work, receipt.paid
        )
    };
    duet_process::tell(line);
}

fn options(chain: &EvmChain) -> Options {
    Options {
        max_fee_per_gas: u128::from(chain.max_fee_gwei).saturating_mul(GWEI),
        timeout: chain.target_timeout,
        resend_after: chain.resend_after,
        look_every: LOOK_EVERY.min(chain.resend_after),
    }
}

fn key_of(chain: &EvmChain) -> Result<Option<PrivateKeySigner>, Failure> {
    match (&chain.key_file, &chain.keystore, &chain.password_file) {
        (Some(file), _, _) => key::from_file(file).map(Some),
        (None, Some(keystore), Some(password)) => key::from_keystore(keystore, password).map(Some),
        _ => Ok(None),
    }
}

fn print(event: &Event, json: bool) {
    if json {
        duet_process::tell(serde_json::to_string(event).unwrap_or_default());
    } else {
        duet_process::tell(event);
    }
}
