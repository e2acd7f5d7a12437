//! End-to-end tests of all verbs of `duet-schemes mklhs`.

use serde_json::Value;
use std::{
    fs,
    io::Write,
    process::{Command, Output, Stdio},
};

/// A temporary folder in which commands run.
struct Cli(tempfile::TempDir);

impl Cli {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Runs `duet-schemes mklhs` with words separated by spaces.
    fn run_with(&self, words: &str, input: &[u8]) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_duet-schemes"))
            .arg("mklhs")
            .args(words.split(' '))
            .current_dir(self.0.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that rejects its arguments does not read its input.
        let _ = child.stdin.take().unwrap().write_all(input);
        child.wait_with_output().unwrap()
    }

    fn run(&self, words: &str) -> Output {
        self.run_with(words, b"")
    }

    fn succeeds(&self, words: &str) -> String {
        let output = self.run(words);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Expects this exit status, and one line of error that contains this text.
    fn fails(&self, words: &str, status: i32, with: &str) {
        let output = self.run(words);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{words}: {error}");
        assert!(error.contains(with), "{words}: {error}");
        assert_eq!(error.lines().count(), 1, "{words}: {error}");
        assert!(output.stdout.is_empty(), "{words}");
    }

    /// Two keys, registered.
    fn with_keys() -> (Self, [String; 2]) {
        let cli = Self::new();
        cli.succeeds("keygen alice");
        cli.succeeds("keygen bob");
        cli.succeeds("register --signers signers.json alice/public.json bob/public.json");
        let id = |name: &str| cli.json(name)["id"].as_str().unwrap().to_owned();
        let ids = [id("alice/public.json"), id("bob/public.json")];
        (cli, ids)
    }
}

const LABEL: &str = "--context net --dataset epoch-7";

/// Both signers sign, a program is written, and their signatures are combined.
fn with_combined() -> (Cli, [String; 2]) {
    let (cli, ids) = Cli::with_keys();
    cli.succeeds(&format!(
        "sign --key alice {LABEL} -o a.jsonl load=17 disk=-3"
    ));
    cli.succeeds(&format!(
        "sign --key bob {LABEL} -o b.jsonl load=-4 disk=1000"
    ));
    let [alice, bob] = &ids;
    cli.succeeds(&format!(
        "program {LABEL} --tag load -o program.json {alice}=30 {bob}=70"
    ));
    cli.succeeds(
        "combine --program program.json --signers signers.json -o sum.json a.jsonl b.jsonl",
    );
    (cli, ids)
}

#[test]
fn keygen_makes_a_key_that_only_its_owner_reads_and_never_over_another() {
    let cli = Cli::new();
    let said: Value = serde_json::from_str(&cli.succeeds("keygen alice --json")).unwrap();
    let public = cli.json("alice/public.json");
    assert_eq!(said["id"], public["id"]);
    let secret = cli.read("alice/secret");
    assert_eq!(secret.len(), 64);
    assert!(!said.to_string().contains(&secret[..16]));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(cli.path("alice/secret"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    cli.fails("keygen alice", 2, "alice");
    assert_eq!(cli.read("alice/secret"), secret);
}

#[test]
fn register_checks_possession_and_lists_a_key_once() {
    let (cli, [alice, _]) = Cli::with_keys();
    let again = "register --signers signers.json alice/public.json --json";
    let said: Value = serde_json::from_str(&cli.succeeds(again)).unwrap();
    assert_eq!(said["signers"], 2);
    assert_eq!(said["registered"][0], alice.as_str());
    let before = cli.read("signers.json");
    // Bob's key with Alice's proof.
    let mut stolen = cli.json("bob/public.json");
    stolen["possession"] = cli.json("alice/public.json")["possession"].clone();
    fs::write(cli.path("stolen.json"), stolen.to_string()).unwrap();
    cli.fails(
        "register --signers signers.json stolen.json",
        1,
        "proof of possession",
    );
    // Alice's key under another name.
    let mut renamed = cli.json("alice/public.json");
    renamed["id"] = "00".repeat(32).into();
    fs::write(cli.path("renamed.json"), renamed.to_string()).unwrap();
    cli.fails("register --signers signers.json renamed.json", 1, &alice);
    assert_eq!(cli.read("signers.json"), before);
}

#[test]
fn signing_again_gives_the_same_and_another_number_is_refused() {
    let (cli, _) = Cli::with_keys();
    let sign = format!("sign --key alice {LABEL} load=17");
    let record = cli.succeeds(&sign);
    assert_eq!(cli.succeeds(&sign), record);
    let parsed: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(parsed["message"], "17");
    assert_eq!(parsed["signature"].as_str().unwrap().len(), 160);
    let other = format!("sign --key alice {LABEL} load=18");
    cli.fails(&other, 1, "the label was already used for the message 17");
    let among = format!("sign --key alice {LABEL} cpu=1 load=18");
    cli.fails(&among, 1, "\"load\"=18: request 1: the label");
    let large = format!("sign --key alice {LABEL} big=18446744073709551616");
    cli.fails(&large, 2, "\"big\"=18446744073709551616: the message");
    cli.succeeds(&format!("{large} --residues"));
}

#[test]
fn a_key_without_its_register_or_with_an_earlier_one_signs_nothing() {
    let cli = Cli::new();
    cli.succeeds("keygen alice --register elsewhere");
    let sign = |tag: &str| format!("sign --key alice --register elsewhere {LABEL} {tag}=1");
    cli.succeeds(&sign("a"));
    let earlier = fs::read(cli.path("elsewhere")).unwrap();
    cli.succeeds(&sign("b"));
    fs::write(cli.path("elsewhere"), earlier).unwrap();
    cli.fails(&sign("c"), 1, "has 1 entries, but the key has signed 2");
    fs::remove_file(cli.path("elsewhere")).unwrap();
    cli.fails(&sign("c"), 2, "missing");
}

#[test]
fn the_anchor_may_be_kept_elsewhere_and_the_key_signs_nothing_without_it() {
    let cli = Cli::new();
    cli.succeeds("keygen alice --anchor elsewhere");
    assert!(!cli.path("alice/register.anchor").exists());
    let sign = |tag: &str| format!("sign --key alice {LABEL} {tag}=1");
    cli.fails(&sign("a"), 2, "missing");
    let sign = |tag: &str| format!("sign --key alice --anchor elsewhere {LABEL} {tag}=1");
    cli.succeeds(&sign("a"));
    // The folder is restored from a copy, but the anchor is not.
    let earlier = fs::read(cli.path("alice/register.journal")).unwrap();
    cli.succeeds(&sign("b"));
    fs::write(cli.path("alice/register.journal"), earlier).unwrap();
    cli.fails(&sign("c"), 1, "has 1 entries, but the key has signed 2");
}

#[test]
fn check_accepts_valid_signatures_and_lists_invalid_ones() {
    let (cli, _) = with_combined();
    let said = cli.succeeds("check --signers signers.json a.jsonl b.jsonl");
    assert_eq!(said, "4 signatures are valid\n");
    // Two records swap their signatures. The message in the record is adjusted to the signature.
    let records: Vec<Value> = cli
        .read("a.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut swapped = records.clone();
    for (to, from) in [(0, 1), (1, 0)] {
        swapped[to]["signature"] = records[from]["signature"].clone();
        swapped[to]["message"] = records[from]["message"].clone();
    }
    let lines: Vec<_> = swapped.iter().map(Value::to_string).collect();
    fs::write(cli.path("bad.jsonl"), lines.join("\n")).unwrap();
    cli.fails(
        "check --signers signers.json b.jsonl bad.jsonl",
        1,
        "2 of 4 signatures are not valid; record 2",
    );
    let mut lying = records[0].clone();
    lying["message"] = "18".into();
    fs::write(cli.path("lying.jsonl"), lying.to_string()).unwrap();
    cli.fails(
        "check --signers signers.json lying.jsonl",
        1,
        "says \"18\", but the signed message is 17",
    );
}

#[test]
fn what_is_combined_verifies_and_shows_each_part() {
    let (cli, [alice, bob]) = with_combined();
    let combined = cli.json("sum.json");
    assert_eq!(
        combined["signature"].as_str().unwrap().len(),
        2 * (48 + 2 * 32)
    );
    let verify = "verify --program program.json --signers signers.json sum.json";
    let said: Value = serde_json::from_str(&cli.succeeds(&format!("{verify} --json"))).unwrap();
    assert_eq!(said["total"], "230");
    assert_eq!(said["per_signer"][0]["signer"], alice.as_str());
    assert_eq!(said["per_signer"][0]["part"], "510");
    assert_eq!(said["per_signer"][1]["part"], "-280");
    let text = cli.succeeds(&format!("{verify} --total 230"));
    assert_eq!(text, format!("total 230\n{alice} 510\n{bob} -280\n"));
    cli.fails(&format!("{verify} --total -231"), 1, "do not add up");
}

#[test]
fn a_combined_signature_is_refused_for_another_program_and_when_it_was_changed() {
    let (cli, [alice, bob]) = with_combined();
    let verify = |program: &str, combined: &str| {
        format!("verify --program {program} --signers signers.json {combined}")
    };
    cli.succeeds(&format!(
        "program {LABEL} --tag load -o other.json {alice}=31 {bob}=70"
    ));
    cli.fails(&verify("other.json", "sum.json"), 1, "is for the program");
    let mut changed = cli.json("sum.json");
    let signature = changed["signature"].as_str().unwrap();
    // The partial sums are swapped, so the total is unchanged.
    let (gamma, parts) = signature.split_at(2 * 48);
    let (first, second) = parts.split_at(2 * 32);
    changed["signature"] = [gamma, second, first].concat().into();
    fs::write(cli.path("changed.json"), changed.to_string()).unwrap();
    cli.fails(
        &verify("program.json", "changed.json"),
        1,
        "pairing equation",
    );
    let mut short = cli.json("sum.json");
    short["signature"] = "00".into();
    fs::write(cli.path("short.json"), short.to_string()).unwrap();
    cli.fails(
        &verify("program.json", "short.json"),
        1,
        "expected 80 bytes, got 1",
    );
}

#[test]
fn combine_checks_its_inputs_unless_told_not_to() {
    let (cli, _) = with_combined();
    let combine =
        |how: &str, records: &str| format!("combine --program program.json {how} {records}");
    cli.fails(
        &combine("--signers signers.json", "a.jsonl"),
        1,
        "no signature on",
    );
    let checked = cli.succeeds(&combine("--signers signers.json", "a.jsonl b.jsonl"));
    let unchecked = cli.succeeds(&combine("--unchecked", "b.jsonl a.jsonl"));
    assert_eq!(checked, unchecked);
    assert_eq!(checked, cli.read("sum.json"));
    // Only Alice is known.
    cli.succeeds("register --signers alice.json alice/public.json");
    cli.fails(
        &combine("--signers alice.json", "a.jsonl b.jsonl"),
        1,
        "is not known",
    );
}

/// Combined sums of two tags, `load.json` and `disk.json`, each of 30 times Alice's and 70 times Bob's number.
fn with_two_sums() -> (Cli, [String; 2]) {
    let (cli, ids) = with_combined();
    let [alice, bob] = &ids;
    for tag in ["load", "disk"] {
        cli.succeeds(&format!(
            "program {LABEL} --tag {tag} -o {tag}-program.json {alice}=30 {bob}=70"
        ));
        cli.succeeds(&format!(
            "combine --program {tag}-program.json --signers signers.json -o {tag}.json a.jsonl b.jsonl"
        ));
    }
    (cli, ids)
}

const PARTS: &str = "--part 1 load-program.json load.json --part -2 disk-program.json disk.json";

#[test]
fn what_was_combined_already_is_joined_with_weights_and_verifies_in_ones_own_view() {
    let (cli, [alice, bob]) = with_two_sums();
    let said = cli.succeeds(&format!(
        "join --signers signers.json --program joined.json -o joined-sum.json {PARTS} --json"
    ));
    let said: Value = serde_json::from_str(&said).unwrap();
    // 230 for the load, and 30 times -3 and 70 times 1000 for the disk.
    assert_eq!(said["total"], (230 - 2 * (-90 + 70_000)).to_string());
    assert_eq!((&said["parts"], &said["inputs"]), (&2.into(), &4.into()));
    let verified =
        cli.succeeds("verify --program joined.json --signers signers.json joined-sum.json");
    let parts = format!("{alice} {}\n{bob} {}\n", 510 + 180, -280 - 140_000);
    assert!(verified.ends_with(&parts), "{verified}");
    // A verifier creates the same program as the one that was written.
    let inputs = |name: &str| cli.json(name)["inputs"].as_array().unwrap().clone();
    let mut own = inputs("load-program.json");
    for mut input in inputs("disk-program.json") {
        let weight: i64 = input["coefficient"].as_str().unwrap().parse().unwrap();
        input["coefficient"] = (-2 * weight).into();
        own.push(input);
    }
    let own = serde_json::json!({ "bounds": "integers", "inputs": own });
    fs::write(cli.path("own.json"), own.to_string()).unwrap();
    cli.succeeds("verify --program own.json --signers signers.json joined-sum.json");
    // One of the two outputs may be a pipe.
    let join = format!("join --signers signers.json --program again.json {PARTS}");
    assert_eq!(cli.succeeds(&join), cli.read("joined-sum.json"));
}

#[test]
fn a_part_that_does_not_hold_or_is_there_twice_is_not_joined() {
    let (cli, _) = with_two_sums();
    let join = |how: &str, parts: &str| format!("join {how} --program joined.json {parts}");
    let twice = "--part 1 load-program.json load.json --part 1 load-program.json load.json";
    cli.fails(&join("--signers signers.json", twice), 2, "the same label");
    let zero = "--part 0 load-program.json load.json";
    cli.fails(&join("--signers signers.json", zero), 2, "is zero");
    let exchanged = "--part 1 load-program.json disk.json";
    cli.fails(
        &join("--unchecked", exchanged),
        1,
        "disk.json: the signature is for the program",
    );
    // The partial sums of the two signers are swapped, so the total is unchanged.
    let mut changed = cli.json("load.json");
    let signature = changed["signature"].as_str().unwrap();
    let (gamma, parts) = signature.split_at(2 * 48);
    let (first, second) = parts.split_at(2 * 32);
    changed["signature"] = [gamma, second, first].concat().into();
    fs::write(cli.path("load.json"), changed.to_string()).unwrap();
    cli.fails(
        &join("--signers signers.json", PARTS),
        1,
        "load.json: the pairing equation is not satisfied",
    );
    assert!(!cli.path("joined.json").exists());
    cli.succeeds(&join("-o joined-sum.json --unchecked", PARTS));
    cli.fails(
        "verify --program joined.json --signers signers.json joined-sum.json",
        1,
        "pairing equation",
    );
    let careless = cli.run(&format!("join --program joined.json {PARTS}"));
    assert_eq!(careless.status.code(), Some(2));
}

#[test]
fn several_signatures_of_one_program_are_verified_and_those_that_do_not_hold_are_named() {
    let (cli, _) = with_two_sums();
    let verify = "verify --program load-program.json --signers signers.json";
    let said = cli.succeeds(&format!("{verify} load.json sum.json --json"));
    let said: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(said.len(), 2);
    assert_eq!(said[0]["combined"], "load.json");
    assert_eq!(
        (&said[0]["total"], &said[1]["total"]),
        (&"230".into(), &"230".into())
    );
    let output = cli.run(&format!("{verify} disk.json load.json missing.json"));
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("load.json: total 230\n"), "{text}");
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with("error: 2 of 3 are not valid; disk.json: the signature is for"));
    assert!(error.contains("; missing.json: "), "{error}");
    let refused = cli.run(&format!("{verify} disk.json load.json"));
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn commands_read_and_write_pipes() {
    let (cli, _) = with_combined();
    let records = [cli.read("a.jsonl"), cli.read("b.jsonl")].concat();
    let combined = cli.run_with(
        "combine --program program.json --signers signers.json -",
        records.as_bytes(),
    );
    assert!(combined.status.success());
    let verified = cli.run_with(
        "verify --program program.json --signers signers.json -",
        &combined.stdout,
    );
    assert!(verified.status.success());
    assert!(verified.stdout.starts_with(b"total 230\n"));
}

#[test]
fn labels_that_are_no_text_are_written_as_hex() {
    let (cli, [alice, _]) = Cli::with_keys();
    let label = "--context hex:00ff --dataset hex:6869";
    let record = cli.succeeds(&format!("sign --key alice {label} hex:6865783a=1"));
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["context"], "hex:00ff");
    assert_eq!(record["dataset"], "hi");
    // The text `hex:` would be decoded as no bytes.
    assert_eq!(record["tag"], "hex:6865783a");
    fs::write(cli.path("r.jsonl"), record.to_string()).unwrap();
    cli.succeeds("check --signers signers.json r.jsonl");
    cli.succeeds(&format!(
        "program {label} --tag hex:6865783a -o p.json {alice}=1"
    ));
    cli.succeeds("combine --program p.json --signers signers.json r.jsonl");
    cli.fails(
        "sign --key alice --context hex:0 --dataset d a=1",
        2,
        "hex:0",
    );
}

/// The record with another number, in the text and in the signature. Anyone can write this.
fn forged(record: &str, number: u8) -> String {
    let mut record: Value = serde_json::from_str(record).unwrap();
    let signature = record["signature"].as_str().unwrap();
    let forged = format!("{}{number:064x}", &signature[..96]);
    record["signature"] = forged.into();
    record["message"] = number.to_string().into();
    record.to_string() + "\n"
}

#[test]
fn lines_that_anybody_can_write_are_dropped_and_do_not_keep_the_others_from_being_combined() {
    let (cli, _) = with_combined();
    let (a, b) = (cli.read("a.jsonl"), cli.read("b.jsonl"));
    let first = a.lines().next().unwrap();
    let forged = forged(first, 99);
    let junk = "{\"\u{ff}\n";
    // Before and after the honest ones.
    for records in [
        [forged.as_str(), junk, &a, &b].concat(),
        [a.as_str(), &b, junk, &forged].concat(),
    ] {
        fs::write(cli.path("all.jsonl"), records).unwrap();
        let combine = "combine --program program.json --signers signers.json all.jsonl";
        let output = cli.run(combine);
        assert_eq!(
            String::from_utf8(output.stdout).unwrap(),
            cli.read("sum.json")
        );
        let note: Value = serde_json::from_slice(&output.stderr).unwrap();
        assert_eq!(note["dropped"], 2);
        let said = cli.succeeds(&format!("{combine} -o again.json --force"));
        assert!(said.contains("2 records dropped, the first: all.jsonl line "));
        let said = cli.succeeds(&format!("{combine} -o again.json --force --json"));
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["dropped"], 2);
    }
    // Only the forged one is present.
    fs::write(cli.path("forged.jsonl"), forged).unwrap();
    cli.fails(
        "combine --program program.json --signers signers.json forged.jsonl b.jsonl",
        1,
        "1 records dropped, the first: forged.jsonl line 1: the pairing equation is not satisfied",
    );
}

#[test]
fn lines_that_anybody_can_write_are_no_evidence_and_hide_none() {
    let (cli, [_, bob]) = Cli::with_keys();
    sign_twice(&cli);
    let one = cli.read("one.jsonl");
    let forged = forged(&one, 99);
    fs::write(cli.path("forged.jsonl"), &forged).unwrap();
    for records in ["forged.jsonl one.jsonl", "one.jsonl forged.jsonl"] {
        cli.fails(
            &format!("equivocation prove --signers signers.json -o proof {records}"),
            1,
            "no label has valid signatures on two messages",
        );
        assert!(!cli.path("proof").exists());
    }
    for records in [
        "forged.jsonl one.jsonl two.jsonl",
        "two.jsonl forged.jsonl one.jsonl",
    ] {
        cli.succeeds(&format!(
            "equivocation prove --signers signers.json -o proof --force {records}"
        ));
        let convicted = cli.succeeds("equivocation check --signers signers.json proof");
        assert!(convicted.contains(&bob));
    }
    // Without the key there is no evidence.
    cli.succeeds("register --signers alice.json alice/public.json");
    cli.fails(
        "equivocation prove --signers alice.json one.jsonl two.jsonl",
        1,
        "is not known",
    );
}

/// A copy of a key, with its register from before, that signs used labels again.
fn sign_twice(cli: &Cli) {
    let register = ["register.journal", "register.anchor"];
    let earlier = register.map(|name| fs::read(cli.path("bob").join(name)).unwrap());
    cli.succeeds(&format!("sign --key bob {LABEL} -o one.jsonl load=1"));
    cli.succeeds("keygen copy");
    fs::remove_file(cli.path("copy/secret")).unwrap();
    fs::copy(cli.path("bob/secret"), cli.path("copy/secret")).unwrap();
    // The register belongs to another key.
    cli.fails(
        &format!("sign --key copy {LABEL} load=2"),
        2,
        "it belongs to another signer",
    );
    // A cheating signer restores both files, which the help warns about.
    for (name, bytes) in register.iter().zip(earlier) {
        fs::write(cli.path("copy").join(name), bytes).unwrap();
    }
    cli.succeeds(&format!("sign --key copy {LABEL} -o two.jsonl load=2"));
}

#[test]
fn signing_twice_is_proved_checked_and_revokes_the_key() {
    let (cli, [_, bob]) = Cli::with_keys();
    sign_twice(&cli);
    cli.fails(
        "equivocation prove --signers signers.json one.jsonl",
        1,
        "no label has valid signatures on two messages",
    );
    cli.succeeds("equivocation prove --signers signers.json -o proof one.jsonl two.jsonl");
    let convicted = cli.succeeds("equivocation check --signers signers.json proof --json");
    let convicted: Value = serde_json::from_str(&convicted).unwrap();
    assert_eq!(convicted["signer"], bob.as_str());
    // Checking a proof does not revoke the key; revoking does.
    cli.succeeds("check --signers signers.json one.jsonl");
    cli.succeeds("equivocation revoke --signers signers.json proof");
    cli.fails("check --signers signers.json one.jsonl", 1, "was revoked");
    cli.fails("register --signers signers.json proof", 2, "proof");
    let program = format!("program {LABEL} --tag load -o p.json {bob}=1");
    cli.succeeds(&program);
    let combine = "combine --program p.json --unchecked one.jsonl two.jsonl";
    cli.fails(combine, 1, "two messages under one label");
    // A modified proof is invalid.
    let broken = cli
        .read("proof")
        .replacen(&hex::encode("load"), &hex::encode("loaf"), 1);
    fs::write(cli.path("broken"), broken).unwrap();
    cli.fails(
        "equivocation check --signers signers.json broken",
        1,
        "is not valid",
    );
}

#[test]
fn a_secret_that_is_longer_than_one_is_refused() {
    let (cli, _) = Cli::with_keys();
    let secret = cli.read("alice/secret");
    let sign = format!("sign --key alice {LABEL} load=1");
    fs::write(cli.path("alice/secret"), format!("{secret}\r\n")).unwrap();
    cli.succeeds(&sign);
    fs::write(cli.path("alice/secret"), format!("{secret}\r\n\n")).unwrap();
    cli.fails(&sign, 2, "longer than 66 bytes");
}

#[test]
fn whoever_changes_the_signers_waits_for_whoever_does_already() {
    let (cli, [_, bob]) = Cli::with_keys();
    sign_twice(&cli);
    cli.succeeds("keygen carol");
    cli.succeeds("equivocation prove --signers signers.json -o proof one.jsonl two.jsonl");
    fs::copy(cli.path("signers.json"), cli.path("revoked.json")).unwrap();
    cli.succeeds("equivocation revoke --signers revoked.json proof");
    // Another process revokes Bob's key: it has read the file, but not yet written it.
    let lock = fs::File::create(cli.path("signers.json.lock")).unwrap();
    lock.lock().unwrap();
    let mut register = Command::new(env!("CARGO_BIN_EXE_duet-schemes"))
        .args(["mklhs", "register", "--signers", "signers.json"])
        .arg("carol/public.json")
        .current_dir(cli.0.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    for _ in 0..10 {
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(register.try_wait().unwrap().is_none());
    }
    fs::rename(cli.path("revoked.json"), cli.path("signers.json")).unwrap();
    drop(lock);
    assert!(register.wait().unwrap().success());
    let signers = cli.json("signers.json");
    assert_eq!(signers["signers"].as_array().unwrap().len(), 3);
    assert_eq!(signers["revoked"].as_array().unwrap().len(), 1);
    let said = cli.run("check --signers signers.json two.jsonl");
    let error = String::from_utf8(said.stderr).unwrap();
    assert!(
        error.contains(&format!("the key of {bob} was revoked")),
        "{error}"
    );
}

/// Ends the line, switches to red, and reverses the text direction.
const EVIL: &str = "\u{1b}[31m\n\u{202e}x";

/// The JSON with each of its texts, in turn, replaced by this text, and with an additional field.
fn made_evil(value: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    match value {
        Value::String(_) => all.push(EVIL.into()),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                for evil in made_evil(item) {
                    let mut items = items.clone();
                    items[index] = evil;
                    all.push(items.into());
                }
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                for evil in made_evil(field) {
                    let mut fields = fields.clone();
                    fields.insert(name.clone(), evil);
                    all.push(fields.into());
                }
            }
            let mut fields = fields.clone();
            fields.insert(EVIL.to_owned(), EVIL.into());
            all.push(fields.into());
        }
        _ => {}
    }
    all
}

