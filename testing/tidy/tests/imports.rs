//! No files of one crate import each other in a circle.

mod support;

use std::path::Path;

use duet_tidy::{
    crates,
    cycles::{cycles, Cycle},
    modules::{imports, Import},
    sources::Sources,
};

#[test]
fn no_files_of_a_crate_import_each_other_in_a_circle() {
    let root = support::repository();
    let sources = Sources::read(&root, &["rs"]).expect("readable sources");
    let mut found = String::new();
    let mut seen = 0;
    for (folder, read) in crates::read(&root).expect("readable manifests") {
        for crate_root in &read.roots {
            let imports = match imports(&sources, Path::new(crate_root)) {
                Ok(imports) => imports,
                Err(error) => {
                    found.push_str(&format!("{folder}: {error}\n"));
                    continue;
                }
            };
            seen += imports.len();
            for cycle in cycles(&imports) {
                found.push_str(&format!("{folder}: {cycle}\n"));
            }
        }
    }
    assert!(seen > 100, "only {seen} imports were found at all");
    assert!(found.is_empty(), "\n{found}");
}

fn arrows(files: &[(&'static str, &'static str)]) -> Vec<(String, String, usize)> {
    let sources: Sources = files.iter().copied().collect();
    let arrow = |import: Import| {
        (
            import.from.display().to_string(),
            import.to.display().to_string(),
            import.line,
        )
    };
    imports(&sources, Path::new("src/lib.rs"))
        .expect("valid fixture")
        .into_iter()
        .map(arrow)
        .collect()
}

fn circles(files: &[(&'static str, &'static str)]) -> Vec<Cycle> {
    let sources: Sources = files.iter().copied().collect();
    cycles(&imports(&sources, Path::new("src/lib.rs")).expect("valid fixture"))
}

fn arrow(from: &str, to: &str, line: usize) -> (String, String, usize) {
    (from.into(), to.into(), line)
}

#[test]
fn a_tree_is_not_a_circle() {
    let files = [
        ("src/lib.rs", "mod a;\nmod b;\npub use a::A;"),
        ("src/a.rs", "use crate::b::B;\npub struct A(B);"),
        ("src/b.rs", "pub struct B;"),
    ];
    assert_eq!(arrows(&files), [arrow("src/a.rs", "src/b.rs", 1)]);
    assert_eq!(circles(&files), []);
}

#[test]
fn a_circle_through_crate_paths_is_found_with_its_lines() {
    let found = circles(&[
        ("src/lib.rs", "mod a;\nmod b;"),
        ("src/a.rs", "use crate::b::B;\npub struct A(B);"),
        (
            "src/b.rs",
            "pub struct B;\nimpl B {\n    fn a() -> crate::a::A { todo!() }\n}",
        ),
    ]);
    let [circle] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(
        circle.to_string(),
        "2 files import each other:\n    src/a.rs:1 -> src/b.rs (`crate::b::B`)\n    src/b.rs:3 -> src/a.rs (`crate::a::A`)\n"
    );
}

