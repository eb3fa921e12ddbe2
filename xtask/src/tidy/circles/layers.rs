//! Checks that the modules of a crate use each other in only one direction.

use super::modules::{Modules, Texts};
use super::resolve::Found;
use super::uses_of;

/// The modules at the root of a crate, in layers from the lowest to the highest.
type Layers = &'static [&'static [&'static str]];

/// The layers of docs/architecture.md. A module may use only modules of lower layers.
const LAYERS: [(&str, Layers); 1] = [(
    "claw-client",
    &[
        &["outcome", "files", "guides"],
        &["engine"],
        &["waiting"],
        &["mcp", "stored"],
        &["handle"],
        &["calls", "requests"],
        &["driver"],
        &["session"],
        &["pool", "store"],
        &["blocking"],
    ],
)];

/// Returns the uses that do not lead to a lower layer, and the modules that are in no layer. A use of a name that the
/// crate re-exports publicly counts here. It does not count as part of a circle.
pub(super) fn check(texts: &Texts<'_>) -> Vec<String> {
    let crates = LAYERS.iter().flat_map(|(name, layers)| {
        let root = format!("crates/{name}/src/lib.rs");
        upwards(&Modules::read(&root, texts), layers)
    });
    crates.collect()
}

pub(super) fn upwards(modules: &Modules<'_>, layers: &[&[&str]]) -> Vec<String> {
    let layer = |name: &str| layers.iter().position(|layer| layer.contains(&name));
    let children = &modules.all[0].children;
    let missing = children.keys().filter(|name| layer(name).is_none());
    let mut wrong: Vec<_> = missing
        .map(|name| format!("the module {name} of {} has no layer", modules.all[0].file))
        .collect();
    let place = |module: usize| {
        let mut within = children.iter();
        let (name, _) =
            within.find(|&(_, &child)| child == module || modules.is_inside(module, child))?;
        Some((layer(name)?, *name))
    };
    for (module, found) in uses_of(modules) {
        if let Found::Item(used, name) | Found::Interface(used, name) = found
            && let (Some((from, own)), Some((to, other))) = (place(module), place(used))
            && own != other
            && to >= from
        {
            let (file, of) = (&modules.all[module].file, &modules.all[used].file);
            wrong.push(format!(
                "{file} uses {name} of {of}, which is in no lower layer"
            ));
        }
    }
    wrong
}
