//! The executable, as a process.

#![cfg(all(feature = "tool", unix))]

mod support;

use codec::DecodeAll;
use duet_keystore::VoteRecords;
use duet_primitives::{
    recovery_ownership_statement, testing::TestSet, BlockNumber, Drill, Keyset, KeysetCommitment,
    SetId, SignerIndex, H256,
};
use duet_recovery::text::{read, ProofFile, Registration, SignatureFile};
use std::{
    fs::{self, OpenOptions},
    io::Write,
    path::Path,
    process::Stdio,
};
use support::{account, good, labelled, line, refused, tool, Site, ALICE, GENESIS};
use tempfile::TempDir;

/// RECOVER-1.
#[test]
fn a_registration_proves_the_key_for_the_account_on_the_chain() {
    let site = Site::new();
    let printed = good(&mut site.owned("prove"));
    let Registration { key, proof } = read(line(&printed)).unwrap();
    assert_eq!(key.pk1(), site.keys[0].0);
    let owner = recovery_ownership_statement(GENESIS, &account());
    assert!(key.check_recovery_possession(&owner, &proof).is_ok());
    assert_eq!(labelled(&printed, "key:"), key.to_string());
    assert_eq!(labelled(&printed, "proof:"), proof.to_string());
}

/// RECOVER-2.
#[test]
fn a_drill_signs_the_block_for_the_account_on_the_chain() {
    let site = Site::new();
    let hash = H256::repeat_byte(5);
    let mut command = site.owned("drill");
    command.args(["--block-number", "12", "--block-hash"]);
    let printed = good(command.arg(format!("{hash:?}")));
    let drill: Drill = read(line(&printed)).unwrap();
    assert_eq!(drill.block_number, BlockNumber::new(12));
    assert_eq!(drill.block_hash, hash);
    let key = site.keys[0].0.check().unwrap();
    assert_eq!(drill.check(&key, GENESIS, &account()), Ok(()));
    let argument = hex::decode(&labelled(&printed, "drill:")[2..]).unwrap();
    assert_eq!(Drill::decode_all(&mut &argument[..]), Ok(drill));
}

/// RECOVER-1.
#[test]
fn the_key_of_a_phrase_is_kept_under_the_password_and_used_with_it_only() {
    let dir = TempDir::new().unwrap();
    let [keys, password, other] = ["keys", "password", "other"].map(|name| dir.path().join(name));
    fs::write(&password, "correct horse").unwrap();
    fs::write(&other, "battery staple").unwrap();
    let mut insert = tool("insert");
    insert.arg("--keys").arg(&keys);
    insert.arg("--password-file").arg(&password);
    insert.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = insert.spawn().unwrap();
    let seed = format!("0x{}\n", "01".repeat(32));
    child
        .stdin
        .take()
        .unwrap()
        .write_all(seed.as_bytes())
        .unwrap();
    let printed = child.wait_with_output().unwrap();
    assert!(printed.status.success());
    let printed = String::from_utf8(printed.stdout).unwrap();
    let secret = duet_keystore::secret_of_suri(seed.trim()).unwrap();
    let public = labelled(&printed, "public key:");
    assert_eq!(public, secret.public().to_string());
    let prove = |password: Option<&Path>| {
        let mut command = tool("prove");
        command.arg("--keys").arg(&keys).args(["--key", public]);
        command.arg("--genesis").arg(format!("{GENESIS:?}"));
        command.args(["--account", ALICE]);
        if let Some(password) = password {
            command.arg("--password-file").arg(password);
        }
        command
    };
    good(&mut prove(Some(&password)));
    assert!(refused(&mut prove(Some(&other))).contains("wrong password"));
    assert!(refused(&mut prove(None)).contains("no password was given"));
}

/// RECOVER-6.
#[test]
fn three_of_four_prove_a_statement_and_two_do_not() {
    let site = Site::new();
    let signatures = site.signed([0, 2, 3]);
    let printed = good(&mut site.combine(&signatures));
    let ProofFile { proof, .. } = read(&printed).unwrap();
    assert_eq!(proof.statement, site.statement().statement);
    let checked = proof.clone().check(&site.members().terms.set, GENESIS);
    assert!(checked.is_ok());
    let path = site.path("proof");
    fs::write(&path, printed).unwrap();
    assert!(good(&mut site.verify(&path)).contains("3 of 4 members"));

    let said = refused(&mut site.combine(&signatures[1..]));
    assert!(
        said.contains("2 signers are below the threshold of 3"),
        "{said}"
    );
    let mut changed = proof;
    changed.statement.reset_hash = H256::zero();
    let changed = site.file(
        "changed",
        &ProofFile {
            genesis_hash: GENESIS,
            proof: changed,
        },
    );
    let said = refused(&mut site.verify(&changed));
    assert!(said.contains("changed: "), "{said}");
}

