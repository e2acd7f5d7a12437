//! The demo as its user runs it.

use crate::support::scenario;
use duet_local_network::{wait, Error, Executables};
use std::{
    fs,
    path::Path,
    process::{ExitStatus, Stdio},
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
};

/// How long a demo with a few proofs may take.
const DEMO_LIMIT: Duration = Duration::from_secs(150);

#[tokio::test(flavor = "multi_thread")]
async fn a_demo_of_four_proofs_ends_with_success_and_leaves_nothing_behind() {
    scenario(async {
        let mut demo = Demo::start(&["--blocks", "4"]);
        let (mut proofs, mut line) = (0, demo.next_line().await);
        let mut served = false;
        while let Some(text) = line {
            proofs += usize::from(text.starts_with("block "));
            served |= text.starts_with("signers of the latest proofs, ");
            line = demo.next_line().await;
        }
        assert!(demo.end().await.success());
        assert_eq!(proofs, 4);
        assert!(served, "the demo says who has signed by now");
        demo.assert_left_nothing();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_demo_ends_cleanly_and_leaves_nothing_behind() {
    scenario(async {
        let mut demo = Demo::start(&[]);
        while !demo
            .next_line()
            .await
            .expect("the demo goes on")
            .starts_with("block ")
        {}
        demo.interrupt();
        assert!(demo.end().await.success());
        demo.assert_left_nothing();
    })
    .await;
}

/// A demo whose temporary files go where nobody else's do.
struct Demo {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
    directory: tempfile::TempDir,
}

impl Demo {
    fn start(flags: &[&str]) -> Self {
        let directory = tempfile::tempdir().expect("a directory can be made");
        let executables = Executables::locate().expect("this program is somewhere");
        let mut command = Command::new(executables.demo().expect("the demo is built"));
        command.args(flags).env("TMPDIR", directory.path());
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let mut process = command.spawn().expect("the demo starts");
        let output = process.stdout.take().expect("its output is piped");
        Self {
            process,
            lines: BufReader::new(output).lines(),
            directory,
        }
    }

    async fn next_line(&mut self) -> Option<String> {
        let line = async {
            let io = |error| Error::Io {
                what: "reading the demo".into(),
                error,
            };
            self.lines.next_line().await.map_err(io)
        };
        let line = wait::at_most("a line of the demo", DEMO_LIMIT, line).await;
        let line = line.expect("the demo prints");
        line.iter().for_each(|line| println!("{line}"));
        line
    }

    /// As Ctrl-C does.
    fn interrupt(&self) {
        let id = self.process.id().expect("the demo runs");
        let sent = std::process::Command::new("sh")
            .args(["-c", &format!("kill -INT {id}")])
            .status();
        assert!(sent.expect("there is a shell").success());
    }

    async fn end(&mut self) -> ExitStatus {
        let io = |error| Error::Io {
            what: "waiting for the demo".into(),
            error,
        };
        let status = async { self.process.wait().await.map_err(io) };
        wait::at_most("the demo to end", DEMO_LIMIT, status)
            .await
            .expect("the demo ends")
    }

    fn assert_left_nothing(&self) {
        let left: Vec<_> = fs::read_dir(&self.directory)
            .expect("it is there")
            .flatten()
            .collect();
        assert!(left.is_empty(), "{left:?}");
        let running = processes_in(self.directory.path());
        assert!(running.is_empty(), "{running:?}");
    }
}

/// The command lines of the processes that were given this directory.
fn processes_in(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let commands = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    let commands = commands.map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', " "));
    commands
        .filter(|command| command.contains(&*directory.to_string_lossy()))
        .collect()
}
