//! Key files on a real file system: which are read back, which are refused, and what is left behind.

use duet_keystore::{
    create_directory, file_name, secret_of_suri, Corruption, KeyRing, KeyStore, KeyStoreError,
    SealCost, Signer, SignerError,
};
use duet_primitives::{
    ownership_statement, BlockNumber, Commitment, DualKeyBytes, DualKeyset, KeysetCommitment,
    Pk1Bytes, RoundMessage, SecretKey, SetId, SignerIndex, H256,
};
use sp_core::crypto::SecretString;
use std::{
    fs, iter,
    path::{Path, PathBuf},
    str::FromStr,
    thread,
    time::Duration,
};
use tempfile::TempDir;

/// Enough to run every step of the sealing, little enough to do it a thousand times.
const CHEAP: SealCost = SealCost {
    memory_kib: 8,
    passes: 1,
};

fn password(text: &str) -> Option<SecretString> {
    Some(SecretString::from_str(text).unwrap())
}

fn secret(number: u8) -> SecretKey {
    SecretKey::from_seed(&[number; 32]).unwrap()
}

fn open(path: &Path, password: Option<SecretString>) -> Result<KeyRing, KeyStoreError> {
    Ok(KeyRing::open(path, password)?.with_seal_cost(CHEAP))
}

/// A directory with one key file in it, and the path of that file.
fn one_key(password: Option<SecretString>) -> (TempDir, PathBuf, SecretKey) {
    let (dir, secret) = (TempDir::new().unwrap(), secret(1));
    let store = open(dir.path(), password).unwrap();
    store.insert(secret.clone()).unwrap();
    let path = store.path_of(&secret.public().pk1()).unwrap();
    (dir, path, secret)
}

fn refusal(path: &Path, password: Option<SecretString>) -> KeyStoreError {
    open(path, password).err().expect("the key file is refused")
}

/// Why the one key file in `dir` is corrupt.
fn corruption(dir: &Path) -> Corruption {
    match refusal(dir, None) {
        KeyStoreError::Corrupt { reason, .. } => *reason,
        other => panic!("{other}"),
    }
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn keys_come_back_after_a_restart_with_and_without_password() {
    for password in [None, password("correct horse")] {
        let dir = TempDir::new().unwrap();
        let store = open(dir.path(), password.clone()).unwrap();
        let generated = store.generate().unwrap();
        store.insert(secret(1)).unwrap();
        let mut expected = vec![generated, secret(1).public()];
        expected.sort();
        assert_eq!(store.keys().unwrap(), expected);
        assert_eq!(
            open(dir.path(), password).unwrap().keys().unwrap(),
            expected
        );
    }
}

#[test]
fn a_file_with_a_password_does_not_contain_the_secret() {
    let (_dir, path, secret) = one_key(password("correct horse"));
    let text = fs::read_to_string(path).unwrap();
    assert!(!text.contains(&hex::encode(*secret.expose())), "{text}");
    assert!(text.contains(&secret.public().to_string()), "{text}");
}

#[cfg(unix)]
#[test]
fn files_and_directory_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    let dir = TempDir::new().unwrap();
    let inner = dir.path().join("chains/duet/keystore");
    let store = open(&inner, None).unwrap();
    let public = store.generate().unwrap();
    assert_eq!(mode(&inner), 0o700);
    assert_eq!(mode(&store.path_of(&public.pk1()).unwrap()), 0o600);
}

#[cfg(unix)]
#[test]
fn a_plain_file_that_others_may_read_is_refused_and_a_sealed_one_is_not() {
    use std::os::unix::fs::PermissionsExt;
    let expose =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();

    let (dir, path, _) = one_key(None);
    for expected in [0o644, 0o640, 0o604] {
        expose(&path, expected);
        let error = refusal(dir.path(), None);
        assert!(
            matches!(&error, KeyStoreError::Exposed { mode, .. } if *mode == expected),
            "{error}"
        );
    }

    let (dir, path, secret) = one_key(password("correct horse"));
    expose(&path, 0o644);
    let store = open(dir.path(), password("correct horse")).unwrap();
    assert_eq!(store.keys().unwrap(), [secret.public()]);
}

#[test]
fn a_key_that_is_inserted_while_the_directory_is_read_stays() {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path(), password("correct horse")).unwrap();
    // Opening the files of another process takes a while.
    let other = open(dir.path(), password("correct horse")).unwrap();
    (1..=40).for_each(|number| other.insert(secret(number)).unwrap());
    let inserted: Vec<_> = thread::scope(|scope| {
        let reading = scope.spawn(|| store.keys().unwrap());
        iter::from_fn(|| (!reading.is_finished()).then(|| store.generate().unwrap())).collect()
    });
    assert!(!inserted.is_empty());
    for key in inserted {
        store.with_secret(&key.pk1(), |_| ()).unwrap();
    }
}

