//! `cargo xtask schema`: generates the JSON Schemas in schemas/ and the OpenAPI document from claw-types, claw-view and
//! claw-server. Also generates the rows of docs/options.md.
//!
//! `meta.json` and every `.schema.json` file below schemas/ are generated. All other files in schemas/ are written by
//! hand, except the version of the packages, which is the version of the schemas. The OpenAPI document is in
//! claw-server, which serves it. claw-cli contains all schemas for lines in one compressed file.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde_json::{Map, Value, json};

use xtask::run::Result;
use xtask::workspace::{OPENAPI, Workspace, slashes};

mod options;
#[path = "../../../crates/claw-cli/src/schema/packed.rs"]
mod packed;

use packed::{DEFINITIONS, Packed};

/// The action on the schemas.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Write the generated files, and remove files of schemas/ that are no longer generated.
    Write,
    /// Compare the generated files with the committed ones.
    Check,
    /// Print one file, or the list of files.
    Print {
        /// `openapi.json`, or the path of a file below schemas/.
        file: Option<String>,
    },
}

/// The manifests of packages, each with the text before the version.
const MANIFESTS: [(&str, &str); 2] = [
    ("packages/npm/package.json", "\n  \"version\": \""),
    ("packages/python/pyproject.toml", "\nversion = \""),
];

/// The name of the OpenAPI document in the list of files. [`OPENAPI`] is its path in the workspace.
const DOCUMENT: &str = "openapi.json";

/// The file of claw-cli that contains the compressed schemas.
const PACKED: &str = "crates/claw-cli/schemas.deflate";

/// The schema that describes the options.
const OPTIONS: &str = "options.schema.json";

/// The generated texts. The keys are paths below schemas/. The key of the OpenAPI document is its name.
type Files = BTreeMap<String, String>;

pub(crate) fn main(command: &Command) -> Result {
    let workspace = Workspace::read()?;
    match command {
        Command::Write => {
            let (files, folder) = (generated()?, folder(&workspace));
            write(&files, &folder)?;
            let page = workspace.root.join(options::PAGE);
            fs::write(&page, options_page(&files, &fs::read_to_string(&page)?)?)?;
            // Different versions of the compressor may write different bytes, so a file with the same schemas is not
            // rewritten.
            let path = workspace.root.join(PACKED);
            if fs::read(&path).map_or(true, |bytes| check_packed(&bytes, &files).is_err()) {
                fs::write(path, pack(&files)?)?;
            }
            versions(&files, &folder, true)
        }
        Command::Check => check(&workspace),
        Command::Print { file } => {
            print!("{}", print(&generated()?, file.as_deref())?);
            Ok(())
        }
    }
}

/// Fails unless the committed files are equal to the generated files.
pub(crate) fn check(workspace: &Workspace) -> Result {
    let (files, folder) = (generated()?, folder(workspace));
    let page = fs::read_to_string(workspace.root.join(options::PAGE))?;
    let generated = options_page(&files, &page)?;
    if generated != page {
        let mut lines = generated.lines().zip(page.lines());
        let row = lines
            .find(|(new, old)| new != old)
            .map_or("", |(new, _)| new);
        let hint = "`cargo xtask schema write` writes the rows";
        return Err(format!("{} differs; {hint}; expected: {row}", options::PAGE).into());
    }
    match drift(&files, &read(&folder)?) {
        None => {
            check_packed(&fs::read(workspace.root.join(PACKED))?, &files)?;
            versions(&files, &folder, false)
        }
        Some(found) => {
            Err(format!("{found}; `cargo xtask schema write` and look at the diff").into())
        }
    }
}

/// Returns the text of docs/options.md with the generated rows. `page` is its current text.
fn options_page(files: &Files, page: &str) -> Result<String> {
    options::page(page, &serde_json::from_str(&files[OPTIONS])?)
}

/// Returns the compressed schemas for claw-cli. They do not include the schema of the server.
fn pack(files: &Files) -> Result<Vec<u8>> {
    let mut packed = Packed {
        definitions: Map::new(),
        files: Map::new(),
    };
    for (path, text) in files.iter().filter(|(path, _)| is_packed(path)) {
        let mut schema: Value = serde_json::from_str(text)?;
        let object = schema.as_object_mut();
        if let Some(Value::Object(own)) = object.and_then(|it| it.remove(DEFINITIONS)) {
            for (name, definition) in own {
                let of_name = packed.definitions.entry(name).or_insert_with(|| json!({}));
                of_name[path] = definition;
            }
        }
        packed.files.insert(path.clone(), schema);
    }
    packed.definitions.sort_keys();
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    serde_json::to_writer(&mut encoder, &packed)?;
    Ok(encoder.finish()?)
}

fn is_packed(path: &str) -> bool {
    path != DOCUMENT && path != "server.schema.json"
}

/// Fails unless the compressed schemas are equal to those in `files`.
fn check_packed(bytes: &[u8], files: &Files) -> Result {
    let mut packed = Packed::unpack(bytes)?;
    for (path, text) in files.iter().filter(|(path, _)| is_packed(path)) {
        let expected: Value = serde_json::from_str(text)?;
        if packed.take(|it| it == path) != Some(expected) {
            return Err(format!("{PACKED}: {path} differs; `cargo xtask schema write`").into());
        }
    }
    if let Some(path) = packed.files.keys().next() {
        return Err(format!("{PACKED}: {path} is not generated by anything").into());
    }
    Ok(())
}

