//! A folder with a chain's checkpoint and keys of every kind.

use crate::support::{Finished, Folder, Lie, Program, Server};
use codec::Encode;
use duet_armour::{
    encode,
    kinds::{SEQUENTIAL_PUBLIC_KEY, SEQUENTIAL_SECRET_KEY, VOUCHED_CHECKPOINT},
};
use duet_light_client::{testing::TestChain, Checkpoint};
use duet_light_rpc::CheckpointJson;
use duet_vouch::{GenesisHash, Subject, Time, Vouched};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
    time::{SystemTime, UNIX_EPOCH},
};

/// Runs `openssl` in a folder.
fn openssl(folder: &Path, arguments: &str) {
    let run = Command::new("openssl")
        .args(arguments.split(' '))
        .current_dir(folder)
        .output();
    let output = run.expect("openssl is installed");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "openssl {arguments}: {said}");
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.expect("a clock").as_secs()
}

pub(crate) struct Place {
    folder: Folder,
    pub(crate) chain: TestChain,
    pub(crate) server: Server,
}

impl Place {
    /// With a checkpoint at the second block that the chain proves.
    pub(crate) async fn new() -> Self {
        let chain = TestChain::new(3, 4, 1);
        let server = Server::start(&chain, Lie::None).await;
        let place = Self {
            folder: Folder::new(),
            chain,
            server,
        };
        place.write_checkpoint("checkpoint.json", 1);
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        self.folder.write(name, bytes);
    }

    /// The checkpoint at the handoff to a set.
    pub(crate) fn checkpoint(&self, set: u64) -> Checkpoint {
        self.chain.checkpoint(set)
    }

    pub(crate) fn write_checkpoint(&self, name: &str, set: u64) {
        let json = CheckpointJson::from(self.checkpoint(set));
        self.write(name, serde_json::to_string_pretty(&json).expect("JSON"));
    }

    pub(crate) fn subject(&self) -> Subject {
        let checkpoint = self.checkpoint(1);
        Subject::new(GenesisHash(checkpoint.genesis_hash.0), &checkpoint.encode())
    }

    /// A secret key that openssl makes, and its public key.
    pub(crate) fn make_key(&self, name: &str) {
        let folder = &self.path("");
        let bits = "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048";
        openssl(folder, &format!("{bits} -out {name}.pem"));
        openssl(
            folder,
            &format!("pkey -in {name}.pem -pubout -out {name}.pub"),
        );
    }

    /// A key as `duet-schemes` writes it.
    pub(crate) fn make_own_key(&self, name: &str) {
        self.make_key(name);
        let pem = fs::read(self.path(&format!("{name}.pem"))).expect("openssl wrote it");
        let key = duet_vouch::secret_key_from_pem(&pem).expect("a key");
        let fingerprint = key.public().fingerprint().0;
        fs::create_dir(self.path(name)).expect("made");
        let secret = key.to_bytes().expect("memory");
        let secret = encode(&SEQUENTIAL_SECRET_KEY, &fingerprint, &secret);
        let file = format!("{name}/secret");
        self.write(&file, secret.as_bytes());
        self.protect(&file, 0o600);
        let public = encode(
            &SEQUENTIAL_PUBLIC_KEY,
            &fingerprint,
            key.public().as_bytes(),
        );
        self.write(&format!("{name}/public"), public.as_bytes());
    }

    pub(crate) fn protect(&self, name: &str, mode: u32) {
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(self.path(name), mode).expect("it is ours");
    }

    /// The bytes of a record that `vouch` wrote.
    pub(crate) fn record(&self, name: &str) -> Vec<u8> {
        let text = fs::read(self.path(name)).expect("it was written");
        let object = duet_armour::read_one(&VOUCHED_CHECKPOINT, &text).expect("a record");
        object.content().expect("whole").to_vec()
    }

    pub(crate) fn write_record(&self, name: &str, content: &[u8]) {
        let digest = VOUCHED_CHECKPOINT.digest(content);
        self.write(
            name,
            encode(&VOUCHED_CHECKPOINT, &digest, content).as_bytes(),
        );
    }

    /// A statement that was signed at another time, alone in a record.
    pub(crate) fn sign_at(&self, name: &str, at: u64, output: &str) {
        let pem = fs::read(self.path(&format!("{name}.pem"))).expect("openssl wrote it");
        let key = duet_vouch::secret_key_from_pem(&pem).expect("a key");
        let record = Vouched::first(&key, self.subject(), Time(at)).expect("signed");
        self.write_record(output, &record.to_bytes());
    }

    /// Runs `duet-light vouch` for the checkpoint, with names of files here in place of `@name`.
    pub(crate) async fn vouch(&self, arguments: &str) -> Finished {
        let arguments = format!("vouch --json --checkpoint @checkpoint.json {arguments}");
        self.run(&arguments).await
    }

    /// Begins from the checkpoint and comes to the server's head.
    pub(crate) async fn sync(&self, arguments: &str) -> Finished {
        let url = &self.server.url;
        let arguments =
            format!("sync --json --url {url} --checkpoint @checkpoint.json {arguments}");
        self.run(&arguments).await
    }

    pub(crate) async fn run(&self, arguments: &str) -> Finished {
        Program::run(&arguments.replace('@', &self.folder.text(""))).await
    }

    /// Writes a list of keys, each by the file of its public key.
    pub(crate) async fn write_list(&self, entries: &[(&str, &str)]) {
        let mut text = "# fingerprint, name\n".to_owned();
        for (file, name) in entries {
            let printed = self.run(&format!("fingerprint @{file}")).await;
            let printed = printed.expect_code(0).stdout;
            text += &format!("{} {name}\n", printed.trim());
        }
        self.write("vouchers.txt", text);
    }
}

/// The names of those who vouch.
pub(crate) fn names(finished: &Finished) -> Vec<String> {
    let vouched = finished.named("vouched").remove(0);
    let by = vouched["by"].as_array().expect("a list").iter();
    by.map(|voucher| voucher["name"].as_str().expect("a name").to_owned())
        .collect()
}
