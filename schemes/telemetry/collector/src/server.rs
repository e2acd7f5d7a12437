//! Takes readings over JSON-RPC, by WebSocket or HTTP.

use crate::{
    args::Serve,
    failure::Failure,
    store::{Full, Store},
};
use duet_process::Signals;
use duet_telemetry::{Batch, Hour};
use jsonrpsee::{
    server::{RpcModule, ServerBuilder},
    types::{ErrorCode, ErrorObject, ErrorObjectOwned, Params},
};
use std::{
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

/// More than a batch in hexadecimal digits has.
const MOST_REQUEST: u32 = 128 * 1024;
/// Nodes that are connected at once.
const MOST_CONNECTIONS: u32 = 1024;
/// The collector has no room, or cannot write. A node tries again later.
const NO_ROOM: i32 = 9101;
const MIB: u64 = 1024 * 1024;

/// Serves until a signal stops it.
pub(crate) fn serve(args: &Serve) -> Result<String, Failure> {
    let store = Store::open(&args.folder, args.keep, args.most.saturating_mul(MIB))?;
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).max_blocking_threads(2);
    let started = duet_process::runtime(builder.enable_all());
    let runtime = started.map_err(|error| Failure::Machine {
        what: "cannot start",
        error,
    })?;
    runtime.block_on(listen(args, store))
}

async fn listen(args: &Serve, store: Store) -> Result<String, Failure> {
    let mut signals = Signals::new().map_err(|error| Failure::Machine {
        what: "cannot wait for signals",
        error,
    })?;
    let failed = |error| Failure::Machine {
        what: "cannot listen",
        error,
    };
    let server = ServerBuilder::default()
        .max_request_body_size(MOST_REQUEST)
        .max_response_body_size(MOST_REQUEST)
        .max_connections(MOST_CONNECTIONS)
        .build(args.listen)
        .await
        .map_err(failed)?;
    let address = server.local_addr().map_err(failed)?;
    let handle = server.start(module(store));
    duet_process::tell(format_args!("listening on {address}"));
    signals.wait().await;
    // Whoever is writing ends first.
    let _ = handle.stop();
    handle.stopped().await;
    Ok("stopped".to_owned())
}

fn module(store: Store) -> RpcModule<Mutex<Store>> {
    let mut module = RpcModule::new(Mutex::new(store));
    let registered = module.register_blocking_method("telemetry_submit", |params, store, _| {
        submit(&params, &store)
    });
    debug_assert!(registered.is_ok(), "the only method of this name");
    module
}

/// Checks a batch and keeps it; how many ciphertexts it has.
fn submit(params: &Params<'_>, store: &Mutex<Store>) -> Result<usize, ErrorObjectOwned> {
    let (text,): (String,) = params.parse()?;
    let refused =
        |why: String| ErrorObject::owned(ErrorCode::InvalidParams.code(), why, None::<()>);
    let digits = text.strip_prefix("0x").unwrap_or(&text);
    let content = hex::decode(digits).map_err(|error| refused(error.to_string()))?;
    let batch = Batch::check(content).map_err(|error| refused(error.to_string()))?;
    let count = batch.len();
    let mut store = store.lock().unwrap_or_else(PoisonError::into_inner);
    match store.put(Hour::of(SystemTime::now()), &batch) {
        Ok(()) => Ok(count),
        Err(error @ (Full::Full | Full::Io(_))) => {
            duet_process::warn(format_args!("duet-collector: {error}"));
            Err(ErrorObject::owned(NO_ROOM, error.to_string(), None::<()>))
        }
    }
}
