//! The container file, carried out in a system instead of by a builder of containers.

use super::{
    super::files,
    image::{Image, Step},
    node::{Node, FLAGS},
    system::System,
};
use crate::result::Result;
use std::path::Path;

/// Does what the file says with this package, and runs what it would run.
pub(crate) fn check(system: &System, image: &Image, package: &Path) -> Result {
    for step in &image.steps {
        match step {
            Step::Copy(to) => files::copy(package, &system.path(to))?,
            Step::Run(command) => {
                system.run("sh", &["-ec", command])?;
            }
        }
    }
    let flags = FLAGS.split_whitespace().map(str::to_owned);
    let words: Vec<_> = image.entrypoint.iter().cloned().chain(flags).collect();
    let mut node = Node::start(system, &image.user, &words)?;
    node.until_proven()?;
    node.stop()
}
