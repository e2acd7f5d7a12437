//! `serve`: a JSON-RPC server whose answers are verified, so that any tool can be pointed at it.
//!
//! It follows the chain as `follow` does. Every answer about the chain is checked under the newest proven block, or is
//! named as passed through, or is refused: [`table`] says which. No answer has values of two blocks.

mod blocks;
mod chain;
mod gate;
mod header_json;
mod limits;
mod module;
mod params;
mod passed;
mod proofs;
mod refusal;
mod socket;
mod state;
mod subscriptions;
mod table;
mod upstream;

use crate::{
    args::Serve,
    event::Event,
    exit::{Failure, Kind},
    link::Following,
    output::Output,
};
use chain::{publish_heads, Chain};
use duet_primitives::H256;
use gate::{Allowed, Gate};
use jsonrpsee::server::{
    serve_with_graceful_shutdown, stop_channel, BatchRequestConfig, Methods, PingConfig,
    RandomStringIdProvider, RpcServiceBuilder, ServerBuilder, ServerHandle, StopHandle,
};
use limits::{Limits, Shared, REQUESTS_PER_CONNECTION};
use module::{module, Context};
use socket::{Socket, IDLE};
use std::{sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{watch, OwnedSemaphorePermit, Semaphore},
    task::JoinHandle,
};
use upstream::Upstream;

/// How many connections there may be at a time.
const CONNECTIONS: u32 = 128;
/// How many subscriptions one may have.
const SUBSCRIPTIONS: u32 = 32;
/// How many requests one message may have.
const BATCH: u32 = 32;
/// The longest request. A transaction with new code for the runtime has some MiB.
const MAX_REQUEST: u32 = 16 * 1024 * 1024;
/// The longest answer: what a node may send, and what is written around it.
const MAX_ANSWER: u32 = 32 * 1024 * 1024;
/// How many messages may wait for one connection.
const WAITING: u32 = 16;
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
}

impl Running {
    /// Stops it, when what is being answered was answered.
    pub(crate) async fn stop(self) {
        let _ = self.handle.stop();
        let _ = tokio::time::timeout(ENDING, self.handle.stopped()).await;
        for task in self.tasks {
            task.abort();
        }
    }
}

/// Listens, and answers from what `following` tells.
pub(crate) async fn start(
    args: &Serve,
    genesis: H256,
    following: Following,
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
    let context = Context {
        chain: Chain::new(upstream, head),
        strict: args.strict,
    };
    let methods = module(context).map_err(|error| failed(&error))?;
    let (stop, handle) = stop_channel();
    let listening = Listening {
        methods: methods.into(),
        allowed: Arc::new(Allowed {
            hosts: args.allow_host.clone(),
            origins: args.allow_origin.clone(),
        }),
        shared: Shared::new(args.strict, output.clone()),
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
    })
}

/// What each connection is served from.
#[derive(Clone)]
struct Listening {
    methods: Methods,
    allowed: Arc<Allowed>,
    shared: Shared,
    stop: StopHandle,
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
            let listening = listening.clone();
            tokio::spawn(serve_connection(
                Socket::new(connection, seat, IDLE),
                listening,
            ));
        }
    }
}

async fn serve_connection(
    connection: Socket<TcpStream, OwnedSemaphorePermit>,
    listening: Listening,
) {
    let Listening {
        methods,
        allowed,
        shared,
        stop,
    } = listening;
    let requests = Arc::new(Semaphore::new(REQUESTS_PER_CONNECTION));
    let limits = RpcServiceBuilder::new()
        .layer_fn(move |service| Limits::new(service, shared.clone(), Arc::clone(&requests)));
    let service = ServerBuilder::default()
        .max_connections(CONNECTIONS)
        .max_request_body_size(MAX_REQUEST)
        .max_response_body_size(MAX_ANSWER)
        .max_subscriptions_per_connection(SUBSCRIPTIONS)
        .set_batch_request_config(BatchRequestConfig::Limit(BATCH))
        .set_message_buffer_capacity(WAITING)
        .set_id_provider(RandomStringIdProvider::new(16))
        .enable_ws_ping(PingConfig::new())
        .set_rpc_middleware(limits)
        .to_service_builder()
        .build(methods, stop.clone());
    let gate = Gate::new(service, allowed);
    let served = serve_with_graceful_shutdown(connection, gate, stop.shutdown());
    // Whoever breaks the connection off does not want an answer.
    let _ = served.await;
}
