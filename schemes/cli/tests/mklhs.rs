//! Every verb of `duet-schemes mklhs`, end to end through the program.

use serde_json::Value;
use std::{
    fs,
    io::Write,
    process::{Command, Output, Stdio},
};

/// A folder in which commands run.
struct Shell(tempfile::TempDir);

impl Shell {
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

    /// Runs `duet-schemes mklhs` with words that are separated by spaces.
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
        // A command that refuses its arguments does not read.
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

    /// Fails with this status, and one line that has this in it.
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
        let shell = Self::new();
        shell.succeeds("keygen alice");
        shell.succeeds("keygen bob");
        shell.succeeds("register --signers signers.json alice/public.json bob/public.json");
        let id = |name: &str| shell.json(name)["id"].as_str().unwrap().to_owned();
        let ids = [id("alice/public.json"), id("bob/public.json")];
        (shell, ids)
    }
}

const LABEL: &str = "--context net --dataset epoch-7";

/// Both sign, a program is written, and their signatures are combined.
fn with_combined() -> (Shell, [String; 2]) {
    let (shell, ids) = Shell::with_keys();
    shell.succeeds(&format!(
        "sign --key alice {LABEL} -o a.jsonl load=17 disk=-3"
    ));
    shell.succeeds(&format!(
        "sign --key bob {LABEL} -o b.jsonl load=-4 disk=1000"
    ));
    let [alice, bob] = &ids;
    shell.succeeds(&format!(
        "program {LABEL} --tag load -o program.json {alice}=30 {bob}=70"
    ));
    shell.succeeds(
        "combine --program program.json --signers signers.json -o sum.json a.jsonl b.jsonl",
    );
    (shell, ids)
}

