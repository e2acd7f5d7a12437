//! End-to-end tests of all verbs of `duet-schemes mklhs`.

mod support;

use duet_armour::{
    encode,
    kinds::{
        MKLHS_COMBINED, MKLHS_EQUIVOCATION, MKLHS_PROGRAM, MKLHS_PUBLIC_KEY, MKLHS_RECORD,
        MKLHS_SECRET_KEY,
    },
    Kind,
};
use serde_json::Value;
use std::{
    fs,
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

    /// What the objects in a file say.
    fn shown(&self, name: &str) -> Vec<Value> {
        let output = self.duet_schemes(&["show", name, "--json"], b"");
        assert!(output.status.success(), "{name}: {output:?}");
        let lines = String::from_utf8(output.stdout).unwrap();
        let parse = |line| serde_json::from_str(line).unwrap();
        lines.lines().map(parse).collect()
    }

    /// The contents of the objects in a file that are not keys, one after another.
    fn content(&self, name: &str) -> Vec<u8> {
        support::content(&self.path(name))
    }

    fn write(&self, name: &str, kind: &Kind, content: &[u8]) {
        support::write(&self.path(name), kind, content);
    }

    /// Runs `duet-schemes mklhs` with words separated by spaces.
    fn run_with(&self, words: &str, input: &[u8]) -> Output {
        let words: Vec<_> = words.split(' ').collect();
        self.duet_schemes(&[&["mklhs"], &words[..]].concat(), input)
    }

    fn duet_schemes(&self, args: &[&str], input: &[u8]) -> Output {
        support::duet_schemes(self.0.path(), args, input)
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
        cli.succeeds("register --signers signers alice bob");
        let id = |name: &str| {
            cli.shown(name)[0]["fingerprint"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        let ids = [id("alice"), id("bob")];
        (cli, ids)
    }
}

const LABEL: &str = "--context net --dataset epoch-7";

/// Both signers sign, a program is written, and their signatures are combined.
fn with_combined() -> (Cli, [String; 2]) {
    let (cli, ids) = Cli::with_keys();
    cli.succeeds(&format!("sign --key alice {LABEL} -o a load=17 disk=-3"));
    cli.succeeds(&format!("sign --key bob {LABEL} -o b load=-4 disk=1000"));
    let [alice, bob] = &ids;
    cli.succeeds(&format!(
        "program {LABEL} --tag load -o program {alice}=30 {bob}=70"
    ));
    cli.succeeds("combine --program program --signers signers -o sum a b");
    (cli, ids)
}

#[test]
fn keygen_makes_a_key_and_never_over_another_and_no_secret_is_shown() {
    let cli = Cli::new();
    let said: Value = serde_json::from_str(&cli.succeeds("keygen alice --json")).unwrap();
    for (name, kind) in [
        ("alice", MKLHS_PUBLIC_KEY),
        ("alice/secret", MKLHS_SECRET_KEY),
    ] {
        let shown = &cli.shown(name)[0];
        assert_eq!(shown["fingerprint"], said["fingerprint"]);
        assert_eq!(shown["type"], kind.name());
    }
    let secret = cli.read("alice/secret");
    let shown = cli.duet_schemes(&["show", "alice/secret"], b"").stdout;
    let shown = String::from_utf8(shown).unwrap();
    // Version and fingerprint take 34 bytes, the secret 32.
    let base64 = secret.lines().nth(2).unwrap();
    assert_eq!(base64.len(), 24);
    assert!(!shown.contains(&base64[..16]) && !said.to_string().contains(&base64[..16]));
    cli.fails("keygen alice", 3, "alice: exists already");
    assert_eq!(cli.read("alice/secret"), secret);
}

#[test]
fn register_checks_possession_and_lists_a_key_once() {
    let (cli, [alice, _]) = Cli::with_keys();
    let again = "register --signers signers alice --json";
    let said: Value = serde_json::from_str(&cli.succeeds(again)).unwrap();
    assert_eq!(said["signers"], 2);
    assert_eq!(said["registered"][0], alice.as_str());
    let before = cli.read("signers");
    // Bob's key with Alice's proof.
    let public = |name: &str| support::objects(&cli.path(&format!("{name}/public"))).remove(0);
    let key_and_proof = |name: &str| {
        let bytes = public(name).key(
            |bytes| Ok::<_, duet_armour::ArmourError>(bytes.to_vec()),
            |_| *public(name).fingerprint(),
        );
        bytes.unwrap()
    };
    let (of_alice, of_bob) = (key_and_proof("alice"), key_and_proof("bob"));
    let stolen = [&of_bob[..96], &of_alice[96..]].concat();
    let stolen = encode(&MKLHS_PUBLIC_KEY, public("bob").fingerprint(), &stolen);
    fs::write(cli.path("stolen"), &**stolen).unwrap();
    cli.fails(
        "register --signers signers stolen",
        1,
        "proof of possession",
    );
    // Alice's key under another name.
    let renamed = encode(&MKLHS_PUBLIC_KEY, &[0; 32], &of_alice);
    fs::write(cli.path("renamed"), &**renamed).unwrap();
    cli.fails("register --signers signers renamed", 2, &alice);
    assert_eq!(cli.read("signers"), before);
}

#[test]
fn signing_again_gives_the_same_and_another_number_is_refused() {
    let (cli, _) = Cli::with_keys();
    let sign = format!("sign --key alice {LABEL} load=17");
    let record = cli.succeeds(&sign);
    assert_eq!(cli.succeeds(&sign), record);
    fs::write(cli.path("record"), &record).unwrap();
    let shown = &cli.shown("record")[0];
    assert_eq!(shown["type"], "MKLHS RECORD");
    assert_eq!(shown["content"]["message"], "17");
    assert_eq!(shown["content"]["tag"], "load");
    let other = format!("sign --key alice {LABEL} load=18");
    cli.fails(&other, 5, "the label was already used for the message 17");
    let among = format!("sign --key alice {LABEL} cpu=1 load=18");
    cli.fails(&among, 5, "\"load\"=18: request 1: the label");
    let large = format!("sign --key alice {LABEL} big=18446744073709551616");
    cli.fails(&large, 2, "\"big\"=18446744073709551616: the message");
    cli.succeeds(&format!("{large} --residues"));
}

#[test]
fn numbers_and_weights_come_from_files_too() {
    let (cli, [alice, bob]) = with_combined();
    fs::write(cli.path("numbers"), "# two\nload=17\n\n disk=-3 \n").unwrap();
    let sign = format!("sign --key alice {LABEL} --numbers");
    assert_eq!(cli.succeeds(&format!("{sign} numbers")), cli.read("a"));
    let piped = cli.run_with(&format!("{sign} -"), b"load=17\ndisk=-3");
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), cli.read("a"));
    fs::write(cli.path("weights"), format!("{alice}=30\n{bob}=70\n")).unwrap();
    let program = format!("program {LABEL} --tag load --weights weights");
    assert_eq!(cli.succeeds(&program), cli.read("program"));
    fs::write(cli.path("weights"), format!("{alice}=30\n{bob}\n")).unwrap();
    cli.fails(&program, 2, "weights: line 2: expected NAME=NUMBER");
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
    cli.fails(&sign("c"), 5, "has 1 entries, but the key has signed 2");
    fs::remove_file(cli.path("elsewhere")).unwrap();
    cli.fails(&sign("c"), 5, "missing");
}

