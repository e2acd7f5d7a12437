//! A chain's runtime, compiled. (STATE-5)

use crate::{
    error::{shown, CodeError},
    limits::MAX_HEAP_PAGES,
};
use alloc::{
    format,
    string::{String, ToString},
};
use smoldot::executor::{
    host::{Config, HostVmPrototype},
    storage_heap_pages_to_value,
    vm::{ExecHint, HeapPages},
};
use sp_crypto_hashing::blake2_256;

/// The key of the runtime's code.
pub const CODE_KEY: &[u8] = b":code";

/// The key of the number of pages of the runtime's heap. Few chains have such an entry.
pub const HEAP_PAGES_KEY: &[u8] = b":heappages";

/// A key that no state has, right after [`CODE_KEY`]. In a state of version 1 the proof that it is absent has the hash
/// of the code and not the code, a few hundred bytes: enough to see that the code is still the same
/// ([`ProvenState::value_hash`](crate::ProvenState::value_hash)).
pub const CODE_PROBE: &[u8] = b":code\0";

/// A runtime that can be executed. Clones share what was compiled.
#[derive(Clone, Debug)]
pub struct Runtime {
    prototype: HostVmPrototype,
    hash: [u8; 32],
}

impl Runtime {
    /// Compiles a runtime from the entry [`CODE_KEY`], which may be compressed by zstd, and the entry
    /// [`HEAP_PAGES_KEY`].
    ///
    /// Functions are translated when they are first called. Cost: tens of milliseconds for a runtime of some MiB.
    ///
    /// # Errors
    /// [`CodeError`].
    ///
    /// # Security
    /// Both must be proven entries of one state. The code of a chain is trusted to end, and with its first pages of
    /// memory.
    pub fn compile(code: &[u8], heap_pages: Option<&[u8]>) -> Result<Self, CodeError> {
        let pages = storage_heap_pages_to_value(heap_pages);
        let pages = pages
            .ok()
            .filter(|pages| *pages <= HeapPages::new(MAX_HEAP_PAGES));
        let pages = pages.ok_or_else(|| CodeError::HeapPages {
            max: MAX_HEAP_PAGES,
            got: heap_pages.map_or_else(String::new, first_bytes),
        })?;
        let prototype = HostVmPrototype::new(Config {
            module: code,
            heap_pages: pages,
            exec_hint: ExecHint::CompileWithNonDeterministicValidation,
            // A function of the host that is not known here stops the calls that use it, and no others.
            allow_unresolved_imports: true,
        });
        let prototype =
            prototype.map_err(|error| CodeError::NotARuntime(shown(&error.to_string())))?;
        Ok(Self {
            prototype,
            hash: blake2_256(code),
        })
    }

    /// The BLAKE2b-256 hash of the entry that it was compiled from.
    pub fn code_hash(&self) -> [u8; 32] {
        self.hash
    }

    /// Its version, as `Core_version` returns it: the SCALE encoding of `RuntimeVersion`.
    pub fn version(&self) -> &[u8] {
        self.prototype.runtime_version().as_ref()
    }

    pub(crate) fn prototype(&self) -> HostVmPrototype {
        self.prototype.clone()
    }
}

/// Of an entry, in hexadecimal digits, so much as its right length has, and how long it is.
fn first_bytes(entry: &[u8]) -> String {
    let first = entry.get(..8).unwrap_or(entry);
    format!("{first:02x?} in {} bytes", entry.len())
}
