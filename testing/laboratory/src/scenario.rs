//! What a scenario is: a story of steps, told as data.

use crate::{group::Group, switch::Weather};
use std::fmt;

/// A story. Each is a file of [`scenarios`](crate::scenarios).
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What is tried, in a sentence.
    pub what: &'static str,
    /// What the machine must have for it.
    pub needs: Option<Need>,
    /// What is special about nodes from the start.
    pub setting: Setting,
    /// What is done and expected, one after the other.
    pub steps: &'static [Step],
}

/// What is special about nodes from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Nothing.
    Plain,
    /// The directories of these nodes are on file systems of so many MiB.
    SmallDisk(Group, u32),
    /// Each time that one of these nodes has its files written to disk, that takes so many milliseconds more.
    SlowDisk(Group, u32),
    /// The clocks of all nodes can be set, and begin so many seconds from the true time.
    Clocks(i64),
    /// All nodes begin with this version.
    Version(Version),
    /// These nodes keep the bodies and states of so many blocks.
    Pruned(Group, u32),
    /// These nodes may have so many files open.
    FewFiles(Group, u32),
}

/// Which executable a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// The one that all other scenarios are played with.
    This,
    /// An earlier one.
    Earlier,
}

/// What is not there on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// `libfaketime`, which answers for the clock.
    Faketime,
    /// `strace`, which delays system calls.
    Strace,
    /// An executable of an earlier version of the node.
    EarlierNode,
}

/// Says that it is not there.
impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Faketime => "libfaketime is not installed",
            Self::Strace => "strace is not installed",
            Self::EarlierNode => "no earlier version of the node: set --earlier-node",
        })
    }
}

/// What of a node is not restored from its copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The key directory, with keys and records of votes.
    Keys,
    /// What the keys signed, exported before and merged after, as docs/operators/keys.md says.
    Votes,
}

/// A light client of a user, which keeps its state in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// One that took no block since the nodes were copied.
    Behind,
    /// One that takes a block that the chain loses, or never had.
    Deceived,
    /// One that took a block after the others fell asleep.
    Awake,
}

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Every node that runs proves so many blocks more.
    Prove(u32),
    /// Nothing goes from these to the others, or back.
    Partition(Group),
    /// What these send does not reach the others; what the others send reaches them.
    OneWay(Group),
    /// The links of all nodes become like this.
    Weather(Weather),
    /// All links are there again, and clear.
    Heal,
    /// So many seconds pass.
    Pass(u64),
    /// So many seconds pass in which nobody proves anything, after what was on its way.
    NothingProven(u64),
    /// The others prove so many blocks more, without these.
    OthersProve(Group, u32),
    /// These are killed, as by `kill -9`.
    Kill(Group),
    /// These are started again.
    Start(Group),
    /// These stand still: they neither run nor end.
    Freeze(Group),
    /// These go on.
    Thaw(Group),
    /// Nodes are killed and started again, so many times; which ones, chance decides. At no time are more away than may be missing.
    Storm(u32),
    /// The best chain grows by so many sessions.
    Sessions(u32),
    /// The next session begins.
    NewSession,
    /// The validators of these register new Duet keys, all at once.
    RegisterKeys(Group),
    /// The validators of these get new Duet keys, one in each session, which makes a new set each time.
    NewKeys(Group),
    /// Every node that runs proves a block by a set that is so many later than the last one that was seen.
    NewSets(u64),
    /// The clocks of these jump by so many seconds, from the true time.
    Clock(Group, i64),
    /// The clocks of all go ahead by so many hours, two at a time, with a few blocks in between.
    FastForward(u32),
    /// The file systems of these become full.
    FillDisk(Group),
    /// There is room again, and those that have ended are started again.
    FreeDisk(Group),
    /// All of these are stopped, then copied, then started again.
    Copy(Group),
    /// All of these are killed, then restored from their copies but for what is kept, then started again.
    Restore(Group, Kept),
    /// The proofs of blocks since the copies are kept.
    KeepEvidence,
    /// The chain would punish the signers of the kept proofs, or would not.
    Punishable(bool),
    /// Root pardons statements about the blocks that were lost with the restoring, by the sets of the kept proofs.
    Pardon,
    /// The best chain grows past the lost blocks. No number that was proven there has a second proof.
    Outgrow,
    /// A kept proof is handed in. The chain refuses it as pardoned, and has punished nobody.
    Accuse,
    /// The last validator's key signs what is true of a block whose number was lost, and what was said of the lost one. It is punished.
    Equivocate,
    /// Every validator registers a recovery key, whose owner keeps it apart.
    RegisterRecoveryKeys,
    /// These are killed, lose their Duet keys for good, and are started again.
    LoseKeys(Group),
    /// Root resets the sets. Where blocks were lost, a handoff is among them, and the new set has an id that the lost chain never had.
    Reset,
    /// This light client gets to the head of the first node.
    Sync(Reader),
    /// This light client gets to the head of the first node, whatever the age of the block that it begins from.
    SyncFromOld(Reader),
    /// This light client's newest block is older than the trusting period that the chain proves: it stops with LIGHT-9, also when its
    /// user names a longer period.
    StopsAsTooOld(Reader),
    /// This light client takes a block that the chain never had, as told to whatever the age of its newest block.
    Fooled(Reader),
    /// This light client knows a later set than the one that signs, and stops with LIGHT-5.
    StopsAtOldSet(Reader),
    /// The owners of the recovery keys sign what this light client says of the reset. With their proof it crosses, after the delay that
    /// the chain names, and then gets to the head of the first node.
    CrossesByProof(Reader),
    /// The true nodes are stopped. In their place, whoever has the copies goes on from them with the keys in them, past what is proven.
    OldKeysSign,
    /// The true nodes come back. The block by which a light client was fooled is none of theirs.
    TruthReturns,
    /// Others begin from the checkpoint of this light client.
    Publish(Reader),
    /// This light client stops with LIGHT-8, and names the checkpoint of the reset.
    StopsAtReset(Reader),
    /// This light client gets to the head of the first node from the published checkpoint.
    SyncFromCheckpoint(Reader),
    /// These are killed, and go on with this version of the node.
    Change(Group, Version),
    /// All go on with this version, as many at a time as may be missing. Each time all recover within so many seconds.
    ChangeInTurn(Version, u64),
    /// The base path of the first of these is copied while it runs, and the second one goes on from the copy, with its own identity on
    /// the network: now two nodes have the keys of one validator, and its own keys are nowhere.
    RunCopy(Group, Group),
    /// These are killed, and go on from their own base paths.
    OwnAgain(Group),
    /// From now on this metric of each of these is above zero.
    Shows(Group, &'static str),
    /// These are killed. Their chain is exported to a file, purged, and imported from the file; then they are started again.
    Reimport(Group),
    /// These no longer have the body of this block, and the others do.
    HasPruned(Group, u32),
    /// The node proves to this light client the header of this block.
    ShowsHeader(Reader, u32),
    /// So many clients connect to each of these, as many as it takes get in, and they stay and ask for nothing.
    IdleClients(Group, u16),
    /// All idle clients leave. Then a new one gets in at each of these.
    ClientsLeave(Group),
    /// These stand still: their best block is so many blocks behind what the others proved.
    StandStill(Group, u32),
    /// The validators of these give up their Duet keys, all in one session.
    GiveUpKeys(Group),
    /// No set has handed off yet.
    NoHandoff,
    /// Root gives the chain the next version of its runtime.
    UpgradeRuntime,
    /// Every node that runs proves a block that is made from now on, within so many seconds.
    Recover(u64),
}
