//! What users type by mistake: every value of every command, as its help lists them, gets wrong inputs.
//!
//! The executables are those beside this test. `DUET_INPUTS` is how many inputs are tried, `DUET_SEED` picks them.

use std::{
    collections::BTreeSet,
    env,
    ffi::{OsStr, OsString},
    fs,
    net::SocketAddr,
    os::unix::ffi::OsStringExt,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// The programs, and which of their commands are ours.
const PROGRAMS: [(&str, &[&str]); 8] = [
    ("duet-light", &[]),
    ("duet-relay", &[]),
    ("duet-signer", &[]),
    ("duet-collector", &[]),
    ("duet-recovery", &[]),
    ("duet-schemes", &[]),
    ("duet-node", &["duet-key"]),
    ("duet-node", &["duet-state"]),
];
/// How many inputs a usual run tries.
const INPUTS: u64 = 300;
const ADDRESS: &str = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY";

/// What a value has to be.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// So many bytes as hexadecimal digits, or so many.
    Hex(&'static [usize]),
    /// Any bytes as hexadecimal digits.
    Bytes,
    WsUrl,
    HttpUrl,
    Seconds,
    Number,
    Account,
    Socket,
    Listen,
    Level,
    Item,
    /// Bytes of any kind: only an empty one is wrong.
    Path,
    Text,
}
use Kind::*;

impl Kind {
    /// By the command with its program, its option or argument, and the name of the value.
    fn of(command: &str, option: &str, value: &str) -> Self {
        match (value, option) {
            // It may be negative.
            (_, "--constant") => Text,
            (_, "--bits" | "--count" | "--degree" | "--max-records" | "--memory" | "--threads") => {
                Number
            }
            ("URL", "--target") if !command.contains("substrate") => HttpUrl,
            ("URL" | "WS_URL", _) => WsUrl,
            ("ADDRESS", "--listen") => Listen,
            ("ADDRESS", "--contract" | "--owner") => Hex(&[20]),
            ("ADDRESS" | "ACCOUNT", _) => Account,
            ("ADDRESS:PORT", _) => Socket,
            ("HASH", _) => Hex(&[32]),
            ("PK1", _) => Hex(&[48, 144]),
            ("HEX", "--public") if command.starts_with("duet-node") => Hex(&[144]),
            ("ID", "--lane") => Hex(&[4, 32]),
            ("KEY", "KEY") if command.starts_with("duet-light") => Bytes,
            ("PALLET.ITEM", _) => Item,
            ("SECONDS", _) => Seconds,
            ("BLOCK" | "BLOCKS" | "N" | "I" | "NUMBER" | "HOURS" | "MIB" | "GWEI", _) => Number,
            ("LEVEL", _) => Level,
            ("FILE" | "DIR" | "PATH", _) => Path,
            _ => Text,
        }
    }

    /// Values of this kind, and some that are not.
    fn examples(self) -> (Vec<String>, &'static [&'static str]) {
        match self {
            Hex(lens) => {
                let of = |len: &usize| format!("0x{}", "ab".repeat(*len));
                (
                    lens.iter().map(of).collect(),
                    &["", "0x", "0X", "0", "0xzz"],
                )
            }
            Bytes => (vec!["0x26aa39".into()], &["", "0x", "0x1", "0xzz"]),
            WsUrl => (
                vec!["ws://127.0.0.1:9944".into(), "wss://a.example".into()],
                &[
                    "",
                    "ws://",
                    "ws:",
                    "http://a",
                    "127.0.0.1:9944",
                    "ws://a:99999",
                    "ws://[::1",
                    "/tmp",
                ],
            ),
            HttpUrl => (
                vec!["http://127.0.0.1:8545".into()],
                &["", "http://", "ws://a", "127.0.0.1:8545", "http://a:99999"],
            ),
            Seconds => (
                vec!["20".into()],
                &[
                    "", "-1", "-0.5", "NaN", "inf", "1e99", "1_0", "0x10", "1s", "1,5",
                ],
            ),
            Number => (
                vec!["20".into()],
                &[
                    "",
                    "-1",
                    "1_000",
                    "1.5",
                    "0x10",
                    "1e3",
                    "99999999999999999999",
                    "٣",
                ],
            ),
            Account => (
                vec![ADDRESS.into()],
                &["", "0x", "0x00", "5Grw", "//Alice", "alice"],
            ),
            Socket => (
                vec!["127.0.0.1:0".into()],
                &["", "localhost:1", "1.2.3.4", ":1", "1.2.3.4:99999", "::1:1"],
            ),
            Listen => (
                vec![],
                &[
                    "",
                    "unix",
                    "unix:",
                    "tls:",
                    "tls:a",
                    "tls:a:99999",
                    "/socket",
                    "http://a:1",
                ],
            ),
            Level => (vec!["info".into()], &["", "loud", "0", "inf"]),
            Item => (
                vec![],
                &["", "System", "System.", ".Events", "System.Events.Topics"],
            ),
            Path => (vec![], &[""]),
            Text => (vec![], &[]),
        }
    }

    /// Whether a text may be right, which is not tried.
    fn may_be(self, text: &str) -> bool {
        let digits = text.strip_prefix("0x").unwrap_or(text);
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        match self {
            // The library for Ethereum's addresses reads this too.
            Hex(&[20]) if text.starts_with("0X") => true,
            Hex(lens) => is_hex && lens.iter().any(|len| digits.len() == 2 * len),
            Bytes => is_hex && !digits.is_empty() && digits.len().is_multiple_of(2),
            // How the rest is written is a matter of its own.
            WsUrl | HttpUrl => {
                let scheme = text
                    .trim_matches(|letter: char| letter <= ' ')
                    .to_lowercase()
                    .replace(['\t', '\n'], "");
                scheme.starts_with("ws") || scheme.starts_with("http")
            }
            Seconds => text.parse::<f64>().is_ok_and(|seconds| seconds >= 0.0),
            // As much as -0.
            Number => text.parse::<i128>().is_ok_and(|number| number >= 0),
            // By chance once in 65 536 times.
            Account => text == ADDRESS,
            Socket => text.parse::<SocketAddr>().is_ok(),
            Level => {
                ["off", "error", "warn", "info", "debug", "trace"].contains(&&*text.to_lowercase())
            }
            Listen | Item | Path | Text => true,
        }
    }

    /// What an error says that is expected.
    fn expected(self) -> &'static [&'static str] {
        match self {
            Hex(&[32]) => &["0x and 64 hexadecimal digits", "0x-hex of 32 bytes"],
            Hex(&[48, 144]) => &["0x-hex of 48 bytes"],
            Hex(&[144]) => &["0x-hex of 144 bytes"],
            Hex(&[20]) => &["0x and 40 hexadecimal digits"],
            Hex(_) => &["4 or 32 bytes"],
            Bytes => &["hexadecimal digits", "at least one byte"],
            WsUrl => &["expected ws://host:port or wss://host:port"],
            HttpUrl => &["expected http://host:port or https://host:port"],
            Seconds => &[
                "expected a number of seconds",
                "digit",
                "integer",
                "not in",
                "number too",
            ],
            Number => &[
                "digit",
                "integer",
                "not in",
                "number too",
                "possible values",
            ],
            Account => &[
                "SS58 address or 0x and 64 hexadecimal digits",
                "SS58 address nor 0x-hex of 32 bytes",
            ],
            Socket => &["socket address"],
            Listen => &["unix:", "tls: is followed by host and port"],
            Level => &["error, warn, info or debug"],
            Item => &["Pallet.Item"],
            Path | Text => &["a value is required"],
        }
    }
}

