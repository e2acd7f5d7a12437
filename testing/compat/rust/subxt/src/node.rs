//! A node of a development chain, and a light client that answers for it, started for this program and ended with it.

use std::{
    env,
    error::Error,
    ffi::OsString,
    fs,
    io::{BufRead, BufReader, Read},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

const START_LIMIT: Duration = Duration::from_secs(120);

/// A program with an RPC server on a port that the system chose. Dropping it ends it and removes its files.
pub(crate) struct Server {
    process: Child,
    folder: Option<PathBuf>,
    url: String,
}

impl Server {
    /// A chain with one validator, which makes a block every two seconds, finalizes it and proves it.
    pub(crate) fn node() -> Result<Self, Box<dyn Error>> {
        let program = env::var_os("DUET_NODE")
            .ok_or("DUET_NODE is not set; `cargo xtask compat` builds a node and sets it")?;
        let folder = env::temp_dir().join(format!("duet-compat-{}", std::process::id()));
        let mut command = Command::new(program);
        command
            .args(["--dev", "--rpc-port", "0"])
            .args(["--listen-addr", "/ip4/127.0.0.1/tcp/0"])
            .args(["--no-prometheus", "--no-telemetry", "--no-mdns"])
            .arg("--base-path")
            .arg(&folder)
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        Self::start(
            &mut command,
            Some(folder),
            "JSON-RPC server: addr=127.0.0.1:",
        )
    }

    /// `duet-light serve`, the program of this name, for a node and the chain with this genesis.
    pub(crate) fn light(
        program: OsString,
        node: &str,
        genesis: &str,
    ) -> Result<Self, Box<dyn Error>> {
        let mut command = Command::new(program);
        command
            .args(["serve", "--json", "--listen", "127.0.0.1:0"])
            .args(["--url", node, "--genesis", genesis])
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        Self::start(&mut command, None, r#""address":"127.0.0.1:"#)
    }

    /// Starts it, and waits for the line that has its port after the text `before`.
    fn start(
        command: &mut Command,
        folder: Option<PathBuf>,
        before: &'static str,
    ) -> Result<Self, Box<dyn Error>> {
        let mut process = command.stdin(Stdio::null()).spawn()?;
        let stdout = process.stdout.take().map(|output| Box::new(output) as _);
        let stderr = process.stderr.take().map(|output| Box::new(output) as _);
        // Whatever happens from here on, it is ended.
        let mut server = Self {
            process,
            folder,
            url: String::new(),
        };
        let output = stdout.or(stderr).ok_or("no output is piped")?;
        server.url = format!("ws://127.0.0.1:{}", port(output, before)?);
        Ok(server)
    }

    /// Where its RPC is.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing can be done about what the system does not let us end or remove.
        let _ = self.process.kill();
        let _ = self.process.wait();
        if let Some(folder) = &self.folder {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// Reads the output to its end, in a thread, and waits for the line that names the port.
fn port(output: Box<dyn Read + Send>, before: &'static str) -> Result<u16, Box<dyn Error>> {
    let (found, port) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if let Some((_, rest)) = line.split_once(before) {
                let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
                // Nobody waits any more when the time is over.
                let _ = found.send(digits.parse());
            }
        }
    });
    let port = port.recv_timeout(START_LIMIT);
    Ok(port.map_err(|_| "the program did not name its RPC address")??)
}
