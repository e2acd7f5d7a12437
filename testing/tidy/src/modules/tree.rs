//! The modules of a crate, with the names that each defines and the paths that each mentions.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Component, Path, PathBuf},
};

use syn::{spanned::Spanned, Attribute, Item, ItemUse, Meta, UseTree, Visibility};

use super::{
    attributes::{attributes, is_test_only},
    mention::{Kind, Mention},
    paths,
};
use crate::{error::Error, sources::Sources};

/// A module's place in [`Tree::modules`].
pub(super) type ModuleId = usize;

/// What a module's name refers to.
#[derive(Debug)]
pub(super) enum Name {
    /// A child module.
    Module(ModuleId),
    /// An item that this module defines.
    Item(ModuleId),
    /// Something that a `use` declaration brought in.
    Import(Vec<String>),
}

/// One module: a file, or a block `mod name { … }` within one.
#[derive(Debug)]
pub(super) struct Module {
    pub(super) file: PathBuf,
    pub(super) parent: Option<ModuleId>,
    pub(super) names: BTreeMap<String, Vec<Name>>,
    /// The names that private `use` declarations brought in.
    pub(super) used: BTreeSet<String>,
    pub(super) globs: Vec<Vec<String>>,
    pub(super) mentions: Vec<Mention>,
    /// Whether a FRAME macro declares this module, or a part of it, for the whole crate.
    pub(super) frame: bool,
    /// Where the files of its children are.
    folder: PathBuf,
}

/// All modules of a crate; the first is its root.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) modules: Vec<Module>,
}

impl Tree {
    pub(super) const ROOT: ModuleId = 0;

    /// Reads the crate whose root file is `root`, and every module that it declares outside of tests.
    pub(super) fn build(sources: &Sources, root: &Path) -> Result<Self, Error> {
        let folder = root.parent().unwrap_or(Path::new("")).to_path_buf();
        let mut tree = Self {
            modules: Vec::new(),
        };
        tree.read_file(sources, root.to_path_buf(), None, folder)?;
        Ok(tree)
    }

    /// Whether `module` is `ancestor` or below it.
    pub(super) fn is_within(&self, module: ModuleId, ancestor: ModuleId) -> bool {
        let mut next = Some(module);
        while let Some(current) = next {
            if current == ancestor {
                return true;
            }
            next = self.modules[current].parent;
        }
        false
    }

    fn read_file(
        &mut self,
        sources: &Sources,
        file: PathBuf,
        parent: Option<ModuleId>,
        folder: PathBuf,
    ) -> Result<ModuleId, Error> {
        let text = sources.get(&file).unwrap_or_default();
        let parsed = syn::parse_file(text).map_err(|source| Error::Parse {
            path: file.clone(),
            source,
        })?;
        let module = self.add(file, parent, folder);
        self.read_items(sources, module, parsed.items)?;
        Ok(module)
    }

    fn add(&mut self, file: PathBuf, parent: Option<ModuleId>, folder: PathBuf) -> ModuleId {
        self.modules.push(Module {
            file,
            parent,
            folder,
            names: BTreeMap::new(),
            used: BTreeSet::new(),
            globs: Vec::new(),
            mentions: Vec::new(),
            frame: false,
        });
        self.modules.len() - 1
    }

    fn read_items(
        &mut self,
        sources: &Sources,
        module: ModuleId,
        items: Vec<Item>,
    ) -> Result<(), Error> {
        for item in items {
            if is_test_only(attributes(&item)) {
                continue;
            }
            match item {
                Item::Mod(item) => self.read_module(sources, module, item)?,
                Item::ForeignMod(_) | Item::ExternCrate(_) => {}
                item => {
                    if let Some((name, exported)) = defined_name(&item) {
                        let owner = if exported { Self::ROOT } else { module };
                        self.name(owner, name.clone(), Name::Item(module));
                        if owner != module {
                            self.name(module, name, Name::Item(module));
                        }
                    }
                    let found = paths::of_item(&item);
                    for declaration in &found.uses {
                        self.read_use(module, declaration);
                    }
                    self.modules[module].mentions.extend(found.mentions);
                }
            }
        }
        Ok(())
    }

