//! What the command does to files: no key, no register and no other file is lost.
#![cfg(unix)]

use serde_json::Value;
use std::{
    fs,
    os::unix::fs::{symlink, PermissionsExt},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

struct Cli(tempfile::TempDir);

impl Cli {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("it is there")
    }

    fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_duet-schemes"));
        command
            .current_dir(self.0.path())
            .args(words.split_whitespace())
            .stdin(Stdio::null());
        command
    }

    fn run(&self, words: &str) -> Output {
        self.command(words).output().expect("it runs")
    }

    fn succeeds(&self, words: &str) -> Vec<u8> {
        let output = self.run(words);
        assert!(output.status.success(), "{words}: {output:?}");
        output.stdout
    }

    /// Fails with one line of error that has this text.
    fn fails(&self, words: &str, with: &str) {
        let output = self.run(words);
        let error = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(2), "{words}: {error}");
        assert!(error.contains(with), "{words}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("a folder");
        let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("a name").file_name();
        let mut names: Vec<_> = entries
            .map(|entry| name(entry).into_string().expect("text"))
            .collect();
        names.sort();
        names
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path)
        .expect("it is there")
        .permissions()
        .mode()
        & 0o777
}

/// Each way to make a key of two files.
const KEYGENS: [&str; 3] = [
    "sequential keygen --bits 2048",
    "searchable keygen",
    "polynomial keygen --dimension 8 --register register",
];

#[test]
fn both_files_of_a_key_are_different_ones() {
    for keygen in KEYGENS {
        let cli = Cli::new();
        let two = "two outputs cannot go to one place";
        cli.fails(&format!("{keygen} --secret k --public k"), two);
        cli.fails(&format!("{keygen} --secret k --public ./k --force"), two);
        fs::create_dir(cli.path("folder")).expect("a folder");
        symlink("../k", cli.path("folder/link")).expect("a link");
        cli.fails(&format!("{keygen} --secret k --public folder/link"), two);
        assert_eq!(cli.names(), ["folder"]);
    }
}

#[test]
fn a_register_is_not_another_file_of_its_key() {
    let cli = Cli::new();
    let keygen = "polynomial keygen --dimension 8 --secret s";
    let two = "two outputs cannot go to one place";
    cli.fails(&format!("{keygen} --register r --public r"), two);
    cli.fails(&format!("{keygen} --register s --public p"), two);
    cli.fails(&format!("{keygen} --register r --anchor r --public p"), two);
    assert!(cli.names().is_empty());
}

#[test]
fn a_second_key_replaces_no_file_of_the_first_one() {
    for keygen in KEYGENS {
        let cli = Cli::new();
        let keygen = format!("{keygen} --secret s --public p");
        cli.succeeds(&keygen);
        let files = cli.names();
        let before: Vec<_> = files.iter().map(|name| cli.bytes(name)).collect();
        cli.fails(&keygen, "there already");
        cli.fails(&format!("{keygen} --force"), "there already");
        let after: Vec<_> = files.iter().map(|name| cli.bytes(name)).collect();
        assert_eq!(before, after);
        assert_eq!(cli.names(), files);
    }
}

#[test]
fn an_output_replaces_a_file_only_when_told_to_and_never_a_secret_or_a_register() {
    let cli = Cli::new();
    cli.succeeds("mklhs keygen alice");
    let sign = "mklhs sign --key alice --context c --dataset d load=1";
    cli.succeeds(&format!("{sign} -o records"));
    let records = cli.bytes("records");
    cli.fails(&format!("{sign} -o records"), "only with --force");
    fs::write(cli.path("records"), "older").expect("a file");
    cli.succeeds(&format!("{sign} -o records --force"));
    assert_eq!(cli.bytes("records"), records);

    for name in ["secret", "register.journal", "register.anchor"] {
        let before = cli.bytes(&format!("alice/{name}"));
        cli.fails(&format!("{sign} -o alice/{name}"), "only with --force");
        cli.fails(
            &format!("{sign} -o alice/{name} --force"),
            "not replaced even with --force",
        );
        assert_eq!(cli.bytes(&format!("alice/{name}")), before);
    }
    symlink("alice/secret", cli.path("link")).expect("a link");
    cli.fails(&format!("{sign} -o link --force"), "even with --force");
    // Nothing was signed twice, and the key still signs.
    cli.succeeds(&format!("{sign} -o again"));
    assert_eq!(cli.bytes("again"), records);
}