#[test]
fn keygen_makes_a_key_that_only_its_owner_reads_and_never_over_another() {
    let shell = Shell::new();
    let said: Value = serde_json::from_str(&shell.succeeds("keygen alice --json")).unwrap();
    let public = shell.json("alice/public.json");
    assert_eq!(said["id"], public["id"]);
    let secret = shell.read("alice/secret");
    assert_eq!(secret.len(), 64);
    assert!(!said.to_string().contains(&secret[..16]));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(shell.path("alice/secret"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    shell.fails("keygen alice", 2, "alice");
    assert_eq!(shell.read("alice/secret"), secret);
}

#[test]
fn register_checks_possession_and_lists_a_key_once() {
    let (shell, [alice, _]) = Shell::with_keys();
    let again = "register --signers signers.json alice/public.json --json";
    let said: Value = serde_json::from_str(&shell.succeeds(again)).unwrap();
    assert_eq!(said["signers"], 2);
    assert_eq!(said["registered"][0], alice.as_str());
    let before = shell.read("signers.json");
    // Bob's key with Alice's proof.
    let mut stolen = shell.json("bob/public.json");
    stolen["possession"] = shell.json("alice/public.json")["possession"].clone();
    fs::write(shell.path("stolen.json"), stolen.to_string()).unwrap();
    shell.fails(
        "register --signers signers.json stolen.json",
        1,
        "proof of possession",
    );
    // Alice's key under another name.
    let mut renamed = shell.json("alice/public.json");
    renamed["id"] = "00".repeat(32).into();
    fs::write(shell.path("renamed.json"), renamed.to_string()).unwrap();
    shell.fails("register --signers signers.json renamed.json", 1, &alice);
    assert_eq!(shell.read("signers.json"), before);
}

#[test]
fn signing_again_gives_the_same_and_another_number_is_refused() {
    let (shell, _) = Shell::with_keys();
    let sign = format!("sign --key alice {LABEL} load=17");
    let record = shell.succeeds(&sign);
    assert_eq!(shell.succeeds(&sign), record);
    let parsed: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(parsed["message"], "17");
    assert_eq!(parsed["signature"].as_str().unwrap().len(), 160);
    let other = format!("sign --key alice {LABEL} load=18");
    shell.fails(&other, 1, "the label was used for the message 17");
    let among = format!("sign --key alice {LABEL} cpu=1 load=18");
    shell.fails(&among, 1, "\"load\"=18: request 1: the label");
    let large = format!("sign --key alice {LABEL} big=18446744073709551616");
    shell.fails(&large, 2, "\"big\"=18446744073709551616: the message");
    shell.succeeds(&format!("{large} --residues"));
}

#[test]
fn a_key_without_its_register_or_with_an_earlier_one_signs_nothing() {
    let shell = Shell::new();
    shell.succeeds("keygen alice --register elsewhere");
    let sign = |tag: &str| format!("sign --key alice --register elsewhere {LABEL} {tag}=1");
    shell.succeeds(&sign("a"));
    let earlier = fs::read(shell.path("elsewhere")).unwrap();
    shell.succeeds(&sign("b"));
    fs::write(shell.path("elsewhere"), earlier).unwrap();
    shell.fails(&sign("c"), 1, "has 1 entries, and the key has signed 2");
    fs::remove_file(shell.path("elsewhere")).unwrap();
    shell.fails(&sign("c"), 2, "missing");
}

#[test]
fn the_anchor_may_be_kept_elsewhere_and_the_key_signs_nothing_without_it() {
    let shell = Shell::new();
    shell.succeeds("keygen alice --anchor elsewhere");
    assert!(!shell.path("alice/register.anchor").exists());
    let sign = |tag: &str| format!("sign --key alice {LABEL} {tag}=1");
    shell.fails(&sign("a"), 2, "missing");
    let sign = |tag: &str| format!("sign --key alice --anchor elsewhere {LABEL} {tag}=1");
    shell.succeeds(&sign("a"));
    // The folder comes back from a copy, and the anchor does not.
    let earlier = fs::read(shell.path("alice/register.journal")).unwrap();
    shell.succeeds(&sign("b"));
    fs::write(shell.path("alice/register.journal"), earlier).unwrap();
    shell.fails(&sign("c"), 1, "has 1 entries, and the key has signed 2");
}

#[test]
fn check_accepts_what_holds_and_names_what_does_not() {
    let (shell, _) = with_combined();
    let said = shell.succeeds("check --signers signers.json a.jsonl b.jsonl");
    assert_eq!(said, "4 signatures hold\n");
    // Two records change their signatures; the message in the record is that of the signature.
    let records: Vec<Value> = shell
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
    fs::write(shell.path("bad.jsonl"), lines.join("\n")).unwrap();
    shell.fails(
        "check --signers signers.json b.jsonl bad.jsonl",
        1,
        "2 of 4 signatures do not hold; record 2",
    );
    let mut lying = records[0].clone();
    lying["message"] = "18".into();
    fs::write(shell.path("lying.jsonl"), lying.to_string()).unwrap();
    shell.fails(
        "check --signers signers.json lying.jsonl",
        1,
        "said to be \"18\", and signed is 17",
    );
}

#[test]
fn what_is_combined_verifies_and_shows_each_part() {
    let (shell, [alice, bob]) = with_combined();
    let combined = shell.json("sum.json");
    assert_eq!(
        combined["signature"].as_str().unwrap().len(),
        2 * (48 + 2 * 32)
    );
    let verify = "verify --program program.json --signers signers.json sum.json";
    let said: Value = serde_json::from_str(&shell.succeeds(&format!("{verify} --json"))).unwrap();
    assert_eq!(said["total"], "230");
    assert_eq!(said["per_signer"][0]["signer"], alice.as_str());
    assert_eq!(said["per_signer"][0]["part"], "510");
    assert_eq!(said["per_signer"][1]["part"], "-280");
    let text = shell.succeeds(&format!("{verify} --total 230"));
    assert_eq!(text, format!("total 230\n{alice} 510\n{bob} -280\n"));
    shell.fails(&format!("{verify} --total -231"), 1, "do not add up");
}

#[test]
fn a_combined_signature_is_refused_for_another_program_and_when_it_was_changed() {
    let (shell, [alice, bob]) = with_combined();
    let verify = |program: &str, combined: &str| {
        format!("verify --program {program} --signers signers.json {combined}")
    };
    shell.succeeds(&format!(
        "program {LABEL} --tag load -o other.json {alice}=31 {bob}=70"
    ));
    shell.fails(&verify("other.json", "sum.json"), 1, "is of the program");
    let mut changed = shell.json("sum.json");
    let signature = changed["signature"].as_str().unwrap();
    // The parts change places: the total stays.
    let (gamma, parts) = signature.split_at(2 * 48);
    let (first, second) = parts.split_at(2 * 32);
    changed["signature"] = [gamma, second, first].concat().into();
    fs::write(shell.path("changed.json"), changed.to_string()).unwrap();
    shell.fails(
        &verify("program.json", "changed.json"),
        1,
        "pairing equation",
    );
    let mut short = shell.json("sum.json");
    short["signature"] = "00".into();
    fs::write(shell.path("short.json"), short.to_string()).unwrap();
    shell.fails(
        &verify("program.json", "short.json"),
        1,
        "1 bytes, where 80 are expected",
    );
}

#[test]
fn combine_checks_its_inputs_unless_told_not_to() {
    let (shell, _) = with_combined();
    let combine =
        |how: &str, records: &str| format!("combine --program program.json {how} {records}");
    shell.fails(
        &combine("--signers signers.json", "a.jsonl"),
        1,
        "no signature on",
    );
    let checked = shell.succeeds(&combine("--signers signers.json", "a.jsonl b.jsonl"));
    let unchecked = shell.succeeds(&combine("--unchecked", "b.jsonl a.jsonl"));
    assert_eq!(checked, unchecked);
    assert_eq!(checked, shell.read("sum.json"));
    // Only Alice is known.
    shell.succeeds("register --signers alice.json alice/public.json");
    shell.fails(
        &combine("--signers alice.json", "a.jsonl b.jsonl"),
        1,
        "nobody knows the key",
    );
}

/// Sums of two tags, each combined on its own: `load.json` and `disk.json`, of 30 times Alice's and 70 times Bob's.
fn with_two_sums() -> (Shell, [String; 2]) {
    let (shell, ids) = with_combined();
    let [alice, bob] = &ids;
    for tag in ["load", "disk"] {
        shell.succeeds(&format!(
            "program {LABEL} --tag {tag} -o {tag}-program.json {alice}=30 {bob}=70"
        ));
        shell.succeeds(&format!(
            "combine --program {tag}-program.json --signers signers.json -o {tag}.json a.jsonl b.jsonl"
        ));
    }
    (shell, ids)
}

const PARTS: &str = "--part 1 load-program.json load.json --part -2 disk-program.json disk.json";

#[test]
fn what_was_combined_already_is_joined_with_weights_and_verifies_in_ones_own_view() {
    let (shell, [alice, bob]) = with_two_sums();
    let said = shell.succeeds(&format!(
        "join --signers signers.json --program joined.json -o sum.json {PARTS} --json"
    ));
    let said: Value = serde_json::from_str(&said).unwrap();
    // 230 of the load, and 30 times -3 and 70 times 1000 of the disk.
    assert_eq!(said["total"], (230 - 2 * (-90 + 70_000)).to_string());
    assert_eq!((&said["parts"], &said["inputs"]), (&2.into(), &4.into()));
    let verified = shell.succeeds("verify --program joined.json --signers signers.json sum.json");
    let parts = format!("{alice} {}\n{bob} {}\n", 510 + 180, -280 - 140_000);
    assert!(verified.ends_with(&parts), "{verified}");
    // The program that was written is the one that a verifier makes.
    let inputs = |name: &str| shell.json(name)["inputs"].as_array().unwrap().clone();
    let mut own = inputs("load-program.json");
    for mut input in inputs("disk-program.json") {
        let weight: i64 = input["coefficient"].as_str().unwrap().parse().unwrap();
        input["coefficient"] = (-2 * weight).into();
        own.push(input);
    }
    let own = serde_json::json!({ "bounds": "integers", "inputs": own });
    fs::write(shell.path("own.json"), own.to_string()).unwrap();
    shell.succeeds("verify --program own.json --signers signers.json sum.json");
    // One of the two may go to a pipe.
    let join = format!("join --signers signers.json --program joined.json {PARTS}");
    assert_eq!(shell.succeeds(&join), shell.read("sum.json"));
}

#[test]
fn a_part_that_does_not_hold_or_is_there_twice_is_not_joined() {
    let (shell, _) = with_two_sums();
    let join = |how: &str, parts: &str| format!("join {how} --program joined.json {parts}");
    let twice = "--part 1 load-program.json load.json --part 1 load-program.json load.json";
    shell.fails(&join("--signers signers.json", twice), 2, "the same label");
    let zero = "--part 0 load-program.json load.json";
    shell.fails(&join("--signers signers.json", zero), 2, "is zero");
    let exchanged = "--part 1 load-program.json disk.json";
    shell.fails(
        &join("--unchecked", exchanged),
        1,
        "disk.json: the signature is of the program",
    );
    // The parts of the two signers change places: the total stays.
    let mut changed = shell.json("load.json");
    let signature = changed["signature"].as_str().unwrap();
    let (gamma, parts) = signature.split_at(2 * 48);
    let (first, second) = parts.split_at(2 * 32);
    changed["signature"] = [gamma, second, first].concat().into();
    fs::write(shell.path("load.json"), changed.to_string()).unwrap();
    shell.fails(
        &join("--signers signers.json", PARTS),
        1,
        "load.json: the pairing equation does not hold",
    );
    assert!(!shell.path("joined.json").exists());
    shell.succeeds(&join("-o sum.json --unchecked", PARTS));
    shell.fails(
        "verify --program joined.json --signers signers.json sum.json",
        1,
        "pairing equation",
    );
    let careless = shell.run(&format!("join --program joined.json {PARTS}"));
    assert_eq!(careless.status.code(), Some(2));
}

#[test]
fn several_signatures_of_one_program_are_verified_and_those_that_do_not_hold_are_named() {
    let (shell, _) = with_two_sums();
    let verify = "verify --program load-program.json --signers signers.json";
    let said = shell.succeeds(&format!("{verify} load.json sum.json --json"));
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
    let output = shell.run(&format!("{verify} disk.json load.json missing.json"));
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("load.json: total 230\n"), "{text}");
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with("error: 2 of 3 do not hold; disk.json: the signature is of"));
    assert!(error.contains("; missing.json: "), "{error}");
    let refused = shell.run(&format!("{verify} disk.json load.json"));
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn commands_read_and_write_pipes() {
    let (shell, _) = with_combined();
    let records = [shell.read("a.jsonl"), shell.read("b.jsonl")].concat();
    let combined = shell.run_with(
        "combine --program program.json --signers signers.json -",
        records.as_bytes(),
    );
    assert!(combined.status.success());
    let verified = shell.run_with(
        "verify --program program.json --signers signers.json -",
        &combined.stdout,
    );
    assert!(verified.status.success());
    assert!(verified.stdout.starts_with(b"total 230\n"));
}

#[test]
fn labels_that_are_no_text_are_written_as_hex() {
    let (shell, [alice, _]) = Shell::with_keys();
    let label = "--context hex:00ff --dataset hex:6869";
    let record = shell.succeeds(&format!("sign --key alice {label} hex:6865783a=1"));
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["context"], "hex:00ff");
    assert_eq!(record["dataset"], "hi");
    // The text `hex:` would be read as no bytes at all.
    assert_eq!(record["tag"], "hex:6865783a");
    fs::write(shell.path("r.jsonl"), record.to_string()).unwrap();
    shell.succeeds("check --signers signers.json r.jsonl");
    shell.succeeds(&format!(
        "program {label} --tag hex:6865783a -o p.json {alice}=1"
    ));
    shell.succeeds("combine --program p.json --signers signers.json r.jsonl");
    shell.fails(
        "sign --key alice --context hex:0 --dataset d a=1",
        2,
        "hex:0",
    );
}

