//! One place for all builds: `/srv`, in a mount namespace of the build's own.
//!
//! Compilers write the paths of sources into what they make, and OpenSSL where it was built. Flags keep out some of that, which differ
//! from language to language, and the hashes of symbols change with them. Where the place is always the same, nothing is left to keep out.

use crate::{
    cargo::{self, root, target_directory},
    result::Result,
};
use std::{env, fs, path::PathBuf, process::Command};

/// Where the sources, the target directory and cargo's home are during a build.
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

/// What is built at the place is here afterwards.
pub(crate) fn built() -> PathBuf {
    target_directory().join("dist-build")
}

/// The path of the target directory at the place.
pub(crate) fn target() -> String {
    format!("{PLACE}/target")
}

/// The command, to be run at the place. The namespace needs no privilege, where the system lets users make one.
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
    // Flags of the environment would be in the hashes of symbols.
    there
        .env("CARGO_HOME", format!("{PLACE}/cargo"))
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    Ok(there)
}

/// Whether this system lets users make the place, which only releases are built at.
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
        Err(format!("builds are at {seen}, and not at {sources}").into())
    }
}

/// Paths of this machine, none of which may be in an executable.
pub(crate) fn machine() -> Result<Vec<PathBuf>> {
    let target = std::path::absolute(target_directory())?;
    Ok(vec![root().to_owned(), target, cargo_home()?])
}

fn cargo_home() -> Result<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
    home.ok_or_else(|| "neither CARGO_HOME nor HOME is set".into())
}
