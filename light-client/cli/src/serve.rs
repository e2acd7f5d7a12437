//! `serve`: a JSON-RPC server with verified answers, for any tool.
//!
//! It follows the chain as `follow` does. Every answer about the chain is checked under the newest proven block,
//! passed on, or refused, as [`table`] lists. No answer mixes two blocks.

mod archive;
mod blocks;
mod calls;
mod chain;
mod chain_head;
mod connection;
mod flow;
mod follow;
mod gate;
mod header_json;
mod limits;
mod metrics;
mod module;
mod params;
mod passed;
mod proofs;
mod ranges;
mod refusal;
mod socket;
mod state;
mod storage_items;
mod subscriptions;
mod table;
mod upstream;

use crate::{args::Serve, calls::Calls, event::Event, link::Following, output::Output};
use chain::{publish_heads, Chain};
use connection::{serve_connection, Listening, CONNECTIONS};
use duet_light_rpc::{Failure, Kind};
use duet_primitives::H256;
use gate::Allowed;
use jsonrpsee::server::{stop_channel, ServerHandle};
use limits::{Shared, WITHIN};
use module::{module, Context};
use std::{future::pending, sync::Arc, time::Duration};
use tokio::{
    net::TcpListener,
    sync::{watch, Semaphore},
    task::JoinHandle,
};
use upstream::Upstream;

/// How long one endpoint may take over one question, so that another one can be asked in time.
const QUESTION: Duration = Duration::from_secs(10);
/// How long the answers that are on their way are waited for at the end.
const ENDING: Duration = Duration::from_secs(2);
/// How long nothing is accepted after this machine refused a connection.
const REFUSED: Duration = Duration::from_millis(100);

/// A running server.
pub(crate) struct Running {
    handle: ServerHandle,
    tasks: Vec<JoinHandle<()>>,
    /// What serves the metrics, if anything does.
    metrics: Option<JoinHandle<Failure>>,
}

impl Running {
    /// Stops the server after the requests under way are answered.
    pub(crate) async fn stop(self) {
        let _ = self.handle.stop();
        let _ = tokio::time::timeout(ENDING, self.handle.stopped()).await;
        if let Some(metrics) = self.metrics {
            metrics.abort();
        }
        for task in self.tasks {
            task.abort();
        }
    }

    /// Returns when the metrics cannot be served, and else never.
    pub(crate) async fn failed(&mut self) -> Failure {
        let metrics = async { self.metrics.as_mut()?.await.ok() };
        match metrics.await {
            Some(failure) => failure,
            None => pending().await,
        }
    }
}

/// Listens, and answers from what `following` tells.
pub(crate) async fn start(
    args: &Serve,
    genesis: H256,
    following: Following,
    calls: Arc<Calls>,
    output: &Output,
) -> Result<Running, Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::new(
            Kind::Local,
            format!("cannot listen on {}: {error}", args.listen),
        )
    };
    let listener = TcpListener::bind(args.listen)
        .await
        .map_err(|error| failed(&error))?;
    let address = listener.local_addr().map_err(|error| failed(&error))?;
    let view = following.view.clone();
    let timeout = args.run.request_timeout.min(QUESTION);
    let upstream = Upstream::new(&args.run.urls, genesis, timeout, following, output.clone());
    let upstream = Arc::new(upstream);
    let (heads, head) = watch::channel(None);
    let publishing = tokio::spawn(publish_heads(Arc::clone(&upstream), view, heads));
    let chain = Arc::new(Chain::new(upstream, head, calls));
    let metrics = args.metrics.map(|address| {
        let chain = Arc::clone(&chain);
        tokio::spawn(async move { metrics::serve(address, &chain).await })
    });
    let context = Context {
        chain,
        strict: args.strict,
        follows: Arc::default(),
    };
    let methods = module(context).map_err(|error| failed(&error))?;
    let (stop, handle) = stop_channel();
    let listening = Listening {
        methods: methods.into(),
        allowed: Arc::new(Allowed {
            hosts: args.allow_host.clone(),
            origins: args.allow_origin.clone(),
        }),
        shared: Shared::new(WITHIN, args.strict, output.clone()),
        stop,
    };
    let accepting = tokio::spawn(accept(listener, listening));
    output.event(&Event::Serving {
        address: address.to_string(),
        strict: args.strict,
        loopback: address.ip().is_loopback(),
    });
    Ok(Running {
        handle,
        tasks: vec![publishing, accepting],
        metrics,
    })
}

/// Accepts connections. One too many is closed.
async fn accept(listener: TcpListener, listening: Listening) {
    let seats = Arc::new(Semaphore::new(CONNECTIONS as usize));
    let stopped = listening.stop.clone().shutdown();
    tokio::pin!(stopped);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stopped => return,
        };
        let Ok((connection, _)) = accepted else {
            // This machine has no more file descriptors, or the like.
            tokio::time::sleep(REFUSED).await;
            continue;
        };
        let _ = connection.set_nodelay(true);
        if let Ok(seat) = Arc::clone(&seats).try_acquire_owned() {
            tokio::spawn(serve_connection(connection, seat, listening.clone()));
        }
    }
}
