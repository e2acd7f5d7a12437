//! The real executable: run to its end, or kept running and asked over JSON-RPC.

// Each test file is a crate of its own and uses a part of this.
#![allow(dead_code, unreachable_pub)]

use jsonrpsee::{
    core::client::{ClientT, Error as RpcError},
    core::params::ArrayParams,
    ws_client::{WsClient, WsClientBuilder},
};
use serde_json::Value;
use std::{
    collections::HashMap,
    fs,
    future::Future,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::{mpsc, LazyLock},
    thread,
    time::{Duration, Instant},
};

/// The most that any condition is waited for: a slow machine takes a while to compile the runtime.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// Runs the executable to its end.
pub fn run(args: &[&str]) -> Output {
    command(args).output().expect("the executable starts")
}

/// Runs the executable, which must succeed, and returns what it printed.
pub fn succeeds(args: &[&str]) -> String {
    let output = run(args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?} failed: {errors}");
    String::from_utf8(output.stdout).expect("text is UTF-8")
}

/// As [`succeeds`], and reads the output as JSON.
pub fn json(args: &[&str]) -> Value {
    let args = [args, &["--output-type", "json"]].concat();
    serde_json::from_str(&succeeds(&args)).expect("JSON was asked for")
}

/// Runs the executable, which must fail, and returns what it said of it.
pub fn fails(args: &[&str]) -> String {
    let output = run(args);
    assert!(!output.status.success(), "{args:?} succeeded");
    String::from_utf8(output.stderr).expect("text is UTF-8")
}

/// A field of a JSON object that must be a string.
pub fn field<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name]
        .as_str()
        .unwrap_or_else(|| panic!("no {name} in {value}"))
}

/// Of the development chain, the executable gets the raw specification: of the other form, each start would compile the
/// runtime to make the genesis. For the same reason they share their compiled runtimes.
fn command(args: &[&str]) -> Command {
    static RAW: LazyLock<PathBuf> = LazyLock::new(|| {
        let exported = as_typed(&["export-chain-spec", "--chain", "dev", "--raw"]).output();
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dev-raw.json");
        fs::write(&path, exported.expect("the executable starts").stdout).expect("it is ours");
        path
    });
    // With `--dev`, a running node takes the chain too, and a subcommand does not.
    let is_subcommand = args.first().is_some_and(|first| !first.starts_with('-'));
    let (dev, others): (Vec<&str>, Vec<&str>) = args.iter().partition(|arg| **arg == "--dev");
    let mut command = as_typed(if is_subcommand { &others } else { args });
    if !dev.is_empty() {
        command.arg("--chain").arg(&*RAW);
    }
    let runtimes = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runtimes");
    command.env("DUET_RUNTIME_CACHE", runtimes);
    command
}

/// With these arguments and no others.
fn as_typed(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_duet-node"));
    command.args(args);
    command
}