    fn read_module(
        &mut self,
        sources: &Sources,
        parent: ModuleId,
        item: syn::ItemMod,
    ) -> Result<(), Error> {
        let name = item.ident.to_string();
        let folder = self.modules[parent].folder.join(&name);
        let file = self.modules[parent].file.clone();
        let child = if let Some((_, items)) = item.content {
            let child = self.add(file, Some(parent), folder);
            if is_frame(&item.attrs) {
                self.modules[child].frame = true;
                self.modules[parent].frame = true;
            }
            self.read_items(sources, child, items)?;
            child
        } else {
            let beside = self.modules[parent].folder.join(format!("{name}.rs"));
            let within = folder.join("mod.rs");
            let (path, folder) = match given_path(&item.attrs) {
                Some(given) => {
                    let base = file.parent().unwrap_or(Path::new(""));
                    let path = normal(&base.join(given));
                    let folder = path.parent().unwrap_or(base).to_path_buf();
                    (path, folder)
                }
                None if sources.get(&beside).is_some() => (beside, folder),
                None => (within, folder),
            };
            if sources.get(&path).is_none() {
                return Err(Error::NoModule {
                    path: file,
                    module: name,
                });
            }
            self.read_file(sources, path, Some(parent), folder)?
        };
        self.name(parent, name, Name::Module(child));
        Ok(())
    }

    fn read_use(&mut self, module: ModuleId, declaration: &ItemUse) {
        if declaration.leading_colon.is_some() {
            return;
        }
        let kind = match declaration.vis {
            Visibility::Inherited => Kind::Use,
            _ => Kind::ReExport,
        };
        let mut prefixes = vec![(Vec::new(), &declaration.tree)];
        while let Some((mut path, tree)) = prefixes.pop() {
            match tree {
                UseTree::Path(tree_path) => {
                    path.push(tree_path.ident.to_string());
                    prefixes.push((path, &tree_path.tree));
                }
                UseTree::Group(group) => {
                    prefixes.extend(group.items.iter().map(|item| (path.clone(), item)));
                }
                UseTree::Name(name) => {
                    self.import(module, path, &name.ident, &name.ident, kind);
                }
                UseTree::Rename(rename) => {
                    self.import(module, path, &rename.ident, &rename.rename, kind);
                }
                UseTree::Glob(glob) => {
                    self.modules[module].globs.push(path.clone());
                    path.push("*".into());
                    let line = glob.span().start().line;
                    self.modules[module]
                        .mentions
                        .push(Mention { path, line, kind });
                }
            }
        }
    }

    fn import(
        &mut self,
        module: ModuleId,
        mut path: Vec<String>,
        original: &syn::Ident,
        alias: &syn::Ident,
        kind: Kind,
    ) {
        let mut alias = alias.to_string();
        if original == "self" {
            if alias == "self" {
                alias = path.last().cloned().unwrap_or_default();
            }
        } else {
            path.push(original.to_string());
        }
        let line = original.span().start().line;
        self.modules[module].mentions.push(Mention {
            path: path.clone(),
            line,
            kind,
        });
        if kind == Kind::Use {
            self.modules[module].used.insert(alias.clone());
        }
        self.name(module, alias, Name::Import(path));
    }

    fn name(&mut self, module: ModuleId, name: String, meaning: Name) {
        self.modules[module]
            .names
            .entry(name)
            .or_default()
            .push(meaning);
    }
}

/// The name that an item adds to its module, and whether the crate's root has it too.
fn defined_name(item: &Item) -> Option<(String, bool)> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => {
            let exported = item.attrs.iter().any(|a| a.path().is_ident("macro_export"));
            return item
                .ident
                .as_ref()
                .map(|ident| (ident.to_string(), exported));
        }
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some((ident.to_string(), false))
}

/// Whether the attribute of a module is `#[frame_support::pallet]` or `#[frame_support::runtime]`.
fn is_frame(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let mut path = attribute
            .path()
            .segments
            .iter()
            .map(|segment| segment.ident.to_string());
        path.next().is_some_and(|first| first == "frame_support")
            && path
                .next()
                .is_some_and(|second| second == "pallet" || second == "runtime")
    })
}

/// The file that `#[path = "…"]` names.
fn given_path(attributes: &[Attribute]) -> Option<String> {
    attributes
        .iter()
        .find_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
                syn::Expr::Lit(syn::ExprLit {
                    lit: syn::Lit::Str(text),
                    ..
                }) => Some(text.value()),
                _ => None,
            },
            _ => None,
        })
}

/// `path` without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}
