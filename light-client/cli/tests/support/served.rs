//! `duet-light serve` in front of nodes, and a client that knows nothing of proofs.

use super::{checkpoint_file, urls, Finished, Node, Program, World};
use jsonrpsee::{
    core::{
        client::{ClientT, Error, Subscription, SubscriptionClientT},
        params::ArrayParams,
    },
    types::ErrorObjectOwned,
    ws_client::{WsClient, WsClientBuilder},
};
use serde_json::{json, Value};

/// The server and a client of it.
pub(crate) struct Served {
    pub(crate) program: Program,
    pub(crate) address: String,
    pub(crate) client: WsClient,
}

/// JSON as parameters.
pub(crate) fn params(values: &Value) -> ArrayParams {
    let mut params = ArrayParams::new();
    for value in values.as_array().expect("an array") {
        params.insert(value).expect("JSON");
    }
    params
}

impl Served {
    pub(crate) async fn start(world: &World, nodes: &[&Node], more: &str) -> Self {
        let checkpoint = checkpoint_file(&world.checkpoint());
        let begin = format!("--checkpoint {}", checkpoint.path().display());
        Self::start_from(&begin, nodes, more).await
    }

    /// Starts it with these arguments that say where to begin.
    pub(crate) async fn start_from(begin: &str, nodes: &[&Node], more: &str) -> Self {
        let urls = urls(nodes.iter().map(|node| &node.url));
        let line = format!("serve --json --listen 127.0.0.1:0 {begin}{urls} {more}");
        let program = Program::start(&line).wait_for_line("\"serving\"").await;
        let address = program.last_event()["address"]
            .as_str()
            .expect("text")
            .to_owned();
        let client = WsClientBuilder::default()
            .build(format!("ws://{address}"))
            .await;
        Self {
            client: client.expect("it listens"),
            program,
            address,
        }
    }

    /// Asks for something.
    pub(crate) async fn try_ask(&self, method: &str, values: Value) -> Result<Value, Error> {
        self.client.request(method, params(&values)).await
    }

    /// Asks for something that is there.
    pub(crate) async fn ask(&self, method: &str, values: Value) -> Value {
        let answer = self.try_ask(method, values.clone()).await;
        answer.unwrap_or_else(|error| panic!("{method} {values}: {error}"))
    }

    /// Asks for something that is not given.
    pub(crate) async fn refusal(&self, method: &str, values: Value) -> ErrorObjectOwned {
        match self.try_ask(method, values.clone()).await {
            Err(Error::Call(error)) => error,
            other => panic!("{method} {values}: {other:?}"),
        }
    }

    pub(crate) async fn try_subscribe(
        &self,
        begin: &str,
        values: Value,
        end: &str,
    ) -> Result<Subscription<Value>, Error> {
        self.client.subscribe(begin, params(&values), end).await
    }

    pub(crate) async fn subscribe(
        &self,
        begin: &str,
        values: Value,
        end: &str,
    ) -> Subscription<Value> {
        let subscription = self.try_subscribe(begin, values, end).await;
        subscription.expect("it is accepted")
    }

    /// Ends it when it has said `text`.
    pub(crate) async fn end_after(mut self, text: &'static str) -> Finished {
        self.program = self.program.wait_for_line(text).await;
        self.end().await
    }

    /// Ends it, and gives what it said.
    pub(crate) async fn end(self) -> Finished {
        self.program.signal("TERM");
        self.program.finish().await
    }
}

/// The data of an error.
pub(crate) fn data(error: &ErrorObjectOwned) -> Value {
    let data = error.data().map(|data| serde_json::from_str(data.get()));
    data.map_or(json!(null), |data| data.expect("JSON"))
}
