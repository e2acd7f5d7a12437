//! Running signers, and certificates.

#![allow(dead_code, reason = "each test program uses a part of it")]

use duet_keystore::{KeyStore, Signer, SignerError};
use duet_primitives::{
    testing::{secret, TestSet},
    Commitment, Pk1Bytes, RoundMessage, SignerIndex, UncheckedVote, H256,
};
use duet_remote_signer::{tls::TlsFiles, Address, RemoteError, RemoteSigner};
use duet_signer::{start, Limits, Listener, Policy, Running};
use std::{fs, path::Path, sync::Arc, time::Duration};
use tempfile::TempDir;

pub(crate) const GENESIS: H256 = H256::repeat_byte(7);
/// Longer than any answer takes on a machine busy with other tests.
pub(crate) const PATIENT: Duration = Duration::from_secs(60);

/// The key in every key directory of these tests.
pub(crate) fn key() -> Pk1Bytes {
    secret(0).public().pk1()
}

pub(crate) fn set() -> TestSet {
    TestSet::new(0, 0..4)
}

/// A commitment for a block; `variant` makes contradicting ones.
pub(crate) fn commitment(block: u32, variant: u8) -> Commitment {
    let set = set();
    Commitment {
        block_hash: H256::repeat_byte(variant),
        ..set.commitment(block, &set.set)
    }
}

pub(crate) fn message(block: u32, variant: u8) -> RoundMessage {
    RoundMessage::new(GENESIS, commitment(block, variant))
}

/// The position of the key in the set.
pub(crate) fn position() -> SignerIndex {
    set().set.keyset().position(&key()).unwrap()
}

pub(crate) fn vote(
    signer: &dyn Signer,
    message: &RoundMessage,
) -> Result<UncheckedVote, SignerError> {
    signer.sign_vote(&key(), position(), message)
}

/// The reason why a remote signer could not be asked.
pub(crate) fn remote_error(error: SignerError) -> RemoteError {
    let SignerError::Unavailable(error) = error else {
        panic!("an error of another kind: {error}");
    };
    *error.downcast().expect("an error of the client")
}

/// A CA, with some of its certificates in the folder `certificates`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ca {
    One,
    Other,
}

impl Ca {
    /// Writes the certificate for a name, its key, and the CA that its owner trusts, which is this one.
    pub(crate) fn issue(self, dir: &Path, name: &str) -> TlsFiles {
        let ca = match self {
            Self::One => "one",
            Self::Other => "other",
        };
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/certificates");
        let write = |from: String| {
            let path = dir.join(&from);
            fs::copy(kept.join(&from), &path).unwrap();
            path
        };
        TlsFiles {
            ca: write(format!("{ca}.pem")),
            certificate: write(format!("{ca}-{name}.pem")),
            key: write(format!("{ca}-{name}.key")),
        }
    }
}

/// The transport between clients and signer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Transport {
    Unix,
    Tls,
}

pub(crate) const BOTH: [Transport; 2] = [Transport::Unix, Transport::Tls];

/// A signer's environment: its keys, its address, its certificates.
pub(crate) struct Site {
    pub(crate) dir: TempDir,
    pub(crate) address: Address,
    pub(crate) server_files: Option<TlsFiles>,
    pub(crate) client_files: Option<TlsFiles>,
    pub(crate) policy: Policy,
    pub(crate) limits: Limits,
}

impl Site {
    pub(crate) fn new(transport: Transport) -> Self {
        let dir = TempDir::new().unwrap();
        let (address, files) = match transport {
            Transport::Unix => (Address::Unix(dir.path().join("signer.sock")), None),
            Transport::Tls => {
                let place = |name: &str| {
                    let place = dir.path().join(name);
                    fs::create_dir(&place).unwrap();
                    place
                };
                let server = Ca::One.issue(&place("server"), "localhost");
                let client = Ca::One.issue(&place("client"), "node");
                let host = "localhost".to_owned();
                (Address::Tls { host, port: 0 }, Some((server, client)))
            }
        };
        let (server_files, client_files) = files.unzip();
        let store = KeyStore::open(dir.path().join("keys"), None).unwrap();
        store.insert(secret(0)).unwrap();
        Self {
            dir,
            address,
            server_files,
            client_files,
            policy: Policy::default(),
            limits: Limits::default(),
        }
    }

    /// Starts a signer over the key directory. The next one listens at the same address.
    pub(crate) fn start(&mut self) -> Running {
        let keys = KeyStore::open(self.dir.path().join("keys"), None).unwrap();
        self.start_with(Arc::new(keys))
    }

    pub(crate) fn start_with(&mut self, signer: Arc<dyn Signer>) -> Running {
        let listener = Listener::bind(&self.address, self.server_files.as_ref()).unwrap();
        let running = start(listener, signer, self.policy.clone(), self.limits).unwrap();
        self.address = running.address().clone();
        running
    }

    pub(crate) fn client(&self) -> RemoteSigner {
        self.client_with(self.client_files.as_ref())
    }

    pub(crate) fn client_with(&self, files: Option<&TlsFiles>) -> RemoteSigner {
        RemoteSigner::new(self.address.clone(), files)
            .unwrap()
            .with_deadline(PATIENT)
    }
}