#[test]
fn a_wrong_password_is_its_own_error() {
    let (dir, path, _) = one_key(password("correct horse"));
    let error = refusal(dir.path(), password("battery staple"));
    assert!(matches!(&error, KeyStoreError::WrongPassword { path: named } if *named == path));
}

#[test]
fn a_missing_password_is_its_own_error() {
    let (dir, path, _) = one_key(password("correct horse"));
    let error = refusal(dir.path(), None);
    assert!(matches!(&error, KeyStoreError::PasswordNeeded { path: named } if *named == path));
}

#[test]
fn a_plain_file_under_a_password_is_its_own_error() {
    let (dir, path, _) = one_key(None);
    let error = refusal(dir.path(), password("correct horse"));
    assert!(matches!(&error, KeyStoreError::NotEncrypted { path: named } if *named == path));
}

#[test]
fn an_empty_password_is_refused() {
    let dir = TempDir::new().unwrap();
    assert!(matches!(
        refusal(dir.path(), password("")),
        KeyStoreError::EmptyPassword
    ));
}

#[test]
fn no_byte_of_a_file_changes_unnoticed() {
    for password in [None, password("correct horse")] {
        let (dir, path, _) = one_key(password.clone());
        let good = fs::read(&path).unwrap();
        for at in 0..good.len() {
            // The low bit makes another digit or letter, 0x20 changes the case, the high bit breaks UTF-8.
            for mask in [0x01, 0x20, 0x80] {
                let mut bad = good.clone();
                bad[at] ^= mask;
                fs::write(&path, &bad).unwrap();
                let error = refusal(dir.path(), password.clone());
                let KeyStoreError::Corrupt { path: named, .. } = &error else {
                    panic!("byte {at} ^ {mask:#04x}: {error}");
                };
                assert_eq!(named, &path);
            }
        }
        fs::write(&path, &good).unwrap();
        open(dir.path(), password).unwrap();
    }
}

#[test]
fn a_truncated_an_extended_and_an_empty_file_are_refused() {
    let (dir, path, _) = one_key(None);
    let good = fs::read(&path).unwrap();
    for len in 0..good.len() {
        fs::write(&path, &good[..len]).unwrap();
        assert!(
            matches!(refusal(dir.path(), None), KeyStoreError::Corrupt { .. }),
            "{len}"
        );
    }
    fs::write(&path, [&good[..], b"\n"].concat()).unwrap();
    assert!(matches!(
        refusal(dir.path(), None),
        KeyStoreError::Corrupt { .. }
    ));
    fs::write(&path, [b' '; 4096]).unwrap();
    assert!(matches!(corruption(dir.path()), Corruption::Json { .. }));
    fs::write(&path, [b' '; 4097]).unwrap();
    let reason = corruption(dir.path());
    assert!(
        matches!(reason, Corruption::TooLong { limit: 4096 }),
        "{reason}"
    );
}

#[test]
fn an_error_about_a_file_of_another_form_does_not_repeat_the_secret() {
    let (dir, path, secret) = one_key(None);
    let scalar = hex::encode(*secret.expose());
    let text = fs::read_to_string(&path).unwrap();
    let field = format!("{{\n    \"plain\": \"0x{scalar}\"\n  }}");
    let escaped = text.replace(&scalar, &format!("{scalar}\\u0030"));
    let bare = text.replace(&field, &format!("\"0x{scalar}\""));
    for changed in [escaped, bare] {
        assert!(changed != text && changed.contains(&scalar));
        fs::write(&path, changed).unwrap();
        let reason = corruption(dir.path());
        assert!(matches!(reason, Corruption::Json { .. }), "{reason}");
        for words in [reason.to_string(), format!("{reason:?}")] {
            assert!(!words.contains(&scalar), "{words}");
        }
    }
}

#[test]
fn a_secret_that_belongs_to_another_key_is_refused() {
    // A file that this program wrote for key 2, with the public key of key 1 and a checksum that fits.
    let (dir, path, one) = one_key(None);
    let text = plain_text(&one.public().to_string(), &hex::encode(*secret(2).expose()));
    fs::write(&path, text).unwrap();
    let reason = corruption(dir.path());
    let Corruption::OtherSecret {
        public,
        secret: found,
    } = reason
    else {
        panic!("{reason}")
    };
    assert_eq!(
        (public, found),
        (one.public().pk1(), secret(2).public().pk1())
    );

    // The first half of key 1, the second of key 2.
    let (pk1, pk2) = (one.public().pk1(), secret(2).public().pk2());
    let halves = DualKeyBytes::new(pk1, pk2).to_string();
    fs::write(&path, plain_text(&halves, &hex::encode(*one.expose()))).unwrap();
    let reason = corruption(dir.path());
    assert!(matches!(reason, Corruption::OtherSecondHalf), "{reason}");
}

