//! Rows as text: all figures of one below each other, and the most important ones of all beside each other.

use crate::{figures::Figure, row::Row};

/// What a row is measured by. (The issue that asked for it names these.)
struct Target {
    /// The column.
    name: &'static str,
    /// What is to be.
    is: &'static str,
    /// Whether a row meets it; `None` where it says nothing about it.
    met: fn(&Row) -> Option<bool>,
}

const MEDIUM: u32 = 1_000;
const LARGE: u32 = 10_000;
const ROUNDS: &str = "rounds";
const STALL: &str = "stall";

const TARGETS: [Target; 6] = [
    Target {
        name: "work per vote",
        is: "at most twice the bare check at 1 000 validators",
        met: |row| {
            let ratio = row.ratio.as_ref()?.median;
            (row.validators == MEDIUM && row.scenario == ROUNDS).then_some(ratio <= 2.0)
        },
    },
    Target {
        name: "proof after the last needed vote, idle",
        is: "at most 50 ms",
        met: |row| Some(row.proof_when_idle.as_ref()?.median <= 50.0),
    },
    Target {
        name: "round",
        is: "at most 2 s at 10 000 validators",
        met: |row| (row.validators == LARGE).then_some(row.round.as_ref()?.median <= 2_000.0),
    },
    Target {
        name: "honest votes that did not arrive",
        is: "none",
        met: |row| Some(row.missing == 0 && (row.scenario != ROUNDS || row.dropped == 0)),
    },
    Target {
        name: "longest pause of the loop",
        is: "at most 5 ms",
        met: |row| Some(row.pause? <= 5.0),
    },
    Target {
        name: "memory after the stall",
        is: "within 10 % of before",
        met: |row| (row.scenario == STALL).then_some(row.memory_after <= row.memory_before * 1.1),
    },
];

/// All figures of a row, one below the other.
pub fn details(row: &Row) -> String {
    let mut lines = Lines::default();
    lines.figure("bare check, per vote", row.bare, 1, "µs");
    lines.figure("node, per vote", row.work, 1, "µs");
    lines.figure("  in proportion to the bare check", row.ratio, 2, "");
    lines.figure("node, per round", row.per_round, 1, "ms");
    for (part, figure) in &row.parts {
        lines.figure(&format!("  {part}"), Some(*figure), 1, "ms");
    }
    for (thread, figure) in &row.threads {
        lines.figure(&format!("  thread {thread}"), Some(*figure), 1, "ms");
    }
    lines.figure("round, first vote to proof", row.round, 1, "ms");
    lines.figure("last needed of all at once to proof", row.proof, 1, "ms");
    lines.figure(
        "last needed on an idle node to proof",
        row.proof_when_idle,
        1,
        "ms",
    );
    lines.figure("last needed to proof at second node", row.second, 1, "ms");
    lines.figure("second node, per round", row.second_per_round, 1, "ms");
    lines.figure(
        "second node, received per round",
        row.second_received,
        0,
        "kB",
    );
    lines.figure("received per round", row.received, 0, "kB");
    lines.figure("sent per round", row.sent, 0, "kB");
    lines.counts(row);
    for target in &TARGETS {
        if let Some(met) = (target.met)(row) {
            let verdict = if met { "met" } else { "NOT MET" };
            lines.line(
                &format!("target: {}", target.name),
                &format!("{}: {verdict}", target.is),
            );
        }
    }
    let Row {
        subject,
        validators,
        scenario,
        version,
        ..
    } = row;
    format!(
        "{subject} {version}: {validators} validators, {scenario}\n{}",
        lines.0
    )
}

/// Names on the left, values on the right.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn line(&mut self, name: &str, value: &str) {
        self.0.push_str(&format!("  {name:<48} {value}\n"));
    }

    fn counts(&mut self, row: &Row) {
        self.line(
            "rounds without a proof",
            &format!("{} of {}", row.unproven, row.rounds),
        );
        let counts = [
            ("no room", row.dropped),
            ("known", row.known),
            ("ignored", row.ignored),
            ("checked", row.checked),
            ("bad", row.bad),
            ("of banned senders", row.of_banned),
            ("missing", row.missing),
        ];
        let counts = counts.map(|(name, count)| format!("{name} {count}"));
        self.line("votes", &counts.join(", "));
        if !row.missing_signers.is_empty() {
            self.line(
                "  first missing signers",
                &format!("{:?}", row.missing_signers),
            );
        }
        let memory = [row.memory_before, row.memory_peak, row.memory_after];
        let memory = memory
            .map(|megabytes| format!("{megabytes:.0}"))
            .join(" / ");
        self.line("memory before / most / after", &format!("{memory} MB"));
        let measured = |pause: Option<f64>| {
            pause.map_or("not measured".to_owned(), |pause| format!("{pause:.1} ms"))
        };
        self.line("longest pause of the loop", &measured(row.pause));
        self.line("most work of the loop at once", &measured(row.pause_work));
        for note in &row.notes {
            self.line("", note);
        }
    }

    fn figure(&mut self, name: &str, figure: Option<Figure>, decimals: usize, unit: &str) {
        if let Some(figure) = figure {
            self.line(name, format!("{figure:.decimals$} {unit}").trim_end());
        }
    }
}

