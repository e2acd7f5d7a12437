//! What the pages in `docs` say of metrics, and which places they have.

use crate::{sources::PREFIX, Error, Result};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The page on which every metric has a row, from the repository's root.
pub const METRICS: &str = "docs/operators/metrics.md";
/// The page with a heading for every alert.
pub const MONITORING: &str = "docs/operators/monitoring.md";

/// Pages by their paths, and their texts.
pub type Pages = BTreeMap<PathBuf, String>;

/// All pages in `docs`.
///
/// # Errors
/// The first file that cannot be read.
pub fn read(root: &Path) -> Result<Pages> {
    let mut pages = Pages::new();
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        let failed = || Error::io(format!("reading {}", folder.display()));
        for entry in fs::read_dir(&folder).map_err(failed())? {
            let path = entry.map_err(failed())?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                let text = fs::read_to_string(&path).map_err(failed())?;
                let name = path.strip_prefix(root).unwrap_or(&path).to_owned();
                pages.insert(name, text);
            }
        }
    }
    Ok(pages)
}

/// The full names of the metrics that have a row in a table of this page, in the first column.
pub fn rows(page: &str) -> BTreeSet<String> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let names = rows.filter_map(|row| row.split_once('`'));
    names.map(|(name, _)| format!("{PREFIX}{name}")).collect()
}

/// The full names of our metrics in a text. A name that goes on with something else than a letter stands for several, and is
/// left out.
pub fn mentioned(page: &str) -> BTreeSet<String> {
    let mentions = page.split(PREFIX).skip(1);
    let names = mentions.map(|rest| {
        let is_in_name = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
        let end = rest.find(|sign| !is_in_name(sign)).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    });
    let whole = names.filter(|name| !name.is_empty() && !name.ends_with('_'));
    whole.map(|name| format!("{PREFIX}{name}")).collect()
}

/// The places of a page that a link can name: its headings, in small letters and with hyphens.
pub fn anchors(page: &str) -> BTreeSet<String> {
    let headings = page.lines().filter_map(|line| {
        let heading = line.trim_start_matches('#');
        (heading.len() < line.len()).then(|| heading.strip_prefix(' '))?
    });
    let anchor = |heading: &str| {
        let signs = heading.to_lowercase();
        let signs = signs.chars().filter_map(|sign| match sign {
            ' ' => Some('-'),
            sign if sign.is_alphanumeric() || "-_".contains(sign) => Some(sign),
            _ => None,
        });
        signs.collect()
    };
    headings.map(anchor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn the_first_column_of_a_table_names_metrics() {
        let page = "| metric | meaning |\n| --- | --- |\n| `a_total` | as `b` |\nsee `c`\n";
        assert_eq!(rows(page), set(&["substrate_duet_a_total"]));
    }

    #[test]
    fn whole_names_are_mentioned_and_beginnings_are_not() {
        let page = "`substrate_duet_a`, substrate_duet_b_total. `substrate_duet_…`, `substrate_duet_history_*`";
        assert_eq!(
            mentioned(page),
            set(&["substrate_duet_a", "substrate_duet_b_total"])
        );
    }

    #[test]
    fn headings_are_places() {
        let page = "# Is it stuck?\ntext\n## DuetDown\n#no heading\n### What it's for";
        assert_eq!(
            anchors(page),
            set(&["is-it-stuck", "duetdown", "what-its-for"])
        );
    }
}
