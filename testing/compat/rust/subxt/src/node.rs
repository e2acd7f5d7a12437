//! A node of a development chain, started for this program and ended with it.

use std::{
    env,
    error::Error,
    fs,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, ChildStderr, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

const START_LIMIT: Duration = Duration::from_secs(120);
/// What stands before the port in the line with which the node tells where its RPC is.
const ADDRESS: &str = "JSON-RPC server: addr=127.0.0.1:";

/// A chain with one validator, which makes a block every two seconds, finalizes it and proves it. Dropping it ends it and
/// removes its files.
pub(crate) struct Node {
    process: Child,
    folder: PathBuf,
    url: String,
}

impl Node {
    /// Starts it, on ports that the system chooses, and waits until it answers.
    pub(crate) fn start() -> Result<Self, Box<dyn Error>> {
        let program = env::var_os("DUET_NODE")
            .ok_or("DUET_NODE is not set; `cargo xtask compat` builds a node and sets it")?;
        let folder = env::temp_dir().join(format!("duet-compat-{}", std::process::id()));
        let mut process = Command::new(program)
            .args(["--dev", "--rpc-port", "0"])
            .args(["--listen-addr", "/ip4/127.0.0.1/tcp/0"])
            .args(["--no-prometheus", "--no-telemetry", "--no-mdns"])
            .arg("--base-path")
            .arg(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let output = process.stderr.take();
        // Whatever happens from here on, it is ended.
        let mut node = Self {
            process,
            folder,
            url: String::new(),
        };
        let port = port(output.ok_or("the node's output is not piped")?)?;
        node.url = format!("ws://127.0.0.1:{port}");
        Ok(node)
    }

    /// Where its RPC is.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // Nothing can be done about what the system does not let us end or remove.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Reads the output to its end, in a thread, and waits for the line that names the port.
fn port(output: ChildStderr) -> Result<u16, Box<dyn Error>> {
    let (found, port) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if let Some((_, rest)) = line.split_once(ADDRESS) {
                let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
                // Nobody waits any more when the time is over.
                let _ = found.send(digits.parse());
            }
        }
    });
    let port = port.recv_timeout(START_LIMIT);
    Ok(port.map_err(|_| "the node did not log its RPC address")??)
}
