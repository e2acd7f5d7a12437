//! Armoured objects in files, to be taken apart and changed.
#![allow(dead_code, reason = "each test program uses its part")]

use duet_armour::{encode, Kind, Object, Reader};
use std::{fs, path::Path};

/// The objects in a file.
pub(crate) fn objects(path: &Path) -> Vec<Object> {
    let text = fs::read(path).expect("it is there");
    let objects = Reader::new(&text).map(|object| object.expect("an object"));
    objects.collect()
}

/// The contents of the objects in a file that are not keys, one after another.
pub(crate) fn content(path: &Path) -> Vec<u8> {
    let contents = objects(path);
    let contents = contents
        .iter()
        .map(|it| it.content().expect("whole").to_vec());
    contents.collect::<Vec<_>>().concat()
}

/// Writes an object that is not a key.
pub(crate) fn write(path: &Path, kind: &Kind, content: &[u8]) {
    fs::write(path, &**encode(kind, &kind.digest(content), content)).expect("it is written");
}