#[test]
fn whatever_is_in_the_files_errors_are_one_line_without_control_characters() {
    let (cli, _) = with_combined();
    let record = cli.read("a.jsonl");
    fs::write(cli.path("record"), record.lines().next().unwrap()).unwrap();
    let mut signers = cli.json("signers.json");
    signers["revoked"] = serde_json::json!(["00"]);
    fs::write(cli.path("revoked.json"), signers.to_string()).unwrap();
    let commands = [
        ("alice/public.json", "register --signers new.json evil"),
        ("revoked.json", "check --signers evil a.jsonl"),
        ("record", "check --signers signers.json evil"),
        (
            "record",
            "combine --program program.json --signers signers.json evil b.jsonl",
        ),
        (
            "program.json",
            "verify --program evil --signers signers.json sum.json",
        ),
        (
            "sum.json",
            "verify --program program.json --signers signers.json evil",
        ),
    ];
    for (file, command) in commands {
        let all = made_evil(&cli.json(file));
        assert!(all.len() >= 4, "{file}");
        for evil in all {
            fs::write(cli.path("evil"), evil.to_string()).unwrap();
            let output = cli.run(command);
            let error = String::from_utf8(output.stderr).unwrap();
            // Additional fields in records are ignored, and so is an unrequested total.
            assert!(!error.is_empty() || output.status.success(), "{evil}");
            let line = error.strip_suffix('\n').unwrap_or_default();
            let is_clean = |character: char| !character.is_control() && character != '\u{202e}';
            assert!(line.chars().all(is_clean), "{command}: {error:?}");
        }
    }
}

