//! What came out of a scenario: a line of JSON, and a row of a table.

use crate::{history::History, scenario::Scenario, switch::Counts};
use serde::{Deserialize, Serialize};

/// How proofs resumed after faults were mended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recovery {
    /// How many seconds it may take.
    pub bound: u64,
    /// After how many seconds the first node showed the proof of a block that was made since.
    pub first: f64,
    /// After how many seconds all did.
    pub all: f64,
    /// How many blocks were made meanwhile.
    pub blocks: u32,
}

/// What came out of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The scenario.
    pub scenario: String,
    /// How many nodes there were, all of them validators.
    pub nodes: u16,
    /// The seed.
    pub seed: u64,
    /// How many seconds it took.
    pub seconds: u64,
    /// How many of them until all nodes had the first proof.
    pub started: u64,
    /// The highest block that was proven.
    pub proven: u32,
    /// The highest block that was made.
    pub best: u32,
    /// How many proofs were verified, of all nodes.
    pub proofs: u64,
    /// The last set that signed.
    pub set: u64,
    /// The most memory of a node, in MiB.
    pub memory: u64,
    /// What became of packets between nodes.
    pub packets: Counts,
    /// How proofs resumed, each time.
    pub recoveries: Vec<Recovery>,
    /// What was wrong.
    pub failures: Vec<String>,
    /// Why it was not played, if it was not.
    pub left_out: Option<String>,
}

impl Row {
    /// A row about which nothing is known yet.
    pub fn new(scenario: &Scenario, nodes: u16, seed: u64) -> Self {
        Self {
            scenario: scenario.name.to_owned(),
            nodes,
            seed,
            seconds: 0,
            started: 0,
            proven: 0,
            best: 0,
            proofs: 0,
            set: 0,
            memory: 0,
            packets: Counts::default(),
            recoveries: Vec::new(),
            failures: Vec::new(),
            left_out: None,
        }
    }

    /// Takes the figures of a history.
    pub fn see(&mut self, history: &History) {
        self.proven = history.proven(None);
        self.best = history.best();
        self.proofs = u64::try_from(history.proofs.len()).unwrap_or(u64::MAX);
        self.set = history.set(None);
        let memory = history.samples.iter().map(|sample| sample.memory).max();
        self.memory = memory.unwrap_or(0) >> 20;
    }

    /// In a word or two.
    pub fn verdict(&self) -> &'static str {
        match (&self.left_out, self.failures.is_empty()) {
            (Some(_), _) => "left out",
            (None, true) => "passed",
            (None, false) => "**failed**",
        }
    }
}

/// The rows as a table in Markdown.
pub fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| scenario | nodes | seed | seconds | proven of made | last set | proofs verified | resumed after, s: first, all (bound) | blocks meanwhile | memory of a node, MiB | packets: carried, lost, cut, overflowed | verdict |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for row in rows {
        let recoveries = row.recoveries.iter();
        let resumed = recoveries.map(|it| format!("{:.1}, {:.1} ({})", it.first, it.all, it.bound));
        let resumed: Vec<_> = resumed.collect();
        let blocks: Vec<_> = row
            .recoveries
            .iter()
            .map(|it| it.blocks.to_string())
            .collect();
        let packets = row.packets;
        text.push_str(&format!(
            "| `{}` | {} | {} | {} | {} of {} | {} | {} | {} | {} | {} | {}, {}, {}, {} | {} |\n",
            row.scenario,
            row.nodes,
            row.seed,
            row.seconds,
            row.proven,
            row.best,
            row.set,
            row.proofs,
            resumed.join("; "),
            blocks.join("; "),
            row.memory,
            packets.carried,
            packets.lost,
            packets.cut,
            packets.overflowed,
            row.verdict(),
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenarios::ALL;

    #[test]
    fn a_row_passes_without_failures_and_says_so_in_the_table() {
        let mut row = Row::new(ALL[0], 7, 1);
        row.recoveries.push(Recovery {
            bound: 60,
            first: 2.25,
            all: 4.0,
            blocks: 3,
        });
        let line = table(&[row.clone()]);
        assert!(
            line.contains("2.2, 4.0 (60) | 3 |") && line.contains("| passed |"),
            "{line}"
        );
        row.failures.push("node 3 ended".to_owned());
        assert!(table(&[row.clone()]).contains("| **failed** |"));
        row.left_out = Some("no strace".to_owned());
        assert!(table(&[row]).contains("| left out |"));
    }

    #[test]
    fn a_row_is_read_back_from_its_line() {
        let row = Row::new(ALL[0], 7, 1);
        let line = serde_json::to_string(&row).unwrap();
        assert_eq!(serde_json::from_str::<Row>(&line).unwrap(), row);
    }
}