#[test]
fn the_anchor_may_be_kept_elsewhere_and_the_key_signs_nothing_without_it() {
    let cli = Cli::new();
    cli.succeeds("keygen alice --anchor elsewhere");
    assert!(!cli.path("alice/register.anchor").exists());
    let sign = |tag: &str| format!("sign --key alice {LABEL} {tag}=1");
    cli.fails(&sign("a"), 5, "missing");
    let sign = |tag: &str| format!("sign --key alice --anchor elsewhere {LABEL} {tag}=1");
    cli.succeeds(&sign("a"));
    // The folder is restored from a copy, but the anchor is not.
    let earlier = fs::read(cli.path("alice/register.journal")).unwrap();
    cli.succeeds(&sign("b"));
    fs::write(cli.path("alice/register.journal"), earlier).unwrap();
    cli.fails(&sign("c"), 5, "has 1 entries, but the key has signed 2");
}

#[test]
fn check_accepts_valid_signatures_and_lists_invalid_ones() {
    let (cli, _) = with_combined();
    let said = cli.succeeds("check --signers signers a b");
    assert_eq!(said, "4 signatures are valid\n");
    // Two records swap their signatures.
    let records = support::objects(&cli.path("a"));
    let records: Vec<_> = records.iter().map(|it| it.content().unwrap()).collect();
    let swapped = |label: usize, signature: usize| {
        let (label, _) = records[label].split_at(records[label].len() - 80);
        let (_, signature) = records[signature].split_at(records[signature].len() - 80);
        let content = [label, signature].concat();
        encode(&MKLHS_RECORD, &MKLHS_RECORD.digest(&content), &content)
    };
    let both = [swapped(0, 1).as_str(), swapped(1, 0).as_str()].concat();
    fs::write(cli.path("bad"), both).unwrap();
    cli.fails(
        "check --signers signers b bad",
        1,
        "2 of 4 signatures are not valid; record 2",
    );
    let damaged = cli.read("a").replacen("-----\n", "-----\n0", 1);
    fs::write(cli.path("damaged"), damaged).unwrap();
    cli.fails(
        "check --signers signers damaged",
        2,
        "damaged line 1: damaged object: PEM Base64 error",
    );
}

