//! Reads the modules of a crate with their definitions, their imports and the names that they use.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::tokens::{is_name, tokens};

/// The texts of files. The keys are the paths of the files.
pub(super) type Texts<'a> = BTreeMap<&'a str, &'a str>;

/// A crate as a tree of modules. The first module is the root.
#[derive(Default)]
pub(super) struct Modules<'a> {
    pub(super) all: Vec<Module<'a>>,
    /// The macros that `#[macro_export]` exports at the root. The values are the modules that define them.
    pub(super) macros: BTreeMap<&'a str, usize>,
}

/// A module, which may have a separate file.
#[derive(Default)]
pub(super) struct Module<'a> {
    pub(super) file: String,
    pub(super) parent: usize,
    pub(super) children: BTreeMap<&'a str, usize>,
    pub(super) items: BTreeSet<&'a str>,
    /// The items that are traits.
    pub(super) traits: BTreeSet<&'a str>,
    pub(super) imports: Vec<Import<'a>>,
    /// Every path in the code, except in imports.
    pub(super) paths: BTreeSet<Vec<&'a str>>,
}

/// A name that a `use` imports.
#[derive(Debug, PartialEq)]
pub(super) struct Import<'a> {
    /// The imported name. It is `*` for all names of a module, and `_` for a trait without a name.
    pub(super) name: &'a str,
    pub(super) path: Vec<&'a str>,
    pub(super) passes_on: PassesOn,
}

/// The visibility of a re-export.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PassesOn {
    No,
    InCrate,
    Publicly,
}

/// The keywords before the name of an item.
const ITEMS: [&str; 9] = [
    "struct",
    "enum",
    "union",
    "trait",
    "fn",
    "type",
    "const",
    "static",
    "macro_rules",
];

impl<'a> Modules<'a> {
    /// Reads the modules of the crate with this root file.
    pub(super) fn read(root: &str, texts: &Texts<'a>) -> Self {
        let mut modules = Self::default();
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
        modules.file(root, folder, 0, texts);
        modules
    }

    /// Reads a file and the files of its submodules, which are in `folder`. Returns the index of its module.
    fn file(&mut self, path: &str, folder: &str, parent: usize, texts: &Texts<'a>) -> usize {
        let module = self.push(path, parent);
        let tokens = tokens(texts.get(path).copied().unwrap_or_default());
        self.tokens(module, &tokens, folder, texts);
        module
    }

    /// Whether a module is inside another one, at any depth.
    pub(super) fn is_inside(&self, module: usize, other: usize) -> bool {
        let parent = self.all[module].parent;
        parent == other && module != other || parent != module && self.is_inside(parent, other)
    }

    fn push(&mut self, file: &str, parent: usize) -> usize {
        self.all.push(Module {
            file: file.to_owned(),
            parent,
            ..Module::default()
        });
        self.all.len() - 1
    }

