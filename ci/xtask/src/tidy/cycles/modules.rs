//! The modules of a crate as its sources declare them, and which of them names which.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

use crate::workspace::Tree;

/// Names from the crate's root downwards; the root itself is empty.
pub type ModulePath = Vec<String>;

/// What is known of one module.
#[derive(Debug, Default)]
struct Module {
    /// Path of the file that holds it, from the root of the workspace.
    file: String,
    children: BTreeSet<String>,
    /// What `use` brought in under which name: visible to the modules below, and to all where it is `pub`.
    imported: BTreeMap<String, Vec<String>>,
    /// `use path::*`.
    globs: Vec<Vec<String>>,
    /// Names that it defines itself.
    items: BTreeSet<String>,
    /// Paths that its code names, as they are written, with the line of each.
    named: Vec<(Vec<String>, usize)>,
}

/// One module names another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    pub from: ModulePath,
    pub to: ModulePath,
    /// Line in the file of `from`.
    pub line: usize,
}

/// The modules of one crate.
#[derive(Debug, Default)]
pub struct Modules(BTreeMap<ModulePath, Module>);

impl Modules {
    /// The modules below the file `root` (`src/lib.rs`, `src/main.rs`); what only tests compile is left out.
    ///
    /// # Errors
    /// With the path of a file that is no Rust, and why.
    pub fn below(root: &str, tree: &Tree) -> Result<Self, (String, syn::Error)> {
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut modules = Self::default();
        let mut open = vec![(ModulePath::new(), root.to_owned())];
        while let Some((path, file)) = open.pop() {
            let Some(source) = tree.file(&file) else { continue };
            let parsed = syn::parse_file(&source.text).map_err(|error| (file.clone(), error))?;
            modules.add(path, &file, &parsed.items, &mut |child| {
                let stem = format!("{folder}/{}", child.join("/"));
                let beside = [format!("{stem}.rs"), format!("{stem}/mod.rs")];
                open.extend(beside.into_iter().find(|file| tree.file(file).is_some()).map(|file| (child, file)));
            });
        }
        Ok(modules)
    }

    /// Adds the module at `path` and those written inside of it; `elsewhere` is told of those in files of their own.
    fn add(&mut self, path: ModulePath, file: &str, items: &[syn::Item], elsewhere: &mut dyn FnMut(ModulePath)) {
        let mut reading = Reading::default();
        for item in items {
            reading.visit_item(item);
        }
        for name in &reading.module.children {
            let child = [path.as_slice(), std::slice::from_ref(name)].concat();
            match reading.inline.get(name) {
                Some(items) => self.add(child, file, items, elsewhere),
                None => elsewhere(child),
            }
        }
        reading.module.file = file.to_owned();
        self.0.insert(path, reading.module);
    }

    /// The file that holds the module at `path`; empty for one that there is not.
    pub fn file_of(&self, path: &[String]) -> &str {
        self.0.get(path).map_or("", |module| &module.file)
    }

    /// The folder of the modules right below the module at `path`, from the root of the workspace.
    pub fn folder_of(&self, path: &[String]) -> String {
        let root = self.file_of(&[]).rsplit_once('/').map_or("", |(folder, _)| folder);
        path.iter().fold(root.to_owned(), |folder, name| folder + "/" + name)
    }

    /// Every module's path.
    pub fn paths(&self) -> impl Iterator<Item = &ModulePath> {
        self.0.keys()
    }

    /// Who names whom, re-exports followed to where the name is defined.
    pub fn arrows(&self) -> BTreeSet<Arrow> {
        let mut arrows = BTreeSet::new();
        for (from, module) in &self.0 {
            for (path, line) in &module.named {
                if let Some(to) = self.resolve(from, path, 0).filter(|to| to != from) {
                    arrows.insert(Arrow { from: from.clone(), to, line: *line });
                }
            }
        }
        arrows
    }

    /// The module in which the last name of `path` lives, as seen from `from`; nothing for names of other crates.
    fn resolve(&self, from: &ModulePath, path: &[String], depth: usize) -> Option<ModulePath> {
        let (first, rest) = path.split_first()?;
        let here = self.0.get(from)?;
        match first.as_str() {
            "crate" => self.descend(Vec::new(), rest, depth),
            "self" => self.descend(from.clone(), rest, depth),
            "super" => {
                let (_, parent) = from.split_last()?;
                if rest.first().is_some_and(|next| next == "super") {
                    return self.resolve(&parent.to_vec(), rest, depth);
                }
                self.descend(parent.to_vec(), rest, depth)
            }
            child if here.children.contains(child) => self.descend(from.clone(), path, depth),
            _ => None,
        }
    }

