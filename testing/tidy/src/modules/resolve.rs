//! From a path to the module that defines what it leads to.

use std::collections::BTreeSet;

use super::{
    import::Import,
    mention::{Kind, Mention},
    tree::{ModuleId, Name, Tree},
};

/// Where a path leads within the crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// To a module.
    Module(ModuleId),
    /// To something that a module defines.
    Item(ModuleId),
}

/// The names that are being looked up, so that declarations that lead to each other end.
type Seen = BTreeSet<(ModuleId, String)>;

/// Every mention of an item of another file.
pub(super) fn imports(tree: &Tree) -> Vec<Import> {
    let mut imports = Vec::new();
    for (id, module) in tree.modules.iter().enumerate() {
        for mention in &module.mentions {
            for named in named(tree, id, mention) {
                let to = &tree.modules[named].file;
                let re_export = mention.kind == Kind::ReExport && tree.is_within(named, id);
                if *to != module.file && !re_export {
                    imports.push(Import {
                        from: module.file.clone(),
                        to: to.clone(),
                        line: mention.line,
                        path: mention.path.join("::"),
                    });
                }
            }
        }
    }
    imports
}

/// The modules that a reader of `mention` turns to: the one in which its path ends, and the one that defines the item.
///
/// A module itself is no item: importing it only shortens the paths through it, and those are seen themselves.
fn named(tree: &Tree, module: ModuleId, mention: &Mention) -> Vec<ModuleId> {
    let mut seen = Seen::new();
    if let Some((last, prefix)) = mention.path.split_last() {
        if last == "*" {
            // The definers of its names are found where these are used.
            return modules(&resolve(tree, module, prefix, &mut seen)).collect();
        }
    }
    if let Some(first) = mention.path.first() {
        let used = mention.kind == Kind::Code && tree.modules[module].used.contains(first);
        if used
            && modules(&lookup(tree, module, first, &mut seen))
                .next()
                .is_none()
        {
            // The `use` declaration that brought the name in is the import.
            return Vec::new();
        }
    }
    let mut named: Vec<_> = resolve(tree, module, &mention.path, &mut seen)
        .into_iter()
        .filter_map(|target| match target {
            Target::Item(definer) if !is_frame(tree, definer) => Some(definer),
            _ => None,
        })
        .collect();
    if !named.is_empty() {
        named.extend(end_of(tree, module, &mention.path));
    }
    named
}

/// The module in which `path` ends, as it is written: the one before the item.
fn end_of(tree: &Tree, from: ModuleId, path: &[String]) -> Vec<ModuleId> {
    let prefixes = (0..path.len()).rev().map(|length| &path[..length]);
    prefixes
        .map(|prefix| modules(&resolve(tree, from, prefix, &mut Seen::new())).collect())
        .find(|end: &Vec<_>| !end.is_empty())
        .unwrap_or_default()
}

fn resolve(tree: &Tree, from: ModuleId, path: &[String], seen: &mut Seen) -> Vec<Target> {
    let Some((first, mut rest)) = path.split_first() else {
        return Vec::new();
    };
    let mut current = match first.as_str() {
        "crate" => vec![Target::Module(Tree::ROOT)],
        "self" => vec![Target::Module(from)],
        "super" => above(tree, from),
        name => lookup(tree, from, name, seen),
    };
    while let Some((name, after)) = rest.split_first() {
        if !current
            .iter()
            .any(|target| matches!(target, Target::Module(_)))
        {
            // Variants and associated items are where their type is.
            return current;
        }
        let mut next = Vec::new();
        for module in modules(&current) {
            if name == "super" {
                next.extend(above(tree, module));
                continue;
            }
            let found = lookup(tree, module, name, seen);
            if found.is_empty() && !tree.modules[module].names.contains_key(name) {
                // A macro of that module defines it, unless it is FRAME's.
                if !tree.modules[module].frame {
                    next.push(Target::Item(module));
                }
            }
            next.extend(found);
        }
        current = next;
        rest = after;
    }
    current
}

fn lookup(tree: &Tree, module: ModuleId, name: &str, seen: &mut Seen) -> Vec<Target> {
    if !seen.insert((module, name.to_owned())) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for meaning in tree.modules[module].names.get(name).into_iter().flatten() {
        match meaning {
            Name::Module(child) => found.push(Target::Module(*child)),
            Name::Item(definer) => found.push(Target::Item(*definer)),
            Name::Import(path) => found.extend(resolve(tree, module, path, seen)),
        }
    }
    if found.is_empty() {
        for glob in &tree.modules[module].globs {
            let globbed: Vec<_> = modules(&resolve(tree, module, glob, seen)).collect();
            for inner in globbed {
                found.extend(lookup(tree, inner, name, seen));
            }
        }
    }
    seen.remove(&(module, name.to_owned()));
    found
}

fn above(tree: &Tree, module: ModuleId) -> Vec<Target> {
    tree.modules[module]
        .parent
        .map(Target::Module)
        .into_iter()
        .collect()
}

fn modules(targets: &[Target]) -> impl Iterator<Item = ModuleId> + '_ {
    targets.iter().filter_map(|target| match target {
        Target::Module(module) => Some(*module),
        Target::Item(_) => None,
    })
}

/// Whether what `module` defines is declared by a FRAME macro.
fn is_frame(tree: &Tree, module: ModuleId) -> bool {
    let module = &tree.modules[module];
    module.frame
        && module
            .parent
            .is_some_and(|parent| tree.modules[parent].file == module.file)
}