#[test]
fn what_is_combined_verifies_and_shows_each_part() {
    let (cli, [alice, bob]) = with_combined();
    assert_eq!(cli.content("sum").len(), 32 + 48 + 2 * 32);
    let shown = cli.shown("sum").remove(0);
    assert_eq!(shown["content"]["total"], "230");
    assert_eq!(
        shown["content"]["digest"],
        cli.shown("program")[0]["content"]["digest"]
    );
    let verify = "verify --program program --signers signers sum";
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
        format!("verify --program {program} --signers signers {combined}")
    };
    cli.succeeds(&format!(
        "program {LABEL} --tag load -o other {alice}=31 {bob}=70"
    ));
    cli.fails(&verify("other", "sum"), 1, "is for the program");
    // The partial sums are swapped, so the total is unchanged.
    let sum = cli.content("sum");
    let (gamma, parts) = sum.split_at(32 + 48);
    let (first, second) = parts.split_at(32);
    cli.write("changed", &MKLHS_COMBINED, &[gamma, second, first].concat());
    cli.fails(&verify("program", "changed"), 1, "pairing equation");
    cli.write("short", &MKLHS_COMBINED, &sum[..33]);
    cli.fails(&verify("program", "short"), 1, "expected 80 bytes, got 1");
    cli.write("shorter", &MKLHS_COMBINED, &sum[..31]);
    cli.fails(&verify("program", "shorter"), 2, "too short");
}

#[test]
fn combine_checks_its_inputs_unless_told_not_to() {
    let (cli, _) = with_combined();
    let combine = |how: &str, records: &str| format!("combine --program program {how} {records}");
    cli.fails(&combine("--signers signers", "a"), 1, "no signature on");
    let checked = cli.succeeds(&combine("--signers signers", "a b"));
    let unchecked = cli.succeeds(&combine("--unchecked", "b a"));
    assert_eq!(checked, unchecked);
    assert_eq!(checked, cli.read("sum"));
    // Only Alice is known.
    cli.succeeds("register --signers only-alice alice");
    cli.fails(&combine("--signers only-alice", "a b"), 1, "is not known");
}

/// Combined sums of two tags, `load` and `disk`, each of 30 times Alice's and 70 times Bob's number.
fn with_two_sums() -> (Cli, [String; 2]) {
    let (cli, ids) = with_combined();
    let [alice, bob] = &ids;
    for tag in ["load", "disk"] {
        cli.succeeds(&format!(
            "program {LABEL} --tag {tag} -o {tag}-program {alice}=30 {bob}=70"
        ));
        cli.succeeds(&format!(
            "combine --program {tag}-program --signers signers -o {tag} a b"
        ));
    }
    (cli, ids)
}

const PARTS: &str = "--part 1 load-program load --part -2 disk-program disk";

