//! What the command does to files: no key, no register and no other file is lost.
#![cfg(unix)]

mod support;

use serde_json::Value;
use std::{
    fs,
    os::unix::fs::{symlink, PermissionsExt},
    path::Path,
    process::Command,
};
use support::Cli;

fn cli() -> Cli {
    Cli::new("")
}

fn names_in(cli: &Cli, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(cli.path(folder)).expect("a folder");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("a name").file_name();
    let mut names: Vec<_> = entries
        .map(|entry| name(entry).into_string().expect("text"))
        .collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path)
        .expect("it is there")
        .permissions()
        .mode()
        & 0o777
}

/// Each way to make a key, and the files of its folder.
const KEYGENS: [(&str, &[&str]); 4] = [
    ("mklhs keygen", &WITH_REGISTER),
    ("sequential keygen --bits 2048", &["public", "secret"]),
    ("searchable keygen", &["public", "secret"]),
    (
        "research-forgeable-polynomial keygen --dimension 8",
        &WITH_REGISTER,
    ),
];
const WITH_REGISTER: [&str; 4] = ["public", "register.anchor", "register.journal", "secret"];

#[test]
fn every_key_has_the_same_layout_and_a_second_one_replaces_no_file_of_it() {
    for (keygen, expected) in KEYGENS {
        let cli = cli();
        cli.succeeds(&format!("{keygen} key"));
        let files = names_in(&cli, "key");
        assert_eq!(files, expected, "{keygen}");
        for name in files.iter().filter(|name| *name != "public") {
            assert_eq!(mode(&cli.path(&format!("key/{name}"))), 0o600, "{name}");
        }
        let contents = || -> Vec<_> {
            let path = |name: &String| cli.bytes(&format!("key/{name}"));
            files.iter().map(path).collect()
        };
        let before = contents();
        cli.fails(&format!("{keygen} key"), 3, "exists already");
        cli.fails(&format!("{keygen} key --force"), 3, "exists already");
        symlink("nothing", cli.path("link")).expect("a link");
        cli.fails(&format!("{keygen} link"), 3, "exists already");
        assert_eq!(contents(), before);
        assert_eq!(names_in(&cli, "key"), files);
        assert_eq!(names_in(&cli, "."), ["key", "link"]);
    }
}

#[test]
fn both_files_of_a_register_are_different_ones() {
    for keygen in [
        "mklhs keygen",
        "research-forgeable-polynomial keygen --dimension 8",
    ] {
        let cli = cli();
        let two = "two outputs have the same destination";
        cli.fails(&format!("{keygen} key --register r --anchor r"), 3, two);
        cli.fails(&format!("{keygen} key --register r --anchor ./r"), 3, two);
        assert!(names_in(&cli, ".").is_empty());
    }
}

#[test]
fn an_output_replaces_a_file_only_when_told_to_and_never_a_secret_or_a_register() {
    let cli = cli();
    cli.succeeds("mklhs keygen alice");
    let sign = "mklhs sign --key alice --context c --dataset d load=1";
    cli.succeeds(&format!("{sign} -o records"));
    let records = cli.bytes("records");
    cli.fails(&format!("{sign} -o records"), 3, "only with --force");
    cli.file("records", "older");
    cli.succeeds(&format!("{sign} -o records --force"));
    assert_eq!(cli.bytes("records"), records);

    for name in ["secret", "register.journal", "register.anchor"] {
        let before = cli.bytes(&format!("alice/{name}"));
        cli.fails(&format!("{sign} -o alice/{name}"), 3, "only with --force");
        cli.fails(
            &format!("{sign} -o alice/{name} --force"),
            3,
            "not replaced even with --force",
        );
        assert_eq!(cli.bytes(&format!("alice/{name}")), before);
    }
    symlink("alice/secret", cli.path("link")).expect("a link");
    cli.fails(&format!("{sign} -o link --force"), 3, "even with --force");
    // Nothing was signed twice, and the key still signs.
    cli.succeeds(&format!("{sign} -o again"));
    assert_eq!(cli.bytes("again"), records);
}

#[test]
fn what_is_no_file_is_written_into_and_links_are_followed() {
    let cli = cli();
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
    assert_eq!(reader.join().expect("it ends"), expected.as_bytes());
    assert!(!fs::metadata(&pipe).expect("it is there").is_file());

    // A link to nothing yet, and then to a file.
    symlink("target", cli.path("link")).expect("a link");
    cli.succeeds(&format!("{sign} -o link"));
    assert_eq!(cli.read("target"), expected);
    cli.file("target", "older");
    cli.succeeds(&format!("{sign} -o link --force"));
    assert_eq!(cli.read("target"), expected);
    assert!(cli.path("link").is_symlink());
    symlink("circle", cli.path("circle")).expect("a link");
    cli.fails(&format!("{sign} -o circle"), 3, "circle: ");
}

