//! The Debian package: installed, started as its unit says, upgraded, removed and purged.

use super::{
    super::{debian::NAME, files},
    node::{Node, FLAGS},
    system::System,
    unit::Unit,
};
use crate::{cargo, result::Result};
use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
    process::Command,
};

const UNIT: &str = "/lib/systemd/system/duet-node.service";
const EXECUTABLE: &str = "/usr/bin/duet-node";
const CONFFILE: &str = "/etc/default/duet-node";
const STATE: &str = "/var/lib/duet-node";
/// What systemd gives a unit that is open to attack is ten. Ours has 1.5; more than 2 would be a slip.
const EXPOSURE: &str = "20";

/// Walks through the life of a package and of a newer one.
pub(crate) fn check(system: &System, package: &Path, newer: &Path) -> Result {
    install(system, package)?;
    as_installed(system)?;
    unit_is_sound(system)?;

    fs::write(
        system.path(CONFFILE),
        format!("DUET_NODE_FLAGS=\"{FLAGS}\"\n"),
    )?;
    run_as_unit(system)?;
    let version = version(system)?;
    install(system, newer)?;
    expect(
        self::version(system)? != version,
        "the newer package is not installed",
    )?;
    let flags = fs::read_to_string(system.path(CONFFILE))?;
    expect(
        flags.contains(FLAGS),
        "the upgrade has changed the flags of the administrator",
    )?;
    run_as_unit(system)?;

    system.run("dpkg", &["--remove", NAME])?;
    expect(
        !system.path(EXECUTABLE).exists(),
        "the executable is still there",
    )?;
    expect(!system.path(UNIT).exists(), "the unit is still there")?;
    expect(
        system.path(CONFFILE).exists(),
        "removing has removed the flags",
    )?;
    expect(
        system.path(STATE).join("chains/dev").exists(),
        "removing has removed the state",
    )?;
    let said = system.run("dpkg", &["--purge", NAME])?;
    expect(
        said.contains("/var/lib/duet-node is removed"),
        "purging does not say what it removes",
    )?;
    expect(!system.path(STATE).exists(), "purging has left the state")?;
    expect(
        !system.path(CONFFILE).exists(),
        "purging has left the flags",
    )
}

fn install(system: &System, package: &Path) -> Result {
    files::copy(package, &system.path("/tmp/package.deb"))?;
    // Brings what the package depends on, from where the system was fetched.
    system.run("apt-get", &["--quiet", "update"])?;
    system.run(
        "apt-get",
        &["--quiet", "--yes", "install", "/tmp/package.deb"],
    )?;
    Ok(())
}

fn version(system: &System) -> Result<String> {
    system.run("dpkg-query", &["--show", "--showformat=${Version}", NAME])
}

/// Files as packed, and a user who owns the state and can do nothing else.
fn as_installed(system: &System) -> Result {
    let changed = system.run("dpkg", &["--verify", NAME])?;
    expect(
        changed.is_empty(),
        &format!("not as it was packed: {changed}"),
    )?;
    let user = system.run("getent", &["passwd", "duet"])?;
    let fields: Vec<_> = user.split(':').collect();
    let [_, _, id, _, _, home, shell] = fields.as_slice() else {
        return Err(format!("not a user: {user}").into());
    };
    expect(
        (*home, *shell) == (STATE, "/usr/sbin/nologin"),
        &format!("another user: {user}"),
    )?;
    let owner = |path: &str| {
        fs::metadata(system.path(path)).map(|file| (file.uid(), file.permissions().mode() & 0o7777))
    };
    expect(
        owner(STATE)? == (id.parse()?, 0o700),
        "others can read the state",
    )?;
    expect(
        owner(CONFFILE)? == (0, 0o644),
        "not everybody reads, and root alone writes the flags",
    )?;
    expect(
        owner(UNIT)? == (0, 0o644),
        "not everybody reads, and root alone writes the unit",
    )?;
    expect(
        owner(EXECUTABLE)? == (0, 0o755),
        "not everybody runs, and root alone writes the node",
    )?;
    system.run("duet-light", &["--version"])?;
    Ok(())
}

/// What systemd finds in the unit. It looks for the executable where this machine has it.
fn unit_is_sound(system: &System) -> Result {
    let here = system.path(EXECUTABLE).display().to_string();
    let text = fs::read_to_string(system.path(UNIT))?;
    let unit = system.path("/tmp/duet-node.service");
    fs::write(&unit, text.replace(EXECUTABLE, &here))?;
    let analyze = |arguments: &[&str]| {
        let mut analyze = Command::new("systemd-analyze");
        cargo::output(analyze.args(arguments).arg(&unit))
    };
    analyze(&["verify", "--man=no"])?;
    let threshold = format!("--threshold={EXPOSURE}");
    analyze(&["security", "--offline=yes", "--no-pager", &threshold])?;
    Ok(())
}

/// Starts the node as systemd would, until it has proven a block, and stops it.
fn run_as_unit(system: &System) -> Result {
    let unit = Unit::parse(&fs::read_to_string(system.path(UNIT))?)?;
    let words = unit.words(&fs::read_to_string(system.path(&unit.environment))?)?;
    let mut node = Node::start(system, &unit.user, &words)?;
    node.until_proven()?;
    node.stop()
}

fn expect(holds: bool, otherwise: &str) -> Result {
    if holds {
        Ok(())
    } else {
        Err(otherwise.to_owned().into())
    }
}
