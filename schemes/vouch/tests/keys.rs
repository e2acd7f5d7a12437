//! Ordinary keys: made, kept and used by the command `openssl`, and by a token.

mod support;

use duet_sequential::{
    BackEndError, BadPublicKey, BadSecretKey, PublicKey, RecordError, SecretKey, SignError, Time,
};
use duet_vouch::{
    fresh_seed, public_key_from_pem, secret_key_from_pem, BadPem, CommandKey, List, VouchError,
    Vouched,
};
use std::{
    ffi::OsString,
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};
use support::{key, names, subject, terms, vouched, BEGIN};
use tempfile::TempDir;

const LIMIT: Duration = Duration::from_secs(30);

/// Runs a program, which has to succeed.
fn run(program: &str, arguments: &[&str], folder: &Path) -> Vec<u8> {
    let run = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output();
    let output = run.unwrap_or_else(|error| panic!("{program} is needed: {error}"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{program} {arguments:?}: {said}");
    output.stdout
}

fn openssl(folder: &Path, arguments: &str) -> Vec<u8> {
    let arguments: Vec<_> = arguments.split(' ').collect();
    run("openssl", &arguments, folder)
}

/// A folder with a key of so many bits, in PKCS#8, and its public key.
fn keys(bits: usize) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let generate = format!("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:{bits} -out key.pem");
    openssl(folder.path(), &generate);
    openssl(folder.path(), "pkey -in key.pem -pubout -out public.pem");
    folder
}

fn read(folder: &TempDir, name: &str) -> Vec<u8> {
    fs::read(folder.path().join(name)).expect("openssl wrote it")
}

fn public(folder: &TempDir) -> PublicKey {
    public_key_from_pem(&read(folder, "public.pem")).expect("a public key")
}

/// A key behind a command.
fn behind(public: PublicKey, program: &str, arguments: &[&str]) -> SecretKey<CommandKey> {
    let arguments = arguments.iter().map(OsString::from).collect();
    let command = CommandKey::new(program.into(), arguments, LIMIT);
    SecretKey::with_back_end(public, fresh_seed().expect("randomness"), command)
}

fn assert_vouches<R: duet_sequential::RawPrivate>(record: Option<Vouched>, key: &SecretKey<R>) {
    let longer = match record {
        Some(record) => record.append(key, subject(), Time(BEGIN)),
        None => Vouched::first(key, subject(), Time(BEGIN)),
    };
    let list = List::from_text(&format!("{} Operator", key.public().fingerprint()));
    let verdict =
        longer
            .expect("it signs")
            .verify(&subject(), &list.expect("a list"), &terms(BEGIN + 60));
    assert_eq!(names(&verdict.expect("it holds")), ["Operator"]);
}

/// The error of a signature by this key.
fn failure(key: &SecretKey<CommandKey>) -> SignError {
    match Vouched::first(key, subject(), Time(BEGIN)) {
        Err(VouchError::Sign(RecordError::Sign(error))) => error,
        other => panic!("{other:?}"),
    }
}

fn failure_of(program: &str, arguments: &[&str]) -> String {
    let error = failure(&behind(key(0).public().clone(), program, arguments));
    assert!(matches!(error, SignError::BackEnd(_)), "{error:?}");
    error.to_string()
}

#[test]
fn a_key_that_openssl_made_vouches_from_its_file() {
    for bits in [2048, 3072] {
        let folder = keys(bits);
        let key = secret_key_from_pem(&read(&folder, "key.pem")).expect("a secret key");
        assert_eq!(key.public(), &public(&folder));
        assert_vouches(None, &key);
        openssl(folder.path(), "rsa -in key.pem -traditional -out old.pem");
        let old = secret_key_from_pem(&read(&folder, "old.pem")).expect("the older form");
        assert_eq!(old.public(), key.public());
    }
}

#[test]
fn a_key_behind_a_command_of_openssl_vouches_on_top_of_others() {
    let folder = keys(2048);
    let path = folder.path().join("key.pem").display().to_string();
    let arguments = [
        "pkeyutl",
        "-decrypt",
        "-inkey",
        &path,
        "-pkeyopt",
        "rsa_padding_mode:none",
    ];
    let key = behind(public(&folder), "openssl", &arguments);
    assert_vouches(None, &key);
    assert_vouches(Some(vouched(&[0, 1])), &key);
}

#[test]
fn a_command_that_does_the_public_operation_signs_nothing() {
    let folder = keys(2048);
    let path = folder.path().join("key.pem").display().to_string();
    let encrypt = ["pkeyutl", "-encrypt", "-inkey", &path, "-pkeyopt"];
    let arguments = [&encrypt[..], &["rsa_padding_mode:none"]].concat();
    let key = behind(public(&folder), "openssl", &arguments);
    assert_eq!(failure(&key), SignError::Fault);
}

#[test]
fn a_command_with_another_key_signs_nothing() {
    let (one, other) = (keys(2048), keys(2048));
    let path = other.path().join("key.pem").display().to_string();
    let decrypt = ["pkeyutl", "-decrypt", "-inkey", &path, "-pkeyopt"];
    let arguments = [&decrypt[..], &["rsa_padding_mode:none"]].concat();
    let key = behind(public(&one), "openssl", &arguments);
    let error = failure(&key);
    // A block may be above the other modulus, which openssl itself refuses.
    assert!(
        matches!(error, SignError::Fault | SignError::BackEnd(_)),
        "{error:?}"
    );
}

#[test]
fn a_command_that_fails_says_nothing_or_too_much_is_told() {
    let failed = failure_of("sh", &["-c", "cat; exit 3"]);
    assert!(
        failed.ends_with("\"sh\" failed with exit status: 3"),
        "{failed}"
    );
    let silent = failure_of("true", &[]);
    assert!(
        silent.ends_with("\"true\" wrote 0 bytes, expected 256"),
        "{silent}"
    );
    let endless = failure_of("yes", &[]);
    assert!(
        endless.ends_with("\"yes\" wrote more than 256 bytes, expected 256"),
        "{endless}"
    );
    let absent = failure_of("/nowhere/pkcs11-tool", &[]);
    assert!(
        absent.contains("cannot start \"/nowhere/pkcs11-tool\""),
        "{absent}"
    );
}

#[test]
fn a_command_that_gives_the_block_back_is_a_fault() {
    let key = behind(key(0).public().clone(), "cat", &[]);
    assert_eq!(failure(&key), SignError::Fault);
}

#[test]
fn a_command_that_takes_too_long_is_ended() {
    // The first holds its output open, the second closes it and goes on.
    for script in ["exec sleep 600", "exec >&-; exec sleep 600"] {
        let command = CommandKey::new(
            "sh".into(),
            vec!["-c".into(), script.into()],
            Duration::from_millis(300),
        );
        let seed = fresh_seed().expect("randomness");
        let key = SecretKey::with_back_end(key(0).public().clone(), seed, command);
        let begun = Instant::now();
        let error = failure(&key).to_string();
        assert!(
            error.ends_with("\"sh\" has not ended after 0.3 s"),
            "{error}"
        );
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "it was waited for"
        );
    }
}

