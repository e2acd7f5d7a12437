//! Why a text was refused.

use crate::kind::Fingerprint;
use thiserror::Error;

/// A line, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct ArmourError {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a line, or with the object that begins in it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// There is text outside the objects, which is neither empty nor a comment.
    #[error("expected -----BEGIN DUET …-----, an empty line or one that begins with #")]
    Outside,
    /// The first line names no type.
    #[error("no type of this format's objects")]
    UnknownKind,
    /// The object is of another type than expected.
    #[error("expected an object of type {expected}, got {got}")]
    OtherKind {
        /// The type that was asked for.
        expected: &'static str,
        /// The type of the object.
        got: &'static str,
    },
    /// A header is missing, or is not written as it has to be.
    #[error("expected the header {expected:?}")]
    Header {
        /// The header, or what it begins with.
        expected: String,
    },
    /// The content is of a version that is not known here.
    #[error("expected version {expected}, got {got}")]
    Version {
        /// The known version.
        expected: u16,
        /// The object's.
        got: u16,
    },
    /// The line is not base64 of the right length, in its one form.
    #[error("not base64 in lines of 64 characters")]
    Base64,
    /// The input ends within the object that begins here.
    #[error("the object that begins here has no end: expected {expected:?}")]
    Cut {
        /// The last line of the object.
        expected: String,
    },
    /// The content is not what the fingerprint was computed of.
    #[error("the fingerprint is {stated}, but that of the content is {computed}: it is damaged")]
    Fingerprint {
        /// The header.
        stated: String,
        /// What it should be.
        computed: String,
    },
    /// There is no object.
    #[error("expected an object of type {expected}, and there is none")]
    None {
        /// The type that was asked for.
        expected: &'static str,
    },
    /// There is a second object, and one was asked for.
    #[error("a second object, and one is expected")]
    Second,
}

impl Problem {
    pub(crate) fn at(self, line: usize) -> ArmourError {
        ArmourError {
            line,
            problem: self,
        }
    }

    pub(crate) fn fingerprint(stated: &Fingerprint, computed: &Fingerprint) -> Self {
        Self::Fingerprint {
            stated: hex::encode(stated),
            computed: hex::encode(computed),
        }
    }
}
