//! What operators and governance do: keys, versions, and what is brought back.

use super::Player;
use crate::{
    group::Group,
    network::copy,
    rescue, run,
    scenario::{Kept, Version},
    validator::Validator,
    Error, Result,
};
use duet_local_network::{transaction::submit_by, upgrade::to_next_version, Rpc};
use duet_runtime::Runtime;
use pallet_duet::Call;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};
use tokio::task::JoinSet;

/// How long a key change waits for finality: it need not come.
const ROTATION_WAIT: u64 = 1;
/// How many blocks there may be at most since heads were last read: every second.
const SINCE_THE_LAST_LOOK: u32 = 2;

impl Player {
    pub(super) async fn new_keys(&mut self, group: Group) -> Result {
        for node in group.of(self.network.count()) {
            self.register_key(node).await?;
            self.sessions(1).await?;
        }
        Ok(())
    }

    pub(super) async fn register_keys(&mut self, group: Group) -> Result {
        for node in group.of(self.network.count()) {
            self.register_key(node).await?;
        }
        Ok(())
    }

    async fn register_key(&mut self, node: u16) -> Result {
        let node = self.network.node(node)?;
        // It may only just have been started.
        rescue::connect(&node.url()).await?;
        let mut rotation = node.rotate(ROTATION_WAIT);
        rotation.stdout(Stdio::null());
        // Where GRANDPA stands still it is not final in time, and the command says so.
        match tokio::task::spawn_blocking(move || run::run(&mut rotation)).await {
            Ok(Err(Error::Program { said, .. })) if said.contains("final") => Ok(()),
            Ok(rotated) => rotated.map(|_| ()),
            Err(error) => Err(Error::Expectation(error.to_string())),
        }
    }

    pub(super) fn change(&mut self, nodes: &[u16], version: Version) -> Result {
        let executable = self.files.executable(version)?;
        for number in nodes {
            let node = self.network.node(*number)?;
            node.kill()?;
            node.set_executable(executable);
            node.start()?;
        }
        Ok(())
    }

    pub(super) async fn upgrade_runtime(&mut self) -> Result {
        let failed = |error: duet_local_network::Error| Error::Upgrade(error.to_string());
        let url = self.network.node(0)?.url();
        let rpc = Rpc::connect(&url).await.map_err(failed)?;
        to_next_version(&rpc).await.map_err(failed)
    }

    pub(super) fn copy_of(&self, node: u16) -> PathBuf {
        self.files.folder.join(format!("copy{node}"))
    }

    pub(super) fn copy(&mut self, group: Group) -> Result {
        self.lost.after = self.network.recorder.history().finalized();
        self.each(group, |network, node| network.node(node)?.kill())?;
        for number in group.of(self.network.count()) {
            let to = self.copy_of(number);
            copy(self.network.node(number)?.directory(), &to)?;
        }
        self.each(group, |network, node| network.node(node)?.start())
    }

    pub(super) fn restore(&mut self, group: Group, kept: Kept) -> Result {
        self.each(group, |network, node| network.node(node)?.kill())?;
        for number in group.of(self.network.count()) {
            let from = self.copy_of(number);
            // Gone with what is in it when the node has it back.
            let kept_in = tempfile::tempdir_in(&self.files.folder);
            let kept_in = kept_in.map_err(Error::io("making a folder for the kept files"))?;
            let saved = kept_in.path().join("kept");
            let node = self.network.node(number)?;
            match kept {
                Kept::Keys => copy(&node.keys(), &saved)?,
                Kept::Votes => {
                    let mut export = node.offline(&["duet-key", "export-votes"]);
                    run::run(export.arg("--output").arg(&saved))?;
                }
            }
            remove(node.directory())?;
            copy(&from, node.directory())?;
            match kept {
                Kept::Keys => {
                    remove(&node.keys())?;
                    copy(&saved, &node.keys())?;
                }
                Kept::Votes => {
                    let mut import = node.offline(&["duet-key", "import-votes"]);
                    run::run(import.arg(&saved))?;
                }
            }
        }
        if group == Group::All {
            self.forget();
        }
        self.each(group, |network, node| network.node(node)?.start())
    }

    pub(super) fn run_copy(&mut self, of: Group, at: Group) -> Result {
        let count = self.network.count();
        for (original, host) in of.of(count).into_iter().zip(at.of(count)) {
            let twins = [original, host];
            self.network.recorder.history().twins.extend(twins);
            let running = self.network.node(original)?.directory().to_owned();
            self.go_on_from(host, &running)?;
        }
        Ok(())
    }

    /// A node goes on from a copy of this base path. Its own is put aside.
    pub(super) fn go_on_from(&mut self, number: u16, base_path: &Path) -> Result {
        let aside = self.aside(number);
        let node = self.network.node(number)?;
        node.kill()?;
        rename(node.directory(), &aside)?;
        copy(base_path, node.directory())?;
        node.start()
    }

    fn aside(&self, node: u16) -> PathBuf {
        self.files.folder.join(format!("aside{node}"))
    }

    /// All are killed before the first one starts again, so that none meets those that were in their places.
    pub(super) fn own_again(&mut self, group: Group) -> Result {
        self.each(group, |network, node| network.node(node)?.kill())?;
        for number in group.of(self.network.count()) {
            let aside = self.aside(number);
            let node = self.network.node(number)?;
            remove(node.directory())?;
            rename(&aside, node.directory())?;
        }
        self.each(group, |network, node| network.node(node)?.start())
    }

    pub(super) fn reimport(&mut self, group: Group) -> Result {
        for number in group.of(self.network.count()) {
            let blocks = self.file(&format!("blocks{number}"));
            let node = self.network.node(number)?;
            node.kill()?;
            let mut export = node.offline(&["export-blocks", "--binary"]);
            run::run(export.arg(&blocks))?;
            // The keys stay.
            run::run(&mut node.offline(&["purge-chain", "-y"]))?;
            let mut import = node.offline(&["import-blocks", "--binary"]);
            run::run(import.arg(&blocks))?;
            node.start()?;
        }
        Ok(())
    }

    /// At once: where a session began in between, it would plan a smaller set.
    pub(super) async fn give_up_keys(&mut self, group: Group) -> Result {
        let rpc = self.rpc().await?;
        let mut transactions = JoinSet::new();
        for node in group.of(self.network.count()) {
            let (rpc, owner) = (rpc.clone(), Validator::new(node)?.pair());
            let call = Call::<Runtime>::deregister_keys {};
            transactions.spawn(async move { submit_by(&rpc, &owner, call).await });
        }
        for done in transactions.join_all().await {
            done?;
        }
        Ok(())
    }

    /// No node has the blocks since the copies any more: light clients begin again, and no head that was named counts.
    fn forget(&mut self) {
        let last = self.network.recorder.history().best() + SINCE_THE_LAST_LOOK;
        self.lost.last = last;
        self.network.watch();
        self.network.recorder.history().heads.clear();
    }
}

fn remove(folder: &Path) -> Result {
    let what = format!("removing {}", folder.display());
    fs::remove_dir_all(folder).map_err(Error::io(what))
}

fn rename(from: &Path, to: &Path) -> Result {
    let what = format!("moving {}", from.display());
    fs::rename(from, to).map_err(Error::io(what))
}
