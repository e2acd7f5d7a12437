//! The properties of the reader, for arbitrary bytes: shared by the tests and the fuzz target.

use duet_armour::{read_one, Reader};

/// Reads `data` without panicking. An object that is read has one text, which is read as the same object. Gives the contents that are
/// whole, and the number of errors.
pub(crate) fn decode(data: &[u8]) -> (Vec<Vec<u8>>, usize) {
    let (mut contents, mut errors) = (Vec::new(), 0);
    for object in Reader::new(data) {
        let Ok(object) = object else {
            errors += 1;
            continue;
        };
        let again = read_one(object.kind(), object.text().as_bytes()).expect("its own text");
        assert_eq!(again.text(), object.text());
        assert_eq!(again.fingerprint(), object.fingerprint());
        match object.content() {
            Ok(content) => contents.push(content.to_vec()),
            Err(_) => errors += 1,
        }
    }
    (contents, errors)
}
