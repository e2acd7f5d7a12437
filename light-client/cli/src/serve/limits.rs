//! Handling around each request: it is looked up in the table, counted, timed and shown.

use crate::{
    event::Event,
    output::Output,
    serve::{
        flow::{Budget, Flow},
        refusal::Refusal,
        table::{row, Class},
    },
};
use jsonrpsee::{
    server::{middleware::rpc::RpcServiceT, MethodResponse},
    types::{ErrorObjectOwned, Request},
};
use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::sync::Semaphore;

/// How many requests are answered at a time, of all connections together and of one.
pub(crate) const REQUESTS: usize = 256;
pub(crate) const REQUESTS_PER_CONNECTION: usize = 32;
/// How long one may take.
pub(crate) const WITHIN: Duration = Duration::from_secs(60);

/// The state that all connections share.
#[derive(Clone)]
pub(crate) struct Shared {
    seats: Arc<Semaphore>,
    within: Duration,
    strict: bool,
    output: Output,
    /// For answers that are not yet written.
    pub(crate) budget: Arc<Budget>,
}

impl Shared {
    /// For requests that end `within` this time.
    pub(crate) fn new(within: Duration, strict: bool, output: Output) -> Self {
        Self {
            seats: Arc::new(Semaphore::new(REQUESTS)),
            within,
            strict,
            output,
            budget: Arc::default(),
        }
    }
}

/// The limits of one connection.
#[derive(Clone)]
pub(crate) struct Limits<S> {
    service: S,
    shared: Shared,
    seats: Arc<Semaphore>,
    flow: Arc<Flow>,
}

impl<S> Limits<S> {
    /// For a connection whose requests take these `seats`, and whose answers count in this `flow`.
    pub(crate) fn new(service: S, shared: Shared, seats: Arc<Semaphore>, flow: Arc<Flow>) -> Self {
        Self {
            service,
            shared,
            seats,
            flow,
        }
    }
}

impl<'a, S> RpcServiceT<'a> for Limits<S>
where
    S: RpcServiceT<'a> + Clone + Send + Sync + 'static,
{
    type Future = Pin<Box<dyn Future<Output = MethodResponse> + Send + 'a>>;

    fn call(&self, request: Request<'a>) -> Self::Future {
        let Self {
            service,
            shared,
            seats,
            flow,
        } = self.clone();
        Box::pin(async move {
            let row = row(request.method_name(), shared.strict);
            let (start, id) = (Instant::now(), request.id.clone().into_owned());
            let refuse = |refusal| MethodResponse::error(id, ErrorObjectOwned::from(refusal));
            let taken = (seats.try_acquire(), shared.seats.try_acquire());
            let response = if row.class == Class::Refused {
                let (method, why) = (request.method_name().to_owned(), row.why);
                refuse(Refusal::Method { method, why })
            } else if taken.0.is_err() {
                refuse(Refusal::Busy("requests of this connection"))
            } else if taken.1.is_err() {
                refuse(Refusal::Busy("requests"))
            } else {
                match tokio::time::timeout(shared.within, service.call(request)).await {
                    Ok(response) if flow.hold(response.as_result().len()) => response,
                    Ok(_) => refuse(Refusal::Busy("bytes of answers that nobody takes")),
                    Err(_) => refuse(Refusal::TooSlow {
                        seconds: shared.within.as_secs(),
                    }),
                }
            };
            shared.output.event(&Event::Request {
                // What is not in the table is not shown by the name that somebody made up.
                method: row.method,
                class: row.class.name(),
                error: response.as_error_code(),
                millis: start.elapsed().as_secs_f64() * 1e3,
            });
            response
        })
    }
}