#[test]
fn what_was_combined_already_is_joined_with_weights_and_verifies_in_ones_own_view() {
    let (cli, [alice, bob]) = with_two_sums();
    let said = cli.succeeds(&format!(
        "join --signers signers --program joined -o joined-sum {PARTS} --json"
    ));
    let said: Value = serde_json::from_str(&said).unwrap();
    // 230 for the load, and 30 times -3 and 70 times 1000 for the disk.
    assert_eq!(said["total"], (230 - 2 * (-90 + 70_000)).to_string());
    assert_eq!((&said["parts"], &said["inputs"]), (&2.into(), &4.into()));
    let verified = cli.succeeds("verify --program joined --signers signers joined-sum");
    let parts = format!("{alice} {}\n{bob} {}\n", 510 + 180, -280 - 140_000);
    assert!(verified.ends_with(&parts), "{verified}");
    // A verifier creates the same program as the one that was written.
    let inputs = |tag: &str, weight: i64| {
        let (of_alice, of_bob) = (30 * weight, 70 * weight);
        cli.succeeds(&format!(
            "program {LABEL} --tag {tag} -o own-{tag} {alice}={of_alice} {bob}={of_bob}"
        ));
        cli.content(&format!("own-{tag}"))[5..].to_vec()
    };
    // Integers, and four inputs.
    let own = [
        &[0, 0, 0, 0, 4][..],
        &inputs("load", 1),
        &inputs("disk", -2),
    ]
    .concat();
    cli.write("own", &MKLHS_PROGRAM, &own);
    cli.succeeds("verify --program own --signers signers joined-sum");
    // One of the two outputs may be a pipe.
    let join = format!("join --signers signers --program again {PARTS}");
    assert_eq!(cli.succeeds(&join), cli.read("joined-sum"));
}

#[test]
fn a_part_that_does_not_hold_or_is_there_twice_is_not_joined() {
    let (cli, _) = with_two_sums();
    let join = |how: &str, parts: &str| format!("join {how} --program joined {parts}");
    let twice = "--part 1 load-program load --part 1 load-program load";
    cli.fails(&join("--signers signers", twice), 2, "the same label");
    let zero = "--part 0 load-program load";
    cli.fails(&join("--signers signers", zero), 2, "is zero");
    let exchanged = "--part 1 load-program disk";
    cli.fails(
        &join("--unchecked", exchanged),
        1,
        "disk: the signature is for the program",
    );
    // The partial sums of the two signers are swapped, so the total is unchanged.
    let load = cli.content("load");
    let (gamma, parts) = load.split_at(32 + 48);
    let (first, second) = parts.split_at(32);
    cli.write("load", &MKLHS_COMBINED, &[gamma, second, first].concat());
    cli.fails(
        &join("--signers signers", PARTS),
        1,
        "load: the pairing equation is not satisfied",
    );
    assert!(!cli.path("joined").exists());
    cli.succeeds(&join("-o joined-sum --unchecked", PARTS));
    cli.fails(
        "verify --program joined --signers signers joined-sum",
        1,
        "pairing equation",
    );
    let careless = cli.run(&format!("join --program joined {PARTS}"));
    assert_eq!(careless.status.code(), Some(2));
}

