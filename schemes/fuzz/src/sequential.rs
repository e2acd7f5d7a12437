//! Every decoder of `duet-sequential`, each on the whole input.

use duet_sequential::{
    queue::{Limits, QueueFiles, QueueStore, Terms},
    testing::{decode_everything, secret_key},
    Epoch, Party, Record, Suite, Time,
};

pub(crate) fn decode(bytes: &[u8]) -> bool {
    decode_everything(bytes)
}

/// All types except secret keys, whose primality tests are slow.
pub(crate) fn valid() -> Vec<Vec<u8>> {
    let key = secret_key(Suite::Rsa2048, 0);
    let record = Record::first(key, b"one", Epoch(1)).expect("a record");
    let record = record.append(key, b"two").expect("a record");
    let folder = tempfile::tempdir().expect("a folder");
    let limits = Limits {
        records: 10,
        bytes: 10_000,
    };
    let files = QueueFiles::in_folder(folder.path());
    let mut store = QueueStore::open(&files, limits).expect("a queue");
    let terms = Terms {
        verifier: Party::named("me"),
        deadline: Time(9),
        value: 1,
    };
    let id = store.add(record.clone(), terms, Time(0)).expect("room");
    store.remove(&id).expect("it is in the queue");
    drop(store);
    vec![
        record.signature().to_bytes(),
        [vec![2], record.signature().to_core()].concat(),
        record.to_bytes(),
        key.public().as_bytes().to_vec(),
        std::fs::read(folder.path().join("queue.log")).expect("a log"),
        // The body of a frame that says a mark.
        [&[4], [7; 40].as_slice()].concat(),
    ]
}