/// The record with another number, in the text and in the signature: what anybody can write.
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
    let (shell, _) = with_combined();
    let (a, b) = (shell.read("a.jsonl"), shell.read("b.jsonl"));
    let first = a.lines().next().unwrap();
    let forged = forged(first, 99);
    let junk = "{\"\u{ff}\n";
    // Before and after the honest ones.
    for records in [
        [forged.as_str(), junk, &a, &b].concat(),
        [a.as_str(), &b, junk, &forged].concat(),
    ] {
        fs::write(shell.path("all.jsonl"), records).unwrap();
        let combine = "combine --program program.json --signers signers.json all.jsonl";
        let output = shell.run(combine);
        assert_eq!(
            String::from_utf8(output.stdout).unwrap(),
            shell.read("sum.json")
        );
        let note: Value = serde_json::from_slice(&output.stderr).unwrap();
        assert_eq!(note["dropped"], 2);
        let said = shell.succeeds(&format!("{combine} -o again.json"));
        assert!(said.contains("2 records dropped, the first: all.jsonl line "));
        let said = shell.succeeds(&format!("{combine} -o again.json --json"));
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["dropped"], 2);
    }
    // Nothing but the forged one is there.
    fs::write(shell.path("forged.jsonl"), forged).unwrap();
    shell.fails(
        "combine --program program.json --signers signers.json forged.jsonl b.jsonl",
        1,
        "1 records dropped, the first: forged.jsonl line 1: the pairing equation does not hold",
    );
}

