//! Namespaces and devices: a network for each node, and all of it within what goes when this program ends.

use crate::{
    address::{Place, PREFIX},
    run, Error, Result,
};
use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read},
    os::unix::fs::MetadataExt,
    process::{Command, Stdio},
    thread,
};
use tappers::Tun;

/// What the program is told when it runs inside of namespaces of its own.
pub(crate) const INSIDE: &str = "inside";

/// What starts a program in namespaces of its own. When it dies, the system kills every process in there, and devices, networks
/// and mounts go with them. Who is not root is root in there.
pub(crate) fn unshared() -> Command {
    let mut command = Command::new("unshare");
    command.args(["--net", "--mount", "--pid", "--fork", "--kill-child"]);
    command.arg("--mount-proc");
    if !is_root() {
        command.args(["--user", "--map-root-user"]);
    }
    command
}

/// Whether this process is root's: so are the files that the system shows about it.
fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// Whether namespaces and devices can be had here.
///
/// # Errors
/// [`Error::NoNamespaces`] with what the system says.
pub(crate) fn probe() -> Result {
    let mut command = unshared();
    let tries =
        "mount -t tmpfs tmpfs /run && ip netns add probe && ip tuntap add dev probe mode tun";
    let probed = run::run(command.args(["sh", "-c", tries]));
    probed.map(|_| ()).map_err(|error| Error::NoNamespaces {
        why: error.to_string(),
    })
}

/// Makes this program end when the one that started it is gone: its standard input then ends. The first process of a namespace is
/// deaf to most signals.
pub fn end_with_parent() -> Result {
    let watch = || {
        let _ = io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(130);
    };
    let thread = thread::Builder::new().name("parent".to_owned());
    let started = thread.spawn(watch).map(|_| ());
    started.map_err(Error::io("watching the parent"))
}

/// Makes a network for each node, and returns all devices. The laboratory's own is among them.
pub(crate) fn make(nodes: u16) -> Result<BTreeMap<Place, Tun>> {
    // The names of networks are files there; these are seen by nobody else.
    run::line("mount -t tmpfs tmpfs /run")?;
    run::line("ip link set lo up")?;
    let mut devices = BTreeMap::new();
    for place in std::iter::once(Place::Outside).chain((0..nodes).map(Place::Node)) {
        let device = Tun::new().map_err(Error::io("making a TUN device"))?;
        let name = device.name().map_err(Error::io("naming a TUN device"))?;
        let name = name.name().to_string_lossy().into_owned();
        let address = format!("{}/{PREFIX}", place.address());
        let ip = match place {
            Place::Outside => "ip".to_owned(),
            Place::Node(number) => {
                let network = name_of(number);
                run::line(&format!("ip netns add {network}"))?;
                run::line(&format!("ip link set {name} netns {network}"))?;
                run::line(&format!("ip -n {network} link set lo up"))?;
                format!("ip -n {network}")
            }
        };
        run::line(&format!("{ip} addr add {address} dev {name}"))?;
        run::line(&format!("{ip} link set {name} up"))?;
        devices.insert(place, device);
    }
    Ok(devices)
}

/// What starts a program in a node's network.
pub(crate) fn within(node: u16) -> Command {
    let mut command = Command::new("ip");
    command.args(["netns", "exec", &name_of(node)]);
    command.stdin(Stdio::null());
    command
}

fn name_of(node: u16) -> String {
    format!("node{node}")
}
