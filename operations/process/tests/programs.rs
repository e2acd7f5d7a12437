//! Every program in every situation that its manual names: a row for each program, a test for each kind of situation.
//!
//! The executables are those beside this test. `cargo xtask test` builds them first.

use duet_process::{CLOSED, UNWRITTEN};
use std::{
    env,
    fs::{self, OpenOptions},
    io::{self, BufRead, BufReader, Read},
    os::unix::{fs::MetadataExt, process::ExitStatusExt},
    path::Path,
    process::{Child, Command, Output, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};
use tempfile::TempDir;

/// No run of these tests takes longer.
const LIMIT: Duration = Duration::from_secs(180);
/// The widest line of a help.
const COLUMNS: usize = 100;

/// A program. In command lines, `{dir}` is a new directory, and nobody can write to `{locked}`.
struct Program {
    name: &'static str,
    /// Command lines that print.
    prints: &'static [&'static str],
    /// Command lines that run until a signal ends them, what they print when they run, and the exit status.
    runs: &'static [(&'static str, &'static str, Stopped)],
    /// Command lines that write to `{locked}`.
    writes: &'static [&'static str],
    /// Two command lines of which the second one stores more.
    stores: Option<[&'static str; 2]>,
    /// The exit status when the machine is to blame.
    local: i32,
}

/// How a program ends by a signal.
#[derive(Clone, Copy)]
enum Stopped {
    With(i32),
    /// As the system does it.
    AtOnce,
}
use Stopped::{AtOnce, With};

const PROGRAMS: &[Program] = &[
    Program {
        name: "duet-light",
        prints: &[
            "follow --json --give-up-after 0 --url ws://127.0.0.1:1 --genesis {hash}",
            "serve --json --give-up-after 0 --url ws://127.0.0.1:1 --genesis {hash} --listen 127.0.0.1:0",
        ],
        runs: &[
            ("follow --json --give-up-after 0 --url ws://127.0.0.1:1 --genesis {hash}", "{", With(0)),
            ("sync --json --give-up-after 0 --url ws://127.0.0.1:1 --genesis {hash}", "{", With(130)),
            (
                "serve --json --give-up-after 0 --url ws://127.0.0.1:1 --genesis {hash} --listen 127.0.0.1:0",
                "{",
                With(0),
            ),
        ],
        writes: &["sync --url ws://127.0.0.1:1 --genesis {hash} --state {locked}/state"],
        stores: None,
        local: 1,
    },
    Program {
        name: "duet-relay",
        prints: &["substrate --json --source ws://127.0.0.1:1 --target ws://127.0.0.1:1"],
        runs: &[("substrate --json --source ws://127.0.0.1:1 --target ws://127.0.0.1:1", "{", With(0))],
        writes: &[],
        stores: None,
        local: 1,
    },
    Program {
        name: "duet-signer",
        prints: &[],
        runs: &[("--keystore-path {dir}/keys --listen unix:{dir}/socket", "listening", With(0))],
        writes: &["--keystore-path {locked}/keys --listen unix:{dir}/socket"],
        stores: None,
        local: 1,
    },
    Program {
        name: "duet-collector",
        prints: &["serve --folder {dir}/kept --listen 127.0.0.1:0"],
        runs: &[("serve --folder {dir}/kept --listen 127.0.0.1:0", "listening", With(0))],
        writes: &["serve --folder {locked}/kept --listen 127.0.0.1:0"],
        stores: None,
        local: 1,
    },
    Program {
        name: "duet-recovery",
        prints: &["generate --keys {dir}/keys"],
        runs: &[("inspect -", "", AtOnce)],
        writes: &["generate --keys {locked}/keys"],
        stores: Some(["generate --keys {dir}/keys"; 2]),
        local: 1,
    },
    Program {
        name: "duet-schemes",
        prints: &["mklhs keygen {dir}/key", "--json mklhs keygen {dir}/key"],
        runs: &[("show -", "", AtOnce)],
        writes: &["mklhs keygen {locked}/key"],
        stores: Some(["mklhs keygen {dir}/key", "mklhs keygen {dir}/other"]),
        local: 3,
    },
    Program {
        name: "duet-node",
        // Not those that open a database: tasks of the SDK may log, or panic, while such a process ends.
        prints: &[
            "export-chain-spec --chain dev",
            "key generate",
            "key inspect --output-type json //Alice",
            "duet-key generate",
            "duet-key inspect --output-type json //Alice",
            "duet-key insert --suri //Alice --keystore-path {dir}/keys",
        ],
        runs: &[(
            "--dev --base-path {dir} --rpc-port 0 --listen-addr /ip4/127.0.0.1/tcp/0 --no-prometheus --no-mdns",
            "Running JSON-RPC server: addr=",
            With(0),
        )],
        writes: &["duet-key insert --suri //Alice --keystore-path {locked}/keys"],
        stores: Some([
            "duet-key insert --suri //Alice --keystore-path {dir}/keys",
            "duet-key insert --suri //Bob --keystore-path {dir}/keys",
        ]),
        local: 1,
    },
    Program {
        name: "duet-laboratory",
        // Here it has no programs that make networks.
        prints: &["--short"],
        runs: &[],
        writes: &[],
        stores: None,
        local: 1,
    },
];

