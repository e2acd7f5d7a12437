//! Runs of the program, and armoured objects in files, to be taken apart and changed.
#![allow(dead_code, reason = "each test program uses its part")]

use duet_armour::{encode, Kind, Object, Reader};
use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

/// Runs `duet-schemes` in a folder.
pub(crate) fn duet_schemes(folder: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_duet-schemes"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that fails early does not read its input.
    let _ = child.stdin.take().expect("its input").write_all(input);
    child.wait_with_output().expect("the program ends")
}

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
