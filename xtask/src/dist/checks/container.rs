//! The container file, executed in a system instead of by a container builder.

use super::{
    super::files,
    image::{Image, Step},
    node::{until_proven, wait, FLAGS},
    system::{Running, System},
};
use crate::{cargo, result::Result};
use std::{
    fs::{self, File},
    path::Path,
    process::Command,
};

/// Executes the file with this package, and runs its program until a block is proven.
pub(crate) fn check(system: &System, image: &Image, package: &Path) -> Result {
    for step in &image.steps {
        match step {
            Step::Copy(to) => files::copy(package, &system.path(to))?,
            Step::Run(command) => {
                system.run("sh", &["-ec", command])?;
            }
        }
    }
    let (program, arguments) = image.entrypoint.split_first().ok_or("empty ENTRYPOINT")?;
    let log = system.path("/node.log");
    let output = File::create(&log)?;
    let mut command = system.command(&image.user, program);
    command.args(arguments).args(FLAGS.split_whitespace());
    command.stdout(output.try_clone()?).stderr(output);
    let mut node = Running::start(&mut command)?;
    until_proven(system, || {
        let log = fs::read_to_string(&log)?;
        match node.ended()? {
            None => Ok(log),
            Some(status) => Err(format!("the node ended with {status}. Its log:\n{log}").into()),
        }
    })?;
    let inner = node.inner()?;
    cargo::run(Command::new("kill").args(["-TERM", &inner]))?;
    let status = wait(
        "the node has ended after SIGTERM",
        || Ok(String::new()),
        |_| node.ended().ok().flatten(),
    )?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("after SIGTERM, the node ended with {status}").into())
    }
}
