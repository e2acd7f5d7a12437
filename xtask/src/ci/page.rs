//! Checks that the page about the checks matches the lists.

use super::steps::{all, BY_HAND, REST, STEPS};
use crate::{cargo::root, Cli};
use clap::Parser;
use std::fs;

const PAGE: &str = "docs/contributors/checks.md";

/// The cells of a table, row by row, without its head.
fn table(heading: &str) -> Vec<Vec<String>> {
    let page = fs::read_to_string(root().join(PAGE)).expect("the page");
    let (_, section) = page
        .split_once(&format!("\n## {heading}\n"))
        .expect("the heading");
    let lines = section.lines().take_while(|line| !line.starts_with("## "));
    let rows = lines.filter(|line| line.starts_with('|')).skip(2);
    rows.map(|row| {
        row.trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().to_owned())
            .collect()
    })
    .collect()
}

fn column(table: &[Vec<String>], number: usize) -> Vec<&str> {
    table
        .iter()
        .map(|row| row.get(number).map_or("", String::as_str))
        .collect()
}

#[test]
fn the_page_has_the_steps_in_their_order() {
    let names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
    assert_eq!(column(&table("Steps"), 0), names);
}

/// The name and the command of each check outside CI.
fn left_out() -> Vec<(&'static str, String)> {
    let rest = REST.iter().map(|step| (step.name, step.shown()));
    let by_hand = BY_HAND.map(|(name, chore)| (name, format!("cargo xtask {chore}")));
    rest.chain(by_hand).collect()
}

#[test]
fn the_page_says_when_each_check_that_is_left_out_was_last_run_and_on_which_commit() {
    let table = table("Left out of CI");
    for ((name, command), row) in left_out().iter().zip(&table) {
        assert_eq!(row[0], *name);
        assert_eq!(row[1], format!("`{command}`"));
        let digits = row[3].bytes().filter(u8::is_ascii_digit).count();
        assert!(digits == 8 && row[3].len() == 10, "{} is no date", row[3]);
        let is_short = row[4].len() >= 8 && row[4].bytes().all(|byte| byte.is_ascii_hexdigit());
        assert!(is_short, "{} is no commit", row[4]);
    }
    assert_eq!(table.len(), left_out().len());
}

#[test]
fn the_checks_that_are_left_out_are_commands() {
    for (name, chore) in BY_HAND {
        let words = ["cargo xtask"].into_iter().chain(chore.split(' '));
        assert!(Cli::try_parse_from(words).is_ok(), "{name}");
    }
    for step in all() {
        let words = ["cargo xtask"].iter().chain(step.chore);
        assert!(Cli::try_parse_from(words).is_ok(), "{}", step.name);
    }
}
