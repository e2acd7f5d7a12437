//! Files that import each other, directly or through others.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fmt,
    path::{Path, PathBuf},
};

use crate::modules::Import;

/// Files of which each leads to each other, and the imports between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// The files, in order.
    pub files: BTreeSet<PathBuf>,
    /// A shortest way from a file back to itself.
    pub shortest: Vec<Import>,
    /// All imports between the files.
    pub imports: Vec<Import>,
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} files import each other:", self.files.len())?;
        for import in &self.shortest {
            let (from, to) = (import.from.display(), import.to.display());
            writeln!(f, "    {from}:{} -> {to} (`{}`)", import.line, import.path)?;
        }
        let mut others: BTreeMap<(&Path, &Path), BTreeSet<(usize, &str)>> = BTreeMap::new();
        for import in self
            .imports
            .iter()
            .filter(|import| !self.shortest.contains(import))
        {
            let lines = others.entry((&import.from, &import.to)).or_default();
            lines.insert((import.line, &import.path));
        }
        for ((from, to), lines) in others {
            write!(f, "  also {} -> {}:", from.display(), to.display())?;
            for (line, path) in lines {
                write!(f, " {line} `{path}`")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Every group of files that import each other in a circle.
#[must_use]
pub fn cycles(imports: &[Import]) -> Vec<Cycle> {
    let mut arrows: BTreeMap<&Path, Vec<&Import>> = BTreeMap::new();
    for import in imports {
        arrows.entry(&import.from).or_default().push(import);
    }
    let mut done: BTreeSet<&Path> = BTreeSet::new();
    let mut cycles = Vec::new();
    for start in arrows.keys().copied() {
        if done.contains(start) {
            continue;
        }
        let mut files: BTreeSet<PathBuf> = BTreeSet::new();
        for file in reachable(&arrows, start) {
            if reachable(&arrows, file).contains(start) {
                done.insert(file);
                files.insert(file.to_path_buf());
            }
        }
        if files.is_empty() {
            continue;
        }
        let within = imports
            .iter()
            .filter(|i| files.contains(&i.from) && files.contains(&i.to));
        cycles.push(Cycle {
            imports: within.cloned().collect(),
            shortest: shortest(&arrows, &files),
            files,
        });
    }
    cycles
}

type Arrows<'a> = BTreeMap<&'a Path, Vec<&'a Import>>;

/// The files that `start` leads to; `start` itself only if a circle leads back to it.
fn reachable<'a>(arrows: &Arrows<'a>, start: &Path) -> BTreeSet<&'a Path> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&Path> = vec![start];
    while let Some(file) = next.pop() {
        for import in arrows.get(file).into_iter().flatten() {
            if reached.insert(import.to.as_path()) {
                next.push(&import.to);
            }
        }
    }
    reached
}

/// The shortest of the circles through any of `files`.
fn shortest(arrows: &Arrows<'_>, files: &BTreeSet<PathBuf>) -> Vec<Import> {
    let circles = files.iter().map(|file| way_back(arrows, file));
    circles
        .filter(|circle| !circle.is_empty())
        .min_by_key(Vec::len)
        .unwrap_or_default()
}

fn way_back(arrows: &Arrows<'_>, start: &Path) -> Vec<Import> {
    let mut came_by: BTreeMap<&Path, &Import> = BTreeMap::new();
    let mut next = VecDeque::from([start]);
    while let Some(file) = next.pop_front() {
        for import in arrows.get(file).into_iter().flatten().copied() {
            if !came_by.contains_key(import.to.as_path()) {
                came_by.insert(&import.to, import);
                next.push_back(&import.to);
            }
        }
    }
    let mut circle = Vec::new();
    let mut file = start;
    while let Some(import) = came_by.get(file).copied() {
        circle.push(import.clone());
        file = &import.from;
        if file == start {
            circle.reverse();
            return circle;
        }
    }
    Vec::new()
}
