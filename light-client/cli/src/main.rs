//! `duet-light`: follows a chain's Duet finality over the RPC of nodes that it does not trust.
//!
//! The rules are in `duet-light-client`; `duet-light-rpc` talks to nodes and chooses the next one. This program
//! decides on requests, output, files and exit codes.

// Strangers' bytes reach this crate: outside tests, what may panic or overflow is refused.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects
    )
)]

mod age;
mod args;
mod became;
mod begin;
mod calls;
mod compare;
mod event;
mod follow;
mod goal;
mod heads;
mod link;
mod outcome;
mod output;
mod parts;
mod question;
mod read;
mod recovery;
mod report;
mod serve;
mod session;
mod start;
mod state_file;
#[cfg(feature = "statistics")]
mod stats;
mod status;
mod sync;
mod text;
mod time;
mod verdict;
#[cfg(feature = "vouchers")]
mod vouch;

use crate::{
    args::{
        Account, Args, Block, Call, Command, Fee, Metadata, Read, Recovering, RecoveryStatement,
        Run, Serve, Storage, Tx,
    },
    calls::Function,
    event::Event,
    goal::Goal,
    output::Output,
    question::{Question, Shown},
    recovery::wanted::Recovery,
    session::Session,
};
use duet_light_rpc::{Failure, Kind};
use duet_primitives::BlockNumber;
use duet_process::Signals;
use std::{future::Future, path::Path, process::ExitCode, sync::Arc};

fn main() -> ExitCode {
    let Args { command } = duet_process::arguments();
    let (output, result) = match command {
        Command::Sync(args) => {
            let goal = args
                .until
                .map_or(Goal::Head, |block| Goal::Block(BlockNumber::new(block)));
            run(
                &args.run,
                goal,
                args.fresh.max_age,
                Work::Recovering(&args.recovering),
            )
        }
        Command::Follow(args) => {
            let goal = args.blocks.map_or(Goal::Never, Goal::Proofs);
            run(&args.run, goal, None, Work::Recovering(&args.recovering))
        }
        Command::Serve(args) => {
            let output = Output::new(args.run.json, args.run.quiet);
            let result = in_runtime(serve_until_stopped(&args, &output));
            (output, result)
        }
        Command::Block(Block { read }) => answer(&read, &Question::Header),
        Command::Storage(Storage { read, key, name }) => match key.or(name) {
            Some(entry) => answer(&read, &Question::Storage(entry)),
            // The command line requires one of them.
            None => return ExitCode::from(Kind::Usage.code()),
        },
        Command::Account(Account { read, account }) => answer(&read, &Question::Account(account)),
        Command::Call(Call {
            read,
            method,
            parameters,
        }) => {
            let function = Function::new(&method, parameters.0);
            answer(&read, &Question::Call(function, Shown::Output))
        }
        Command::Metadata(Metadata { read, digest: None }) => answer(
            &read,
            &Question::Call(Function::metadata(), Shown::Metadata),
        ),
        Command::Metadata(Metadata {
            read,
            digest: Some(token),
        }) => answer(
            &read,
            &Question::Call(Function::metadata_of_version_15(), Shown::Digest(token)),
        ),
        Command::Fee(Fee { read, extrinsic }) => {
            let function = Function::query_info(&extrinsic.0);
            answer(&read, &Question::Call(function, Shown::Fee))
        }
        Command::Tx(Tx {
            run,
            fresh,
            at,
            hash,
        }) => {
            let at = Some(at);
            answer(&Read { run, fresh, at }, &Question::Transaction(hash))
        }
        Command::Report(args) => {
            let output = Output::of_answers(args.json, false);
            let result = in_runtime(report::report(&args, &output));
            (output, result)
        }
        Command::Status(args) => {
            let output = Output::new(args.json, true);
            let result = status::show(&args, &output);
            (output, result)
        }
        Command::RecoveryStatement(RecoveryStatement { run: args, members }) => {
            run(&args, Goal::Head, None, Work::Statement(&members))
        }
        #[cfg(feature = "statistics")]
        Command::Stats(args) => {
            let output = Output::of_answers(args.run.json, args.run.quiet);
            let result = in_runtime(show_statistic(&args, &output));
            output.clear();
            (output, result)
        }
        #[cfg(feature = "vouchers")]
        Command::Vouch(args) => {
            let output = Output::new(args.json, false);
            let result = vouch::vouch(&args, &output);
            (output, result)
        }
        #[cfg(feature = "vouchers")]
        Command::Fingerprint(args) => {
            let output = Output::new(false, false);
            let result = vouch::fingerprint(&args, &output);
            (output, result)
        }
    };
    duet_process::exit(result, |failure| {
        output.event(&Event::failed(&failure));
        failure.kind.code()
    })
}

