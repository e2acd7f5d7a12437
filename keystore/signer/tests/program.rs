//! The executable, as a process.

mod support;

use duet_keystore::{KeyStore, Signer};
use duet_primitives::testing::secret;
use duet_remote_signer::{Address, RemoteSigner};
use std::{
    fs,
    io::{BufRead, BufReader, Read},
    os::unix::fs::{FileExt, PermissionsExt},
    path::Path,
    process::{Child, ChildStderr, Command, Stdio},
    thread::{self, JoinHandle},
};
use support::{key, message, set, vote, Site, Transport, GENESIS};

/// A running signer, ended on drop.
struct Process {
    child: Child,
    /// The address from its log.
    address: String,
    /// Reads the rest of the log, so that the process does not block on its output.
    log: Option<JoinHandle<String>>,
}

/// Starts the executable, and waits until it listens.
fn start(dir: &Path, more: &[&str]) -> Process {
    let mut child = Command::new(env!("CARGO_BIN_EXE_duet-signer"))
        .arg("--keystore-path")
        .arg(dir.join("keys"))
        .args(more)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let said = until_it_listens(&mut log);
    let address = said
        .rsplit("listening on ")
        .next()
        .unwrap()
        .trim()
        .to_owned();
    let rest = move || {
        let mut said = said;
        let _ = log.read_to_string(&mut said);
        said
    };
    let log = Some(thread::spawn(rest));
    Process {
        child,
        address,
        log,
    }
}

fn until_it_listens(log: &mut BufReader<ChildStderr>) -> String {
    let mut said = String::new();
    while !said.contains("listening on") {
        let read = log.read_line(&mut said).unwrap();
        assert_ne!(read, 0, "it ended: {said}");
    }
    said
}

impl Process {
    fn signal(&self, name: &str) {
        let kill = Command::new("kill")
            .arg(format!("-{name}"))
            .arg(self.child.id().to_string())
            .status()
            .unwrap();
        assert!(kill.success());
    }