/// A value of a command: the arguments before it, its option or name, and what it has to be.
#[derive(Clone, Debug)]
struct Slot {
    program: &'static str,
    command: Vec<String>,
    option: String,
    kind: Kind,
}

/// The values of a command and of those below it.
fn slots(program: &'static str, command: &[String], found: &mut Vec<Slot>) {
    let help = run(program, &[command, &["--help".into()]].concat().map_os());
    assert_eq!(help.status.code(), Some(0), "{program} {command:?}");
    let help = String::from_utf8(help.stdout).unwrap();
    let mut section = "";
    for line in help.lines() {
        if !line.is_empty() && !line.starts_with(' ') {
            section = line;
        }
        let words: Vec<_> = line.split_whitespace().collect();
        let words = match words.first() {
            Some(short) if short.len() == 3 && short.ends_with(',') => &words[1..],
            _ => &words[..],
        };
        let of = |option: &str, value: &str| Slot {
            program,
            command: command.to_vec(),
            option: option.to_owned(),
            kind: Kind::of(&format!("{program} {}", command.join(" ")), option, value),
        };
        match (section, words) {
            ("Commands:", [name, ..]) if line.find(name) == Some(2) && *name != "help" => {
                slots(program, &[command, &[(*name).to_owned()]].concat(), found);
            }
            ("Options:", [option, value, ..])
                if option.starts_with("--") && value.starts_with('<') =>
            {
                found.push(of(
                    option,
                    value.trim_end_matches('.').trim_matches(['<', '>']),
                ));
            }
            ("Arguments:", [value, ..]) if value.starts_with(['<', '[']) => {
                let name = value
                    .trim_end_matches('.')
                    .trim_matches(['<', '>', '[', ']']);
                found.push(of(name, name));
            }
            _ => {}
        }
    }
}

