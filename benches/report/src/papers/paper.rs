//! The papers' tables.

use super::{data::Data, row::PaperRow, statistic::Statistic};
use crate::{documents::folder_of_papers, results::read_json, text::table, Result};
use serde::Deserialize;
use std::{fs, path::PathBuf};

/// One paper's table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Paper {
    pub(super) title: String,
    pub(super) paper: String,
    pub(super) machine: String,
    /// The paper's statistic of its samples.
    #[serde(default)]
    pub(super) statistic: Statistic,
    pub(super) rows: Vec<PaperRow>,
}

/// A paper and the name of its file.
pub(super) type Named = (String, Paper);

/// Every paper there is, by the name of its file.
pub(super) fn papers() -> Result<Vec<Named>> {
    let files: std::io::Result<Vec<PathBuf>> = fs::read_dir(folder_of_papers())?
        .map(|entry| Ok(entry?.path()))
        .collect();
    let mut files = files?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    let read = |file: &PathBuf| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        Ok((name.into_owned(), read_json(file)?))
    };
    files.iter().map(read).collect()
}

/// The columns of a table.
pub(super) const HEADS: [&str; 8] = [
    "what",
    "paper",
    "here",
    "spread",
    "paper ÷ here",
    "rival here",
    "rival ÷ here",
    "note",
];

impl Paper {
    /// The cells of some rows.
    pub(super) fn cells(&self, rows: &[&PaperRow], data: &Data) -> Vec<Vec<String>> {
        let cells = |row: &&PaperRow| row.show(data, self.statistic);
        rows.iter().map(cells).collect()
    }

    /// The whole table.
    pub(super) fn show(&self, data: &Data) -> String {
        let rows: Vec<_> = self.rows.iter().collect();
        let table = table(&self.title, &HEADS, &self.cells(&rows, data));
        let (paper, machine) = (&self.paper, &self.machine);
        let meaning = self.statistic.meaning();
        format!("{table}\n{meaning} Paper: {paper}. Its machine: {machine}.\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_papers_file_has_the_form_that_is_documented() {
        let papers = papers().expect("every file reads");
        assert!(papers.len() >= 4);
        for (_, paper) in papers {
            assert!(!paper.title.is_empty() && !paper.machine.is_empty());
            for row in &paper.rows {
                row.check();
            }
            let on_page = paper.rows.iter().filter(|row| row.page).count();
            assert!((1..=14).contains(&on_page), "{}: {on_page}", paper.title);
        }
    }
}