/// What environments could change: nothing.
const ENVIRONMENTS: [&[(&str, &str)]; 3] = [
    &[],
    &[("NO_COLOR", "1"), ("LANG", "C")],
    &[("CLICOLOR", "1"), ("LANG", "de_DE.UTF-8")],
];

impl Program {
    fn command(&self, line: &str, dir: &TempDir) -> Command {
        let beside = env::current_exe().unwrap();
        let program = beside.ancestors().nth(2).unwrap().join(self.name);
        assert!(
            program.exists(),
            "cargo build --workspace --bin {} comes first",
            self.name
        );
        let line = line
            .replace("{dir}", dir.path().to_str().unwrap())
            .replace("{hash}", &format!("0x{:064x}", 1))
            // Not even root can write there.
            .replace("{locked}", "/sys/kernel");
        let mut command = Command::new(program);
        command.args(line.split_whitespace()).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts a command line by another command, which becomes the program.
    fn below(&self, by: &[&str], line: &str, dir: &TempDir) -> Child {
        let (by, more) = by.split_first().unwrap();
        let command = self.command(line, dir);
        let mut starts = Command::new(by);
        starts.args(more).arg(command.get_program());
        starts.args(command.get_args()).stdin(Stdio::piped());
        starts.stdout(Stdio::piped()).stderr(Stdio::piped());
        starts.spawn().unwrap()
    }

    /// Runs a command line to its end.
    fn run(&self, line: &str, change: impl FnOnce(&mut Command) -> &mut Command) -> Ended {
        let dir = tempfile::tempdir().unwrap();
        let mut command = self.command(line, &dir);
        change(&mut command);
        Ended::of(command.spawn().unwrap(), format!("{} {line}", self.name))
    }

    /// The help of this command and of all commands below it, as in its list of commands.
    fn helps(&self, of: &str) -> Vec<Ended> {
        let help = self
            .run(&format!("{of} --help"), |command| command)
            .expect(0);
        let list = help
            .stdout
            .split_once("\nCommands:\n")
            .map_or("", |(_, list)| list);
        let names = list.lines().take_while(|line| !line.is_empty());
        let names = names.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
        let below = names.filter(|name| !["", "help"].contains(name));
        let below: Vec<_> = below
            .flat_map(|name| self.helps(&format!("{of} {name}")))
            .collect();
        below.into_iter().chain([help]).collect()
    }
}

/// What a program left behind.
struct Ended {
    what: String,
    status: i32,
    stdout: String,
    stderr: String,
}

impl Ended {
    fn of(child: Child, what: String) -> Self {
        let _guard = Guard::of(&child);
        let Output {
            status,
            stdout,
            stderr,
        } = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self {
            what,
            status: status
                .code()
                .or(status.signal().map(|signal| 128 + signal))
                .unwrap(),
            stdout: text(stdout),
            stderr: text(stderr),
        }
    }