    fn descend(&self, mut at: ModulePath, names: &[String], depth: usize) -> Option<ModulePath> {
        const DEEPEST: usize = 16;
        for (position, name) in names.iter().enumerate() {
            let module = self.0.get(&at)?;
            if module.children.contains(name) {
                at.push(name.clone());
                continue;
            }
            if module.items.contains(name) || depth > DEEPEST {
                return Some(at);
            }
            let rest = &names[position + 1..];
            if let Some(target) = module.imported.get(name) {
                return self.resolve(&at, &[target.as_slice(), rest].concat(), depth + 1);
            }
            return module
                .globs
                .iter()
                .find_map(|glob| {
                    let below = self.resolve(&at, glob, depth + 1)?;
                    let owner = self.0.get(&below)?;
                    let has = owner.items.contains(name)
                        || owner.children.contains(name)
                        || owner.imported.contains_key(name);
                    has.then(|| self.descend(below, &names[position..], depth + 1))?
                })
                .or(Some(at));
        }
        Some(at)
    }
}

/// Collects what one module says; modules written inside of it are kept for their own turn.
#[derive(Default)]
struct Reading {
    module: Module,
    inline: BTreeMap<String, Vec<syn::Item>>,
}

impl Reading {
    fn take_use(&mut self, tree: &syn::UseTree, before: &[String], line: usize) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.take_use(&path.tree, &with(&path.ident), line),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.take_use(tree, before, line)),
            syn::UseTree::Glob(_) => {
                self.module.named.push((before.to_vec(), line));
                self.module.globs.push(before.to_vec());
            }
            syn::UseTree::Name(name) if name.ident == "self" => {
                let last = before.last().cloned().unwrap_or_default();
                self.bring(last, before.to_vec(), line);
            }
            syn::UseTree::Name(name) => self.bring(name.ident.to_string(), with(&name.ident), line),
            syn::UseTree::Rename(rename) if rename.ident == "self" => {
                self.bring(rename.rename.to_string(), before.to_vec(), line);
            }
            syn::UseTree::Rename(rename) => self.bring(rename.rename.to_string(), with(&rename.ident), line),
        }
    }

    fn bring(&mut self, name: String, path: Vec<String>, line: usize) {
        self.module.named.push((path.clone(), line));
        self.module.imported.insert(name, path);
    }

    /// Paths inside of macros are only tokens: `crate`, `self` or `super`, and the names that follow.
    fn take_tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => self.take_tokens(group.stream()),
                TokenTree::Ident(first) if is_start(&first.to_string()) => {
                    let mut path = vec![first.to_string()];
                    while let [TokenTree::Punct(a), TokenTree::Punct(b), TokenTree::Ident(name), ..] = &tokens[at + 1..]
                        && (a.as_char(), b.as_char()) == (':', ':')
                    {
                        path.push(name.to_string());
                        at += 3;
                    }
                    self.module.named.push((path, first.span().start().line));
                }
                _ => {}
            }
            at += 1;
        }
    }
}

impl<'ast> Visit<'ast> for Reading {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if is_for_tests(attributes(item)) {
            return;
        }
        if let Some(name) = name_of(item) {
            self.module.items.insert(name);
        }
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        let name = module.ident.to_string();
        if let Some((_, items)) = &module.content {
            self.inline.insert(name.clone(), items.clone());
        }
        self.module.children.insert(name);
    }

    fn visit_item_use(&mut self, used: &'ast syn::ItemUse) {
        let line = used.use_token.span.start().line;
        self.take_use(&used.tree, &[], line);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 && path.leading_colon.is_none() {
            let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            let line = path.segments[0].ident.span().start().line;
            self.module.named.push((names, line));
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.take_tokens(called.tokens.clone());
        visit::visit_macro(self, called);
    }
}

fn is_start(name: &str) -> bool {
    matches!(name, "crate" | "self" | "super")
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    })
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name_of(item: &syn::Item) -> Option<String> {
    let ident = match item {
        syn::Item::Const(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Macro(item) => item.ident.as_ref()?,
        syn::Item::Static(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}
