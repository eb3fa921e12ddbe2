//! Describes the project with data from cargo and git.
#![expect(
    missing_docs,
    reason = "fields are named and explained by `cargo metadata`"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::run::{Result, cargo, read};

/// The path of the OpenAPI document of `claw serve` in the workspace.
pub const OPENAPI: &str = "crates/claw-server/openapi.json";

/// The workspace in the form in which `cargo metadata` describes it, without crates outside of it.
#[derive(Debug, Deserialize)]
pub struct Workspace {
    #[serde(rename = "workspace_root")]
    pub root: PathBuf,
    pub target_directory: PathBuf,
    pub packages: Vec<Package>,
    #[serde(rename = "workspace_default_members")]
    default_members: Vec<String>,
    /// `[workspace.metadata]`: data in the manifest for the project's own commands.
    #[serde(default)]
    pub metadata: serde_json::Value,
}

/// A crate of the workspace.
#[derive(Debug, Deserialize)]
pub struct Package {
    pub id: String,
    pub name: String,
    pub dependencies: Vec<Dependency>,
    pub targets: Vec<Target>,
    pub features: std::collections::BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub version: String,
    #[serde(default)]
    pub manifest_path: PathBuf,
    pub rust_version: Option<String>,
    pub description: Option<String>,
    pub license: Option<String>,
    pub repository: Option<String>,
    pub readme: Option<String>,
    #[serde(default)]
    pub keywords: Vec<String>,
    #[serde(default)]
    pub categories: Vec<String>,
    /// The registries to which the crate may be published. `None` means any registry. An empty list means that the
    /// crate is not published.
    publish: Option<Vec<String>>,
}

/// A line of a `[dependencies]` table.
#[derive(Debug, Deserialize)]
pub struct Dependency {
    pub name: String,
    /// The name of the dependency in this crate, if it differs from the name of the package.
    pub rename: Option<String>,
    /// The required version, or `*`.
    #[serde(default)]
    pub req: String,
    /// `None` for a normal dependency, otherwise `dev` or `build`.
    pub kind: Option<String>,
    pub optional: bool,
}

/// A target that a crate builds.
#[derive(Debug, Deserialize)]
pub struct Target {
    #[serde(default)]
    pub name: String,
    pub kind: Vec<String>,
    pub src_path: PathBuf,
}

impl Workspace {
    /// Reads the metadata of this workspace with cargo.
    pub fn read() -> Result<Self> {
        Self::read_at(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")))
    }

    /// Reads the metadata of the workspace in a folder with cargo.
    pub fn read_at(root: &Path) -> Result<Self> {
        let mut metadata = cargo("metadata");
        metadata.args(["--format-version=1", "--no-deps"]);
        // cargo takes the default members from the workspace of the current folder.
        metadata.current_dir(root);
        Ok(serde_json::from_str(&read(&mut metadata)?)?)
    }

    /// Returns the value of a `pub const NAME: &str` in a source file of the project. The text is read because this
    /// crate depends on no other crate of the project, so that it can be built quickly.
    ///
    /// # Errors
    /// Fails if the file has no such constant.
    pub fn constant(&self, file: &str, name: &str) -> Result<String> {
        let text = std::fs::read_to_string(self.root.join(file))?;
        let value = text
            .split_once(&format!("pub const {name}: &str = \""))
            .and_then(|(_, rest)| rest.split_once('"'));
        let (value, _) = value.ok_or_else(|| format!("{file} has no constant {name}"))?;
        Ok(value.to_owned())
    }

    /// Returns the folder into which `cargo xtask ci` installs programs.
    pub fn ci_directory(&self) -> PathBuf {
        self.target_directory.join("ci")
    }

    /// Returns the folder of programs that were built without `--release`.
    pub fn debug_directory(&self) -> PathBuf {
        self.target_directory.join("debug")
    }

    /// Returns the crates on which other projects can depend.
    pub fn libraries(&self) -> impl Iterator<Item = &Package> {
        self.published().filter(|package| package.is_library())
    }

    /// Returns the crates that are published.
    pub fn published(&self) -> impl Iterator<Item = &Package> {
        self.packages
            .iter()
            .filter(|package| package.is_published())
    }

    /// Returns the crates to which a cargo command at the root applies by default.
    pub fn default_members(&self) -> impl Iterator<Item = &Package> {
        self.packages
            .iter()
            .filter(|p| self.default_members.contains(&p.id))
    }

    /// Returns every file of the project: the files that git tracks, and those that `git add` would add. The paths are
    /// relative to the root, and sorted.
    pub fn files(&self) -> Result<Vec<PathBuf>> {
        let list = read(Command::new("git").current_dir(&self.root).args([
            // git normally refuses a checkout that belongs to another user. It is allowed here, because the files are
            // only listed.
            "-c",
            "safe.directory=*",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]))?;
        let mut files: Vec<_> = list
            .split_terminator('\0')
            .map(PathBuf::from)
            .filter(|file| self.root.join(file).is_file())
            .collect();
        files.sort();
        files.dedup();
        Ok(files)
    }
}

impl Package {
    /// Whether the crate has a library (macros included).
    pub fn is_library(&self) -> bool {
        self.library().is_some()
    }