#[test]
fn a_zero_secret_and_one_beyond_the_order_are_refused() {
    let (dir, path, one) = one_key(None);
    for scalar in ["00", "ff"] {
        fs::write(
            &path,
            plain_text(&one.public().to_string(), &scalar.repeat(32)),
        )
        .unwrap();
        let reason = corruption(dir.path());
        assert!(matches!(reason, Corruption::Secret(_)), "{reason}");
    }
}

/// The documented form of a file without password, put together without the crate.
fn plain_text(public: &str, scalar: &str) -> String {
    use sha2::{Digest, Sha256};
    let mut hash = Sha256::new();
    hash.update(b"duet-key-file/v1/checksum");
    hash.update(hex::decode(&public[2..]).unwrap());
    hash.update([0]);
    hash.update(hex::decode(scalar).unwrap());
    let checksum = hex::encode(hash.finalize());
    format!(
        "{{\n  \"version\": 1,\n  \"public\": \"{public}\",\n  \"secret\": {{\n    \
         \"plain\": \"0x{scalar}\"\n  }},\n  \"checksum\": \"0x{checksum}\"\n}}\n"
    )
}

#[test]
fn the_documented_form_is_the_one_that_is_written() {
    let (_dir, path, secret) = one_key(None);
    let expected = plain_text(&secret.public().to_string(), &hex::encode(*secret.expose()));
    assert_eq!(fs::read_to_string(path).unwrap(), expected);
}

#[test]
fn a_file_under_the_name_of_another_key_is_refused() {
    let (dir, path, _) = one_key(None);
    fs::rename(&path, dir.path().join(file_name(&secret(2).public().pk1()))).unwrap();
    let reason = corruption(dir.path());
    assert!(matches!(reason, Corruption::Name { .. }), "{reason}");
}

#[test]
fn inserting_a_key_twice_changes_nothing() {
    let (dir, path, secret) = one_key(password("correct horse"));
    let before = fs::read(&path).unwrap();
    open(dir.path(), password("correct horse"))
        .unwrap()
        .insert(secret)
        .unwrap();
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(names(dir.path()).len(), 1);
}

#[test]
fn another_key_is_never_overwritten_and_nothing_is_left_behind() {
    let dir = TempDir::new().unwrap();
    let store = open(dir.path(), None).unwrap();
    let (one, two) = (secret(1), secret(2));
    let path = store.path_of(&one.public().pk1()).unwrap();
    let foreign = plain_text(&two.public().to_string(), &hex::encode(*two.expose()));
    fs::write(&path, &foreign).unwrap();

    let error = store.insert(one.clone()).unwrap_err();
    let KeyStoreError::Occupied { found, .. } = error else {
        panic!("{error}")
    };
    assert_eq!(found, two.public().pk1());
    assert_eq!(fs::read_to_string(&path).unwrap(), foreign);
    assert_eq!(names(dir.path()), [file_name(&one.public().pk1())]);
}

#[test]
fn what_a_crash_left_and_what_the_sdk_keeps_is_passed_over() {
    let (dir, _, secret) = one_key(None);
    // A write that never got its name, and a key file of the SDK's keystore (hex of `aura` and the key).
    fs::write(
        dir.path().join(".duet-Xy12Za.tmp"),
        "{\"version\": 1, \"pub",
    )
    .unwrap();
    fs::write(
        dir.path().join(format!("61757261{}", "d4".repeat(32))),
        "\"//Alice\"",
    )
    .unwrap();
    assert_eq!(
        open(dir.path(), None).unwrap().keys().unwrap(),
        [secret.public()]
    );
}

#[test]
fn a_file_in_place_of_the_directory_is_refused() {
    let (_dir, path, _) = one_key(None);
    let error = create_directory(&path).unwrap_err();
    assert!(matches!(error, KeyStoreError::Io { path: named, .. } if named == path));
}

#[cfg(unix)]
#[test]
fn a_write_that_fails_leaves_no_file_and_no_key() {
    let dir = TempDir::new().unwrap();
    let inner = dir.path().join("keystore");
    let store = open(&inner, None).unwrap();
    fs::remove_dir(&inner).unwrap();
    let error = store.insert(secret(1)).unwrap_err();
    assert!(matches!(&error, KeyStoreError::Io { .. }), "{error}");
    fs::create_dir(&inner).unwrap();
    assert!(store.keys().unwrap().is_empty());
    assert!(names(&inner).is_empty());
}