#[test]
fn several_signatures_of_one_program_are_verified_and_those_that_do_not_hold_are_named() {
    let (cli, _) = with_two_sums();
    let verify = "verify --program load-program --signers signers";
    let said = cli.succeeds(&format!("{verify} load sum --json"));
    let said: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(said.len(), 2);
    assert_eq!(said[0]["combined"], "load");
    assert_eq!(
        (&said[0]["total"], &said[1]["total"]),
        (&"230".into(), &"230".into())
    );
    let output = cli.run(&format!("{verify} disk load missing"));
    assert_eq!(output.status.code(), Some(3));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("load: total 230\n"), "{text}");
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with("error: 2 of 3 are not valid; disk: the signature is for"));
    assert!(error.contains("; missing: "), "{error}");
    let refused = cli.run(&format!("{verify} disk load"));
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn commands_read_and_write_pipes() {
    let (cli, _) = with_combined();
    let records = [cli.read("a"), cli.read("b")].concat();
    let combined = cli.run_with(
        "combine --program program --signers signers -",
        records.as_bytes(),
    );
    assert!(combined.status.success());
    let verified = cli.run_with(
        "verify --program program --signers signers -",
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
    fs::write(cli.path("r"), record).unwrap();
    let shown = cli.shown("r")[0]["content"].clone();
    assert_eq!(shown["context"], "hex:00ff");
    assert_eq!(shown["dataset"], "hi");
    // The text `hex:` would be decoded as no bytes.
    assert_eq!(shown["tag"], "hex:6865783a");
    cli.succeeds("check --signers signers r");
    cli.succeeds(&format!(
        "program {label} --tag hex:6865783a -o p {alice}=1"
    ));
    cli.succeeds("combine --program p --signers signers r");
    cli.fails(
        "sign --key alice --context hex:0 --dataset d a=1",
        2,
        "hex:0",
    );
}

/// The first record of a file with another number. Anyone can write this.
fn forged(cli: &Cli, name: &str, number: u8) -> String {
    let record = support::objects(&cli.path(name)).remove(0);
    let mut content = record.content().unwrap().to_vec();
    let last = content.len() - 32;
    content[last..].fill(0);
    *content.last_mut().unwrap() = number;
    encode(&MKLHS_RECORD, &MKLHS_RECORD.digest(&content), &content).to_string()
}

#[test]
fn records_that_anybody_can_write_are_dropped_and_do_not_keep_the_others_from_being_combined() {
    let (cli, _) = with_combined();
    let (a, b) = (cli.read("a"), cli.read("b"));
    let forged = forged(&cli, "a", 99);
    // A beginning without an end.
    let junk = "-----BEGIN DUET MKLHS RECORD-----\nAAE\n";
    // Before and after the honest ones.
    for records in [
        [forged.as_str(), junk, &a, &b].concat(),
        [a.as_str(), &b, junk, &forged].concat(),
    ] {
        fs::write(cli.path("all"), records).unwrap();
        let combine = "combine --program program --signers signers all";
        let output = cli.run(combine);
        assert_eq!(String::from_utf8(output.stdout).unwrap(), cli.read("sum"));
        let note: Value = serde_json::from_slice(&output.stderr).unwrap();
        assert_eq!(note["dropped"], 2);
        let said = cli.succeeds(&format!("{combine} -o again --force"));
        assert!(said.contains("2 records dropped, the first: all line "));
        let said = cli.succeeds(&format!("{combine} -o again --force --json"));
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["dropped"], 2);
    }
    // Only the forged one is present.
    fs::write(cli.path("forged"), forged).unwrap();
    cli.fails(
        "combine --program program --signers signers forged b",
        1,
        "1 records dropped, the first: forged line 1: the pairing equation is not satisfied",
    );
}

#[test]
fn records_that_anybody_can_write_are_no_evidence_and_hide_none() {
    let (cli, [_, bob]) = Cli::with_keys();
    sign_twice(&cli);
    let forged = forged(&cli, "one", 99);
    fs::write(cli.path("forged"), &forged).unwrap();
    for records in ["forged one", "one forged"] {
        cli.fails(
            &format!("equivocation prove --signers signers -o proof {records}"),
            1,
            "no label has valid signatures on two messages",
        );
        assert!(!cli.path("proof").exists());
    }
    for records in ["forged one two", "two forged one"] {
        cli.succeeds(&format!(
            "equivocation prove --signers signers -o proof --force {records}"
        ));
        let convicted = cli.succeeds("equivocation check --signers signers proof");
        assert!(convicted.contains(&bob));
    }
    // Without the key there is no evidence.
    cli.succeeds("register --signers only-alice alice");
    cli.fails(
        "equivocation prove --signers only-alice one two",
        1,
        "is not known",
    );
}

