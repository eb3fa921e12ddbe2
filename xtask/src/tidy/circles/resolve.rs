//! Finds the module that defines the target of a path.

use super::modules::{Import, Modules, PassesOn};

/// The target of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Found<'a> {
    Module(usize),
    /// An item of a module, and the name of the item in that module.
    Item(usize, &'a str),
    /// An item that an enclosing module re-exports with `pub use`, and its name.
    Interface(usize, &'a str),
}

/// The maximum length of a chain of imports. The limit ends the search if the chain is circular.
const STEPS: usize = 16;

impl<'a> Modules<'a> {
    /// Returns the target of a path that a module uses. Returns `None` for items of other crates and for local names.
    pub(super) fn resolve(&self, module: usize, path: &[&'a str]) -> Option<Found<'a>> {
        let search = Search {
            modules: self,
            from: module,
        };
        search.path(module, path, true, STEPS)
    }
}

/// The search for a name that one module uses.
struct Search<'s, 'a> {
    modules: &'s Modules<'a>,
    from: usize,
}

impl<'a> Search<'_, 'a> {
    /// Returns the target of a path in a module. `is_whole` is false if the path is the first part of a longer path. If
    /// the name at its end is both a module and another item, such a path refers to the module.
    fn path(
        &self,
        module: usize,
        path: &[&'a str],
        is_whole: bool,
        steps: usize,
    ) -> Option<Found<'a>> {
        let all = &self.modules.all;
        let steps = steps.checked_sub(1)?;
        let (&first, mut rest) = path.split_first()?;
        let mut found = match first {
            "crate" => Found::Module(0),
            "self" => Found::Module(module),
            "super" => Found::Module(all[module].parent),
            name => self.name(module, name, is_whole && rest.is_empty(), steps)?,
        };
        while let (Found::Module(inside), Some((&name, after))) = (found, rest.split_first()) {
            rest = after;
            found = match name {
                "super" => Found::Module(all[inside].parent),
                // The rule cannot see a definition that a macro creates. It treats such a definition as an item of the
                // named module.
                name => self
                    .name(inside, name, is_whole && rest.is_empty(), steps)
                    .or_else(|| self.made(inside, name, steps))?,
            };
        }
        Some(found)
    }

    /// Returns the target of a name in a module. If the name is both a module and another item, the name refers to the
    /// item at the end of a path, and otherwise to the module.
    fn name(&self, module: usize, name: &'a str, is_last: bool, steps: usize) -> Option<Found<'a>> {
        let scope = &self.modules.all[module];
        let child = || scope.children.get(name).map(|&child| Found::Module(child));
        let item = || {
            let is_here = scope.items.contains(name);
            is_here.then_some(Found::Item(module, name))
        };
        let imported = || {
            let mut named = scope.imports.iter().filter(|import| import.name == name);
            named.find_map(|import| {
                let found = self.path(module, &import.path, is_last, steps)?;
                Some(self.passed_on(module, import, found))
            })
        };
        let in_all_of_another = || {
            let mut all = scope.imports.iter().filter(|import| import.name == "*");
            all.find_map(
                |import| match self.path(module, &import.path, false, steps)? {
                    Found::Module(other) if other != module => {
                        let found = self.name(other, name, is_last, steps.checked_sub(1)?)?;
                        Some(self.passed_on(module, import, found))
                    }
                    _ => None,
                },
            )
        };
        if is_last {
            item().or_else(imported).or_else(child)
        } else {
            child().or_else(imported).or_else(item)
        }
        .or_else(in_all_of_another)
    }

    /// Returns the target of a name that a module imports or re-exports.
    fn passed_on(&self, module: usize, import: &Import<'a>, found: Found<'a>) -> Found<'a> {
        match found {
            Found::Item(other, name)
                if import.passes_on == PassesOn::Publicly
                    && self.modules.is_inside(self.from, module) =>
            {
                Found::Interface(other, name)
            }
            found => found,
        }
    }

    /// Returns the target of a name that no file defines. A macro of the project may define the name, or it may belong
    /// to another crate.
    fn made(&self, module: usize, name: &'a str, steps: usize) -> Option<Found<'a>> {
        if let Some(&defines) = self.modules.macros.get(name)
            && module == 0
        {
            return Some(Found::Item(defines, name));
        }
        let imports = &self.modules.all[module].imports;
        let mut all = imports.iter().filter(|import| import.name == "*");
        let passes_on_others =
            all.any(|import| self.path(module, &import.path, false, steps).is_none());
        (!passes_on_others).then_some(Found::Item(module, name))
    }
}
