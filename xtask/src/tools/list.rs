//! The external programs besides cargo's, and their Debian packages.

use std::{
    ffi::OsStr,
    process::{Command, Stdio},
};

/// A program that the build calls.
pub(crate) struct Tool {
    pub(crate) program: &'static str,
    /// The arguments that check that it is installed and works.
    probe: &'static [&'static str],
    pub(crate) purpose: &'static str,
    /// The environment variable that overrides its path.
    pub(crate) variable: Option<&'static str>,
    /// Its Debian package.
    pub(crate) package: &'static str,
}

/// The usual arguments of that check.
pub(crate) const VERSION: &[&str] = &["--version"];

pub(crate) const CXX: Tool = Tool {
    program: "c++",
    probe: VERSION,
    purpose: "a C++ compiler, for the optimiser of the runtime and for libFuzzer",
    variable: Some("CXX"),
    package: "g++",
};

pub(crate) const LIBCLANG: Tool = Tool {
    // A library, which the shell looks for.
    program: "sh",
    probe: &["-c", "ls /usr/lib/llvm-*/lib/libclang.so"],
    purpose: "finds libclang, which generates the RocksDB bindings",
    variable: Some("LIBCLANG_PATH"),
    package: "libclang-dev",
};

pub(crate) const TOOLS: [Tool; 4] = [
    Tool {
        program: "protoc",
        probe: VERSION,
        purpose: "the protocol buffers compiler, for the network's messages",
        variable: Some("PROTOC"),
        package: "protobuf-compiler",
    },
    CXX,
    Tool {
        program: "pkg-config",
        probe: VERSION,
        purpose: "finds the libraries of the system",
        variable: Some("PKG_CONFIG"),
        package: "pkg-config",
    },
    Tool {
        // A library, which the program before looks for.
        program: "pkg-config",
        probe: &["--exists", "openssl"],
        purpose:
            "finds OpenSSL's headers and libraries, which the network and `schemes/sequential` use",
        variable: Some("PKG_CONFIG"),
        package: "libssl-dev",
    },
];

/// For OpenSSL, which releases include.
pub(crate) const MAKE: Tool = Tool {
    program: "make",
    probe: VERSION,
    purpose: "builds OpenSSL",
    variable: None,
    package: "make",
};

pub(crate) const PERL: Tool = Tool {
    program: "perl",
    // A minimal system has the interpreter without these modules.
    probe: &["-MFindBin", "-MIPC::Cmd", "-MTime::Piece", "-e1"],
    purpose: "with its modules, for OpenSSL",
    variable: Some("OPENSSL_SRC_PERL"),
    package: "perl",
};

pub(crate) const VALGRIND: Tool = Tool {
    program: "valgrind",
    probe: VERSION,
    purpose: "counts the instructions of hot operations",
    variable: None,
    package: "valgrind",
};

pub(crate) const OPENSSL: Tool = Tool {
    program: "openssl",
    // The command has no flag for the check.
    probe: &["version"],
    purpose: "makes ordinary RSA keys, and signs with them in place of a token",
    variable: None,
    package: "openssl",
};

pub(crate) const PYTHON: Tool = Tool {
    program: "python3",
    probe: VERSION,
    purpose: "runs the proof of the bounds of limbs",
    variable: None,
    package: "python3",
};

pub(crate) const PYTHON_VENV: Tool = Tool {
    program: "python3",
    // Debian packs this part of Python apart.
    probe: &["-c", "import ensurepip, venv"],
    purpose: "with its modules for environments, installs slither",
    variable: None,
    package: "python3-venv",
};

pub(crate) const NODE: Tool = Tool {
    program: "node",
    probe: VERSION,
    purpose: "version 20 or newer, runs the JavaScript code",
    variable: None,
    package: "nodejs",
};

pub(crate) const NPM: Tool = Tool {
    program: "npm",
    probe: VERSION,
    purpose: "fetches the dependencies of the JavaScript tests",
    variable: None,
    package: "npm",
};

pub(crate) const CHROMIUM: Tool = Tool {
    program: "chromium",
    probe: VERSION,
    purpose: "a browser, for the test of the page",
    variable: Some("CHROMIUM"),
    package: "chromium",
};

pub(crate) const DPKG: Tool = Tool {
    program: "dpkg-deb",
    probe: VERSION,
    purpose: "makes Debian packages",
    variable: None,
    package: "dpkg",
};

pub(crate) const SHLIBDEPS: Tool = Tool {
    program: "dpkg-shlibdeps",
    probe: VERSION,
    purpose: "finds the packages with the libraries of an executable",
    variable: None,
    package: "dpkg-dev",
};

pub(crate) const XZ: Tool = Tool {
    program: "xz",
    probe: VERSION,
    purpose: "compresses archives",
    variable: None,
    package: "xz-utils",
};

pub(crate) const MMDEBSTRAP: Tool = Tool {
    program: "mmdebstrap",
    probe: VERSION,
    purpose: "makes a Debian system in a folder",
    variable: None,
    package: "mmdebstrap",
};

pub(crate) const SYSTEMD: Tool = Tool {
    program: "systemd-analyze",
    probe: VERSION,
    purpose: "checks the unit of the node",
    variable: None,
    package: "systemd",
};

pub(crate) const NSPAWN: Tool = Tool {
    program: "systemd-nspawn",
    probe: VERSION,
    purpose: "starts a system in a folder, with systemd in it",
    variable: None,
    package: "systemd-container",
};

pub(crate) const GO: Tool = Tool {
    program: "go",
    // Go prints its version by a verb.
    probe: &["version"],
    purpose: "Go 1.19 or newer, runs the verifier in Go",
    variable: None,
    package: "golang-go",
};

impl Tool {
    /// Whether it is missing and its variable is not set.
    pub(crate) fn is_missing(&self) -> bool {
        let named = self.variable.and_then(std::env::var_os);
        named.is_none() && !answers(self.program, self.probe)
    }
}

/// Whether a program is installed and works.
pub(crate) fn answers(program: impl AsRef<OsStr>, probe: &[&str]) -> bool {
    Command::new(program)
        .args(probe)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
