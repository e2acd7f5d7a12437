//! One path for all builds: `/srv`, in a separate mount namespace.
//!
//! Compilers write the paths of sources into their output, and OpenSSL its build path. Flags remove some of these, but
//! differ from language to language, and change the hashes of symbols. With one fixed path, nothing has to be removed.

use crate::{
    cargo::{self, root, target_directory},
    result::Result,
};
use std::{env, fs, path::PathBuf, process::Command};

/// The path of the sources, the target directory and cargo's home during a build.
const PLACE: &str = "/srv";
/// Mounts the first three arguments there, in the folders of the fourth, and runs the rest.
const SCRIPT: &str = r#"
mount --bind "$1" "$4/duet"
mount --bind "$2" "$4/target"
mount --bind "$3" "$4/cargo"
mount --rbind "$4" "$5"
cd "$5/duet"
shift 5
exec "$@"
"#;

/// The local path of output built there.
pub(crate) fn built() -> PathBuf {
    target_directory().join("dist-build")
}

/// The path of the target directory during a build.
pub(crate) fn target() -> String {
    format!("{PLACE}/target")
}

/// The command, wrapped to run at the fixed path. It needs no privilege if the system allows user namespaces.
pub(crate) fn at(command: &Command) -> Result<Command> {
    let mounts = std::path::absolute(target_directory().join("dist-place"))?;
    for folder in ["duet", "target", "cargo"] {
        fs::create_dir_all(mounts.join(folder))?;
    }
    let target = std::path::absolute(built())?;
    fs::create_dir_all(&target)?;
    let mut there = Command::new("unshare");
    there
        .args([
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-ec",
            SCRIPT,
            "sh",
        ])
        .args([root(), &target, &cargo_home()?, &mounts])
        .arg(PLACE)
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(root());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => there.env(name, value),
            None => there.env_remove(name),
        };
    }
    // Flags of the environment would change the hashes of symbols.
    there
        .env("CARGO_HOME", format!("{PLACE}/cargo"))
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    Ok(there)
}

/// Whether this system lets users create the namespace, which only releases need.
pub(crate) fn check() -> Result {
    let mut look = Command::new("sh");
    look.args([
        "-ec",
        "test -f xtask/Cargo.toml; test -d ../cargo/registry; pwd",
    ]);
    let seen = cargo::output(&mut at(&look)?)?;
    let sources = format!("{PLACE}/duet");
    if seen == sources {
        Ok(())
    } else {
        Err(format!("the build folder is {seen}, expected {sources}").into())
    }
}

/// Paths of this machine, which must not occur in an executable.
pub(crate) fn machine() -> Result<Vec<PathBuf>> {
    let target = std::path::absolute(target_directory())?;
    Ok(vec![root().to_owned(), target, cargo_home()?])
}

fn cargo_home() -> Result<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
    home.ok_or_else(|| "neither CARGO_HOME nor HOME is set".into())
}
