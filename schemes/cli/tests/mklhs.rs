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
use std::{fs, process::Stdio};
use support::Cli;

fn cli() -> Cli {
    Cli::new("mklhs")
}

/// Two keys, registered.
fn with_keys() -> (Cli, [String; 2]) {
    let cli = cli();
    cli.succeeds("keygen alice");
    cli.succeeds("keygen bob");
    cli.succeeds("register --signers signers alice bob");
    let ids =
        ["alice", "bob"].map(|name| cli.show(name)["fingerprint"].as_str().unwrap().to_owned());
    (cli, ids)
}

const LABEL: &str = "--context net --dataset epoch-7";

/// Both signers sign, a program is written, and their signatures are combined.
fn with_combined() -> (Cli, [String; 2]) {
    let (cli, ids) = with_keys();
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
    let cli = cli();
    let said = cli.json("keygen alice");
    for (name, kind) in [
        ("alice", MKLHS_PUBLIC_KEY),
        ("alice/secret", MKLHS_SECRET_KEY),
    ] {
        let shown = &cli.show(name);
        assert_eq!(shown["fingerprint"], said["fingerprint"]);
        assert_eq!(shown["type"], kind.name());
    }
    let secret = cli.read("alice/secret");
    let shown = cli.show_text("alice/secret");
    // Version and fingerprint take 34 bytes, the secret 32.
    let base64 = secret.lines().nth(2).unwrap();
    assert_eq!(base64.len(), 24);
    assert!(!shown.contains(&base64[..16]) && !said.to_string().contains(&base64[..16]));
    cli.fails("keygen alice", 3, "alice: exists already");
    assert_eq!(cli.read("alice/secret"), secret);
}

#[test]
fn register_checks_possession_and_lists_a_key_once() {
    let (cli, [alice, _]) = with_keys();
    let said = cli.json("register --signers signers alice");
    assert_eq!(said["signers"], 2);
    assert_eq!(said["registered"][0], alice.as_str());
    let before = cli.read("signers");
    // Bob's key with Alice's proof.
    let public = |name: &str| cli.objects(&format!("{name}/public")).remove(0);
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
    cli.file("stolen", &**stolen);
    cli.fails(
        "register --signers signers stolen",
        1,
        "proof of possession",
    );
    // Alice's key under another name.
    let renamed = encode(&MKLHS_PUBLIC_KEY, &[0; 32], &of_alice);
    cli.file("renamed", &**renamed);
    cli.fails("register --signers signers renamed", 2, &alice);
    assert_eq!(cli.read("signers"), before);
}

#[test]
fn signing_again_gives_the_same_and_another_number_is_refused() {
    let (cli, _) = with_keys();
    let sign = format!("sign --key alice {LABEL} load=17");
    let record = cli.succeeds(&sign);
    assert_eq!(cli.succeeds(&sign), record);
    cli.file("record", &record);
    let shown = &cli.show("record");
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
    cli.file("numbers", "# two\nload=17\n\n disk=-3 \n");
    let sign = format!("sign --key alice {LABEL} --numbers");
    assert_eq!(cli.succeeds(&format!("{sign} numbers")), cli.read("a"));
    let piped = cli.run_with(&format!("{sign} -"), b"load=17\ndisk=-3");
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), cli.read("a"));
    cli.file("weights", format!("{alice}=30\n{bob}=70\n"));
    let program = format!("program {LABEL} --tag load --weights weights");
    assert_eq!(cli.succeeds(&program), cli.read("program"));
    cli.file("weights", format!("{alice}=30\n{bob}\n"));
    cli.fails(&program, 2, "weights: line 2: expected NAME=NUMBER");
}

#[test]
fn a_key_without_its_register_or_with_an_earlier_one_signs_nothing() {
    let cli = cli();
    cli.succeeds("keygen alice --register elsewhere");
    let sign = |tag: &str| format!("sign --key alice --register elsewhere {LABEL} {tag}=1");
    cli.succeeds(&sign("a"));
    let earlier = cli.bytes("elsewhere");
    cli.succeeds(&sign("b"));
    cli.file("elsewhere", earlier);
    cli.fails(&sign("c"), 5, "has 1 entries, but the key has signed 2");
    cli.remove("elsewhere");
    cli.fails(&sign("c"), 5, "missing");
}