    /// Its log, once it has ended as requested.
    fn ended(mut self) -> String {
        assert!(self.child.wait().unwrap().success());
        self.log.take().unwrap().join().unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn listen(site: &Site) -> String {
    site.address.to_string()
}

fn client(site: &Site) -> RemoteSigner {
    site.client()
}

#[test]
fn it_signs_through_its_socket_and_removes_it_when_it_is_terminated() {
    for signal in ["TERM", "INT"] {
        let site = Site::new(Transport::Unix);
        let genesis = format!("{GENESIS:?}");
        let args = ["--listen", &listen(&site), "--genesis", &genesis];
        let process = start(site.dir.path(), &args);
        let Address::Unix(path) = &site.address else {
            panic!("no socket");
        };
        let mode = fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let message = message(7, 1);
        let signed = vote(&client(&site), &message).unwrap();
        signed.check(set().set.keyset(), &message).unwrap();
        process.signal(signal);
        let log = process.ended();
        assert!(!path.exists(), "the socket is gone");
        for expected in [
            "1 keys",
            &key().to_string(),
            &genesis,
            "is connected",
            signal,
        ] {
            assert!(log.contains(expected), "{expected}: {log}");
        }
    }
}

#[test]
fn after_it_was_killed_the_next_one_takes_its_socket_and_its_record() {
    let site = Site::new(Transport::Unix);
    let args = ["--listen", &listen(&site)];
    let client = client(&site);
    let first = start(site.dir.path(), &args);
    vote(&client, &message(7, 1)).unwrap();
    first.signal("KILL");
    drop(first);
    let _second = start(site.dir.path(), &args);
    vote(&client, &message(7, 1)).unwrap();
    let error = vote(&client, &message(7, 2)).unwrap_err();
    assert!(error.to_string().contains("ROUND-4"), "{error}");
}

#[test]
fn it_serves_mutual_tls_and_opens_sealed_keys() {
    let mut site = Site::new(Transport::Tls);
    let sealed = site.dir.path().join("sealed");
    let password = site.dir.path().join("password");
    fs::write(&password, "secret").unwrap();
    let seal = Some("secret".parse().unwrap());
    let store = KeyStore::open(sealed.join("keys"), seal).unwrap();
    store.insert(secret(0)).unwrap();
    drop(store);
    let files = site.server_files.clone().unwrap();
    let [certificate, key_file, ca, password] =
        [files.certificate, files.key, files.ca, password].map(|path| path.display().to_string());
    let args = [
        "--listen",
        "tls:localhost:0",
        "--tls-cert",
        &certificate,
        "--tls-key",
        &key_file,
        "--tls-client-ca",
        &ca,
        "--password-filename",
        &password,
        "--allow-generate",
        "--log",
        "debug",
    ];
    let process = start(&sealed, &args);
    site.address = process.address.parse().unwrap();
    let client = client(&site);
    vote(&client, &message(7, 1)).unwrap();
    let made = client.generate().unwrap();
    assert!(client.keys().unwrap().contains(&made));
    process.signal("TERM");
    let log = process.ended();
    for expected in ["SHA-256", "signed block 7", &made.pk1().to_string()] {
        assert!(log.contains(expected), "{expected}: {log}");
    }
}

/// Its error message when it does not start.
fn failure(dir: &Path, more: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_duet-signer"))
        .arg("--keystore-path")
        .arg(dir.join("keys"))
        .args(more)
        .output()
        .unwrap();
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn it_does_not_start_where_a_signer_listens_already_or_keys_cannot_be_read() {
    let site = Site::new(Transport::Unix);
    let _running = start(site.dir.path(), &["--listen", &listen(&site)]);
    // With separate keys, so that the two share only the socket.
    let said = failure(
        &site.dir.path().join("other"),
        &["--listen", &listen(&site)],
    );
    assert!(said.contains("a process listens there already"), "{said}");
    vote(&client(&site), &message(7, 1)).unwrap();
    let missing = site.dir.path().join("missing");
    let missing = missing.to_str().unwrap();
    let elsewhere = ["--listen", "unix:/nowhere/signer.sock"];
    let wrong = [&elsewhere[..], &["--password-filename", missing]].concat();
    let said = failure(&site.dir.path().join("other"), &wrong);
    assert!(said.contains(missing), "{said}");
    let said = failure(&site.dir.path().join("other"), &elsewhere);
    assert!(said.contains("/nowhere"), "{said}");
}

/// The writable memory of a process, mapping by mapping.
fn memory(process: &Process) -> Vec<Vec<u8>> {
    let proc = Path::new("/proc").join(process.child.id().to_string());
    let memory = fs::File::open(proc.join("mem")).unwrap();
    let maps = fs::read_to_string(proc.join("maps")).unwrap();
    let read = |line: &str| {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let number = |text| u64::from_str_radix(text, 16).ok();
        let (start, end) = (number(start)?, number(end)?);
        let mut bytes = vec![0; usize::try_from(end - start).ok()?];
        // Mappings of the kernel cannot be read.
        let is_read = rest.starts_with("rw") && memory.read_exact_at(&mut bytes, start).is_ok();
        is_read.then_some(bytes)
    };
    maps.lines().filter_map(read).collect()
}

fn copies(memory: &[Vec<u8>], part: &[u8]) -> usize {
    let found = |mapping: &Vec<u8>| {
        mapping
            .windows(part.len())
            .filter(|window| *window == part)
            .count()
    };
    memory.iter().map(found).sum()
}

/// While a signer runs, its memory has a secret once: where it signs from. The text of the key file is gone. A password is
/// there once, because files that appear later are opened with it.
#[cfg(target_os = "linux")]
#[test]
fn its_memory_has_each_secret_once() {
    const PASSWORD: &str = "correct horse battery staple";
    for password in [None, Some(PASSWORD)] {
        let site = Site::new(Transport::Unix);
        let keys = site.dir.path().join("keys");
        let given = site.dir.path().join("password");
        let mut arguments = vec!["--listen".to_owned(), listen(&site)];
        if let Some(password) = password {
            fs::write(&given, password).unwrap();
            arguments.push(format!("--password-filename={}", given.display()));
            fs::remove_dir_all(&keys).unwrap();
            let store = KeyStore::open(&keys, Some(password.to_owned().into())).unwrap();
            store.insert(secret(0)).unwrap();
        }
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let process = start(site.dir.path(), &arguments);
        for block in 1..20 {
            vote(&client(&site), &message(block, 1)).unwrap();
        }
        client(&site).prove_possession(&key(), b"owner").unwrap();

        let memory = memory(&process);
        let scalar = secret(0).expose();
        let halves = |bytes: &[u8]| -> usize {
            let (one, other) = bytes.split_at(bytes.len() / 2);
            copies(&memory, one).max(copies(&memory, other))
        };
        let reversed: Vec<_> = scalar.iter().rev().copied().collect();
        let found = [
            halves(&scalar[..]),
            halves(&reversed),
            halves(hex::encode(&scalar[..]).as_bytes()),
            copies(&memory, PASSWORD.as_bytes()),
        ];
        assert_eq!(found, [1, 0, 0, usize::from(password.is_some())]);
    }
}