/// RECOVER-6.
#[test]
fn a_signature_that_does_not_fit_is_named() {
    let site = Site::new();
    let paths = site.signed([0, 1, 2, 3]);
    let file = |name: &str, change: fn(&mut SignatureFile)| {
        let text = fs::read_to_string(&paths[2]).unwrap();
        let mut signature = read(&text).unwrap();
        change(&mut signature);
        site.file(name, &signature)
    };
    let other_chain = file("chain", |file| file.genesis_hash = H256::zero());
    let other_statement = file("words", |file| {
        file.vote.statement.reset_hash = H256::zero()
    });
    let bad = file("bad", |file| file.vote.signer = SignerIndex::new(1));
    let outside = file("outside", |file| file.vote.signer = SignerIndex::new(4));
    let [again, damaged] = ["again", "damaged"].map(|name| site.path(name));
    fs::copy(&paths[0], &again).unwrap();
    fs::write(&damaged, "duet-recovery-signature:00:00000000").unwrap();
    for (path, reason) in [
        (&other_chain, "genesis"),
        (&other_statement, "RECOVER-5"),
        (&bad, "JUST-5"),
        (&outside, "RECOVER-9"),
        (&again, "JUST-4"),
        (&damaged, "checksum"),
        (&site.path("members"), "kind"),
        (&site.path("missing"), "No such file"),
    ] {
        let all = [paths[0].clone(), path.clone(), paths[3].clone()];
        let said = refused(&mut site.combine(&all));
        let named = format!("duet-recovery: {}: ", path.display());
        assert!(said.starts_with(&named) && said.contains(reason), "{said}");
    }
}

/// RECOVER-10.
#[test]
fn a_statement_is_signed_again_with_the_same_bytes_and_no_second_one_about_its_block() {
    let site = Site::new();
    let statement = site.path("statement");
    let first = good(&mut site.sign(1, &statement));
    let record = fs::read_to_string(site.record(1)).unwrap();
    assert_eq!(record.lines().count(), 1);
    assert_eq!(good(&mut site.sign(1, &statement)), first);
    assert_eq!(fs::read_to_string(site.record(1)).unwrap(), record);

    let second = site.changed("second", |file| file.statement.reset_hash = H256::zero());
    for _ in 0..2 {
        let said = refused(&mut site.sign(1, &second));
        assert!(said.contains("RECOVER-10"), "{said}");
    }
    let later = site.changed("later", |file| {
        file.statement.block_number = BlockNumber::new(51)
    });
    good(&mut site.sign(1, &later));
    assert!(refused(&mut site.sign(1, &second)).contains("RECOVER-10"));
    assert_eq!(good(&mut site.sign(1, &statement)), first);
    let record = fs::read_to_string(site.record(1)).unwrap();
    assert_eq!(record.lines().count(), 2);
    // Another machine, with another key, may.
    good(&mut site.sign(2, &second));
}

/// RECOVER-10.
#[test]
fn a_damaged_record_stops_signing() {
    let site = Site::new();
    let statement = site.path("statement");
    good(&mut site.sign(0, &statement));
    let path = site.record(0);
    let record = fs::read_to_string(&path).unwrap();
    let digit = if record.starts_with('0') { "1" } else { "0" };
    good(&mut site.sign(1, &statement));
    let of_another = fs::read_to_string(site.record(1)).unwrap();
    for damaged in [
        format!("{digit}{}", &record[1..]),
        record[..record.len() - 1].to_owned(),
        record[..9].to_owned(),
        format!("{record}\n"),
        format!("{record}{of_another}"),
        of_another,
    ] {
        fs::write(&path, &damaged).unwrap();
        let said = refused(&mut site.sign(0, &statement));
        assert!(
            said.contains("RECOVER-10") && said.contains("damaged"),
            "{said}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), damaged);
    }
    fs::write(&path, [0xff]).unwrap();
    let said = refused(&mut site.sign(0, &statement));
    assert!(said.contains("damaged in line 1"), "{said}");
    fs::write(&path, &record).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        let said = refused(&mut site.sign(0, &statement));
        assert!(said.contains("(mode 0666)"), "{said}");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    }
    good(&mut site.sign(0, &statement));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    refused(&mut site.sign(0, &statement));
}

/// RECOVER-10: eight digits of a genesis hash name the file, and two chains may share them.
#[test]
fn the_record_of_another_chain_is_no_record() {
    let site = Site::new();
    good(&mut site.sign(0, &site.path("statement")));
    let mut genesis_hash = GENESIS;
    genesis_hash.0[31] ^= 1;
    let mut members = site.members();
    members.genesis_hash = genesis_hash;
    site.file("members", &members);
    let statement = site.changed("chain", |file| file.genesis_hash = genesis_hash);
    let said = refused(&mut site.sign(0, &statement));
    assert!(said.contains("damaged"), "{said}");
}

/// RECOVER-10: the record comes first.
#[test]
fn nothing_is_printed_when_the_statement_cannot_be_recorded() {
    let site = Site::new();
    let place = &site.keys[0].1;
    let held = VoteRecords::open(place).unwrap();
    let said = refused(&mut site.sign(0, &site.path("statement")));
    assert!(said.contains("stop it first"), "{said}");
    drop(held);
    assert!(!site.record(0).exists());
    good(&mut site.sign(0, &site.path("statement")));
}

