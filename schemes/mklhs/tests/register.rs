//! The label register of this scheme. `duet-journal` tests its files: what is missing, rolled back, damaged or cut short.

mod support;

use duet_mklhs::{
    suite, Bounds, FileFault, Label, LabelRegister, Message, RegisterError, RegisterFiles, Scalar,
    SigningKey,
};
use sha2::{Digest, Sha256};
use std::{fs, path::Path, sync::Barrier};
use support::{key, label, registered};

fn files(folder: &Path) -> RegisterFiles {
    RegisterFiles {
        journal: folder.join("journal"),
        anchor: folder.join("anchor"),
    }
}

/// A folder with a register that has signed `count` labels.
fn used(count: i64) -> (tempfile::TempDir, RegisterFiles, SigningKey) {
    let folder = tempfile::tempdir().unwrap();
    let (files, key) = (files(folder.path()), key(1));
    let register = LabelRegister::create(&files, key.id()).unwrap();
    for at in 0..count {
        register.sign(&key, &numbered(&key, at), at.into()).unwrap();
    }
    (folder, files, key)
}

fn numbered(key: &SigningKey, at: i64) -> Label {
    label(key, &at.to_string())
}

fn refusal(files: &RegisterFiles, key: &SigningKey) -> RegisterError {
    LabelRegister::open(files, key.id()).unwrap_err()
}

fn file_fault(error: RegisterError) -> FileFault {
    match error {
        RegisterError::File(error) => error.fault,
        other => panic!("{other}"),
    }
}

#[test]
fn the_same_message_gives_the_same_signature_and_another_is_refused() {
    let (_folder, files, key) = used(3);
    let register = LabelRegister::open(&files, key.id()).unwrap();
    assert_eq!(register.len().unwrap(), 3);
    let label = numbered(&key, 2);
    let again = register.sign(&key, &label, 2.into()).unwrap();
    assert_eq!(again, support::sign(&key, &label, 2));
    assert!(again
        .check(&registered([&key]), &label, Bounds::Integers)
        .is_ok());
    assert_eq!(register.len().unwrap(), 3);
    assert!(matches!(
        register.sign(&key, &label, 3.into()),
        Err(RegisterError::LabelAlreadyUsed { index: 0, used, asked })
            if used == 2.into() && asked == 3.into()
    ));
}

#[test]
fn many_are_signed_with_one_flush_or_none_is() {
    let (_folder, files, key) = used(1);
    let register = LabelRegister::open(&files, key.id()).unwrap();
    let labels: Vec<_> = (0..40).map(|at| (at, numbered(&key, at))).collect();
    let ask = |message: fn(i64) -> i64| -> Vec<(&Label, Message)> {
        let labels = labels.iter();
        labels
            .map(|(at, label)| (label, message(*at).into()))
            .collect()
    };
    // Label 0 was signed for message 0.
    let refused = register.sign_all(&key, &ask(|at| at + 1));
    assert!(matches!(
        refused,
        Err(RegisterError::LabelAlreadyUsed { .. })
    ));
    assert_eq!(register.len().unwrap(), 1);
    let signatures = register.sign_all(&key, &ask(|at| at)).unwrap();
    for ((at, label), signature) in labels.iter().zip(&signatures) {
        assert_eq!(*signature, support::sign(&key, label, *at));
    }
    // The first invalid request of two is reported.
    let mut two_wrong = ask(|at| at);
    two_wrong[17].1 = 7.into();
    two_wrong[23].1 = 7.into();
    let error = register.sign_all(&key, &two_wrong).unwrap_err();
    assert_eq!(error.request(), Some(17));
    assert!(error.to_string().starts_with("request 17: "));
    let stranger = label(&support::key(2), "x");
    let strange = [(&labels[0].1, 0.into()), (&stranger, 1.into())];
    let error = register.sign_all(&key, &strange).unwrap_err();
    assert_eq!(error.request(), Some(1));
    // A label twice in one call: one entry for the same message, refused for two messages.
    let twice = label(&key, "twice");
    let same = register.sign_all(&key, &[(&twice, 5.into()), (&twice, 5.into())]);
    assert_eq!(same.unwrap().len(), 2);
    assert_eq!(register.len().unwrap(), 41);
    let other = label(&key, "other");
    let both = register.sign_all(&key, &[(&other, 5.into()), (&other, 6.into())]);
    assert!(matches!(both, Err(RegisterError::LabelAlreadyUsed { .. })));
    assert!(register.sign_all(&key, &[]).unwrap().is_empty());
    assert_eq!(register.len().unwrap(), 41);
}

#[test]
fn two_threads_cannot_sign_two_messages_under_one_label() {
    let (_folder, files, key) = used(0);
    let register = LabelRegister::open(&files, key.id()).unwrap();
    for round in 0..20 {
        let label = numbered(&key, round);
        let barrier = Barrier::new(2);
        let attempt = |message: i64| {
            barrier.wait();
            register.sign(&key, &label, message.into())
        };
        let results = std::thread::scope(|scope| {
            let threads = [1, 2].map(|message| scope.spawn(move || attempt(message)));
            threads.map(|thread| thread.join().unwrap())
        });
        let signed = results.iter().filter(|result| result.is_ok()).count();
        assert_eq!(signed, 1, "{results:?}");
        let refused = results.iter().flat_map(|result| result.as_ref().err());
        for error in refused {
            assert!(matches!(error, RegisterError::LabelAlreadyUsed { .. }));
        }
    }
    assert_eq!(register.len().unwrap(), 20);
}