trait MapOs {
    fn map_os(self) -> Vec<OsString>;
}

impl MapOs for Vec<String> {
    fn map_os(self) -> Vec<OsString> {
        self.into_iter().map(OsString::from).collect()
    }
}

fn run(program: &str, arguments: &[OsString]) -> Output {
    run_in(&env::temp_dir(), program, arguments)
}

fn run_in(dir: &Path, program: &str, arguments: &[OsString]) -> Output {
    let beside = env::current_exe().unwrap();
    let path = beside.ancestors().nth(2).unwrap().join(program);
    let mut command = Command::new(&path);
    command
        .args(arguments)
        .current_dir(dir)
        .stdin(Stdio::null());
    command.env("HOME", dir).env("TMPDIR", dir);
    let output = command.output();
    output.unwrap_or_else(|error| {
        panic!("cargo build --workspace --bins comes first: {program}: {error}")
    })
}

/// Numbers that are the same in each run.
struct Random(u64);

impl Random {
    /// As SplitMix64 makes them.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// A value that is wrong for sure; `None` where this attempt found none.
    fn wrong(&mut self, kind: Kind) -> Option<OsString> {
        let (right, wrong) = kind.examples();
        match self.below(8) {
            0 if ![Path, Text].contains(&kind) => {
                let mut bytes = right
                    .first()
                    .map_or("a", String::as_str)
                    .as_bytes()
                    .to_vec();
                bytes.insert(self.below(bytes.len() + 1), 0xff);
                Some(OsString::from_vec(bytes))
            }
            1..3 if !wrong.is_empty() => Some(OsString::from(*self.of(wrong))),
            _ if right.is_empty() => None,
            _ => {
                let mut text: Vec<char> = self.of(&right).chars().collect();
                for _ in 0..=self.below(3) {
                    self.change(&mut text);
                }
                let text: String = text.into_iter().collect();
                (!kind.may_be(&text)).then(|| OsString::from(text))
            }
        }
    }