    #[track_caller]
    fn expect(self, status: impl Into<i32>) -> Self {
        assert_eq!(self.status, status.into(), "{}: {}", self.what, self.stderr);
        // Whatever went wrong, no program panics.
        assert!(
            !self.stderr.contains("panicked"),
            "{}: {}",
            self.what,
            self.stderr
        );
        self
    }
}

/// Kills a program that runs too long.
struct Guard(#[allow(dead_code)] mpsc::Sender<()>);

impl Guard {
    fn of(child: &Child) -> Self {
        let (running, ended) = mpsc::channel();
        let id = child.id();
        thread::spawn(move || {
            if ended.recv_timeout(LIMIT) == Err(mpsc::RecvTimeoutError::Timeout) {
                kill("KILL", id);
            }
        });
        Self(running)
    }
}

fn kill(signal: &str, process: u32) {
    let id = process.to_string();
    let sent = Command::new("kill").args(["-s", signal, &id]).status();
    assert!(sent.unwrap().success());
}

#[test]
fn output_that_cannot_be_written_is_reported_and_a_closed_pipe_ends_a_program_quietly() {
    for program in PROGRAMS {
        for line in program.prints.iter().chain(&["--help", "--version"]) {
            let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
            let ended = program.run(line, |command| command.stdout(full).env("PATH", ""));
            let ended = ended.expect(UNWRITTEN);
            let said = ended.stderr.contains("standard output cannot be written");
            assert!(said, "{}: {}", ended.what, ended.stderr);
            let (reader, writer) = io::pipe().unwrap();
            drop(reader);
            let ended = program.run(line, |command| command.stdout(writer).env("PATH", ""));
            let ended = ended.expect(CLOSED);
            assert_eq!(ended.stderr, "", "{}", ended.what);
        }
        // Nobody can be told that standard error is full.
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        program
            .run("--unknown", |command| command.stderr(full))
            .expect(2);
    }
}

#[test]
fn signals_end_a_program_in_order() {
    for program in PROGRAMS {
        for (line, ready, stopped) in program.runs {
            for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
                let dir = tempfile::tempdir().unwrap();
                // These tests may themselves run below `nohup`, or in the background of a shell, which ignores SIGINT.
                let child = program.below(&["env", "--default-signal=HUP,INT"], line, &dir);
                let (child, _streams) = until_ready(child, ready);
                kill(signal, child.id());
                let status = match *stopped {
                    With(status) => status,
                    AtOnce => 128 + number,
                };
                Ended::of(child, format!("{} {line}: {signal}", program.name)).expect(status);
            }
        }
    }
}

#[test]
fn a_program_that_was_started_by_nohup_survives_its_terminal() {
    for program in PROGRAMS {
        for (line, ready, _) in program.runs.iter().filter(|run| !run.1.is_empty()) {
            let dir = tempfile::tempdir().unwrap();
            let child = program.below(&["nohup"], line, &dir);
            let (child, _streams) = until_ready(child, ready);
            let status = Path::new("/proc")
                .join(child.id().to_string())
                .join("status");
            let status = fs::read_to_string(status).unwrap();
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
            let caught = u64::from_str_radix(caught.unwrap().trim(), 16).unwrap();
            assert_eq!(caught & 1, 0, "{} {line}", program.name);
            kill("KILL", child.id());
            Ended::of(child, line.to_string());
        }
    }
}

/// The program when one of its streams has shown `text`, and the streams, which stay open.
fn until_ready(child: Child, text: &str) -> (Child, impl Read) {
    let (child, said, streams) = until_ready_or_ended(child, text);
    assert!(said.contains(text), "it ended: {said}");
    (child, streams)
}

/// The same with what it said. It may have ended instead.
fn until_ready_or_ended(mut child: Child, text: &str) -> (Child, String, impl Read) {
    let _guard = Guard::of(&child);
    let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    // A program that is ready prints to one stream alone. The other one is empty until it ends.
    let (reader, writer) = io::pipe().unwrap();
    for mut stream in [Box::new(stdout) as Box<dyn Read + Send>, Box::new(stderr)] {
        let mut writer = writer.try_clone().unwrap();
        // Ends with the program, or when the test has seen enough.
        thread::spawn(move || io::copy(&mut stream, &mut writer));
    }
    drop(writer);
    let (mut reader, mut said) = (BufReader::new(reader), String::new());
    while !said.contains(text) && reader.read_line(&mut said).unwrap() > 0 {}
    (child, said, reader)
}

#[test]
fn with_too_few_descriptors_a_program_says_so() {
    // The laboratory skips what it cannot have, and the SDK's tasks in the node panic.
    let left_out = ["duet-laboratory", "duet-node"];
    for program in PROGRAMS.iter().filter(|one| !left_out.contains(&one.name)) {
        let runs = program.runs.iter().map(|(line, ready, _)| (line, *ready));
        let runs = runs.filter(|(_, ready)| !ready.is_empty());
        let prints = program.prints.iter().map(|line| (line, "\n"));
        for (line, ready) in runs.chain(prints) {
            let mut refusals = 0;
            // With fewer the system cannot load it.
            for most in 4..24 {
                let dir = tempfile::tempdir().unwrap();
                let limit = format!("--nofile={most}");
                let child = program.below(&["prlimit", &limit], line, &dir);
                let (mut child, said, _streams) = until_ready_or_ended(child, ready);
                let what = format!("{} {line}, {most} descriptors: {said}", program.name);
                assert!(!said.contains("panicked"), "{what}");
                // The relayer goes on when its target is out of reach.
                if !said.contains("Too many open files") || said.contains("\"trouble\"") {
                    child.kill().unwrap();
                    child.wait().unwrap();
                    break;
                }
                Ended::of(child, what).expect(program.local);
                refusals += 1;
            }
            assert!(
                refusals > 0,
                "{} {line}: the limit has no effect",
                program.name
            );
        }
    }
}

/// Stores twice; the second time on a full disk.
const FILL: &str = r#"
    mount -t tmpfs -o size=128k tmpfs "$1" || exit 100
    $2 > /dev/null || exit 101
    find "$1" -type f -exec sha256sum {} + > "$4" || exit 102
    cat /dev/zero 2> /dev/null > "$1/ballast"
    $3
    status=$?
    sha256sum --check --quiet "$4" || exit 103
    exit $status
"#;

#[test]
fn a_full_disk_is_reported_and_what_it_has_stays_whole() {
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let own = ["--user", "--map-root-user"];
    let own = own.iter().filter(|_| !is_root);
    let unshare = ["unshare", "--mount"].iter().chain(own).copied();
    let unshare: Vec<_> = unshare.collect();
    let (by, more) = unshare.split_first().unwrap();
    let mounts = Command::new(by).args(more).arg("true").output();
    if !mounts.is_ok_and(|tried| tried.status.success()) {
        eprintln!("SKIPPED: this system lets nobody mount a small disk");
        return;
    }
    for program in PROGRAMS {
        let Some(lines) = program.stores else {
            continue;
        };
        let (dir, sums) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let [first, then] = lines.map(|line| {
            let command = program.command(line, &dir);
            let words = [command.get_program()]
                .into_iter()
                .chain(command.get_args());
            let words: Vec<_> = words.map(|word| word.to_str().unwrap()).collect();
            words.join(" ")
        });
        let mut command = Command::new(by);
        command.args(more).args(["sh", "-c", FILL, "sh"]);
        command.arg(dir.path()).args([first, then]);
        command.arg(sums.path().join("sums"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let ended = Ended::of(command.spawn().unwrap(), program.name.to_owned());
        let ended = ended.expect(program.local);
        assert!(
            ended.stderr.contains("No space left on device"),
            "{}: {}",
            ended.what,
            ended.stderr
        );
    }
}

#[test]
fn help_and_complaints_are_plain_text_in_every_environment() {
    for program in PROGRAMS {
        for (line, status) in [("--help", 0), ("-h", 0), ("--unknown", 2)] {
            let texts = ENVIRONMENTS.map(|environment| {
                let variables = environment.iter().copied();
                let ended = program
                    .run(line, |command| command.envs(variables))
                    .expect(status);
                let (text, other) = match status {
                    0 => (ended.stdout, ended.stderr),
                    _ => (ended.stderr, ended.stdout),
                };
                assert_eq!(other, "", "{}: the other stream", ended.what);
                text
            });
            let [text, others @ ..] = &texts;
            assert!(
                others.iter().all(|other| other == text),
                "{line}: {texts:?}"
            );
            assert!(!text.contains('\x1b'), "{} {line}: {text:?}", program.name);
        }
    }
}

#[test]
fn the_help_of_every_command_is_narrow() {
    for program in PROGRAMS {
        for help in program.helps("") {
            // clap does not wrap its lines about usage.
            let lines = help
                .stdout
                .lines()
                .filter(|line| !line.starts_with("Usage: "));
            let wide: Vec<_> = lines
                .filter(|line| line.chars().count() > COLUMNS)
                .collect();
            assert!(
                !help.stdout.is_empty() && wide.is_empty(),
                "{}: {wide:#?}",
                help.what
            );
        }
    }
}

#[test]
fn a_directory_that_cannot_be_written_is_named() {
    for program in PROGRAMS {
        for line in program.writes {
            let ended = program.run(line, |command| command).expect(program.local);
            let named = ended.stderr.contains("/sys/kernel");
            assert!(named, "{}: {}", ended.what, ended.stderr);
            assert_eq!(ended.stdout, "", "{}", ended.what);
        }
    }
}
