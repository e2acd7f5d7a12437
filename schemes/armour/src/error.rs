//! Why a text was refused.

use crate::kind::Fingerprint;
use thiserror::Error;

/// A line, and its error.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct ArmourError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The error.
    pub problem: Problem,
}

/// An error in a line, or in the object that begins there.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// There is text outside the objects, which is neither empty nor a comment.
    #[error("expected -----BEGIN DUET …-----, an empty line or one that begins with #")]
    Outside,
    /// No strict PEM object begins in this line.
    #[error("damaged object: {0}")]
    Pem(#[from] pem_rfc7468::Error),
    /// The label names no type.
    #[error("unknown object type")]
    UnknownKind,
    /// The object is of another type than expected.
    #[error("expected an object of type {expected}, got {got}")]
    OtherKind {
        /// The requested type.
        expected: &'static str,
        /// The type of the object.
        got: &'static str,
    },
    /// The object has no room for a version and a fingerprint.
    #[error("{got} bytes are too few for a version and a fingerprint")]
    Short {
        /// Its bytes.
        got: usize,
    },
    /// The content is of a version that is not known here.
    #[error("expected version {expected}, got {got}")]
    Version {
        /// The known version.
        expected: u16,
        /// The object's.
        got: u16,
    },
    /// The content does not match the fingerprint.
    #[error("damaged object: its stated fingerprint is {stated}, but its content has {computed}")]
    Fingerprint {
        /// The fingerprint in the object.
        stated: String,
        /// The fingerprint of the content.
        computed: String,
    },
    /// There is no object.
    #[error("expected an object of type {expected}, found none")]
    None {
        /// The requested type.
        expected: &'static str,
    },
    /// There is a second object, and one was requested.
    #[error("expected one object, found a second")]
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