    fn change(&mut self, text: &mut Vec<char>) {
        const ODD: [char; 16] = [
            '_', '-', '+', ' ', '\t', '\n', 'x', '0', '9', '.', ',', ':', '/', 'é', '\u{202e}',
            '\u{1b}',
        ];
        let at = self.below(text.len() + 1);
        let odd = *self.of(&ODD);
        match (self.below(6), text.get(at).copied()) {
            (0, Some(_)) => {
                text.remove(at);
            }
            (1, Some(twice)) => text.insert(at, twice),
            (2, Some(letter)) if letter.is_lowercase() => text[at] = letter.to_ascii_uppercase(),
            (2, Some(letter)) => text[at] = letter.to_ascii_lowercase(),
            (3, Some(_)) => text[at] = odd,
            (4, _) => text.truncate(at),
            _ => text.insert(at, odd),
        }
    }
}

/// Everything below a folder, with its length.
fn tree(dir: &Path) -> BTreeSet<(PathBuf, u64)> {
    let mut all = BTreeSet::new();
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let is_dir = entry.file_type().unwrap().is_dir();
        all.insert((
            entry.path(),
            if is_dir {
                0
            } else {
                entry.metadata().unwrap().len()
            },
        ));
        if is_dir {
            all.extend(tree(&entry.path()));
        }
    }
    all
}

/// What is wrong with how a program refused a value.
fn fault(slot: &Slot, wrong: &OsStr, output: &Output, is_clean: bool) -> Option<String> {
    let said = String::from_utf8_lossy(&output.stderr);
    let is_text = wrong.to_str().is_some();
    // clap itself names values that are one of a few, with a sign in the place of wrong bytes.
    let (expected, named) = if is_text {
        (slot.kind.expected(), [slot.option.as_str(); 2])
    } else {
        (&["UTF-8", "possible values"][..], ["\\xFF", "\u{fffd}"])
    };
    let fault = if output.status.code() != Some(2) {
        format!("status {:?}", output.status)
    } else if said.contains("panicked") {
        "a panic".to_owned()
    } else if !output.stdout.is_empty() {
        "something on standard output".to_owned()
    } else if !is_clean {
        "something on the disk".to_owned()
    } else if !named.iter().any(|name| said.contains(name)) {
        "the value is not named".to_owned()
    } else if !wrong.is_empty() && !expected.iter().any(|one| said.contains(one)) {
        format!("none of {expected:?}")
    } else {
        return None;
    };
    let Slot {
        program,
        command,
        option,
        ..
    } = slot;
    Some(format!(
        "{program} {} {option} {wrong:?}: {fault}: {said}",
        command.join(" ")
    ))
}