#[test]
fn lines_that_anybody_can_write_are_no_evidence_and_hide_none() {
    let (shell, [_, bob]) = Shell::with_keys();
    sign_twice(&shell);
    let one = shell.read("one.jsonl");
    let forged = forged(&one, 99);
    fs::write(shell.path("forged.jsonl"), &forged).unwrap();
    for records in ["forged.jsonl one.jsonl", "one.jsonl forged.jsonl"] {
        shell.fails(
            &format!("equivocation prove --signers signers.json -o proof {records}"),
            1,
            "no label has two messages",
        );
        assert!(!shell.path("proof").exists());
    }
    for records in [
        "forged.jsonl one.jsonl two.jsonl",
        "two.jsonl forged.jsonl one.jsonl",
    ] {
        shell.succeeds(&format!(
            "equivocation prove --signers signers.json -o proof {records}"
        ));
        let convicted = shell.succeeds("equivocation check --signers signers.json proof");
        assert!(convicted.contains(&bob));
    }
    // Whoever does not know the key knows of no evidence.
    shell.succeeds("register --signers alice.json alice/public.json");
    shell.fails(
        "equivocation prove --signers alice.json one.jsonl two.jsonl",
        1,
        "nobody knows the key",
    );
}

/// A copy of a key that signs what the key signed already: with its register as it was before.
fn sign_twice(shell: &Shell) {
    let register = ["register.journal", "register.anchor"];
    let earlier = register.map(|name| fs::read(shell.path("bob").join(name)).unwrap());
    shell.succeeds(&format!("sign --key bob {LABEL} -o one.jsonl load=1"));
    shell.succeeds("keygen copy");
    fs::remove_file(shell.path("copy/secret")).unwrap();
    fs::copy(shell.path("bob/secret"), shell.path("copy/secret")).unwrap();
    // The register is of another key.
    shell.fails(
        &format!("sign --key copy {LABEL} load=2"),
        2,
        "not as it was written",
    );
    // So somebody who wants to cheat puts both files back as they were, which is what the help warns of.
    for (name, bytes) in register.iter().zip(earlier) {
        fs::write(shell.path("copy").join(name), bytes).unwrap();
    }
    shell.succeeds(&format!("sign --key copy {LABEL} -o two.jsonl load=2"));
}