#[test]
fn files_that_come_and_go_while_the_store_is_open_are_noticed() {
    let (dir, path, one) = one_key(None);
    let store = open(dir.path(), None).unwrap();
    open(dir.path(), None).unwrap().insert(secret(2)).unwrap();
    let mut both = vec![one.public(), secret(2).public()];
    both.sort();
    assert_eq!(store.keys().unwrap(), both);
    fs::remove_file(path).unwrap();
    assert_eq!(store.keys().unwrap(), [secret(2).public()]);
    let error = store
        .prove_possession(&one.public().pk1(), b"owner")
        .unwrap_err();
    assert!(matches!(error, SignerError::NoKey(_)), "{error}");
}

#[test]
fn a_damaged_file_that_appears_later_does_not_stop_the_keys_at_work() {
    let (dir, _, one) = one_key(None);
    let store = open(dir.path(), None).unwrap();
    let late = dir.path().join(file_name(&secret(2).public().pk1()));
    fs::write(&late, "not a key file").unwrap();
    assert_eq!(store.keys().unwrap(), [one.public()]);
    assert_eq!(store.keys().unwrap(), [one.public()]);
    fs::remove_file(&late).unwrap();
    assert_eq!(store.keys().unwrap(), [one.public()]);
    open(dir.path(), None).unwrap().insert(secret(2)).unwrap();
    assert_eq!(
        store.keys().unwrap().len(),
        2,
        "a repaired file is taken up"
    );
}

#[cfg(unix)]
#[test]
fn a_file_that_was_refused_for_its_mode_is_taken_up_when_the_mode_is_mended() {
    use std::os::unix::fs::PermissionsExt;
    let (dir, path, one) = one_key(None);
    let set = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    let aside = dir.path().join("aside");
    fs::rename(&path, &aside).unwrap();
    let store = open(dir.path(), None).unwrap();
    fs::rename(&aside, &path).unwrap();
    set(0o644);
    assert!(store.keys().unwrap().is_empty());
    // The times of files are coarse.
    thread::sleep(Duration::from_millis(50));
    set(0o600);
    assert_eq!(store.keys().unwrap(), [one.public()]);
}

#[test]
fn ephemeral_keys_sign_and_are_not_written() {
    let dir = TempDir::new().unwrap();
    let ring = open(dir.path(), None).unwrap();
    let alice = secret_of_suri("//Alice").unwrap();
    ring.insert_ephemeral(alice.clone());
    assert_eq!(ring.keys().unwrap(), [alice.public()]);
    assert!(names(dir.path()).is_empty());

    let memory = KeyStore::in_memory();
    memory.insert(alice.clone()).unwrap();
    assert_eq!(memory.keys().unwrap(), [alice.public()]);
    assert_eq!(memory.ring().path_of(&alice.public().pk1()), None);
}

#[test]
fn a_vote_from_the_store_is_the_secrets_own_and_holds() {
    let (dir, _, secret) = one_key(password("correct horse"));
    let store = KeyStore::open(dir.path(), password("correct horse")).unwrap();
    let owner = ownership_statement(H256::repeat_byte(7), &[1u8; 32]);
    let pk1 = secret.public().pk1();
    let proof = store.prove_possession(&pk1, &owner).unwrap();
    let key = secret.public().check_possession(&owner, &proof).unwrap();

    let set = DualKeyset::new(SetId::new(3), vec![key]).unwrap();
    let message = RoundMessage::new(H256::repeat_byte(7), commitment(set.commitment()));
    let vote = store
        .sign_vote(&pk1, SignerIndex::new(0), &message)
        .unwrap();
    assert_eq!(
        vote,
        store
            .sign_vote(&pk1, SignerIndex::new(0), &message)
            .unwrap()
    );
    vote.check(set.keyset(), &message).unwrap();
}

#[test]
fn a_key_that_is_not_there_does_not_sign() {
    let (dir, _, one) = one_key(None);
    let store = KeyStore::open(dir.path(), None).unwrap();
    let message = RoundMessage::new(
        H256::zero(),
        commitment(&KeysetCommitment {
            id: SetId::new(0),
            len: 1,
            root: H256::zero(),
            apk1: one.public().pk1(),
        }),
    );
    // The same file name, because it shares the first twenty bytes, and yet another key.
    let mut near = one.public().pk1().0;
    near[47] ^= 1;
    for stranger in [secret(2).public().pk1(), Pk1Bytes(near)] {
        let error = store
            .sign_vote(&stranger, SignerIndex::new(0), &message)
            .unwrap_err();
        assert!(
            matches!(error, SignerError::NoKey(key) if key == stranger),
            "{error}"
        );
    }
}

fn commitment(next: &KeysetCommitment) -> Commitment {
    Commitment {
        block_number: BlockNumber::new(10),
        block_hash: H256::repeat_byte(1),
        mmr_root: H256::repeat_byte(2),
        validator_set_id: next.id,
        next: next.clone(),
    }
}
