//! What the servers of these tests have in common: where they listen, what they push, and what they were asked.

use jsonrpsee::server::{
    PendingSubscriptionSink, RpcModule, ServerBuilder, ServerHandle, SubscriptionMessage,
};
use serde_json::Value;
use std::sync::Mutex;
use tokio::sync::watch;

/// A running RPC server; it ends when it is dropped.
pub(crate) struct Host {
    pub(crate) url: String,
    handle: ServerHandle,
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.handle.stop();
    }
}

impl Host {
    /// Listens at a port that is free.
    pub(crate) async fn start<C>(module: RpcModule<C>) -> Self {
        Self::start_at("127.0.0.1:0", module).await
    }

    pub(crate) async fn start_at<C>(address: &str, module: RpcModule<C>) -> Self {
        let server = ServerBuilder::default()
            .max_response_body_size(64 * 1024 * 1024)
            .build(address)
            .await
            .expect("a free port");
        let url = format!("ws://{}", server.local_addr().expect("it listens"));
        let handle = server.start(module);
        Self { url, handle }
    }

    /// Stops it; its address, at which nobody listens any more.
    pub(crate) async fn stop(&self) -> String {
        let _ = self.handle.stop();
        self.handle.clone().stopped().await;
        self.url.clone()
    }
}

/// Sends what there is of each number that comes, until the subscriber is gone.
pub(crate) async fn push(
    pending: PendingSubscriptionSink,
    mut numbers: watch::Receiver<u32>,
    value: impl Fn(u32) -> Option<Value>,
) {
    let Ok(sink) = pending.accept().await else {
        return;
    };
    numbers.mark_unchanged();
    while numbers.changed().await.is_ok() {
        let number = *numbers.borrow_and_update();
        let Some(value) = value(number) else {
            continue;
        };
        let message = SubscriptionMessage::from_json(&value).expect("JSON");
        if sink.send(message).await.is_err() {
            return;
        }
    }
}

/// The methods that were called.
#[derive(Default)]
pub(crate) struct Calls(Mutex<Vec<String>>);

impl Calls {
    pub(crate) fn record(&self, method: &str) {
        let mut calls = self.0.lock().expect("no panic holds it");
        calls.push(method.to_owned());
    }

    pub(crate) fn count(&self, are_meant: impl Fn(&str) -> bool) -> usize {
        let calls = self.0.lock().expect("no panic holds it");
        calls.iter().filter(|call| are_meant(call)).count()
    }
}