#[test]
fn an_anchor_that_is_a_link_stays_one() {
    let cli = cli();
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
    let cli = cli();
    cli.succeeds("mklhs keygen alice");
    cli.succeeds("mklhs sign --key alice --context c --dataset d load=1 -o records");
    cli.succeeds("mklhs register --signers signers alice");
    cli.succeeds("searchable keygen receiver");
    cli.succeeds("searchable trapdoor --key receiver --keyword k -o trapdoor");
    // The mask of the process may take permissions away, and nothing else does.
    cli.file("usual", "");
    let usual = mode(&cli.path("usual"));
    for name in ["alice/public", "records", "signers", "receiver/public"] {
        assert_eq!(mode(&cli.path(name)), usual, "{name}");
    }
    for name in [
        "alice/secret",
        "alice/register.journal",
        "alice/register.anchor",
        "receiver/secret",
        "trapdoor",
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
    cli.succeeds("mklhs register --signers signers bob");
    assert_eq!(mode(&cli.path("signers")), 0o640);
    set("records", 0o664);
    cli.succeeds("mklhs sign --key alice --context c --dataset d load=1 -o records --force");
    assert_eq!(mode(&cli.path("records")), 0o664);
}

/// No file may have more than so many blocks of 512 bytes.
fn fails_on_a_full_disk(cli: &Cli, keygen: &str, blocks: u32) {
    let program = env!("CARGO_BIN_EXE_duet-schemes");
    let full = format!("trap '' XFSZ; ulimit -f {blocks}; exec {program} {keygen} key");
    let output = Command::new("sh")
        .args(["-c", &full])
        .current_dir(cli.path("."))
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(names_in(cli, ".").is_empty(), "{:?}", names_in(cli, "."));
}

#[test]
fn a_key_that_cannot_be_written_whole_leaves_nothing_behind() {
    for (keygen, _) in KEYGENS {
        let cli = cli();
        fails_on_a_full_disk(&cli, keygen, 0);
        cli.succeeds(&format!("{keygen} key"));
    }
    // Here the secret fits, and the public key does not.
    let cli = cli();
    fails_on_a_full_disk(&cli, "searchable keygen", 1);
}

#[test]
fn show_names_every_object_of_every_file_and_no_secret() {
    for (keygen, files) in KEYGENS {
        let cli = cli();
        cli.succeeds(&format!("{keygen} key"));
        let shown = |name: &str| {
            let shown = cli.succeeds(&format!("show --json {name}"));
            serde_json::from_str::<Value>(&shown).expect("one line of JSON")
        };
        let (folder, public, secret) = (shown("key"), shown("key/public"), shown("key/secret"));
        assert_eq!(folder, public);
        assert_eq!(public["fingerprint"], secret["fingerprint"]);
        assert_eq!(public["version"], 1);
        let kind = |shown: &Value| shown["type"].as_str().expect("text").to_owned();
        assert!(kind(&public).ends_with("PUBLIC KEY"), "{public}");
        assert!(kind(&secret).ends_with("SECRET KEY"), "{secret}");
        let text = String::from_utf8(cli.bytes("key/secret")).expect("text");
        let base64 = text.lines().rev().nth(1).expect("a line");
        assert!(!secret.to_string().contains(base64));
        if files.len() == 4 {
            cli.fails("show key/register.journal", 2, "line 1: ");
        }
    }
    let cli = cli();
    cli.file("empty", "# nothing\n");
    cli.fails("show empty", 2, "empty: there are no objects");
}

#[test]
fn bad_arguments_are_json_where_it_is_asked_for() {
    let cli = cli();
    for words in [
        "mklhs sign --json",
        "--json nothing",
        "--json searchable keygen --bits",
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
    let cli = cli();
    cli.succeeds("mklhs keygen alice");
    let journal = fs::File::open(cli.path("alice/register.journal")).expect("it is there");
    journal.lock().expect("it is free");
    let sign = "mklhs sign --key alice --context c --dataset d load=1";
    cli.fails(&format!("{sign} --wait 0"), 4, "in use by another process");
    let mut waiting = cli
        .command(&format!("{sign} --wait 600"))
        .spawn()
        .expect("it runs");
    assert!(waiting.try_wait().expect("a child").is_none());
    drop(journal);
    assert!(waiting.wait().expect("it ends").success());
}