/// RECOVER-10: a signature that nobody got is recorded all the same.
#[test]
fn a_full_disk_is_an_error_and_comes_after_the_record() {
    let site = Site::new();
    let full = || OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut sign = site.sign(0, &site.path("statement"));
    let output = sign.stdout(full()).output().unwrap();
    assert_eq!(output.status.code(), Some(74));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("standard output cannot be written"), "{said}");
    assert!(site.record(0).exists());
}

/// RECOVER-5, RECOVER-6.
#[test]
fn only_a_well_formed_statement_of_this_chain_and_set_is_signed() {
    let site = Site::new();
    let chain = site.changed("chain", |file| file.genesis_hash = H256::zero());
    assert!(refused(&mut site.sign(0, &chain)).contains("genesis"));
    let set = site.changed("set", |file| file.statement.recovery_set = SetId::new(4));
    assert!(refused(&mut site.sign(0, &set)).contains("RECOVER-6"));
    let form = site.changed("form", |file| file.statement.ended = SetId::new(11));
    assert!(refused(&mut site.sign(0, &form)).contains("RECOVER-5"));
    assert!(!site.record(0).exists());
}

/// RECOVER-4, RECOVER-6.
#[test]
fn only_a_member_of_a_true_list_signs() {
    let site = Site::new();
    let statement = site.path("statement");
    let mut members = site.members();
    let stranger = TestSet::new(3, 0..4).secrets[0].public().pk1();
    members.keys[0] = stranger;
    site.file("members", &members);
    let said = refused(&mut site.sign(1, &statement));
    assert!(said.contains("not those of the terms"), "{said}");

    let mut members = site.members();
    members.keys.remove(0);
    let set = KeysetCommitment::of_stored_unchecked(SetId::new(3), &members.keys).unwrap();
    assert!(Keyset::check(&set, &members.keys).is_ok());
    members.terms.set = set;
    site.file("members", &members);
    let said = refused(&mut site.sign(0, &statement));
    assert!(said.contains("not a member"), "{said}");
    good(&mut site.sign(1, &statement));
}

/// RECOVER-5.
#[test]
fn a_statement_is_said_in_words_before_it_is_signed_and_on_request() {
    let site = Site::new();
    let statement = site.path("statement");
    let output = site.sign(0, &statement).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let inspected = good(tool("inspect").arg(&statement));
    assert_eq!(said, inspected);
    let signature = site.path("signature");
    fs::write(&signature, output.stdout).unwrap();
    let of_signature = good(tool("inspect").arg(&signature));
    assert!(of_signature.ends_with(&inspected));
    assert!(of_signature.contains("position 0"));
    for words in [
        "recovery set 3,".to_owned(),
        format!("genesis: {GENESIS:?}"),
        format!("block: 50, {:?}", H256::repeat_byte(1)),
        format!("reset: 90, {:?}", H256::repeat_byte(2)),
        "ended set: 9".to_owned(),
        "new set: 11, 4 keys".to_owned(),
    ] {
        assert!(inspected.contains(&words), "{words}: {inspected}");
    }
    let members = good(tool("inspect").arg(site.path("members")));
    assert!(members.contains(&format!("member 3: {}", site.keys[3].0)));
    assert!(members.contains("verifiers wait: 60 seconds"));
    let proof = site.path("proof");
    let signatures = site.signed([0, 2, 3]);
    fs::write(&proof, good(&mut site.combine(&signatures))).unwrap();
    let said = good(tool("inspect").arg(&proof));
    assert!(said.contains("signers: 3, at the positions 0, 2, 3\nnon-signers: 1"));
    let registration = site.path("registration");
    fs::write(&registration, line(&good(&mut site.owned("prove")))).unwrap();
    let said = good(tool("inspect").arg(&registration));
    assert!(said.contains(&site.keys[0].0.to_string()[2..]));
}

/// RECOVER-5.
#[test]
fn a_dash_stands_for_the_standard_input() {
    let site = Site::new();
    let from = fs::File::open(site.path("statement")).unwrap();
    let said = good(tool("inspect").arg("-").stdin(from));
    assert!(said.contains("ended set: 9"));
}

#[test]
fn a_key_or_a_directory_that_is_not_there_is_refused_and_not_made() {
    let site = Site::new();
    let stranger = &site.keys[1].0;
    let place = site.path("nowhere");
    for (place, reason) in [(&site.keys[0].1, "no secret"), (&place, "no key files")] {
        let mut command = tool("prove");
        command.arg("--keys").arg(place).arg("--key");
        command.arg(stranger.to_string());
        command.arg("--genesis").arg(format!("{GENESIS:?}"));
        let said = refused(command.args(["--account", ALICE]));
        assert!(said.contains(reason), "{said}");
    }
    assert!(!place.exists());
}

#[test]
fn wrong_usage_has_status_2() {
    for command in ["sign", "combine", "nothing"] {
        let output = tool(command).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
    }
}