#[test]
fn signing_twice_is_proved_checked_and_revokes_the_key() {
    let (shell, [_, bob]) = Shell::with_keys();
    sign_twice(&shell);
    shell.fails(
        "equivocation prove --signers signers.json one.jsonl",
        1,
        "no label has two messages",
    );
    shell.succeeds("equivocation prove --signers signers.json -o proof one.jsonl two.jsonl");
    let convicted = shell.succeeds("equivocation check --signers signers.json proof --json");
    let convicted: Value = serde_json::from_str(&convicted).unwrap();
    assert_eq!(convicted["signer"], bob.as_str());
    // Whoever only checked still counts him; whoever revoked does not.
    shell.succeeds("check --signers signers.json one.jsonl");
    shell.succeeds("equivocation revoke --signers signers.json proof");
    shell.fails("check --signers signers.json one.jsonl", 1, "was revoked");
    shell.fails("register --signers signers.json proof", 2, "proof");
    let program = format!("program {LABEL} --tag load -o p.json {bob}=1");
    shell.succeeds(&program);
    let combine = "combine --program p.json --unchecked one.jsonl two.jsonl";
    shell.fails(combine, 1, "two messages under one label");
    // A proof with another byte convicts nobody.
    let broken = shell
        .read("proof")
        .replacen(&hex::encode("load"), &hex::encode("loaf"), 1);
    fs::write(shell.path("broken"), broken).unwrap();
    shell.fails(
        "equivocation check --signers signers.json broken",
        1,
        "does not hold",
    );
}

