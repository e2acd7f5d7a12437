//! A path that a module mentions.

/// How a path is mentioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// In a `use` declaration with a visibility.
    ReExport,
    /// In a private `use` declaration.
    Use,
    /// In code.
    Code,
}

/// A path that a module mentions.
#[derive(Debug)]
pub(super) struct Mention {
    pub(super) path: Vec<String>,
    pub(super) line: usize,
    pub(super) kind: Kind,
}
