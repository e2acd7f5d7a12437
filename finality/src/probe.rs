//! Tells load balancers over HTTP whether to send requests to this node.
//!
//! | path | `200` | `503` |
//! | --- | --- | --- |
//! | `/health` | nothing is wrong with Duet on this node | the node takes no part, or a proof contradicts its chain |
//! | `/health/readiness` | that, and the node is up to date | that, or it is catching up, or has no recent proof |
//!
//! On a chain without a set that is to sign, no proofs are expected: there a node is up to date when it is not
//! catching up. (ACTIVE-1, ACTIVE-3)
//!
//! The body is JSON and gives the reasons ([`Fitness`]). Any other path is `404`, any other method than `GET` and `HEAD` is `405`.
//! At most 64 connections are open at once, each for ten seconds and one request, whose head has 8 KiB at most
//! (`431`); others are closed.

use crate::{
    links::RpcLinks,
    rpc::{Health, RpcError},
};
use duet_gossip::LOG_TARGET;
use duet_primitives::BlockNumber;
use http_body_util::Full;
use hyper::{
    body::{Bytes, Incoming},
    header::CONTENT_TYPE,
    server::conn::http1,
    service::service_fn,
    Method, Request, Response, StatusCode,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde::{Deserialize, Serialize};
use sp_consensus::SyncOracle;
use std::{convert::Infallible, io, net, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::spawn_blocking,
    time::{sleep, timeout},
};

/// The most open connections.
const MAX_CONNECTIONS: usize = 64;
/// The most bytes read of a request: its line and its headers.
const MAX_HEAD: usize = 8 * 1024;
/// The time limit of a connection.
const PATIENCE: Duration = Duration::from_secs(10);
/// The pause after a failed accept: the process may have no more file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// The inputs of a node's fitness.
#[derive(Clone)]
pub struct Probe {
    /// From [`block_import`](crate::block_import).
    pub links: RpcLinks,
    /// Tells whether the node is catching up.
    pub sync: Arc<dyn SyncOracle + Send + Sync>,
    /// The most final but unproven blocks.
    pub max_lag: u32,
}

/// A node's fitness for requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fitness {
    /// The highest block that Duet proved here.
    pub best_proven: Option<BlockNumber>,
    /// The highest block that GRANDPA finalized here.
    pub finalized: Option<BlockNumber>,
    /// Whether the chain has a set that is to sign; `None` when that cannot be read.
    pub active: Option<bool>,
    /// Whether this node votes.
    pub voting: bool,
    /// The reasons against it: empty when the node is fit.
    pub reasons: Vec<String>,
}

/// The requested check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    /// Whether Duet has a fault.
    Health,
    /// Whether answers would also be up to date.
    Readiness,
}

impl Probe {
    fn answer(&self, question: Question) -> Fitness {
        match self.links.health() {
            Ok(health) => self.judge(&health, question),
            Err(error) => Fitness {
                best_proven: None,
                finalized: None,
                active: None,
                voting: false,
                reasons: vec![error.to_string()],
            },
        }
    }

    fn judge(&self, health: &Health, question: Question) -> Fitness {
        let mut reasons = Vec::new();
        if let Some(reason) = &health.stopped {
            reasons.push(format!("this node takes no part in Duet: {reason}"));
        }
        let open = health.diverged.iter().filter(|one| !one.acknowledged);
        reasons.extend(open.map(|one| {
            let block = one.block;
            format!("a valid proof contradicts the finalized chain at block {block}")
        }));
        if question == Question::Readiness {
            reasons.extend(self.behind(health));
        }
        Fitness {
            best_proven: health.best_proven,
            finalized: Some(health.finalized),
            active: health.active,
            voting: health.voting,
            reasons,
        }
    }

    fn behind(&self, health: &Health) -> Option<String> {
        if self.sync.is_major_syncing() {
            return Some("the node is catching up".into());
        }
        // If it is unknown whether there is a set, its proofs are expected.
        if health.active == Some(false) {
            return None;
        }
        let Some(proven) = health.best_proven else {
            return Some("nothing is proven yet".into());
        };
        let lag = health.finalized.saturating_sub(proven);
        (lag > self.max_lag).then(|| {
            format!(
                "{lag} finalized blocks are not proven, above the limit of {}",
                self.max_lag
            )
        })
    }
}

/// Answers until the process ends, in a tokio runtime. A listener that fails is logged.
pub async fn serve(listener: net::TcpListener, probe: Probe) {
    match listening(listener) {
        Ok((listener, address)) => {
            log::info!(target: LOG_TARGET, "health probes are answered at http://{address}/health");
            accept(listener, probe).await;
        }
        Err(error) => log::error!(target: LOG_TARGET, "health probes are not answered: {error}"),
    }
}

fn listening(listener: net::TcpListener) -> io::Result<(TcpListener, net::SocketAddr)> {
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    Ok((TcpListener::from_std(listener)?, address))
}

async fn accept(listener: TcpListener, probe: Probe) {
    let open = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                log::debug!(target: LOG_TARGET, "a health probe was not accepted: {error}");
                sleep(PAUSE).await;
                continue;
            }
        };
        let Ok(place) = open.clone().try_acquire_owned() else {
            continue;
        };
        let probe = probe.clone();
        tokio::spawn(async move {
            // Slow or broken connections get no answer.
            let _ = timeout(PATIENCE, connection(stream, probe)).await;
            drop(place);
        });
    }
}

async fn connection(stream: TcpStream, probe: Probe) -> Result<(), hyper::Error> {
    let service = service_fn(move |request: Request<Incoming>| {
        let probe = probe.clone();
        async move { Ok::<_, Infallible>(respond(request.method(), request.uri().path(), probe).await) }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .keep_alive(false)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), service)
        .await
}

async fn respond(method: &Method, path: &str, probe: Probe) -> Response<Full<Bytes>> {
    if ![Method::GET, Method::HEAD].contains(method) {
        return empty(StatusCode::METHOD_NOT_ALLOWED);
    }
    let question = match path {
        "/health" => Question::Health,
        "/health/readiness" => Question::Readiness,
        _ => return empty(StatusCode::NOT_FOUND),
    };
    // It reads the database.
    let Ok(fitness) = spawn_blocking(move || probe.answer(question)).await else {
        return empty(StatusCode::INTERNAL_SERVER_ERROR);
    };
    let status = match fitness.reasons.is_empty() {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    };
    let Ok(body) = serde_json::to_vec(&fitness) else {
        return empty(StatusCode::INTERNAL_SERVER_ERROR);
    };
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    let json = hyper::header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

fn empty(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    response
}

impl RpcLinks {
    /// The node's health, and the evidence if a valid proof contradicts its finalized chain.
    ///
    /// Cost: a read of an entry, and of up to eight stored proofs.
    ///
    /// # Errors
    /// [`RpcError`] when the database cannot be read.
    pub fn health(&self) -> Result<Health, RpcError> {
        Health::of(self)
    }
}

#[cfg(test)]
#[path = "probe_tests.rs"]
mod tests;