    fn tokens(&mut self, module: usize, tokens: &[&'a str], folder: &str, texts: &Texts<'a>) {
        let token = |at: usize| tokens.get(at).copied().unwrap_or_default();
        let mut depth = 0_usize;
        let mut at = 0;
        let mut path_attributes = Vec::new();
        let mut is_exported = false;
        while at < tokens.len() {
            let before = at.checked_sub(1).map_or("", token);
            match token(at) {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                "#" if token(at + 1) == "[" => {
                    let end = closed(tokens, at + 1);
                    match &tokens[at + 2..end] {
                        // Code that is only for tests may use any file, so it is skipped.
                        attribute if is_for_tests(attribute) => {
                            at = after_item(tokens, end + 1);
                            continue;
                        }
                        // A module may have one such attribute for each system.
                        ["path", "=", path] | ["cfg_attr", .., "path", "=", path, ")"] => {
                            path_attributes.push(path.trim_matches('"'));
                        }
                        ["macro_export", ..] => is_exported = true,
                        _ => {}
                    }
                }
                // The syntax `use<'a>` in a type is not an import.
                "use" if token(at + 1) != "<" => {
                    let passes_on = match before {
                        "pub" => PassesOn::Publicly,
                        ")" => PassesOn::InCrate,
                        _ => PassesOn::No,
                    };
                    let end = position(tokens, at, ";");
                    let mut imports = Vec::new();
                    import(&tokens[at + 1..end], &[], &mut imports);
                    let imports = imports.into_iter().map(|(name, path)| Import {
                        name,
                        path,
                        passes_on,
                    });
                    self.all[module].imports.extend(imports);
                    at = end;
                }
                "mod" if is_name(token(at + 1)) && token(at + 2) == ";" => {
                    let name = token(at + 1);
                    let below = format!("{folder}/{name}");
                    let mut files: Vec<_> = path_attributes
                        .drain(..)
                        .map(|path| normal(&format!("{folder}/{path}")))
                        .collect();
                    if files.is_empty() {
                        files = vec![format!("{below}.rs"), format!("{below}/mod.rs")];
                    }
                    files.retain(|file| texts.contains_key(&**file));
                    for file in files {
                        let child = self.file(&file, &below, module, texts);
                        self.all[module].children.insert(name, child);
                    }
                    at += 2;
                }
                "mod" if is_name(token(at + 1)) && token(at + 2) == "{" => {
                    let name = token(at + 1);
                    let file = self.all[module].file.clone();
                    let child = self.push(&file, module);
                    self.all[module].children.insert(name, child);
                    let end = closed(tokens, at + 2);
                    let inside = &tokens[at + 3..end];
                    self.tokens(child, inside, &format!("{folder}/{name}"), texts);
                    at = end;
                }
                item if ITEMS.contains(&item) => {
                    let name = at + 1 + usize::from(token(at + 1) == "!");
                    // In `const fn`, the name is one token further. `fn(u8)` is a type and has no name.
                    if is_name(token(name)) && !ITEMS.contains(&token(name)) {
                        if depth == 0 {
                            self.all[module].items.insert(token(name));
                        }
                        if item == "trait" {
                            self.all[module].traits.insert(token(name));
                        }
                        if item == "macro_rules" && is_exported {
                            self.macros.insert(token(name), module);
                            is_exported = false;
                        }
                        at = name;
                    }
                }
                name if is_name(name) => {
                    let mut path = vec![name];
                    let is_method = before == "." && token(at.wrapping_sub(2)) != ".";
                    let is_of_other = is_method || before == "::";
                    while token(at + 1) == "::" && is_name(token(at + 2)) {
                        path.push(token(at + 2));
                        at += 2;
                    }
                    // A name before a `:` is the name of a field or parameter.
                    let is_label = path.len() == 1 && token(at + 1) == ":";
                    if !is_of_other && !is_label {
                        self.all[module].paths.insert(path);
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }
}

/// Adds the names of a tree of imports to `found`, each with its path.
fn import<'a>(tree: &[&'a str], before: &[&'a str], found: &mut Vec<(&'a str, Vec<&'a str>)>) {
    let mut path = before.to_vec();
    let mut at = 0;
    while let Some(&token) = tree.get(at) {
        match token {
            "{" => {
                let inside = &tree[at + 1..closed(tree, at)];
                let mut start = 0;
                let mut depth = 0_usize;
                for (end, &token) in inside.iter().chain(&[","]).enumerate() {
                    match token {
                        "{" => depth += 1,
                        "}" => depth -= 1,
                        "," if depth == 0 => {
                            if start < end {
                                import(&inside[start..end], &path, found);
                            }
                            start = end + 1;
                        }
                        _ => {}
                    }
                }
                return;
            }
            "*" => {
                found.push(("*", path));
                return;
            }
            "as" => {
                if let Some(&name) = tree.get(at + 1) {
                    found.push((name, path));
                }
                return;
            }
            // Inside braces, `self` is the module that precedes the braces. As the first word of a path, it is the
            // current module.
            "self" if !path.is_empty() => {}
            token if is_name(token) => path.push(token),
            _ => {}
        }
        at += 1;
    }
    if let Some(&name) = path.last() {
        found.push((name, path));
    }
}

fn is_for_tests(attribute: &[&str]) -> bool {
    attribute.first() == Some(&"cfg") && attribute.contains(&"test") && !attribute.contains(&"not")
}

/// Returns the position of the closing bracket that belongs to this opening bracket.
fn closed(tokens: &[&str], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match *token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

/// Returns the position of the next token that is equal to `expected`.
fn position(tokens: &[&str], from: usize, expected: &str) -> usize {
    let found = tokens[from..].iter().position(|token| *token == expected);
    found.map_or(tokens.len(), |at| from + at)
}

/// Returns the position after the item, field or statement that begins here.
fn after_item(tokens: &[&str], start: usize) -> usize {
    let mut at = start;
    while tokens.get(at) == Some(&"#") {
        at = closed(tokens, at + 1) + 1;
    }
    let is_item = tokens.get(at).is_some_and(|token| {
        ITEMS.contains(token)
            || ["pub", "mod", "impl", "use", "async", "unsafe", "extern"].contains(token)
    });
    if tokens.get(at) == Some(&"use") {
        return position(tokens, at, ";") + 1;
    }
    while let Some(&token) = tokens.get(at) {
        match token {
            ";" => return at + 1,
            "," if !is_item => return at + 1,
            "{" => return closed(tokens, at) + 1,
            "(" | "[" => at = closed(tokens, at),
            // The enclosing group ends here.
            "}" | ")" | "]" => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

/// Resolves the parts `..` of a path.
fn normal(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/') {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}