#[test]
fn bad_input_is_one_line_and_a_status_of_two() {
    let (cli, [alice, _]) = Cli::with_keys();
    fs::write(cli.path("junk"), b"\xff{").unwrap();
    cli.fails("check --signers junk nothing", 2, "junk");
    cli.fails("check --signers signers.json junk", 2, "junk");
    cli.fails("check --signers signers.json absent", 2, "absent");
    cli.fails(
        "verify --program junk --signers signers.json junk",
        2,
        "junk",
    );
    let zero = format!("program {LABEL} --tag load {alice}=0");
    cli.fails(&zero, 2, "coefficient 0 is zero");
    let twice = format!("program {LABEL} --tag load --tag load {alice}=1");
    cli.fails(&twice, 2, "the same label");
    cli.fails(&format!("program {LABEL} --tag load abc=1"), 2, "abc");
    let json = cli.run("check --signers junk nothing --json");
    let error: Value = serde_json::from_slice(&json.stderr).unwrap();
    assert_eq!(error["kind"], "input");
    // Errors of clap have their own form and the same status.
    assert_eq!(
        cli.run(&format!("sign --key alice {LABEL} load"))
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn the_help_explains_the_files() {
    let cli = Cli::new();
    let help = cli.succeeds("--help");
    for word in [
        "PROGRAM",
        "RECORD",
        "COMBINED",
        "register.journal",
        "NEVER restore the whole folder",
        "join",
        "Exit status",
    ] {
        assert!(help.contains(word), "{word}");
    }
}