/// A copy of a key, with its register from before, that signs used labels again.
fn sign_twice(cli: &Cli) {
    let register = ["register.journal", "register.anchor"];
    let earlier = register.map(|name| fs::read(cli.path("bob").join(name)).unwrap());
    cli.succeeds(&format!("sign --key bob {LABEL} -o one load=1"));
    cli.succeeds("keygen copy");
    fs::remove_file(cli.path("copy/secret")).unwrap();
    fs::copy(cli.path("bob/secret"), cli.path("copy/secret")).unwrap();
    // The register belongs to another key.
    cli.fails(
        &format!("sign --key copy {LABEL} load=2"),
        5,
        "it belongs to another signer",
    );
    // A cheating signer restores both files, which the help warns about.
    for (name, bytes) in register.iter().zip(earlier) {
        fs::write(cli.path("copy").join(name), bytes).unwrap();
    }
    cli.succeeds(&format!("sign --key copy {LABEL} -o two load=2"));
}

#[test]
fn signing_twice_is_proved_checked_and_revokes_the_key() {
    let (cli, [_, bob]) = Cli::with_keys();
    sign_twice(&cli);
    cli.fails(
        "equivocation prove --signers signers one",
        1,
        "no label has valid signatures on two messages",
    );
    cli.succeeds("equivocation prove --signers signers -o proof one two");
    let convicted = cli.succeeds("equivocation check --signers signers proof --json");
    let convicted: Value = serde_json::from_str(&convicted).unwrap();
    assert_eq!(convicted["signer"], bob.as_str());
    // Checking a proof does not revoke the key; revoking does.
    cli.succeeds("check --signers signers one");
    cli.succeeds("equivocation revoke --signers signers proof");
    cli.fails("check --signers signers one", 1, "was revoked");
    cli.fails("register --signers signers proof", 2, "proof");
    let program = format!("program {LABEL} --tag load -o p {bob}=1");
    cli.succeeds(&program);
    let combine = "combine --program p --unchecked one two";
    cli.fails(combine, 1, "two messages under one label");
    // A modified proof is invalid.
    let mut broken = cli.content("proof");
    let at = broken.windows(4).position(|word| word == b"load").unwrap();
    broken[at + 3] = b'f';
    cli.write("broken", &MKLHS_EQUIVOCATION, &broken);
    cli.fails(
        "equivocation check --signers signers broken",
        1,
        "is not valid",
    );
}

#[test]
fn a_secret_that_is_longer_than_one_is_refused() {
    let (cli, _) = Cli::with_keys();
    let secret = cli.read("alice/secret");
    let sign = format!("sign --key alice {LABEL} load=1");
    let windows = secret.replace('\n', "\r\n");
    fs::write(cli.path("alice/secret"), format!("# a comment\n{windows}")).unwrap();
    cli.succeeds(&sign);
    fs::write(
        cli.path("alice/secret"),
        secret.clone() + &"\n".repeat(5000),
    )
    .unwrap();
    cli.fails(&sign, 2, "alice/secret: longer than ");
    // Another secret under this key's fingerprint: the last line has its last 18 bytes.
    let line = |text: &str| text.lines().nth(2).unwrap().to_owned();
    let other = cli.read("bob/secret");
    let mixed = secret.replacen(&line(&secret), &line(&other), 1);
    fs::write(cli.path("alice/secret"), mixed).unwrap();
    cli.fails(
        &sign,
        2,
        "alice/secret: line 1: damaged object: its stated fingerprint is ",
    );
}

