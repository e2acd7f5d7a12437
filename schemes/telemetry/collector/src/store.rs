//! The store of readings: a folder for each hour of arrival, with a file for each batch, named by its fingerprint.
//!
//! A file is written under another name and then moved, so that each is whole. A repeated batch is the same file.

use crate::failure::{Damage, Failure};
use duet_armour::{kinds::SEARCHABLE_CIPHERTEXTS, read_one};
use duet_searchable::Ciphertext;
use duet_telemetry::{Batch, Hour};
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;

/// The file extension of a batch.
const ENDING: &str = "ciphertexts";

/// The readings that a collector keeps.
#[derive(Debug)]
pub(crate) struct Store {
    folder: PathBuf,
    /// Hours that are kept before this one.
    keep: u64,
    /// The most bytes.
    most: u64,
    /// The bytes of all files.
    bytes: u64,
    /// The hour in which the last batch came.
    hour: Option<Hour>,
}

/// Why a batch is not kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Full {
    /// There is no more room.
    #[error("the collector is full")]
    Full,
    /// The disk.
    #[error("the collector cannot write: {0}")]
    Io(#[from] io::Error),
}

impl Store {
    /// Opens a folder, or makes it.
    pub(crate) fn open(folder: &Path, keep: u64, most: u64) -> Result<Self, Failure> {
        let failed = |error| Failure::File {
            path: folder.to_owned(),
            error,
        };
        let made = fs::create_dir_all(folder).map_err(|error| match error.kind() {
            // "File exists" would not say what is wrong with it.
            io::ErrorKind::AlreadyExists => io::ErrorKind::NotADirectory.into(),
            _ => error,
        });
        made.map_err(failed)?;
        let mut store = Self {
            folder: folder.to_owned(),
            keep,
            most,
            bytes: 0,
            hour: None,
        };
        store.bytes = store.measure().map_err(failed)?;
        Ok(store)
    }

    /// Stores a batch that came in this hour. Once in an hour, removes old batches.
    pub(crate) fn put(&mut self, hour: Hour, batch: &Batch) -> Result<(), Full> {
        if self.hour != Some(hour) {
            self.remove_before(hour.before(self.keep))?;
            self.bytes = self.measure()?;
            self.hour = Some(hour);
        }
        let text = batch.text();
        let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
        if self.bytes.saturating_add(length) > self.most {
            return Err(Full::Full);
        }
        let folder = self.folder.join(hour.to_string());
        fs::create_dir_all(&folder)?;
        let name = format!("{}.{ENDING}", hex::encode(batch.fingerprint()));
        let mut file = NamedTempFile::new_in(&self.folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        match file.persist_noclobber(folder.join(name)) {
            Ok(_) => self.bytes = self.bytes.saturating_add(length),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error.error.into()),
        }
        Ok(())
    }

    fn remove_before(&self, oldest: Hour) -> io::Result<()> {
        for (hour, path) in hours(&self.folder)? {
            if hour < oldest {
                fs::remove_dir_all(path)?;
            }
        }
        Ok(())
    }

    fn measure(&self) -> io::Result<u64> {
        let mut bytes = 0_u64;
        for (_, path) in hours(&self.folder)? {
            for entry in fs::read_dir(path)? {
                bytes = bytes.saturating_add(entry?.metadata()?.len());
            }
        }
        Ok(bytes)
    }
}

/// The folders of hours.
fn hours(folder: &Path) -> io::Result<Vec<(Hour, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let hour = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok());
        if let Some(hour) = hour.filter(|_| entry.path().is_dir()) {
            found.push((Hour(hour), entry.path()));
        }
    }
    Ok(found)
}

/// The ciphertexts that came in an hour.
pub(crate) fn ciphertexts(folder: &Path, hour: Hour) -> Result<Vec<Ciphertext>, Failure> {
    let folder = folder.join(hour.to_string());
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Failure::file(&folder)(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(Failure::file(&folder))?.path();
        if path.extension().is_none_or(|ending| ending != ENDING) {
            continue;
        }
        let text = fs::read(&path).map_err(Failure::file(&path))?;
        let read = read(&text);
        found.extend(read.map_err(|error| Failure::Damaged { path, error })?);
    }
    Ok(found)
}

fn read(text: &[u8]) -> Result<Vec<Ciphertext>, Damage> {
    let object = read_one(&SEARCHABLE_CIPHERTEXTS, text)?;
    Ok(Batch::read(object.content()?)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use duet_telemetry::testing::TestGroup;
    use rand_core::OsRng;
    use tempfile::TempDir;

    fn batch() -> Batch {
        let test = TestGroup::new("local");
        test.group().encrypt(Hour(1), &[], &mut OsRng).unwrap()
    }

    fn store(keep: u64, most: u64) -> (Store, TempDir) {
        let place = tempfile::tempdir().unwrap();
        (Store::open(place.path(), keep, most).unwrap(), place)
    }

    fn kept(place: &TempDir, hour: u64) -> usize {
        ciphertexts(place.path(), Hour(hour)).unwrap().len()
    }

    #[test]
    fn old_hours_are_removed_when_another_begins() {
        let (mut store, place) = store(2, u64::MAX);
        fs::create_dir(place.path().join("notes")).unwrap();
        for hour in [5, 6, 7] {
            store.put(Hour(hour), &batch()).unwrap();
        }
        assert_eq!([5, 6, 7].map(|hour| kept(&place, hour)), [1, 1, 1]);
        store.put(Hour(8), &batch()).unwrap();
        assert_eq!([5, 6, 7, 8].map(|hour| kept(&place, hour)), [0, 1, 1, 1]);
        assert!(place.path().join("notes").exists(), "it is not ours");
    }

    #[test]
    fn there_is_a_bound_and_room_again_after_an_hour_is_removed() {
        let batch = batch();
        let length = batch.text().len() as u64;
        let (mut store, place) = store(1, length);
        store.put(Hour(5), &batch).unwrap();
        store.put(Hour(5), &self::batch()).unwrap_err();
        let reopened = Store::open(place.path(), 1, length).unwrap();
        assert_eq!(reopened.bytes, length);
        assert!(matches!(store.put(Hour(6), &batch), Err(Full::Full)));
        store.put(Hour(7), &batch).unwrap();
        assert_eq!((kept(&place, 5), kept(&place, 7)), (0, 1));
    }

    #[test]
    fn a_batch_that_comes_again_is_kept_once_and_a_damaged_one_is_named() {
        let (mut store, place) = store(1, u64::MAX);
        let batch = batch();
        store.put(Hour(5), &batch).unwrap();
        let bytes = store.bytes;
        store.put(Hour(5), &batch).unwrap();
        assert_eq!((store.bytes, kept(&place, 5)), (bytes, 1));

        let name = format!("5/{}.{ENDING}", hex::encode(batch.fingerprint()));
        let path = place.path().join(name);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..text.len() / 2]).unwrap();
        let error = ciphertexts(place.path(), Hour(5)).unwrap_err();
        assert!(matches!(&error, Failure::Damaged { path: of, .. } if *of == path));
        assert_eq!(error.code(), 1);
    }
}
