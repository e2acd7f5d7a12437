//! The real program, run as a user would.

use duet_light_client::testing::TestChain;
use serde_json::{json, Value};
use std::{
    fmt::Display,
    io::{BufRead, BufReader, Read},
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

/// No run of these tests takes longer.
const LIMIT: Duration = Duration::from_secs(60);

/// Each way to keep what is trusted.
pub(crate) const MODES: [&str; 2] = ["", "--stateless"];

/// The arguments that name endpoints.
pub(crate) fn urls(urls: impl IntoIterator<Item = impl Display>) -> String {
    let url = |url| format!(" --url {url}");
    urls.into_iter().map(url).collect()
}

/// The arguments that name a chain and its endpoints. Its blocks have no state, and so no time.
pub(crate) fn from(chain: &TestChain, endpoints: &[&str]) -> String {
    let urls = urls(endpoints);
    format!("--trust-old-start --genesis {:?}{urls}", chain.genesis_hash)
}

/// Comes to the head of the chain, or gives up soon.
pub(crate) async fn sync(chain: &TestChain, endpoints: &[&str], more: &str) -> Finished {
    let from = from(chain, endpoints);
    Program::run(&format!("sync --json --give-up-after 3 {from} {more}")).await
}

/// Starts to follow the chain.
pub(crate) fn follow(chain: &TestChain, endpoints: &[&str], more: &str) -> Program {
    let from = from(chain, endpoints);
    Program::start(&format!("follow --json {from} {more}"))
}

/// A running program.
pub(crate) struct Program {
    child: Child,
    stdout: Option<BufReader<std::process::ChildStdout>>,
    /// What was read already.
    seen: String,
}

/// What a program left behind.
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Program {
    /// Starts it with a line of arguments, none of which has a space.
    pub(crate) fn start(line: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_duet-light"))
            .args(line.split_whitespace())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program was built");
        let stdout = child.stdout.take().map(BufReader::new);
        Self {
            child,
            stdout,
            seen: String::new(),
        }
    }

    /// Runs it to its end, without standing in the way of a server in this process.
    pub(crate) async fn run(line: &str) -> Finished {
        Self::start(line).finish().await
    }

    /// Reads lines until it is at the head of an endpoint.
    pub(crate) async fn synced(self) -> Self {
        self.wait_for_line("\"synced\"").await
    }

    /// Reads lines until one has `text` in it.
    pub(crate) async fn wait_for_line(mut self, text: &'static str) -> Self {
        let id = self.child.id();
        let reading = tokio::task::spawn_blocking(move || {
            let stdout = self.stdout.as_mut().expect("it is piped");
            loop {
                let mut line = String::new();
                let read = stdout.read_line(&mut line).expect("text");
                assert!(read > 0, "it ended without {text:?}:\n{}", self.seen);
                self.seen.push_str(&line);
                if line.contains(text) {
                    return self;
                }
            }
        });
        tokio::pin!(reading);
        match tokio::time::timeout(LIMIT, &mut reading).await {
            Ok(read) => read.expect("no panic"),
            Err(_) => {
                // Its output ends with it, so that the reader ends too, and says what it has seen.
                send(id, "KILL");
                reading.await.expect("the program prints it in time")
            }
        }
    }

    /// The last line that was read, which is an object.
    pub(crate) fn last_event(&self) -> Value {
        let line = self.seen.lines().last().expect("a line was read");
        serde_json::from_str(line).expect("every line is JSON")
    }

    pub(crate) async fn finish(mut self) -> Finished {
        tokio::task::spawn_blocking(move || {
            let read = |pipe: Option<Box<dyn Read + Send>>| {
                std::thread::spawn(move || {
                    let mut text = String::new();
                    if let Some(mut pipe) = pipe {
                        pipe.read_to_string(&mut text).expect("text");
                    }
                    text
                })
            };
            let stdout = read(self.stdout.take().map(|pipe| Box::new(pipe) as _));
            let stderr = read(self.child.stderr.take().map(|pipe| Box::new(pipe) as _));
            let code = self.wait().code();
            let text = |thread: std::thread::JoinHandle<String>| thread.join().expect("no panic");
            let stdout = std::mem::take(&mut self.seen) + &text(stdout);
            Finished {
                code,
                stdout,
                stderr: text(stderr),
            }
        })
        .await
        .expect("no panic")
    }

    fn wait(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("it is our child") {
                return status;
            }
            if start.elapsed() > LIMIT {
                self.child.kill().expect("it is our child");
                panic!("the program runs too long");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Sends a signal by name.
    pub(crate) fn signal(&self, name: &str) {
        send(self.child.id(), name);
    }
}

fn send(process: u32, signal: &str) {
    let sent = Command::new("kill")
        .args([format!("-{signal}"), process.to_string()])
        .status()
        .expect("kill is there");
    assert!(sent.success());
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Finished {
    /// The lines of `--json`, each of which must be an object with a name.
    pub(crate) fn events(&self) -> Vec<Value> {
        let parse = |line: &str| {
            let event: Value = serde_json::from_str(line).expect("every line is JSON");
            assert!(event["event"].is_string(), "{event}");
            event
        };
        self.stdout.lines().map(parse).collect()
    }

    /// Those with a name.
    pub(crate) fn named(&self, name: &str) -> Vec<Value> {
        self.events()
            .into_iter()
            .filter(|event| event["event"] == name)
            .collect()
    }

    /// The blocks whose proofs were verified.
    pub(crate) fn numbers(&self) -> Vec<u64> {
        let number = |proof: Value| proof["block"].as_u64().expect("a number");
        self.named("proof").into_iter().map(number).collect()
    }

    /// The verdict on the endpoint that was left first, and its rule.
    pub(crate) fn left(&self) -> Value {
        let left = self.named("endpoint").remove(0);
        json!([left["verdict"], left["rule"]])
    }

    /// The error that it ended with.
    pub(crate) fn message(&self) -> String {
        let failed = self.named("failed").remove(0);
        failed["message"].as_str().expect("a text").to_owned()
    }

    #[track_caller]
    pub(crate) fn expect_code(self, code: i32) -> Self {
        let last: Vec<_> = self.stdout.lines().rev().take(5).collect();
        let lines = self.stderr.lines().rev().take(5).collect::<Vec<_>>();
        assert_eq!(self.code, Some(code), "last lines: {last:#?} {lines:#?}");
        self
    }
}
