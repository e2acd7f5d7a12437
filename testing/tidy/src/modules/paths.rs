//! The paths that an item mentions: declarations by `use`, types, expressions, patterns, and tokens of macros.

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    spanned::Spanned,
    visit::{self, Visit},
    Attribute, ImplItem, Item, ItemUse, Macro, Path, Visibility,
};

use super::{
    attributes::{attributes, is_test_only},
    mention::{Kind, Mention},
};

/// What [`of_item`] finds.
#[derive(Default)]
pub(super) struct Found {
    pub(super) uses: Vec<ItemUse>,
    pub(super) mentions: Vec<Mention>,
}

/// Everything that `item` mentions, outside of tests and attributes.
pub(super) fn of_item(item: &Item) -> Found {
    let mut found = Found::default();
    found.visit_item(item);
    found
}

impl<'ast> Visit<'ast> for Found {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test_only(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes: &[Attribute] = match item {
            ImplItem::Const(item) => &item.attrs,
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            _ => &[],
        };
        if !is_test_only(attributes) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_use(&mut self, declaration: &'ast ItemUse) {
        self.uses.push(declaration.clone());
    }

    fn visit_path(&mut self, path: &'ast Path) {
        if path.leading_colon.is_none() {
            self.mentions.push(Mention {
                path: path
                    .segments
                    .iter()
                    .map(|segment| segment.ident.to_string())
                    .collect(),
                line: path.span().start().line,
                kind: Kind::Code,
            });
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.visit_path(&call.path);
        self.tokens(call.tokens.clone());
    }

    // Documentation and attributes import nothing.
    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    // Nor does `pub(in path)`.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}

impl Found {
    /// Names that are joined by `::`, wherever they stand among the tokens of a macro.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut line = 0;
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.end_of_path(&mut path, line);
                    }
                    // A path that starts with `::` or continues a generic type is not one of ours.
                    if !path.is_empty() || colons == 0 {
                        if path.is_empty() {
                            line = ident.span().start().line;
                        }
                        path.push(ident.to_string());
                    }
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => {
                    self.end_of_path(&mut path, line);
                    self.tokens(group.stream());
                    colons = 0;
                }
                _ => {
                    self.end_of_path(&mut path, line);
                    colons = 0;
                }
            }
        }
        self.end_of_path(&mut path, line);
    }

    fn end_of_path(&mut self, path: &mut Vec<String>, line: usize) {
        let path = std::mem::take(path);
        if path.len() > 1 {
            self.mentions.push(Mention {
                path,
                line,
                kind: Kind::Code,
            });
        }
    }
}