#[test]
fn whoever_changes_the_signers_waits_for_whoever_does_already() {
    let (cli, [_, bob]) = Cli::with_keys();
    sign_twice(&cli);
    cli.succeeds("keygen carol");
    cli.succeeds("equivocation prove --signers signers -o proof one two");
    fs::copy(cli.path("signers"), cli.path("revoked")).unwrap();
    cli.succeeds("equivocation revoke --signers revoked proof");
    // Another process revokes Bob's key: it has read the file, but not yet written it.
    let lock = fs::File::create(cli.path("signers.lock")).unwrap();
    lock.lock().unwrap();
    let mut register = Command::new(env!("CARGO_BIN_EXE_duet-schemes"))
        .args(["mklhs", "register", "--signers", "signers"])
        .arg("carol")
        .current_dir(cli.0.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    for _ in 0..10 {
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(register.try_wait().unwrap().is_none());
    }
    fs::rename(cli.path("revoked"), cli.path("signers")).unwrap();
    drop(lock);
    assert!(register.wait().unwrap().success());
    let kinds: Vec<_> = support::objects(&cli.path("signers"));
    let of = |kind: Kind| kinds.iter().filter(|it| *it.kind() == kind).count();
    assert_eq!((of(MKLHS_PUBLIC_KEY), of(MKLHS_EQUIVOCATION)), (3, 1));
    let said = cli.run("check --signers signers two");
    let error = String::from_utf8(said.stderr).unwrap();
    assert!(
        error.contains(&format!("the key of {bob} was revoked")),
        "{error}"
    );
}

/// Ends the line, switches to red, and reverses the text direction.
const EVIL: &str = "\u{1b}[31m\n\u{202e}x";

/// The text with each of its lines, in turn, replaced by this text, followed by it, and cut in the middle by it.
fn made_evil(text: &str) -> Vec<String> {
    let lines: Vec<_> = text.lines().collect();
    let with = |at: usize, line: &str| {
        let mut lines = lines.clone();
        lines[at] = line;
        lines.join("\n")
    };
    let all = lines.iter().enumerate().flat_map(|(at, line)| {
        let (front, back) = line.split_at(line.len() / 2);
        let lines = [
            EVIL.to_owned(),
            [line, EVIL].concat(),
            [front, EVIL, back].concat(),
        ];
        lines.map(|line| with(at, &line))
    });
    all.collect()
}

#[test]
fn whatever_is_in_the_files_errors_are_one_line_without_control_characters() {
    let (cli, [alice, _]) = with_combined();
    let is_clean = |character: char| !character.is_control() && character != '\u{202e}';
    let clean = |command: &str| {
        let output = cli.run(command);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!error.is_empty() || output.status.success(), "{command}");
        let line = error.strip_suffix('\n').unwrap_or_default();
        assert!(line.chars().all(is_clean), "{command}: {error:?}");
    };
    let commands = [
        ("alice/public", "register --signers new evil"),
        ("signers", "check --signers evil a"),
        ("a", "check --signers signers evil"),
        ("a", "combine --program program --signers signers evil b"),
        ("program", "verify --program evil --signers signers sum"),
        ("sum", "verify --program program --signers signers evil"),
    ];
    for (file, command) in commands {
        for evil in made_evil(&cli.read(file)) {
            fs::write(cli.path("evil"), evil).unwrap();
            clean(command);
        }
    }
    // A file that is not there, with an evil name.
    clean("check --signers signers \u{1b}[31m\n\u{202e}x");
    // A valid record of Alice's under an evil label, of which an error and `show` speak.
    let sign = ["mklhs", "sign", "--key", "alice", "--context", EVIL];
    let evil = ["--dataset", EVIL, "-o", "evil", "--force", "load=1"];
    assert!(cli
        .duet_schemes(&[&sign[..], &evil].concat(), b"")
        .status
        .success());
    let program = ["mklhs", "program", "--context", EVIL, "--dataset", EVIL];
    let weight = format!("{alice}=1");
    let tag = ["--tag", EVIL, "-o", "evil-program", &weight];
    assert!(cli
        .duet_schemes(&[&program[..], &tag].concat(), b"")
        .status
        .success());
    clean("combine --program evil-program --signers signers evil");
    for name in ["evil", "evil-program"] {
        let shown = cli.duet_schemes(&["show", name], b"");
        let text = String::from_utf8(shown.stdout).unwrap();
        assert!(shown.status.success() && text.lines().all(|line| line.chars().all(is_clean)));
    }
}

#[test]
fn bad_input_is_one_line_and_a_status_of_two() {
    let (cli, [alice, _]) = Cli::with_keys();
    fs::write(cli.path("junk"), b"\xff{").unwrap();
    cli.fails("check --signers junk nothing", 2, "junk");
    cli.fails("check --signers signers junk", 2, "junk");
    cli.fails("check --signers signers absent", 3, "absent");
    cli.fails("verify --program junk --signers signers junk", 2, "junk");
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
fn the_help_explains_what_matters() {
    let cli = Cli::new();
    let help = cli.succeeds("--help");
    for word in [
        "A file of signers",
        "NEVER restore the whole folder",
        "join",
    ] {
        assert!(help.contains(word), "{word}");
    }
}
