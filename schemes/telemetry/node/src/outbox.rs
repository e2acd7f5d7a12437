//! Readings on their way to the collector.

use crate::LOG_TARGET;
use duet_telemetry::Batch;
use jsonrpsee::{
    core::client::{ClientT, Error},
    rpc_params,
    ws_client::WsClientBuilder,
};
use std::{collections::VecDeque, time::Duration};
use tokio::time::timeout;

/// The most readings that wait for an absent collector: two hours of one a minute.
const MOST_WAITING: usize = 120;
/// How long the collector may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// More than a number, or a reason, has.
const LONGEST_ANSWER: u32 = 16 * 1024;
/// How much of a reason is written to the log.
const LONGEST_REASON: usize = 200;

/// Another program's text on one line, cut, without control characters of a terminal.
fn shown(text: &str) -> String {
    let cut: String = text.chars().take(LONGEST_REASON).collect();
    cut.escape_debug().to_string()
}

/// Readings that the collector does not have yet, the oldest first.
pub(crate) struct Outbox {
    url: String,
    waiting: VecDeque<Batch>,
    /// Whether the operator was told that the collector does not take them.
    warned: bool,
}

impl Outbox {
    pub(crate) fn new(url: String) -> Self {
        Self {
            url,
            waiting: VecDeque::new(),
            warned: false,
        }
    }

    /// Adds a reading. When too many wait, the oldest is dropped.
    pub(crate) fn put(&mut self, batch: Batch) {
        self.waiting.push_back(batch);
        while self.waiting.len() > MOST_WAITING {
            self.waiting.pop_front();
            log::debug!(target: LOG_TARGET, "dropped the oldest reading: too many are waiting for the collector");
        }
    }

    /// How many wait.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Sends the collector as many readings as it takes. Invalid readings are dropped: it would refuse them again.
    pub(crate) async fn send(&mut self) {
        match self.try_send().await {
            Ok(()) if self.warned => {
                self.warned = false;
                log::info!(target: LOG_TARGET, "{} accepts readings again", self.url);
            }
            Ok(()) => {}
            Err(error) if self.warned => {
                log::debug!(target: LOG_TARGET, "cannot send readings to {}: {}", self.url, shown(&error.to_string()));
            }
            Err(error) => {
                self.warned = true;
                log::warn!(
                    target: LOG_TARGET,
                    "cannot send readings to {}, will retry: {}",
                    self.url,
                    shown(&error.to_string()),
                );
            }
        }
    }

    async fn try_send(&mut self) -> Result<(), Error> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let building = WsClientBuilder::default()
            .request_timeout(PATIENCE)
            .max_response_size(LONGEST_ANSWER)
            .build(&self.url);
        // The library's own limit ends before the handshake.
        let client = timeout(PATIENCE, building)
            .await
            .map_err(|_| Error::RequestTimeout)??;
        while let Some(batch) = self.waiting.front() {
            let content = format!("0x{}", hex::encode(batch.as_bytes()));
            let answer = client.request::<u32, _>("telemetry_submit", rpc_params![content]);
            match answer.await {
                Ok(_) => {}
                Err(Error::Call(refusal)) if refusal.code() == REFUSED => {
                    log::warn!(target: LOG_TARGET, "{} refuses a reading: {}", self.url, shown(refusal.message()));
                }
                Err(error) => return Err(error),
            }
            self.waiting.pop_front();
        }
        Ok(())
    }
}

/// The collector's error code for a reading that it will never take: invalid parameters, in JSON-RPC.
const REFUSED: i32 = -32602;

#[cfg(test)]
mod tests {
    use super::*;
    use duet_telemetry::{testing::TestGroup, Hour};
    use jsonrpsee::{
        server::{RpcModule, ServerBuilder, ServerHandle},
        types::ErrorObject,
    };
    use rand_core::OsRng;
    use std::sync::{Arc, Mutex};

    fn batches(count: u64) -> Vec<Batch> {
        let test = TestGroup::new("test");
        let make = |hour| test.group().encrypt(Hour(hour), &[], &mut OsRng).unwrap();
        (0..count).map(make).collect()
    }

    /// A collector that takes readings, or answers with this code.
    async fn collector(
        address: &str,
        code: Option<i32>,
    ) -> (String, ServerHandle, Arc<Mutex<Vec<String>>>) {
        let taken = Arc::new(Mutex::new(Vec::new()));
        let mut module = RpcModule::new((taken.clone(), code));
        let submit = |params: jsonrpsee::types::Params<'_>,
                      (taken, code): &(Arc<Mutex<Vec<String>>>, Option<i32>),
                      _: &_| {
            if let Some(code) = code {
                return Err(ErrorObject::owned(*code, "no", None::<()>));
            }
            let (content,): (String,) = params.parse()?;
            taken.lock().unwrap().push(content);
            Ok(1_u32)
        };
        module.register_method("telemetry_submit", submit).unwrap();
        let server = ServerBuilder::default().build(address).await.unwrap();
        let url = format!("ws://{}", server.local_addr().unwrap());
        (url, server.start(module), taken)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn readings_wait_for_the_collector_and_come_in_their_order() {
        let (url, handle, _) = collector("127.0.0.1:0", None).await;
        handle.stop().unwrap();
        handle.stopped().await;
        let mut outbox = Outbox::new(url.clone());
        let sent = batches(3);
        for batch in &sent {
            outbox.put(batch.clone());
            outbox.send().await;
        }
        assert_eq!(outbox.len(), 3, "nobody is there");
        let address = url.trim_start_matches("ws://");
        let (_, _handle, taken) = collector(address, None).await;
        outbox.send().await;
        assert_eq!(outbox.len(), 0);
        let expected: Vec<_> = sent
            .iter()
            .map(|batch| format!("0x{}", hex::encode(batch.as_bytes())))
            .collect();
        assert_eq!(*taken.lock().unwrap(), expected);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_is_refused_for_what_it_is_does_not_stand_in_the_way() {
        for (code, left) in [(REFUSED, 0), (-32000, 2)] {
            let (url, _handle, _) = collector("127.0.0.1:0", Some(code)).await;
            let mut outbox = Outbox::new(url);
            batches(2).into_iter().for_each(|batch| outbox.put(batch));
            outbox.send().await;
            assert_eq!(outbox.len(), left, "{code}");
        }
    }

    #[test]
    fn a_reason_is_one_short_line() {
        let shown = shown(&("no\n\u{1b}[2K".to_owned() + &"x".repeat(1000)));
        assert!(shown.starts_with("no\\n\\u{1b}[2Kxxx"), "{shown}");
        assert!(shown.len() < 250 && !shown.contains(char::is_control));
    }

    #[test]
    fn not_too_many_wait() {
        let mut outbox = Outbox::new("ws://127.0.0.1:1".into());
        let mut made = batches(2).into_iter();
        let (first, second) = (made.next().unwrap(), made.next().unwrap());
        outbox.put(first.clone());
        (0..MOST_WAITING).for_each(|_| outbox.put(second.clone()));
        assert_eq!(outbox.len(), MOST_WAITING);
        assert!(!outbox.waiting.contains(&first), "the oldest is dropped");
    }
}
