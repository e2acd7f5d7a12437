//! Keeps the measured node on a core of its own.

use crate::{Error, Result};
use rustix::thread::{sched_getaffinity, sched_setaffinity, CpuSet, Pid};
use std::{fs, io};

/// The core of the measured node, and those of everything else.
#[derive(Clone, Copy, Debug)]
pub struct Cores {
    node: CpuSet,
    rest: CpuSet,
}

impl Cores {
    /// Gives this core to the node. From now on this process, and all processes that it starts, use the others.
    ///
    /// # Errors
    /// [`Error::Cores`] when this process may not use the core, or no other one.
    pub fn node_on(core: u16) -> Result<Self> {
        let core = usize::from(core);
        let mut rest = sched_getaffinity(None)
            .map_err(io::Error::from)
            .map_err(Error::io("reading the own cores"))?;
        if core >= CpuSet::MAX_CPU || !rest.is_set(core) || rest.count() < 2 {
            return Err(Error::Cores(core));
        }
        rest.unset(core);
        let mut node = CpuSet::new();
        node.set(core);
        let cores = Self { node, rest };
        pin(std::process::id(), &cores.rest)?;
        Ok(cores)
    }

    /// Moves a process to the node's core.
    ///
    /// # Errors
    /// [`Error::Io`] when there is no such process.
    pub fn pin_node(&self, process: u32) -> Result<()> {
        pin(process, &self.node)
    }
}

/// Pins all threads of a process. The threads that these start later inherit it.
fn pin(process: u32, cores: &CpuSet) -> Result<()> {
    let folder = format!("/proc/{process}/task");
    // Twice: a thread that the first pass had not reached may have started another one meanwhile.
    for _ in 0..2 {
        for thread in fs::read_dir(&folder)
            .map_err(Error::io(folder.clone()))?
            .flatten()
        {
            let id = thread.file_name().to_string_lossy().parse().ok();
            match sched_setaffinity(id.and_then(Pid::from_raw), cores) {
                // A thread that has ended.
                Ok(()) | Err(rustix::io::Errno::SRCH) => {}
                Err(error) => {
                    return Err(Error::io(format!("pinning {process}"))(io::Error::from(
                        error,
                    )))
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        process::{Command, Stdio},
        sync::mpsc::channel,
        thread,
    };

    /// In one test, because it pins the whole process.
    #[test]
    fn the_node_has_its_core_alone_and_a_core_that_is_not_ours_is_refused() {
        let all = sched_getaffinity(None).expect("our own");
        let core = (0..CpuSet::MAX_CPU).find(|core| all.is_set(*core));
        let core = u16::try_from(core.expect("we run on one")).expect("few cores");
        if all.count() < 2 {
            assert!(matches!(Cores::node_on(core), Err(Error::Cores(_))));
            return;
        }
        assert!(matches!(
            Cores::node_on(u16::MAX),
            Err(Error::Cores(65_535))
        ));
        let (go, wait) = channel::<()>();
        let other = thread::spawn(move || {
            let _ = wait.recv();
            sched_getaffinity(None).expect("our own")
        });
        let cores = Cores::node_on(core).expect("two cores");
        let mut node = Command::new("cat");
        let mut node = node
            .stdin(Stdio::piped())
            .spawn()
            .expect("cat is everywhere");
        let pid = Pid::from_child(&node);
        let started = sched_getaffinity(Some(pid)).expect("it runs");
        cores.pin_node(node.id()).expect("it runs");
        let pinned = sched_getaffinity(Some(pid)).expect("it runs");
        drop(node.stdin.take());
        node.wait().expect("it ends with its input");
        assert!(cores.pin_node(0).is_err(), "no process");
        drop(go);
        let other = other.join().expect("a thread");
        pin(std::process::id(), &all).expect("our own");
        let core = usize::from(core);
        assert!(!started.is_set(core) && !other.is_set(core));
        assert!(pinned.is_set(core) && pinned.count() == 1);
    }
}
