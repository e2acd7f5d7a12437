//! Everything that `duet-armour` reads.

use duet_armour::{encode, kinds, read_one, Kind, Reader};

/// An object that is read has one text, which is read as the same object, and a content with its fingerprint. Accepted is
/// a text with an object that is whole.
pub(crate) fn decode(text: &[u8]) -> bool {
    let mut is_whole = false;
    for object in Reader::new(text).flatten() {
        let again = read_one(object.kind(), object.text().as_bytes()).expect("its own text");
        assert_eq!(again.text(), object.text());
        assert_eq!(again.fingerprint(), object.fingerprint());
        if let Ok(content) = object.content() {
            assert_eq!(object.kind().digest(content), *object.fingerprint());
            is_whole = true;
        }
    }
    is_whole
}

pub(crate) fn valid() -> Vec<Vec<u8>> {
    let text = |kind: Kind, content: &[u8]| {
        let text = encode(&kind, &kind.digest(content), content);
        text.as_bytes().to_vec()
    };
    let one = text(kinds::SEQUENTIAL_RECORD, &[1; 100]);
    vec![[one, text(kinds::RESEARCH_SIGNATURE, &[2; 9])].concat()]
}