#[test]
fn the_anchor_may_be_kept_elsewhere_and_the_key_signs_nothing_without_it() {
    let cli = cli();
    cli.succeeds("keygen alice --anchor elsewhere");
    assert!(!cli.path("alice/register.anchor").exists());
    let sign = |tag: &str| format!("sign --key alice {LABEL} {tag}=1");
    cli.fails(&sign("a"), 5, "missing");
    let sign = |tag: &str| format!("sign --key alice --anchor elsewhere {LABEL} {tag}=1");
    cli.succeeds(&sign("a"));
    // The folder is restored from a copy, but the anchor is not.
    let earlier = cli.bytes("alice/register.journal");
    cli.succeeds(&sign("b"));
    cli.file("alice/register.journal", earlier);
    cli.fails(&sign("c"), 5, "has 1 entries, but the key has signed 2");
}

#[test]
fn check_accepts_valid_signatures_and_lists_invalid_ones() {
    let (cli, _) = with_combined();
    let said = cli.succeeds("check --signers signers a b");
    assert_eq!(said, "4 signatures are valid\n");
    // Two records swap their signatures.
    let records = cli.objects("a");
    let records: Vec<_> = records.iter().map(|it| it.content().unwrap()).collect();
    let swapped = |label: usize, signature: usize| {
        let (label, _) = records[label].split_at(records[label].len() - 80);
        let (_, signature) = records[signature].split_at(records[signature].len() - 80);
        let content = [label, signature].concat();
        encode(&MKLHS_RECORD, &MKLHS_RECORD.digest(&content), &content)
    };
    let both = [swapped(0, 1).as_str(), swapped(1, 0).as_str()].concat();
    cli.file("bad", both);
    cli.fails(
        "check --signers signers b bad",
        1,
        "2 of 4 signatures are not valid; record 2",
    );
    let damaged = cli.read("a").replacen("-----\n", "-----\n0", 1);
    cli.file("damaged", damaged);
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
    let shown = cli.show("sum");
    assert_eq!(shown["content"]["total"], "230");
    assert_eq!(
        shown["content"]["digest"],
        cli.show("program")["content"]["digest"]
    );
    let verify = "verify --program program --signers signers sum";
    let said = cli.json(verify);
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
    let join = "join --signers signers --program joined -o joined-sum";
    let said = cli.json(&format!("{join} {PARTS}"));
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
    let (cli, [alice, _]) = with_keys();
    let label = "--context hex:00ff --dataset hex:6869";
    let record = cli.succeeds(&format!("sign --key alice {label} hex:6865783a=1"));
    cli.file("r", record);
    let shown = cli.show("r")["content"].clone();
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
    let record = cli.objects(name).remove(0);
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
        cli.file("all", records);
        let combine = "combine --program program --signers signers all";
        let output = cli.run(combine);
        assert_eq!(String::from_utf8(output.stdout).unwrap(), cli.read("sum"));
        let note: Value = serde_json::from_slice(&output.stderr).unwrap();
        assert_eq!(note["dropped"], 2);
        let said = cli.succeeds(&format!("{combine} -o again --force"));
        assert!(said.contains("2 records dropped, the first: all line "));
        let said = cli.json(&format!("{combine} -o again --force"));
        assert_eq!(said["dropped"], 2);
    }
    // Only the forged one is present.
    cli.file("forged", forged);
    cli.fails(
        "combine --program program --signers signers forged b",
        1,
        "1 records dropped, the first: forged line 1: the pairing equation is not satisfied",
    );
}