/// Starts a development node that must not come up, and returns what it said of it.
pub fn refuses_to_start(base_path: &Path, args: &[&str]) -> String {
    let base_path = base_path.to_str().expect("a temporary path is UTF-8");
    let mut child = as_typed(&["--dev", "--base-path", base_path, "--rpc-port", "0"])
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the executable starts");
    let deadline = Instant::now() + PATIENCE;
    while child.try_wait().expect("it is our child").is_none() {
        if Instant::now() > deadline {
            let _ = child.kill();
            panic!("the node came up");
        }
        thread::sleep(Duration::from_millis(100));
    }
    let output = child.wait_with_output().expect("it is our child");
    assert!(!output.status.success(), "the node came up");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A running node. Killed when it is dropped.
pub struct Node {
    child: Child,
    rpc: String,
    prometheus: String,
    health: String,
}

impl Drop for Node {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Node {
    /// Starts a development node on ports that are free, and waits until it answers RPC.
    pub fn start_dev(base_path: &Path, args: &[&str]) -> Self {
        let base_path = base_path.to_str().expect("a temporary path is UTF-8");
        let listen = ["--rpc-port", "0", "--listen-addr", "/ip4/127.0.0.1/tcp/0"];
        let health = ["--duet-health-listen", "127.0.0.1:0"];
        let quiet = ["--prometheus-port", "0", "--no-telemetry", "--no-mdns"];
        let mut child = command(&["--dev", "--base-path", base_path])
            .args(listen)
            .args(health)
            .args(quiet)
            .args(args)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the executable starts");
        let log = BufReader::new(child.stderr.take().expect("piped"));
        let (found, address) = mpsc::channel();
        // Reads on after the address was found, so that the pipe never fills up.
        thread::spawn(move || {
            for line in log.lines().map_while(Result::ok) {
                println!("{line}");
                // Nobody waits any more after the first of each.
                if let Some(server) = Server::announced(&line) {
                    let _ = found.send(server);
                }
            }
        });
        let mut addresses = HashMap::new();
        while addresses.len() < Server::ALL.len() {
            match address.recv_timeout(PATIENCE) {
                Ok((server, address)) => drop(addresses.insert(server, address)),
                Err(error) => {
                    let _ = child.kill();
                    panic!("the node did not start: {error}");
                }
            }
        }
        let [rpc, prometheus, health] = Server::ALL.map(|server| addresses[&server].clone());
        Self {
            child,
            rpc: format!("ws://{rpc}"),
            prometheus,
            health,
        }
    }

    /// The node's metrics, as Prometheus scrapes them.
    pub fn metrics(&self) -> String {
        get(&self.prometheus, "/metrics")
    }

    /// What a load balancer is answered: the status, headers and the body.
    pub fn health(&self, path: &str) -> String {
        get(&self.health, path)
    }

    /// The id of its process.
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Where it answers RPC.
    pub fn url(&self) -> &str {
        &self.rpc
    }

    /// A connection to the node.
    pub async fn connect(&self) -> WsClient {
        WsClientBuilder::default()
            .build(&self.rpc)
            .await
            .expect("the node answers")
    }

    /// Ends the node as a power cut would.
    pub fn kill(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a node serves.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Server {
    Rpc,
    Prometheus,
    Health,
}

impl Server {
    const ALL: [Self; 3] = [Self::Rpc, Self::Prometheus, Self::Health];

    /// The server that a line of the log announces, and its address.
    fn announced(line: &str) -> Option<(Self, String)> {
        Self::ALL.into_iter().find_map(|server| {
            let (_, rest) = line.split_once(server.announcement())?;
            let address = rest.split([',', '/', ' ']).next()?;
            Some((server, address.to_owned()))
        })
    }

    /// What comes before the address.
    fn announcement(self) -> &'static str {
        match self {
            Self::Rpc => "Running JSON-RPC server: addr=",
            Self::Prometheus => "Prometheus exporter started at ",
            Self::Health => "health probes are answered at http://",
        }
    }
}

/// Asks over HTTP; the whole answer.
fn get(address: &str, path: &str) -> String {
    let mut connection = TcpStream::connect(address).expect("it listens");
    connection
        .set_read_timeout(Some(PATIENCE))
        .expect("a time to wait");
    let request = format!("GET {path} HTTP/1.0\r\n\r\n");
    connection
        .write_all(request.as_bytes())
        .expect("it listens");
    let mut answer = String::new();
    connection
        .read_to_string(&mut answer)
        .expect("it answers in text");
    answer
}

/// Asks the node.
pub async fn ask(client: &WsClient, method: &str, params: ArrayParams) -> Result<Value, RpcError> {
    client.request(method, params).await
}

/// Waits until `probe` gives something.
pub async fn until<T, F: Future<Output = Option<T>>>(
    what: &str,
    mut probe: impl FnMut() -> F,
) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = probe().await {
            return found;
        }
        assert!(Instant::now() < deadline, "timed out waiting until {what}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