#[test]
fn a_limit_that_no_clock_can_hold_is_cut() {
    let command = CommandKey::new("true".into(), Vec::new(), Duration::MAX);
    let seed = fresh_seed().expect("randomness");
    let key = SecretKey::with_back_end(key(0).public().clone(), seed, command);
    // It is not the time that is wrong with it.
    let error = failure(&key).to_string();
    assert!(error.ends_with("wrote 0 bytes, expected 256"), "{error}");
}

#[test]
fn keys_that_are_not_ordinary_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |arguments: &str| {
        openssl(folder.path(), &format!("{arguments} -out key.pem"));
        secret_key_from_pem(&read(&folder, "key.pem")).expect_err("refused")
    };
    let elliptic = "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256";
    assert_eq!(refused(elliptic), BadPem::NotRsa);
    let short = BadPublicKey::Length { got: 128 };
    assert_eq!(
        refused("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024"),
        BadPem::Secret(BadSecretKey::Public(short))
    );
    let exponent =
        "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -pkeyopt rsa_keygen_pubexp:3";
    assert_eq!(
        refused(exponent),
        BadPem::Secret(BadSecretKey::Public(BadPublicKey::Exponent))
    );
    openssl(folder.path(), "pkey -in key.pem -pubout -out public.pem");
    assert_eq!(
        public_key_from_pem(&read(&folder, "public.pem")).expect_err("refused"),
        BadPem::Public(BadPublicKey::Exponent)
    );
    let encrypted =
        "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -aes-256-cbc -pass pass:secret";
    assert_eq!(refused(encrypted), BadPem::Encrypted);
}