/// Writes the version of the schemas to the manifests of the packages. If `write` is false, fails if a package has
/// another version.
fn versions(files: &Files, folder: &Path, write: bool) -> Result {
    let meta: Value = serde_json::from_str(&files["meta.json"])?;
    let version = meta["schemaVersion"].as_str().unwrap_or_default();
    for (name, before) in MANIFESTS {
        let path = folder.join(name);
        let text = fs::read_to_string(&path).map_err(|error| format!("schemas/{name}: {error}"))?;
        let (head, rest) = text.split_once(before).unwrap_or_default();
        let (has, tail) = rest.split_once('"').unwrap_or_default();
        if has == version {
            continue;
        }
        if !write {
            let hint = "`cargo xtask schema write` sets it";
            return Err(format!("schemas/{name}: version {has}, not {version}; {hint}").into());
        }
        fs::write(&path, [head, before, version, "\"", tail].concat())?;
    }
    Ok(())
}

fn folder(workspace: &Workspace) -> PathBuf {
    workspace.root.join("schemas")
}

/// Returns the path of a generated file. `folder` is the path of schemas/.
fn place(folder: &Path, name: &str) -> PathBuf {
    match name {
        DOCUMENT => folder.join("..").join(OPENAPI),
        _ => folder.join(name),
    }
}

/// Returns the path of a generated file in a form for messages.
fn shown(name: &str) -> String {
    match name {
        DOCUMENT => OPENAPI.to_owned(),
        _ => format!("schemas/{name}"),
    }
}

fn generated() -> Result<Files> {
    let files = claw_view::schema::files().into_iter();
    files
        .chain(claw_server::schema::files())
        .map(|(path, schema)| {
            let mut schema = serde_json::to_value(schema)?;
            // The keys are sorted, because the features of the build determine whether an object preserves the order of
            // its keys.
            schema.sort_all_objects();
            let text = serde_json::to_string_pretty(&schema)? + "\n";
            Ok((path.to_owned(), text))
        })
        .collect()
}

fn print(files: &Files, file: Option<&str>) -> Result<String> {
    let Some(file) = file else {
        return Ok(files.keys().flat_map(|path| [path, "\n"]).collect());
    };
    files
        .get(file)
        .cloned()
        .ok_or_else(|| format!("no schema is called {file}").into())
}

/// Replaces the generated files of a folder with `files`.
fn write(files: &Files, folder: &Path) -> Result {
    for stale in read(folder)?
        .keys()
        .filter(|path| !files.contains_key(*path))
    {
        fs::remove_file(place(folder, stale))?;
    }
    for (name, text) in files {
        let path = place(folder, name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, text)?;
    }
    Ok(())
}

/// Returns the generated files of a folder. The result is empty if the folder does not exist.
fn read(folder: &Path) -> Result<Files> {
    let mut files = Files::new();
    if let Ok(text) = fs::read_to_string(place(folder, DOCUMENT)) {
        files.insert(DOCUMENT.to_owned(), text);
    }
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop().filter(|next| next.is_dir()) {
        for entry in fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = slashes(path.strip_prefix(folder)?);
            if name == "meta.json" || name.ends_with(".schema.json") {
                let text = fs::read_to_string(&path)
                    .map_err(|error| format!("{}: {error}", path.display()))?;
                files.insert(name, text);
            }
        }
    }
    Ok(files)
}

/// Describes the first difference from the committed files. The names are compared before the contents.
fn drift(generated: &Files, committed: &Files) -> Option<String> {
    if let Some(path) = generated.keys().find(|path| !committed.contains_key(*path)) {
        return Some(format!("{} is missing", shown(path)));
    }
    if let Some(path) = committed.keys().find(|path| !generated.contains_key(*path)) {
        return Some(format!("{} is not generated by anything", shown(path)));
    }
    let (path, new, old) = generated
        .iter()
        .map(|(path, new)| (path, new, &committed[path]))
        .find(|(_, new, old)| new != old)?;
    let place = match (serde_json::from_str(new), serde_json::from_str(old)) {
        (Ok(new), Ok(old)) => match difference(&new, &old) {
            Some(pointer) => format!("at #{pointer}"),
            // The values are equal, so only the spacing or the order of keys differs.
            None => "in its spelling alone".to_owned(),
        },
        _ => "and is no JSON".to_owned(),
    };
    Some(format!("{} differs {place}", shown(path)))
}

/// Returns the JSON pointer to the first difference, in the order of the generated value.
fn difference(new: &Value, old: &Value) -> Option<String> {
    match (new, old) {
        (Value::Object(new), Value::Object(old)) => {
            let keys = new
                .keys()
                .chain(old.keys().filter(|key| !new.contains_key(*key)));
            keys.into_iter().find_map(|key| {
                let below = match (new.get(key), old.get(key)) {
                    (Some(new), Some(old)) => difference(new, old)?,
                    _ => String::new(),
                };
                Some(format!(
                    "/{}{below}",
                    key.replace('~', "~0").replace('/', "~1")
                ))
            })
        }
        (Value::Array(new), Value::Array(old)) => {
            let length = new.len().max(old.len());
            (0..length).find_map(|index| {
                let below = match (new.get(index), old.get(index)) {
                    (Some(new), Some(old)) => difference(new, old)?,
                    _ => String::new(),
                };
                Some(format!("/{index}{below}"))
            })
        }
        _ => (new != old).then(String::new),
    }
}

#[cfg(test)]
mod tests;