#[test]
fn records_that_anybody_can_write_are_no_evidence_and_hide_none() {
    let (cli, [_, bob]) = with_keys();
    sign_twice(&cli);
    let forged = forged(&cli, "one", 99);
    cli.file("forged", &forged);
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
    let earlier = register.map(|name| cli.bytes(&format!("bob/{name}")));
    cli.succeeds(&format!("sign --key bob {LABEL} -o one load=1"));
    cli.succeeds("keygen copy");
    cli.remove("copy/secret");
    fs::copy(cli.path("bob/secret"), cli.path("copy/secret")).unwrap();
    // The register belongs to another key.
    cli.fails(
        &format!("sign --key copy {LABEL} load=2"),
        5,
        "it belongs to another signer",
    );
    // A cheating signer restores both files, which the help warns about.
    for (name, bytes) in register.iter().zip(earlier) {
        cli.file(&format!("copy/{name}"), bytes);
    }
    cli.succeeds(&format!("sign --key copy {LABEL} -o two load=2"));
}

#[test]
fn signing_twice_is_proved_checked_and_revokes_the_key() {
    let (cli, [_, bob]) = with_keys();
    sign_twice(&cli);
    cli.fails(
        "equivocation prove --signers signers one",
        1,
        "no label has valid signatures on two messages",
    );
    cli.succeeds("equivocation prove --signers signers -o proof one two");
    let convicted = cli.json("equivocation check --signers signers proof");
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
    let (cli, _) = with_keys();
    let secret = cli.read("alice/secret");
    let sign = format!("sign --key alice {LABEL} load=1");
    let windows = secret.replace('\n', "\r\n");
    cli.file("alice/secret", format!("# a comment\n{windows}"));
    cli.succeeds(&sign);
    cli.file("alice/secret", secret.clone() + &"\n".repeat(5000));
    cli.fails(&sign, 2, "alice/secret: longer than ");
    // Another secret under this key's fingerprint: the last line has its last 18 bytes.
    let line = |text: &str| text.lines().nth(2).unwrap().to_owned();
    let other = cli.read("bob/secret");
    let mixed = secret.replacen(&line(&secret), &line(&other), 1);
    cli.file("alice/secret", mixed);
    cli.fails(
        &sign,
        2,
        "alice/secret: line 1: damaged object: its stated fingerprint is ",
    );
}

#[test]
fn whoever_changes_the_signers_waits_for_whoever_does_already() {
    let (cli, [_, bob]) = with_keys();
    sign_twice(&cli);
    cli.succeeds("keygen carol");
    cli.succeeds("equivocation prove --signers signers -o proof one two");
    fs::copy(cli.path("signers"), cli.path("revoked")).unwrap();
    cli.succeeds("equivocation revoke --signers revoked proof");
    // Another process revokes Bob's key: it has read the file, but not yet written it.
    let lock = fs::File::create(cli.path("signers.lock")).unwrap();
    lock.lock().unwrap();
    let mut register = cli.command("register --signers signers carol");
    let mut register = register.stdout(Stdio::null()).spawn().unwrap();
    for _ in 0..10 {
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(register.try_wait().unwrap().is_none());
    }
    fs::rename(cli.path("revoked"), cli.path("signers")).unwrap();
    drop(lock);
    assert!(register.wait().unwrap().success());
    let kinds: Vec<_> = cli.objects("signers");
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
            cli.file("evil", evil);
            clean(command);
        }
    }
    // A file that is not there, with an evil name.
    clean("check --signers signers \u{1b}[31m\n\u{202e}x");
    // A valid record of Alice's under an evil label, without spaces, of which an error and `show` speak.
    let label = format!("--context {EVIL} --dataset {EVIL}");
    cli.succeeds(&format!("sign --key alice {label} -o evil --force load=1"));
    cli.succeeds(&format!(
        "program {label} --tag {EVIL} -o evil-program {alice}=1"
    ));
    clean("combine --program evil-program --signers signers evil");
    for name in ["evil", "evil-program"] {
        let text = cli.show_text(name);
        assert!(text.lines().all(|line| line.chars().all(is_clean)));
    }
}

#[test]
fn bad_input_is_one_line_and_a_status_of_two() {
    let (cli, [alice, _]) = with_keys();
    cli.file("junk", b"\xff{");
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
    let cli = cli();
    let help = cli.succeeds("--help");
    for word in [
        "A file of signers",
        "NEVER restore the whole folder",
        "join",
    ] {
        assert!(help.contains(word), "{word}");
    }
}