#[test]
fn a_key_whose_file_is_damaged_is_refused_and_panics_nowhere() {
    let folder = keys(2048);
    let pem = read(&folder, "key.pem");
    let mut refused = 0;
    for place in (30..pem.len()).step_by(97) {
        let mut damaged = pem.clone();
        damaged[place] = if damaged[place] == b'A' { b'B' } else { b'A' };
        refused += usize::from(secret_key_from_pem(&damaged).is_err());
    }
    assert!(refused > 10, "only {refused} were refused");
}

/// The documented command, on a token in software. It needs the packages softhsm2 and opensc.
#[test]
#[ignore = "needs softhsm2-util and pkcs11-tool; the page about vouchers has the same by hand"]
fn a_key_in_a_token_vouches() {
    let folder = tempfile::tempdir().expect("a folder");
    let tokens = folder.path().join("tokens");
    fs::create_dir(&tokens).expect("a folder");
    let config = folder.path().join("softhsm2.conf");
    fs::write(
        &config,
        format!("directories.tokendir = {}\n", tokens.display()),
    )
    .expect("written");
    let module = "/usr/lib/softhsm/libsofthsm2.so";
    let config = format!("SOFTHSM2_CONF={}", config.display());
    let call = |program: &str, arguments: &str| {
        let arguments: Vec<_> = [&config[..], program]
            .into_iter()
            .chain(arguments.split(' '))
            .collect();
        run("env", &arguments, folder.path())
    };
    call(
        "softhsm2-util",
        "--init-token --free --label vouch --so-pin 5678 --pin 1234",
    );
    let login = format!("--module {module} --token-label vouch --login --pin 1234");
    call(
        "pkcs11-tool",
        &format!("{login} --keypairgen --key-type rsa:2048 --id 01 --label voucher"),
    );
    let read = format!("{login} --read-object --type pubkey --id 01 --output-file public.der");
    call("pkcs11-tool", &read);
    openssl(
        folder.path(),
        "pkey -pubin -inform DER -in public.der -out public.pem",
    );
    let sign = format!("{config} pkcs11-tool {login} --sign --mechanism RSA-X-509 --id 01");
    let arguments: Vec<_> = sign.split(' ').collect();
    let key = behind(public(&folder), "env", &arguments);
    assert_vouches(None, &key);
    assert_vouches(Some(vouched(&[0, 1])), &key);
}

/// Errors of commands are told apart from those of the library.
#[test]
fn an_error_of_a_command_keeps_its_cause() {
    let error = failure(&behind(key(0).public().clone(), "false", &[]));
    let SignError::BackEnd(error) = error else {
        panic!("{error:?}")
    };
    let cause = std::error::Error::source(&error)
        .and_then(|cause| cause.downcast_ref::<duet_vouch::CommandError>());
    assert!(
        matches!(cause, Some(duet_vouch::CommandError::Failed { .. })),
        "{cause:?}"
    );
    let _: &BackEndError = &error;
}
