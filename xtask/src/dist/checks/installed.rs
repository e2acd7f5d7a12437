//! The Debian package: installed, started by systemd, upgraded, removed and purged.

use super::{
    super::{debian::NAME, files},
    node::{wait, FLAGS},
    service::Started,
    system::System,
};
use crate::{cargo, result::Result};
use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
    process::Command,
};

const UNIT: &str = "/lib/systemd/system/duet-node.service";
const ENABLED: &str = "/etc/systemd/system/multi-user.target.wants/duet-node.service";
const EXECUTABLE: &str = "/usr/bin/duet-node";
const CONFFILE: &str = "/etc/default/duet-node";
const STATE: &str = "/var/lib/duet-node";
/// The folder of the packages, in the system.
const PACKAGE: &str = "/srv/package.deb";
/// Also installs a package's dependencies, from the mirror of the system.
const INSTALL: [&str; 4] = ["--quiet", "--yes", "--no-install-recommends", "install"];
/// systemd rates an exposed unit 10, and ours 1.5; more than 2 would be a regression.
const EXPOSURE: &str = "20";

/// Tests the life cycle of a package and of a newer version, under systemd.
pub(crate) fn check(system: &System, package: &Path, newer: &Path) -> Result {
    system.run("apt-get", &["--quiet", "update"])?;
    files::copy(package, &system.path(PACKAGE))?;
    let mut install = INSTALL.to_vec();
    install.extend(["systemd-sysv", "dbus", PACKAGE]);
    system.run("apt-get", &install)?;
    as_installed(system)?;
    unit_is_sound(system)?;
    let flags = format!("DUET_NODE_FLAGS=\"{FLAGS}\"\n");
    fs::write(system.path(CONFFILE), &flags)?;

    let started = Started::start(system)?;
    expect(
        started.property("ActiveState")? == "inactive",
        "installation started the node",
    )?;
    started.run("systemctl", &["enable", "--now", NAME])?;
    started.until_proven()?;
    is_confined(&started)?;
    comes_back(&started)?;
    upgrade(&started, newer)?;
    let kept = fs::read_to_string(system.path(CONFFILE))?;
    expect(
        kept == flags,
        "the upgrade changed the administrator's flags",
    )?;
    remove(&started)
}

/// The node runs as its own user, without privileges, and with its files.
fn is_confined(started: &Started) -> Result {
    let id = started.property("MainPID")?;
    let status = started.run("cat", &[&format!("/proc/{id}/status")])?;
    for line in ["NoNewPrivs:\t1", "Seccomp:\t2", "CapBnd:\t0000000000000000"] {
        expect(status.contains(line), &format!("no {line} in\n{status}"))?;
    }
    let user = started.run("stat", &["--format=%U:%G", &format!("/proc/{id}")])?;
    expect(user == "duet:duet", &format!("the node runs as {user}"))
}

/// systemd restarts a node that dies.
fn comes_back(started: &Started) -> Result {
    started.run("systemctl", &["kill", "--signal=KILL", NAME])?;
    let restarts = || started.property("NRestarts");
    wait("systemd has restarted the node", restarts, |count| {
        (count == "1").then_some(())
    })?;
    started.until_proven()
}

/// The newer package restarts the node, which continues from its state.
fn upgrade(started: &Started, newer: &Path) -> Result {
    let system = started.system();
    let (older, id) = (version(system)?, started.property("MainPID")?);
    files::copy(newer, &system.path(PACKAGE))?;
    started.run("apt-get", &[&INSTALL[..], &[PACKAGE]].concat())?;
    expect(
        version(system)? != older,
        "the newer package is not installed",
    )?;
    expect(
        started.property("MainPID")? != id,
        "the upgrade did not restart the node",
    )?;
    started.until_proven()
}

/// Removal keeps flags and state, purging does not.
fn remove(started: &Started) -> Result {
    let system = started.system();
    let id = started.property("MainPID")?;
    started.run("apt-get", &["--quiet", "--yes", "remove", NAME])?;
    let running = started.run("cat", &[&format!("/proc/{id}/comm")]);
    expect(
        !running.is_ok_and(|name| name == NAME),
        "the node still runs",
    )?;
    expect(
        !system.path(EXECUTABLE).exists(),
        "the executable is still there",
    )?;
    expect(!system.path(UNIT).exists(), "the unit is still there")?;
    expect(
        fs::symlink_metadata(system.path(ENABLED)).is_err(),
        "the unit is still enabled",
    )?;
    expect(
        system.path(CONFFILE).exists(),
        "removal deleted the node's flags",
    )?;
    expect(
        system.path(STATE).join("chains/dev").exists(),
        "removal deleted the node's state",
    )?;
    let said = started.run("apt-get", &["--quiet", "--yes", "purge", NAME])?;
    expect(
        said.contains("/var/lib/duet-node is removed"),
        "purging does not announce the removal of the state",
    )?;
    expect(!system.path(STATE).exists(), "purging has left the state")?;
    expect(
        !system.path(CONFFILE).exists(),
        "purging has left the flags",
    )
}

fn version(system: &System) -> Result<String> {
    system.run("dpkg-query", &["--show", "--showformat=${Version}", NAME])
}

/// The files are as packed, and the user owns the state and has no other rights.
fn as_installed(system: &System) -> Result {
    let changed = system.run("dpkg", &["--verify", NAME])?;
    expect(
        changed.is_empty(),
        &format!("files differ from the package: {changed}"),
    )?;
    let user = system.run("getent", &["passwd", "duet"])?;
    let fields: Vec<_> = user.split(':').collect();
    let [_, _, id, _, _, home, shell] = fields.as_slice() else {
        return Err(format!("not a passwd entry: {user}").into());
    };
    expect(
        (*home, *shell) == (STATE, "/usr/sbin/nologin"),
        &format!("the user has another home or shell: {user}"),
    )?;
    let owner = |path: &str| {
        fs::metadata(system.path(path)).map(|file| (file.uid(), file.permissions().mode() & 0o7777))
    };
    expect(
        owner(STATE)? == (id.parse()?, 0o700),
        "the state does not belong to the user with mode 0700",
    )?;
    expect(
        owner(CONFFILE)? == (0, 0o644),
        "the flags do not belong to root with mode 0644",
    )?;
    expect(
        owner(UNIT)? == (0, 0o644),
        "the unit does not belong to root with mode 0644",
    )?;
    expect(
        owner(EXECUTABLE)? == (0, 0o755),
        "the executable does not belong to root with mode 0755",
    )?;
    system.run("duet-light", &["--version"])?;
    system.run("duet-signer", &["--version"])?;
    system.run("duet-recovery", &["--version"])?;
    Ok(())
}

/// systemd's findings about the unit. It looks for the executable at this machine's path.
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

fn expect(holds: bool, otherwise: &str) -> Result {
    if holds {
        Ok(())
    } else {
        Err(otherwise.to_owned().into())
    }
}