#[test]
fn a_circle_through_super_is_found() {
    let found = circles(&[
        ("src/lib.rs", "mod part;"),
        ("src/part/mod.rs", "mod a;\nmod b;"),
        ("src/part/a.rs", "use super::b::B;\npub struct A(B);"),
        (
            "src/part/b.rs",
            "use super::a;\npub struct B;\nfn f(_: a::A) {}",
        ),
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn a_circle_with_the_parent_is_found() {
    let found = circles(&[
        ("src/lib.rs", "mod a;\npub struct L;\nfn f() { a::run() }"),
        ("src/a.rs", "use super::L;\npub fn run() { let _ = L; }"),
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn a_circle_through_the_crates_re_exports_is_found() {
    let found = circles(&[
        ("src/lib.rs", "mod a;\nmod b;\npub use a::A;\npub use b::*;"),
        ("src/a.rs", "use crate::B;\npub struct A(B);"),
        ("src/b.rs", "use crate::A;\npub struct B;\nfn f(_: A) {}"),
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn a_circle_of_three_is_one_circle() {
    let found = circles(&[
        ("src/lib.rs", "mod a;\nmod b;\nmod c;"),
        ("src/a.rs", "use crate::b::B;\npub struct A;"),
        ("src/b.rs", "use crate::c::C;\npub struct B;"),
        ("src/c.rs", "use crate::a::A;\npub struct C;"),
    ]);
    let [circle] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(circle.shortest.len(), 3);
}

#[test]
fn a_parent_that_uses_what_it_re_exports_imports_it() {
    let files = [
        ("src/lib.rs", "mod a;\npub use a::A;\nfn f(_: A) {}"),
        ("src/a.rs", "pub struct A;"),
    ];
    assert_eq!(arrows(&files), [arrow("src/lib.rs", "src/a.rs", 3)]);
}

#[test]
fn paths_among_the_tokens_of_a_macro_are_imports() {
    let files = [
        ("src/lib.rs", "mod a;\nmod b;"),
        ("src/a.rs", "pub struct A;"),
        (
            "src/b.rs",
            "fn f() {\n    assert!(matches!(1, crate::a::A));\n}",
        ),
    ];
    assert_eq!(arrows(&files), [arrow("src/b.rs", "src/a.rs", 2)]);
}

#[test]
fn what_is_compiled_for_tests_only_is_not_an_import() {
    let files = [
        ("src/lib.rs", "mod a;\nmod b;\n#[cfg(test)]\nmod tests;"),
        ("src/a.rs", "pub struct A;\n#[cfg(test)]\nmod tests { use crate::b::B; }\n#[cfg(test)]\nuse crate::b::B;"),
        ("src/b.rs", "/// See [`crate::a::A`].\npub struct B;"),
    ];
    assert_eq!(arrows(&files), []);
}

#[test]
fn a_variant_is_where_its_type_is_and_an_alias_is_followed() {
    let files = [
        ("src/lib.rs", "mod a;\nmod b;\nmod c;"),
        ("src/a.rs", "pub enum A { One }"),
        ("src/b.rs", "pub use crate::a::A as Letter;"),
        (
            "src/c.rs",
            "use crate::b;\nfn f() { let _ = b::Letter::One; }",
        ),
    ];
    assert_eq!(
        arrows(&files),
        [
            arrow("src/b.rs", "src/a.rs", 1),
            arrow("src/c.rs", "src/a.rs", 2),
            arrow("src/c.rs", "src/b.rs", 2)
        ]
    );
}

#[test]
fn a_circle_that_only_the_parent_of_the_definer_closes_is_found() {
    let part = "mod a;\nmod b;\npub use b::B;\npub fn run() { a::run() }";
    let user = |path| format!("use {path};\npub fn run() {{ let _ = B; }}");
    for (path, count) in [
        ("super::B", 1),
        ("super::*", 1),
        ("crate::part::B", 1),
        ("super::b::B", 0),
    ] {
        let sources = [
            ("src/lib.rs", "mod part;"),
            ("src/part/mod.rs", part),
            ("src/part/a.rs", &user(path)),
            ("src/part/b.rs", "pub struct B;"),
        ];
        let sources: Sources = sources.into_iter().collect();
        let imports = imports(&sources, Path::new("src/lib.rs")).expect("valid fixture");
        assert_eq!(cycles(&imports).len(), count, "{path}");
    }
}

#[test]
fn a_parent_that_only_re_exports_closes_no_circle() {
    let found = circles(&[
        ("src/lib.rs", "mod part;"),
        (
            "src/part/mod.rs",
            "mod a;\nmod b;\npub use a::A;\npub(crate) use b::B;",
        ),
        ("src/part/a.rs", "use super::B;\npub struct A(B);"),
        ("src/part/b.rs", "pub struct B;"),
    ]);
    assert_eq!(found, []);
}

#[test]
fn what_frame_declares_is_for_the_whole_crate_and_nothing_else_of_its_file_is() {
    let lib = "mod a;\npub use pallet::*;\npub struct Other;\n#[frame_support::pallet]\npub mod pallet {\n    \
        pub trait Config {}\n    fn call() { crate::a::run() }\n}";
    let a = "use crate::{Config, Event};\npub fn run() {}";
    assert_eq!(circles(&[("src/lib.rs", lib), ("src/a.rs", a)]), []);
    let a = "use crate::Other;\npub fn run() {}";
    assert_eq!(circles(&[("src/lib.rs", lib), ("src/a.rs", a)]).len(), 1);
}

#[test]
fn names_of_other_crates_are_not_imports() {
    let files = [
        ("src/lib.rs", "mod a;\nmod sha2;"),
        (
            "src/a.rs",
            "use sha2::Sha256;\nuse std::fmt;\nfn f(_: Sha256) -> ::sha2::X {}",
        ),
        ("src/sha2.rs", "pub struct Sha256;"),
    ];
    assert_eq!(arrows(&files), []);
}
