//! What a target is, and how it reads its input.

/// One target: a function that panics when it finds something, and the inputs to begin with.
pub struct Target {
    /// What it is called on the command line and in the corpus. The comment above it cites the rules that it watches.
    pub name: &'static str,
    /// Runs one input. A panic is a finding.
    pub run: fn(&[u8]),
    /// The inputs that the kept corpus is written from, with their names.
    pub seeds: fn() -> Vec<Seed>,
}

/// An input of the corpus.
pub struct Seed {
    /// The name of its file.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// An input of the corpus; characters that a file name should not have become dashes.
pub(crate) fn seed(name: impl AsRef<str>, bytes: impl Into<Vec<u8>>) -> Seed {
    let mut file = String::new();
    for character in name.as_ref().chars() {
        if character.is_ascii_alphanumeric() {
            file.push(character.to_ascii_lowercase());
        } else if !file.ends_with('-') {
            file.push('-');
        }
    }
    Seed {
        name: file.trim_matches('-').to_string(),
        bytes: bytes.into(),
    }
}

/// Reads an input from its front. Where it ends, zeros follow.
pub(crate) struct Input<'a>(pub(crate) &'a [u8]);

impl<'a> Input<'a> {
    /// The next `N` bytes.
    pub(crate) fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        let taken = self.0.len().min(N);
        let (head, tail) = self.0.split_at(taken);
        bytes[..taken].copy_from_slice(head);
        self.0 = tail;
        bytes
    }

    /// The next byte.
    pub(crate) fn byte(&mut self) -> u8 {
        let [byte] = self.array();
        byte
    }

    /// The next byte as a place in a list of `len`.
    pub(crate) fn place(&mut self, len: usize) -> usize {
        usize::from(self.byte()) % len.max(1)
    }

    /// Whether nothing is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next `len` bytes, or fewer where it ends.
    pub(crate) fn take(&mut self, len: usize) -> &'a [u8] {
        let (head, tail) = self.0.split_at(len.min(self.0.len()));
        self.0 = tail;
        head
    }

    /// What is left.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }
}