/// A column of the table: its head, and its cell in a row.
type Column = (&'static str, fn(&Row) -> String);

const COLUMNS: [Column; 14] = [
    ("subject", |row| row.subject.clone()),
    ("validators", |row| row.validators.to_string()),
    ("scenario", |row| row.scenario.clone()),
    ("bare check, µs", |row| cell(row.bare, 1)),
    ("work per vote, µs", |row| cell(row.work, 1)),
    ("÷ bare", |row| cell(row.ratio, 2)),
    ("round, ms", |row| cell(row.round, 0)),
    ("proof after last vote, idle, ms", |row| {
        cell(row.proof_when_idle, 1)
    }),
    ("at second node, ms", |row| cell(row.second, 0)),
    ("no room / missing", |row| {
        format!("{} / {}", row.dropped, row.missing)
    }),
    ("sent per round, kB", |row| cell(row.sent, 0)),
    ("memory before / most / after, MB", |row| {
        let memory = [row.memory_before, row.memory_peak, row.memory_after];
        memory
            .map(|megabytes| format!("{megabytes:.0}"))
            .join(" / ")
    }),
    ("longest pause, ms", |row| {
        row.pause.map_or("–".into(), |pause| format!("{pause:.1}"))
    }),
    ("most work at once, ms", |row| {
        row.pause_work
            .map_or("–".into(), |work| format!("{work:.1}"))
    }),
];

fn cell(figure: Option<Figure>, decimals: usize) -> String {
    figure.map_or("–".into(), |figure| {
        format!("{:.decimals$}", figure.median)
    })
}

/// The rows beside each other, in Markdown, and below them what they are measured by.
pub fn table(rows: &[Row]) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(COLUMNS.iter().map(|(head, _)| (*head).to_owned()).collect());
    text.push_str(&line(vec!["---".to_owned(); COLUMNS.len()]));
    for row in rows {
        text.push_str(&line(COLUMNS.iter().map(|(_, cell)| cell(row)).collect()));
    }
    text.push('\n');
    for target in &TARGETS {
        let (mut met, mut missed) = (0, Vec::new());
        for row in rows {
            match (target.met)(row) {
                Some(true) => met += 1,
                Some(false) => {
                    let Row {
                        subject,
                        validators,
                        scenario,
                        ..
                    } = row;
                    missed.push(format!("{subject} {validators} {scenario}"));
                }
                None => {}
            }
        }
        let missed = match missed.is_empty() {
            true => String::new(),
            false => format!("; missed by {}", missed.join(", ")),
        };
        text.push_str(&format!(
            "- {}, {}: met by {met}{missed}\n",
            target.name, target.is
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        let figure = |value| Figure::of([value]);
        Row {
            subject: "duet".into(),
            validators: MEDIUM,
            scenario: ROUNDS.into(),
            ratio: figure(1.9),
            proof_when_idle: figure(51.0),
            ..Row::default()
        }
    }

    #[test]
    fn a_target_that_is_missed_is_named_with_its_row() {
        let text = table(&[row()]);
        let line = |name: &str| {
            let line = text.lines().find(|line| line.contains(name));
            line.expect("each target has a line").to_owned()
        };
        assert!(line("work per vote, at most").ends_with("met by 1"));
        assert!(line("idle, at most").ends_with("met by 0; missed by duet 1000 rounds"));
        assert!(
            line("round, at most").ends_with("met by 0"),
            "it is about larger sets"
        );
    }

    #[test]
    fn a_row_of_a_rival_stands_below_ours() {
        let rival = Row {
            subject: "beefy".into(),
            ..row()
        };
        let text = table(&[row(), rival]);
        let subjects: Vec<_> = text
            .lines()
            .filter(|line| line.contains("| 1000 |"))
            .collect();
        assert!(subjects[0].starts_with("| duet |") && subjects[1].starts_with("| beefy |"));
    }

    #[test]
    fn what_was_not_measured_is_said_to_be_not_measured() {
        assert!(details(&row()).contains("not measured"));
        assert!(details(&Row {
            pause: Some(6.0),
            ..row()
        })
        .contains("at most 5 ms: NOT MET"));
    }
}