#[test]
fn what_is_no_file_is_written_into_and_links_are_followed() {
    let cli = Cli::new();
    cli.succeeds("mklhs keygen alice");
    let sign = "mklhs sign --key alice --context c --dataset d load=1";
    let expected = cli.succeeds(sign);

    // A device stays one.
    cli.succeeds(&format!("{sign} -o /dev/null"));
    let null = fs::metadata("/dev/null").expect("it is there");
    assert!(!null.is_file());
    // Nothing else goes to standard output then, by whatever name.
    assert_eq!(cli.succeeds(&format!("{sign} -o /dev/stdout")), expected);

    // A named pipe stays one, and its reader gets the bytes.
    let pipe = cli.path("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("it runs");
    assert!(made.success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read(pipe).expect("it is read")
    });
    cli.succeeds(&format!("{sign} -o pipe"));
    assert_eq!(reader.join().expect("it ends"), expected);
    assert!(!fs::metadata(&pipe).expect("it is there").is_file());

    // A link to nothing yet, and then to a file.
    symlink("target", cli.path("link")).expect("a link");
    cli.succeeds(&format!("{sign} -o link"));
    assert_eq!(cli.bytes("target"), expected);
    fs::write(cli.path("target"), "older").expect("a file");
    cli.succeeds(&format!("{sign} -o link --force"));
    assert_eq!(cli.bytes("target"), expected);
    assert!(cli.path("link").is_symlink());
    symlink("circle", cli.path("circle")).expect("a link");
    cli.fails(&format!("{sign} -o circle"), "circle: ");
}

#[test]
fn an_anchor_that_is_a_link_stays_one() {
    let cli = Cli::new();
    cli.succeeds("mklhs keygen alice");
    fs::rename(cli.path("alice/register.anchor"), cli.path("elsewhere")).expect("it moves");
    symlink("../elsewhere", cli.path("alice/register.anchor")).expect("a link");
    let before = cli.bytes("elsewhere");
    cli.succeeds("mklhs sign --key alice --context c --dataset d load=1");
    assert!(cli.path("alice/register.anchor").is_symlink());
    assert_ne!(cli.bytes("elsewhere"), before);
}

#[test]
fn public_files_are_for_everybody_and_private_ones_for_their_owner() {
    let cli = Cli::new();
    cli.succeeds("mklhs keygen alice");
    cli.succeeds("mklhs sign --key alice --context c --dataset d load=1 -o records");
    cli.succeeds("mklhs register --signers signers alice/public.json");
    cli.succeeds("searchable keygen --secret s --public p");
    // The mask of the process may take permissions away, and nothing else does.
    fs::write(cli.path("usual"), "").expect("a file");
    let usual = mode(&cli.path("usual"));
    for name in ["alice/public.json", "records", "signers", "p"] {
        assert_eq!(mode(&cli.path(name)), usual, "{name}");
    }
    for name in [
        "alice/secret",
        "alice/register.journal",
        "alice/register.anchor",
        "s",
    ] {
        assert_eq!(mode(&cli.path(name)), 0o600, "{name}");
    }

    // What is written anew keeps its permissions.
    let set = |name: &str, mode| {
        fs::set_permissions(cli.path(name), fs::Permissions::from_mode(mode))
            .expect("they are set");
    };
    set("signers", 0o640);
    cli.succeeds("mklhs keygen bob");
    cli.succeeds("mklhs register --signers signers bob/public.json");
    assert_eq!(mode(&cli.path("signers")), 0o640);
    set("records", 0o664);
    cli.succeeds("mklhs sign --key alice --context c --dataset d load=1 -o records --force");
    assert_eq!(mode(&cli.path("records")), 0o664);
}

#[test]
fn a_key_that_cannot_be_written_whole_leaves_nothing_behind() {
    for keygen in KEYGENS {
        let cli = Cli::new();
        // The device takes no bytes, as a full disk.
        let output = cli.run(&format!("{keygen} --secret s --public /dev/full"));
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(cli.names().is_empty(), "{:?}", cli.names());
        cli.succeeds(&format!("{keygen} --secret s --public p"));
    }
}

#[test]
fn a_public_key_for_standard_output_comes_alone() {
    for keygen in ["sequential keygen --bits 2048", "searchable keygen"] {
        let cli = Cli::new();
        let bytes = cli.succeeds(&format!("{keygen} --secret s --public -"));
        fs::write(cli.path("p"), bytes).expect("a file");
        let scheme = keygen.split_whitespace().next().expect("a word");
        let fingerprint = cli.succeeds(&format!("{scheme} fingerprint p"));
        assert_eq!(fingerprint.len(), 65, "64 digits and the end of the line");
    }
}

#[test]
fn bad_arguments_are_json_where_it_is_asked_for() {
    let cli = Cli::new();
    for words in [
        "mklhs sign --json",
        "--json nothing",
        "--json searchable keygen --secret",
    ] {
        let output = cli.run(words);
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8(output.stderr).expect("text");
        assert_eq!(text.lines().count(), 1, "{text}");
        let error: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(error["kind"], "input");
        assert!(!error["error"].as_str().expect("text").is_empty());
    }
    // Help is no error.
    let help = cli.run("--json --help");
    assert!(help.status.success() && !help.stdout.is_empty() && help.stderr.is_empty());
}

#[test]
fn who_uses_a_register_is_waited_for() {
    let cli = Cli::new();
    cli.succeeds("mklhs keygen alice");
    let journal = fs::File::open(cli.path("alice/register.journal")).expect("it is there");
    journal.lock().expect("it is free");
    let sign = "mklhs sign --key alice --context c --dataset d load=1";
    cli.fails(&format!("{sign} --wait 0"), "in use by another process");
    let mut waiting = cli
        .command(&format!("{sign} --wait 600"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    assert!(waiting.try_wait().expect("a child").is_none());
    drop(journal);
    assert!(waiting.wait().expect("it ends").success());
}
