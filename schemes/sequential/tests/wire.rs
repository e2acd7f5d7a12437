//! Pinned hashes of every encoding. A change of an encoding must change this file.

use duet_sequential::{
    queue::{Limits, QueueFiles, QueueStore, Terms},
    testing::{chain, secret_key},
    Attestation, Epoch, HopNumber, Party, Record, Suite, Time,
};
use sha2::{Digest, Sha256};

fn hash(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// The table of the specification.
#[test]
fn signatures_have_the_promised_sizes() {
    let sizes = |suite: Suite| [1, 3, 4, 5, 7, 10].map(|n| suite.core_len(n));
    assert_eq!(sizes(Suite::Rsa2048), [305, 337, 353, 369, 401, 450]);
    assert_eq!(sizes(Suite::Rsa3072), [433, 465, 481, 497, 529, 578]);
    for suite in Suite::ALL {
        for n in [1, 3, 4, 5, 7, 8, 9, 10] {
            let (signature, _) = chain(suite, &vec![b"m".as_slice(); n]);
            assert_eq!(signature.to_core().len(), suite.core_len(n));
            assert_eq!(signature.to_bytes().len(), 4 + suite.core_len(n));
        }
    }
}

#[test]
fn an_envelope_is_version_suite_count_and_core() {
    let (signature, _) = chain(Suite::Rsa3072, &[b"a", b"b"]);
    let bytes = signature.to_bytes();
    assert_eq!(bytes[..4], [1, 2, 0, 2]);
    assert_eq!(bytes[4..], signature.to_core());
    let core = signature.to_core();
    assert_eq!(core[..384], *signature.link().x());
    assert_eq!(core[384..416], *signature.link().h());
    assert_eq!(core[416..432], signature.hops()[0].randomness);
    assert_eq!(core[432..448], signature.hops()[1].randomness);
    let bits = signature.hops().iter().enumerate();
    let bits = bits.fold(0, |byte, (bit, hop)| byte | u8::from(hop.overflow) << bit);
    assert_eq!(core[448..], [bits]);
}

/// The log of a queue to which these records were added, one frame for each after the header, and its anchor.
fn queue(records: &[&Record]) -> [Vec<u8>; 2] {
    let folder = tempfile::tempdir().expect("a folder");
    let limits = Limits {
        records: 10,
        bytes: 10_000,
    };
    let files = QueueFiles::in_folder(folder.path());
    let mut store = QueueStore::open(&files, limits).expect("a queue");
    for record in records {
        let terms = Terms {
            verifier: Party::named("me"),
            deadline: Time(9),
            value: 1,
        };
        let added = store.add(Record::clone(record), terms, Time(0));
        added.expect("room");
    }
    let log = files.folder.join("queue.log");
    [&log, &files.anchor].map(|path| std::fs::read(path).expect("a file"))
}

#[test]
fn the_bytes_of_every_type_are_pinned() {
    let key = secret_key(Suite::Rsa2048, 0);
    let record = Record::first(key, b"first", Epoch(1)).expect("a record");
    let record = record
        .append(secret_key(Suite::Rsa2048, 1), b"second")
        .expect("a record");
    let attestation = Attestation {
        payload: [1; 32],
        hop: HopNumber::FIRST,
        from: Party::named("sender"),
        own: key.public().fingerprint(),
        to: Party::named("receiver"),
        epoch: Epoch(2),
        expires: Time(3),
        fee: 4,
    };
    let [log, anchor] = queue(&[&record]);
    let mut version_1 = log.clone();
    version_1[11] = 1;
    let pinned = [
        hash(key.public().as_bytes()),
        key.public().fingerprint().to_string(),
        hash(&record.signature().to_bytes()),
        hash(&record.to_bytes()),
        record.id().to_string(),
        hash(&attestation.to_bytes()),
        hash(&key.to_bytes().expect("memory")),
        hash(&log),
        hash(&version_1),
        hash(&anchor),
    ];
    let expected: [&str; 10] = [
        "21b55061bfacca1c582b928955a37d2856ea049f11ba9c8e52bcd13fcaf42904",
        "03e749f57199ce78eea0eb5021cbd300b65048c580dcf58b83d3129e87b1811c",
        "e252243d0f18b1445126f800928104bc52d196b15b269594b71842b50f566351",
        "c614098d86b994842494eaf93d88147b5676a08c16038dc2b355c36ae70d6e0c",
        "8800e906db4d360c007c8c047c45435fe09a263bf349c2e2ec17018dc27d67eb",
        "0c1a81dea608198fb11c139a27c4b1f53412bd31f5969814f46d66299a4ea5e4",
        "194dd0df915fd1aaa48d683adc67ab0969800a3e819174722b14c7afb4b22902",
        "582f6f3e6a7b508aafbbe17c8adfce351fcf73288798a9f3f2b10fd59129ba14",
        "31d2de7cccff507bb48c7bb411cc6d3f4b9e6b2e668feae942db82731efda345",
        "1242a0c301b39e4e4d828dda4661368e4f5f6273929f80fc52e68bbfa0378f8e",
    ];
    assert_eq!(pinned, expected);
}