#[test]
fn a_secret_that_is_longer_than_one_is_refused() {
    let (shell, _) = Shell::with_keys();
    let secret = shell.read("alice/secret");
    let sign = format!("sign --key alice {LABEL} load=1");
    fs::write(shell.path("alice/secret"), format!("{secret}\r\n")).unwrap();
    shell.succeeds(&sign);
    fs::write(shell.path("alice/secret"), format!("{secret}\r\n\n")).unwrap();
    shell.fails(&sign, 2, "longer than 66 bytes");
}

#[test]
fn whoever_changes_the_signers_waits_for_whoever_does_already() {
    let (shell, [_, bob]) = Shell::with_keys();
    sign_twice(&shell);
    shell.succeeds("keygen carol");
    shell.succeeds("equivocation prove --signers signers.json -o proof one.jsonl two.jsonl");
    fs::copy(shell.path("signers.json"), shell.path("revoked.json")).unwrap();
    shell.succeeds("equivocation revoke --signers revoked.json proof");
    // Somebody revokes Bob's key: he has read the file, and did not write it yet.
    let lock = fs::File::create(shell.path("signers.json.lock")).unwrap();
    lock.lock().unwrap();
    let mut register = Command::new(env!("CARGO_BIN_EXE_duet-schemes"))
        .args(["mklhs", "register", "--signers", "signers.json"])
        .arg("carol/public.json")
        .current_dir(shell.0.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    for _ in 0..10 {
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(register.try_wait().unwrap().is_none());
    }
    fs::rename(shell.path("revoked.json"), shell.path("signers.json")).unwrap();
    drop(lock);
    assert!(register.wait().unwrap().success());
    let signers = shell.json("signers.json");
    assert_eq!(signers["signers"].as_array().unwrap().len(), 3);
    assert_eq!(signers["revoked"].as_array().unwrap().len(), 1);
    let said = shell.run("check --signers signers.json two.jsonl");
    let error = String::from_utf8(said.stderr).unwrap();
    assert!(
        error.contains(&format!("the key of {bob} was revoked")),
        "{error}"
    );
}

/// Ends the line, paints what follows red, and turns it round.
const EVIL: &str = "\u{1b}[31m\n\u{202e}x";

/// The JSON with each of its texts, in turn, made evil; and with a field that it should not have.
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
    let (shell, _) = with_combined();
    let record = shell.read("a.jsonl");
    fs::write(shell.path("record"), record.lines().next().unwrap()).unwrap();
    let mut signers = shell.json("signers.json");
    signers["revoked"] = serde_json::json!(["00"]);
    fs::write(shell.path("revoked.json"), signers.to_string()).unwrap();
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
        let all = made_evil(&shell.json(file));
        assert!(all.len() >= 4, "{file}");
        for evil in all {
            fs::write(shell.path("evil"), evil.to_string()).unwrap();
            let output = shell.run(command);
            let error = String::from_utf8(output.stderr).unwrap();
            // Fields that no record has are left alone, and so is a total that nobody asked for.
            assert!(!error.is_empty() || output.status.success(), "{evil}");
            let line = error.strip_suffix('\n').unwrap_or_default();
            let is_clean = |character: char| !character.is_control() && character != '\u{202e}';
            assert!(line.chars().all(is_clean), "{command}: {error:?}");
        }
    }
}

#[test]
fn bad_input_is_one_line_and_a_status_of_two() {
    let (shell, [alice, _]) = Shell::with_keys();
    fs::write(shell.path("junk"), b"\xff{").unwrap();
    shell.fails("check --signers junk nothing", 2, "junk");
    shell.fails("check --signers signers.json junk", 2, "junk");
    shell.fails("check --signers signers.json absent", 2, "absent");
    shell.fails(
        "verify --program junk --signers signers.json junk",
        2,
        "junk",
    );
    let zero = format!("program {LABEL} --tag load {alice}=0");
    shell.fails(&zero, 2, "coefficient 0 is zero");
    let twice = format!("program {LABEL} --tag load --tag load {alice}=1");
    shell.fails(&twice, 2, "the same label");
    shell.fails(&format!("program {LABEL} --tag load abc=1"), 2, "abc");
    let json = shell.run("check --signers junk nothing --json");
    let error: Value = serde_json::from_slice(&json.stderr).unwrap();
    assert_eq!(error["kind"], "input");
    // What clap refuses has its own form, and the same status.
    assert_eq!(
        shell
            .run(&format!("sign --key alice {LABEL} load"))
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn the_help_explains_the_files() {
    let shell = Shell::new();
    let help = shell.succeeds("--help");
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