/// Syncs, then answers a question about the newest proven block, or about one before it.
fn answer(args: &Read, question: &Question) -> (Output, Result<(), Failure>) {
    let work = Work::Question(question, args.at.map(BlockNumber::new));
    run(&args.run, Goal::Head, args.fresh.max_age, work)
}

/// The work of a run.
enum Work<'a> {
    /// To come to the goal, across a reset too.
    Recovering(&'a Recovering),
    /// To sync and to answer a question about a block.
    Question(&'a Question, Option<BlockNumber>),
    /// To make a statement for recovery keys, and to write their list to a file.
    Statement(&'a Path),
}

fn run(
    args: &Run,
    goal: Goal,
    max_age: Option<u64>,
    work: Work<'_>,
) -> (Output, Result<(), Failure>) {
    let output = match work {
        Work::Recovering(_) => Output::new(args.json, args.quiet),
        Work::Question(..) | Work::Statement(_) => Output::of_answers(args.json, args.quiet),
    };
    let result = in_runtime(run_until_stopped(args, goal, max_age, work, &output));
    output.clear();
    (output, result)
}

fn in_runtime(work: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    duet_process::runtime(builder.worker_threads(2).enable_all())
        .map_err(|error| Failure::new(Kind::Local, format!("cannot start: {error}")))
        .and_then(|runtime| runtime.block_on(work))
}

/// Follows the chain and serves requests until it is stopped, or no endpoint is useful.
async fn serve_until_stopped(args: &Serve, output: &Output) -> Result<(), Failure> {
    let mut signals = signals()?;
    let (link, reports, following) = link::link(args.run.urls.len());
    let mut session = Session::new(&args.run, Goal::Never, output.clone())?;
    session.attach(link, reports);
    session.recovery = Recovery::new(&args.recovering, session.genesis)?;
    let (genesis, calls) = (session.asking.genesis, Arc::clone(&session.calls));
    let mut server = serve::start(args, genesis, following, calls, output).await?;
    let ended = tokio::select! {
        ended = session.run() => ended,
        failure = server.failed() => Err(failure),
        _ = signals.wait() => Ok(()),
    };
    server.stop().await;
    session.end(ended)
}

/// Syncs, then shows a statistic of the validators.
#[cfg(feature = "statistics")]
async fn show_statistic(args: &args::Stats, output: &Output) -> Result<(), Failure> {
    let mut signals = signals()?;
    let mut session = Session::new(&args.run, Goal::Head, output.clone())?;
    let work = async {
        session.run().await?;
        session.statistic(&args.asked).await
    };
    let ended = tokio::select! {
        ended = work => ended,
        _ = signals.wait() => Err(interrupted_early()),
    };
    session.end(ended)
}

/// Runs to the goal, or until it is stopped. The state is saved in either case.
async fn run_until_stopped(
    args: &Run,
    goal: Goal,
    max_age: Option<u64>,
    work: Work<'_>,
    output: &Output,
) -> Result<(), Failure> {
    let mut signals = signals()?;
    let mut session = Session::new(args, goal, output.clone())?;
    let work = async {
        match work {
            Work::Recovering(recovering) => {
                session.recovery = Recovery::new(recovering, session.genesis)?;
                session.run().await?;
                session.check_fresh(max_age)
            }
            Work::Question(question, at) => {
                session.run().await?;
                session.check_fresh(max_age)?;
                session.answer(question, at).await
            }
            Work::Statement(members) => session.recovery_statement(members).await,
        }
    };
    let ended = tokio::select! {
        ended = work => ended,
        _ = signals.wait() => match goal {
            // Only a signal ends it, so that this is its good end.
            Goal::Never => Ok(()),
            Goal::Head | Goal::Block(_) | Goal::Proofs(_) => Err(interrupted_early()),
        },
    };
    session.end(ended)
}

fn interrupted_early() -> Failure {
    Failure::new(Kind::Interrupted, "interrupted before the goal was reached")
}

fn signals() -> Result<Signals, Failure> {
    Signals::new()
        .map_err(|error| Failure::new(Kind::Local, format!("cannot wait for signals: {error}")))
}