#[test]
fn tasks_of_one_pool_that_sign_with_one_register_do_not_wait_for_each_other_for_ever() {
    const TASKS: i64 = 24;
    let (done, finished) = std::sync::mpsc::channel();
    // On its own thread, which is abandoned if it hangs.
    std::thread::spawn(move || {
        let (_folder, files, key) = used(0);
        let register = LabelRegister::open(&files, key.id()).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2);
        pool.build().unwrap().scope(|scope| {
            for task in 0..TASKS {
                let (register, key) = (&register, &key);
                scope.spawn(move |_| {
                    // Half of the labels are shared with the next task.
                    let labels: Vec<_> = (task * 8..task * 8 + 16)
                        .map(|at| numbered(key, at))
                        .collect();
                    let asked: Vec<_> = labels.iter().map(|label| (label, 7.into())).collect();
                    let signatures = register.sign_all(key, &asked).unwrap();
                    assert_eq!(signatures[0], support::sign(key, &labels[0], 7));
                });
            }
        });
        done.send(register.len().unwrap()).unwrap();
    });
    let labels = finished.recv_timeout(std::time::Duration::from_secs(60));
    let expected = usize::try_from(8 * TASKS + 8).unwrap();
    assert_eq!(labels, Ok(expected));
}

#[test]
fn an_entry_with_an_invalid_signature_is_reported_with_its_position() {
    let (_folder, files, key) = used(0);
    // A journal with valid links, as written by someone who knows the format.
    let mut journal = fs::read(&files.journal).unwrap();
    let mut link = Sha256::digest(&journal);
    for at in 0..3_i64 {
        let label = numbered(&key, at);
        let hash = Sha256::new().chain_update(suite::REGISTER_LABEL_TAG);
        let mut entry = hash.chain_update(&label).finalize().to_vec();
        entry.extend(support::sign(&key, &label, at).to_bytes());
        if at == 1 {
            entry[40] ^= 1;
        }
        link = Sha256::new()
            .chain_update(link)
            .chain_update(&entry)
            .finalize();
        journal.extend(entry);
        journal.extend(link);
    }
    fs::write(&files.journal, journal).unwrap();
    let register = LabelRegister::open(&files, key.id()).unwrap();
    for at in [0, 2] {
        assert!(register.sign(&key, &numbered(&key, at), at.into()).is_ok());
    }
    let error = register.sign(&key, &numbered(&key, 1), 1.into());
    let fault = file_fault(error.unwrap_err());
    let at = 48 + 144;
    assert!(
        matches!(fault, FileFault::Corrupt { at: found } if found == at),
        "{fault}"
    );
    // The other labels can still be signed.
    register.sign(&key, &numbered(&key, 3), 3.into()).unwrap();
    assert_eq!(register.len().unwrap(), 4);
}

#[test]
fn a_register_serves_one_key_and_one_process() {
    let (_folder, files, owner) = used(1);
    let stranger = key(2);
    let fault = file_fault(refusal(&files, &stranger));
    assert!(matches!(fault, FileFault::OtherOwner));
    let register = LabelRegister::open(&files, owner.id()).unwrap();
    assert_eq!(register.signer(), owner.id());
    let label = label(&stranger, "x");
    assert!(matches!(
        register.sign(&stranger, &label, 1.into()),
        Err(RegisterError::WrongKey { .. })
    ));
    assert!(matches!(
        register.sign(&owner, &label, 1.into()),
        Err(RegisterError::Sign { index: 0, .. })
    ));
    assert_eq!(register.len().unwrap(), 1);
    // Locks are per open file, so opening it again in this process is equivalent to another process.
    let fault = file_fault(refusal(&files, &owner));
    assert!(matches!(fault, FileFault::InUse));
    drop(register);
    assert!(LabelRegister::open(&files, owner.id()).is_ok());
}

#[test]
fn what_was_released_or_recorded_is_in_the_files_whatever_happens_to_the_process() {
    let (_folder, files, key) = used(0);
    let register = LabelRegister::open(&files, key.id()).unwrap();
    // As if the process were killed now: nothing is closed or cleaned up.
    let signed_again = |at: i64| {
        let folder = tempfile::tempdir().unwrap();
        let left = self::files(folder.path());
        fs::copy(&files.journal, &left.journal).unwrap();
        fs::copy(&files.anchor, &left.anchor).unwrap();
        let register = LabelRegister::open(&left, key.id()).unwrap();
        let label = numbered(&key, at);
        let other = register.sign(&key, &label, (at + 1).into());
        assert!(
            matches!(other, Err(RegisterError::LabelAlreadyUsed { used, .. }) if used == Scalar::from(at)),
            "{other:?}"
        );
        register.sign(&key, &label, at.into()).unwrap()
    };
    for at in 0..3 {
        let released = register.sign(&key, &numbered(&key, at), at.into());
        assert_eq!(signed_again(at), released.unwrap());
    }
    let label = numbered(&key, 3);
    let recorded = register.record(&key, &[(&label, 3.into())]).unwrap();
    let again = signed_again(3);
    assert_eq!(recorded.release(), [again]);
}
