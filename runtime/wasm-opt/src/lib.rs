//! What `substrate-wasm-builder` asks of the crate `wasm-opt`, without Binaryen.
//!
//! The builder optimises nothing: it has Binaryen remove DWARF sections, and lower the sign extensions that `rustc` emits
//! for targets newer than its own. The target `wasm32v1-none` has no sign extensions, so removing sections is all that is
//! left, and that takes no compiler of 900 files of C++: nine minutes of processor time in each build from nothing.
//! `[patch.crates-io]` in the workspace's manifest puts this crate in the place of the published one
//! ([decision 0045](../../docs/decisions/0045-one-workspace.md)).
//!
//! Only what the builder calls is here. Anything more fails to compile, and is noticed.

use std::{fmt, fs, io, path::Path};

/// What every module begins with: the magic bytes and the version.
const HEADER: &[u8] = b"\0asm\x01\0\0\0";
/// The number of sections that have a name, and no meaning to a machine.
const CUSTOM: u8 = 0;
/// How the names of DWARF's sections begin.
const DWARF: &[u8] = b".debug_";

/// What is done to a module.
#[derive(Clone, Debug, Default)]
pub struct OptimizationOptions {
    strips_dwarf: bool,
}

/// A change of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Removes the sections of DWARF.
    StripDwarf,
    /// Replaces sign extensions, of which `wasm32v1-none` has none.
    SignextLowering,
}

/// Why a module is not written.
#[derive(Debug)]
pub enum Error {
    /// It cannot be read or written.
    Io(io::Error),
    /// It is no module: no header, or a section that does not end where it says.
    NotAModule,
}

impl OptimizationOptions {
    /// Changes nothing yet.
    #[must_use]
    pub fn new_opt_level_0() -> Self {
        Self::default()
    }

    /// The target sees to it.
    #[must_use]
    pub fn mvp_features_only(self) -> Self {
        self
    }

    /// Names of functions stay in any case.
    #[must_use]
    pub fn debug_info(self, _: bool) -> Self {
        self
    }

    /// Adds a change.
    #[must_use]
    pub fn add_pass(self, pass: Pass) -> Self {
        let strips_dwarf = self.strips_dwarf || pass == Pass::StripDwarf;
        Self { strips_dwarf }
    }

    /// Reads a module and writes the changed one.
    ///
    /// # Errors
    /// [`Error::Io`], and [`Error::NotAModule`] where sections are to be removed.
    pub fn run(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<(), Error> {
        let module = fs::read(from).map_err(Error::Io)?;
        let module = if self.strips_dwarf {
            without_dwarf(&module).ok_or(Error::NotAModule)?
        } else {
            module
        };
        fs::write(to, module).map_err(Error::Io)
    }
}

fn without_dwarf(module: &[u8]) -> Option<Vec<u8>> {
    let mut kept = HEADER.to_vec();
    let mut rest = module.strip_prefix(HEADER)?;
    while let Some((number, after)) = rest.split_first() {
        let (size, content) = integer(after)?;
        let section = content.get(..size)?;
        let after = content.get(size..)?;
        let is_dwarf = *number == CUSTOM && {
            let (length, name) = integer(section)?;
            name.get(..length)?.starts_with(DWARF)
        };
        if !is_dwarf {
            kept.extend_from_slice(rest.get(..rest.len() - after.len())?);
        }
        rest = after;
    }
    Some(kept)
}

/// An unsigned integer of at most 32 bits in LEB128, and what follows it.
fn integer(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0_u64;
    for (index, byte) in bytes.iter().enumerate().take(5) {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((usize::try_from(value).ok()?, bytes.get(index + 1..)?));
        }
    }
    None
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::NotAModule => f.write_str("not a WASM module"),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(number: u8, content: &[u8]) -> Vec<u8> {
        let size = u8::try_from(content.len()).expect("small");
        [&[number, size], content].concat()
    }

    fn custom(name: &[u8], content: &[u8]) -> Vec<u8> {
        let length = u8::try_from(name.len()).expect("small");
        section(CUSTOM, &[&[length], name, content].concat())
    }

    #[test]
    fn only_the_sections_of_dwarf_are_removed() {
        let types = section(1, b"types");
        let (names, info) = (custom(b"name", b"f"), custom(b".debug_info", b"\x80\xff"));
        let version = custom(b"runtime_version", b"");
        let module = [HEADER, &types, &info, &names, &version, &info].concat();
        let kept = [HEADER, &types, &names, &version].concat();
        assert_eq!(without_dwarf(&module), Some(kept));
    }

    #[test]
    fn a_cut_module_is_refused_and_nothing_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        let module = [HEADER, &custom(b".debug_info", b"123456")].concat();
        let strip = OptimizationOptions::new_opt_level_0().add_pass(Pass::StripDwarf);
        for end in (0..module.len()).filter(|end| *end != HEADER.len()) {
            fs::write(&from, module.get(..end).expect("shorter")).expect("written");
            assert!(
                matches!(strip.run(&from, &to), Err(Error::NotAModule)),
                "{end} bytes"
            );
            assert!(!to.exists());
        }
        fs::write(&from, &module).expect("written");
        strip.run(&from, &to).expect("a module");
        assert_eq!(fs::read(&to).expect("it was written"), HEADER);
    }

    #[test]
    fn sizes_of_more_than_32_bits_are_refused() {
        assert_eq!(integer(&[0xe5, 0x8e, 0x26, 9]), Some((624_485, &[9][..])));
        assert_eq!(integer(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x01]), None);
    }
}
