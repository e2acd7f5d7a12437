//! Writing objects.

use crate::kind::{Fingerprint, Kind, FINGERPRINT_LEN};
use pem_rfc7468::{encapsulated_len, encode_string, LineEnding};
use zeroize::Zeroizing;

/// Bytes of the version.
const VERSION_LEN: usize = 2;
/// Labels begin with it.
pub(crate) const OURS: &str = "DUET ";

fn label(kind: &Kind) -> String {
    [OURS, kind.name].concat()
}

/// The maximum length of an object's text in bytes, for a content of this length.
///
/// A reader of a secret can allocate a buffer of this length before it reads anything.
pub fn armoured_len(kind: &Kind, content: usize) -> usize {
    let bytes = content.saturating_add(VERSION_LEN + FINGERPRINT_LEN);
    encapsulated_len(&label(kind), LineEnding::LF, bytes).unwrap_or(usize::MAX)
}

/// The text of an object. The content may be a secret: the text is allocated once.
///
/// # Panics
/// Never for a content that fits in memory with its text.
pub fn encode(kind: &Kind, fingerprint: &Fingerprint, content: &[u8]) -> Zeroizing<String> {
    let length = VERSION_LEN + FINGERPRINT_LEN + content.len();
    let mut bytes = Zeroizing::new(Vec::with_capacity(length));
    bytes.extend_from_slice(&kind.version.to_be_bytes());
    bytes.extend_from_slice(fingerprint);
    bytes.extend_from_slice(content);
    let text = encode_string(&label(kind), LineEnding::LF, &bytes);
    Zeroizing::new(text.expect("a label of ours, and a length that does not overflow"))
}
