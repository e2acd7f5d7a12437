//! What is known of one scenario: a row of the table, and a line of the file of rows.

use crate::figures::Figure;
use serde::{Deserialize, Serialize};

/// One scenario at one size. Another program that measures something else writes the same, to be shown beside it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What was measured: `duet`, or a rival.
    pub subject: String,
    /// Its version, with the commit.
    pub version: String,
    /// Validators of the set.
    pub validators: u32,
    /// What was played.
    pub scenario: String,
    /// How many rounds.
    pub rounds: u32,
    /// How many of them gave no proof in time.
    pub unproven: u32,
    /// Processor time of the bare check of a vote, in µs.
    pub bare: Option<Figure>,
    /// Processor time of the node for each vote of a round, beyond what it spends without votes, in µs.
    pub work: Option<Figure>,
    /// The same in proportion to the bare check.
    pub ratio: Option<Figure>,
    /// Processor time of the node for a round, in ms: beyond what it spends without votes, where that is known.
    pub per_round: Option<Figure>,
    /// The same by what the node's tasks do.
    pub parts: Vec<(String, Figure)>,
    /// The same by the names of the node's threads.
    pub threads: Vec<(String, Figure)>,
    /// From the first vote of a round in which all come at once to the proof, in ms.
    pub round: Option<Figure>,
    /// From the last needed vote of such a round to the proof, in ms.
    pub proof: Option<Figure>,
    /// From the last needed vote to the proof, when the node has nothing else to do, in ms.
    pub proof_when_idle: Option<Figure>,
    /// From the last needed vote to the proof at the second node, in ms.
    pub second: Option<Figure>,
    /// Processor time of the second node for a round, beyond what it spends without votes, in ms.
    #[serde(default)]
    pub second_per_round: Option<Figure>,
    /// What the second node received in a round, in kB.
    #[serde(default)]
    pub second_received: Option<Figure>,
    /// Votes for which the node had no room.
    pub dropped: u64,
    /// Honest votes that did not arrive: how many, and of whom, as far as there is space.
    pub missing: u64,
    /// Their signers; the first ones, if there are many.
    pub missing_signers: Vec<u32>,
    /// Votes that were known before they were checked.
    pub known: u64,
    /// Votes that were too early or too late.
    pub ignored: u64,
    /// Votes that did not hold.
    pub bad: u64,
    /// Votes whose proof was checked.
    pub checked: u64,
    /// Messages of senders that were banned.
    pub of_banned: u64,
    /// What the node received in a round, in kB.
    pub received: Option<Figure>,
    /// What the node sent in a round, in kB.
    pub sent: Option<Figure>,
    /// Resident memory of the node before, in MB.
    pub memory_before: f64,
    /// The most that was seen meanwhile.
    pub memory_peak: f64,
    /// Afterwards.
    pub memory_after: f64,
    /// The longest pause of the voter's loop since the node started, in ms, if it measures that.
    pub pause: Option<f64>,
    /// The most processor time that the voter's loop spent on one input since the node started, in ms, if it measures
    /// that.
    #[serde(default)]
    pub pause_work: Option<f64>,
    /// What else there is to say.
    pub notes: Vec<String>,
}
