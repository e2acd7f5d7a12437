//! Writing objects.

use crate::kind::{Fingerprint, Kind, FINGERPRINT_LEN};
use base64ct::{Base64, Encoding};
use zeroize::Zeroizing;

/// Bytes of content in a line.
pub(crate) const LINE_BYTES: usize = 48;
/// Characters of base64 in a line.
pub(crate) const LINE_CHARACTERS: usize = 64;

pub(crate) const BEGIN: &str = "-----BEGIN DUET ";
pub(crate) const DASHES: &str = "-----";
pub(crate) const VERSION: &str = "Version: ";
pub(crate) const FINGERPRINT: &str = "Fingerprint: ";
pub(crate) const WARNING: &str = "Warning: ";

pub(crate) fn last_line(kind: &Kind) -> String {
    format!("-----END DUET {}{DASHES}", kind.name)
}

fn head(kind: &Kind, fingerprint: &Fingerprint) -> String {
    let mut head = format!(
        "{BEGIN}{}{DASHES}\n{VERSION}{}\n{FINGERPRINT}{}\n",
        kind.name,
        kind.version,
        hex::encode(fingerprint)
    );
    if let Some(warning) = kind.warning {
        head += &format!("{WARNING}{warning}\n");
    }
    head.push('\n');
    head
}

/// The length of an object's text in bytes, for a content of this length.
///
/// A reader of a secret can make a buffer of it before it reads anything.
pub fn armoured_len(kind: &Kind, content: usize) -> usize {
    let around = head(kind, &[0; FINGERPRINT_LEN]).len() + last_line(kind).len() + 1;
    let lines = content.div_ceil(LINE_BYTES);
    let characters = content.div_ceil(3).saturating_mul(4);
    around.saturating_add(lines).saturating_add(characters)
}

/// The text of an object. The content may be a secret: the text is allocated once.
pub fn encode(kind: &Kind, fingerprint: &Fingerprint, content: &[u8]) -> Zeroizing<String> {
    let mut text = Zeroizing::new(String::with_capacity(armoured_len(kind, content.len())));
    text.push_str(&head(kind, fingerprint));
    let mut line = Zeroizing::new([0; LINE_CHARACTERS]);
    for bytes in content.chunks(LINE_BYTES) {
        // A line of so many bytes has so many characters.
        text.push_str(Base64::encode(bytes, line.as_mut()).unwrap_or_default());
        text.push('\n');
    }
    text.push_str(&last_line(kind));
    text.push('\n');
    text
}