    /// Returns the library of the crate (macros included).
    pub fn library(&self) -> Option<&Target> {
        self.targets.iter().find(|target| target.is_library())
    }

    /// Returns the targets of a kind, such as `bin` or `test`.
    pub fn targets_of(&self, kind: &str) -> impl Iterator<Item = &Target> {
        let is_of_kind = move |target: &&Target| target.kind.iter().any(|found| found == kind);
        self.targets.iter().filter(is_of_kind)
    }

    /// Returns the Rust code in the folder `src` of the crate, as one text.
    ///
    /// # Errors
    /// Fails if a file cannot be read.
    pub fn code(&self) -> Result<String> {
        let mut folders: Vec<_> = self
            .manifest_path
            .parent()
            .map(|folder| folder.join("src"))
            .into_iter()
            .collect();
        let mut code = String::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder)? {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if has_extension(&path, "rs") {
                    code += &std::fs::read_to_string(path)?;
                }
            }
        }
        Ok(code)
    }

    pub fn is_published(&self) -> bool {
        self.publish
            .as_ref()
            .is_none_or(|registries| !registries.is_empty())
    }
}

impl Target {
    pub fn is_library(&self) -> bool {
        self.kind
            .iter()
            .any(|kind| kind == "lib" || kind == "proc-macro")
    }
}

/// Whether a path has this extension.
pub fn has_extension(path: impl AsRef<Path>, extension: &str) -> bool {
    path.as_ref()
        .extension()
        .is_some_and(|found| found == extension)
}

/// Returns a path with `/` as the separator on every system, for messages and tables.
pub fn slashes(path: &Path) -> String {
    path.components()
        .map(|part| part.as_os_str().display().to_string())
        .collect::<Vec<_>>()
        .join("/")
}

/// Returns the required fields that the manifests of published crates lack, and those whose form registries refuse.
pub fn lacking_fields<'a>(packages: impl Iterator<Item = &'a Package>) -> Vec<String> {
    let mut lacking = Vec::new();
    for package in packages {
        let mut check = |field: &str, is_good: bool| {
            if !is_good {
                lacking.push(format!("{} has no good `{field}`", package.name));
            }
        };
        let is_there = |field: &Option<String>| field.as_ref().is_some_and(|it| !it.is_empty());
        check("description", is_there(&package.description));
        check("license", is_there(&package.license));
        check("readme", is_there(&package.readme));
        check("rust-version", is_there(&package.rust_version));
        let url = package.repository.as_deref().unwrap_or_default();
        check("repository", url.starts_with("https://"));
        check("keywords", are_labels(&package.keywords, 20));
        check("categories", are_labels(&package.categories, usize::MAX));
    }
    lacking
}

/// Whether the list contains one to five words. A word contains no white space and is at most `longest` bytes long.
fn are_labels(words: &[String], longest: usize) -> bool {
    let is_label = |word: &String| {
        !word.is_empty() && word.len() <= longest && !word.contains(char::is_whitespace)
    };
    (1..=5).contains(&words.len()) && words.iter().all(is_label)
}