#[test]
fn a_value_that_is_wrong_is_refused_by_its_name_and_nothing_else_happens() {
    let number = |name: &str, usual| env::var(name).map_or(usual, |text| text.parse().unwrap());
    let (count, seed) = (number("DUET_INPUTS", INPUTS), number("DUET_SEED", 1));
    let mut all = Vec::new();
    for (program, command) in PROGRAMS {
        let command: Vec<_> = command.iter().map(|word| (*word).to_owned()).collect();
        slots(program, &command, &mut all);
    }
    assert!(all.len() > 100, "the helps name {} values", all.len());
    let dir = tempfile::tempdir().unwrap();
    let mut random = Random(seed);
    let (mut tried, mut faults) = (0, Vec::new());
    while tried < count {
        let slot = random.of(&all).clone();
        let Some(wrong) = random.wrong(slot.kind) else {
            continue;
        };
        let mut arguments = slot.command.clone().map_os();
        let is_like_an_option = wrong.as_encoded_bytes().starts_with(b"-");
        if !slot.option.starts_with("--") {
            arguments.extend(["--".into(), wrong.clone()]);
        } else if is_like_an_option || random.below(2) == 0 {
            let mut argument = OsString::from(format!("{}=", slot.option));
            argument.push(&wrong);
            arguments.push(argument);
        } else {
            arguments.extend([slot.option.clone().into(), wrong.clone()]);
        }
        let before = tree(dir.path());
        let output = run_in(dir.path(), slot.program, &arguments);
        faults.extend(fault(&slot, &wrong, &output, tree(dir.path()) == before));
        tried += 1;
    }
    assert!(
        faults.is_empty(),
        "{} of {tried}:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// Command lines that name a file where there is a folder, or the other way round, or nothing, or garbage: the program,
/// the line, what `{}` stands for in it, and the exit status.
#[rustfmt::skip]
const PLACES: &[(&str, &str, &[&str], i32)] = &[
    ("duet-light", "sync {light} --state {}", &["folder", "garbage", "garbage/in", "none/in"], 1),
    ("duet-light", "sync {light} --checkpoint {}", &["folder", "garbage", "none"], 1),
    ("duet-light", "sync {light} --recovery-proof {}", &["folder", "none"], 1),
    ("duet-light", "follow {light} --recovery-proof {}", &["garbage"], 2),
    ("duet-light", "status --state {}", &["folder", "garbage", "none"], 1),
    ("duet-relay", "evm {relay} --key-file {}", &["folder", "garbage", "none"], 1),
    ("duet-relay", "evm {relay} --checkpoint {}", &["folder", "garbage", "none"], 1),
    ("duet-relay", "evm {relay} --recovery-proof {}", &["folder", "none"], 1),
    ("duet-relay", "evm {relay} --recovery-proof {}", &["garbage"], 2),
    ("duet-signer", "--listen unix:{dir}/socket --keystore-path {}", &["garbage", "garbage/in"], 1),
    ("duet-signer", "--listen unix:{dir}/socket --keystore-path folder --password-filename {}", &["folder", "none"], 1),
    ("duet-signer", "--listen tls:127.0.0.1:0 --keystore-path new --tls-client-ca {} --tls-cert {} --tls-key {}", &["folder", "garbage", "none"], 1),
    ("duet-collector", "serve --listen 127.0.0.1:0 --folder {}", &["garbage", "garbage/in"], 1),
    ("duet-recovery", "generate --keys {}", &["garbage", "garbage/in"], 1),
    ("duet-recovery", "inspect {}", &["folder", "garbage", "none"], 1),
    ("duet-schemes", "show {}", &["folder", "none"], 3),
    ("duet-schemes", "show {}", &["garbage"], 2),
    ("duet-schemes", "mklhs keygen {}", &["garbage", "none/in"], 3),
];

/// What these lines leave out.
const REST: [(&str, &str); 2] = [
    ("{light}", "--url ws://127.0.0.1:1 --genesis {hash}"),
    (
        "{relay}",
        "--once --source ws://127.0.0.1:1 --target http://127.0.0.1:1 --contract {address}",
    ),
];

#[test]
fn a_place_of_the_wrong_kind_is_named_and_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("folder")).unwrap();
    for file in ["folder/inside", "garbage"] {
        fs::write(dir.path().join(file), "a letter\n").unwrap();
    }
    let before = tree(dir.path());
    let mut faults = Vec::new();
    for (program, line, places, status) in PLACES {
        for place in *places {
            let whole = |line: String, (name, rest): &(&str, &str)| line.replace(name, rest);
            let line = REST.iter().fold(line.replace("{}", place), whole);
            let line = line.replace("{hash}", &"01".repeat(32));
            let line = line.replace("{dir}", dir.path().to_str().unwrap());
            let line = line.replace("{address}", &"11".repeat(20));
            let words: Vec<_> = line.split(' ').map(OsString::from).collect();
            let output = run_in(dir.path(), program, &words);
            let said = String::from_utf8_lossy(&output.stderr);
            let is_right = output.status.code() == Some(*status)
                && output.stdout.is_empty()
                && said.contains(place)
                && !said.contains("panicked")
                && tree(dir.path()) == before;
            if !is_right {
                faults.push(format!(
                    "{program} {line}: {output:?} {:?}",
                    tree(dir.path())
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
