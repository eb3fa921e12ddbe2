//! `claw serve --walls`: reads the sandboxes in which the CLIs of the projects run.

use std::env;
use std::error::Error;
use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};

use claw_server::{Project, Wall};
use toml_edit::{Array, Document, Item, TableLike, Value};

/// Maximum number of bytes of the file.
const LARGEST: u64 = 1 << 20;

/// A row of the file, with the number of its line.
struct Row {
    name: String,
    line: usize,
    /// The folder of the project. `None` means all projects without a row of their own.
    project: Option<PathBuf>,
    /// The words of the command. Empty if the project has no wall.
    command: Vec<String>,
    is_shell: bool,
    home: Option<String>,
    claude: Option<String>,
    env: Vec<String>,
    set: Vec<(String, String)>,
}

/// Sets the walls of projects according to the rows of a file.
///
/// # Errors
///
/// Fails with the first fault of the file, or if a project has no row. The error names the file, the line and the row.
pub(super) fn apply(file: &Path, projects: &mut [Project]) -> Result<(), Box<dyn Error>> {
    let name = file.display();
    let size = fs::metadata(file).map_err(|error| format!("{name}: {error}"))?;
    if size.len() > LARGEST {
        return Err(format!("{name}: the file is longer than {LARGEST} bytes").into());
    }
    let text = fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
    let set = |(line, fault): (usize, String)| format!("{name}:{line}: {fault}");
    let rows = rows(&text).map_err(set)?;
    for (at, row) in rows.iter().enumerate() {
        row.check(&rows[..at], projects)
            .map_err(|fault| set((row.line, format!("the wall {:?}: {fault}", row.name))))?;
    }
    for project in projects {
        let own = rows.iter().find(|row| row.is_of(project));
        let row = own.or_else(|| rows.iter().find(|row| row.project.is_none()));
        let Some(row) = row else {
            let folder = project.folder.display();
            return Err(format!(
                "{name}: no wall for the project {folder}: add a row for it, with `command = []` for none, or a row without \
                 `project`"
            )
            .into());
        };
        if row.command.is_empty() {
            continue;
        }
        let wall = row.wall(project);
        let wall =
            wall.map_err(|fault| set((row.line, format!("the wall {:?}: {fault}", row.name))))?;
        project.wall = Some(wall);
    }
    Ok(())
}

/// Returns the rows of a file. An error contains the number of the line.
fn rows(text: &str) -> Result<Vec<Row>, (usize, String)> {
    let line = |span: Option<Range<usize>>| {
        let before = text.get(..span.map_or(0, |span| span.start));
        before.unwrap_or_default().matches('\n').count() + 1
    };
    let document =
        Document::parse(text).map_err(|error| (line(error.span()), error.message().to_owned()))?;
    let of = |table: &dyn TableLike, key: &str, item: &Item| {
        let span = table.key(key).and_then(toml_edit::Key::span);
        line(span.or_else(|| item.span()))
    };
    let mut rows = Vec::new();
    for (name, item) in document.as_table() {
        let at = of(document.as_table(), name, item);
        let Some(table) = item.as_table_like() else {
            let text = format!("{name:?} is no table, such as `[{name}]` with keys below it");
            return Err((at, text));
        };
        let mut row = Row {
            name: name.to_owned(),
            line: at,
            project: None,
            command: Vec::new(),
            is_shell: false,
            home: None,
            claude: None,
            env: Vec::new(),
            set: Vec::new(),
        };
        let mut has_command = false;
        for (key, item) in table.iter() {
            let read = row.read(key, item);
            read.map_err(|fault| {
                let fault = format!("the wall {name:?}: {key}: {fault}");
                (of(table, key, item), fault)
            })?;
            has_command |= key == "command";
        }
        if !has_command {
            return Err((at, format!("the wall {name:?}: `command` is missing")));
        }
        rows.push(row);
    }
    Ok(rows)
}

impl Row {
    fn read(&mut self, key: &str, item: &Item) -> Result<(), &'static str> {
        match key {
            "project" => self.project = Some(text(item)?.into()),
            "command" => self.command = texts(item)?,
            "shell" => self.is_shell = item.as_bool().ok_or("not true or false")?,
            "home" => self.home = Some(text(item)?),
            "claude" => self.claude = Some(text(item)?),
            "env" => {
                self.env = texts(item)?;
                if self
                    .env
                    .iter()
                    .any(|name| name.trim_end_matches('*').is_empty())
                {
                    return Err("a name is missing before the asterisk: list the variables");
                }
            }
            "set" => {
                let table = item.as_table_like().ok_or("not a table of texts")?;
                let pairs = table
                    .iter()
                    .map(|(name, item)| Ok((name.to_owned(), text(item)?)));
                self.set = pairs.collect::<Result<_, &str>>()?;
            }
            _ => {
                return Err(
                    "there is no such key; the keys are project, command, shell, home, claude, env and set",
                );
            }
        }
        Ok(())
    }

    fn is_of(&self, project: &Project) -> bool {
        let folder = self.project.as_ref().map(fs::canonicalize);
        folder.is_some_and(|folder| folder.is_ok_and(|folder| folder == project.folder))
    }

    /// Checks that the row is for a project of the server, that no earlier row is for the same project, and that its
    /// command can be started.
    fn check(&self, before: &[Self], projects: &[Project]) -> Result<(), String> {
        match &self.project {
            None if before.iter().any(|other| other.project.is_none()) => {
                return Err("another row without `project` is before it".to_owned());
            }
            None => {}
            Some(folder) => {
                let Some(project) = projects.iter().find(|project| self.is_of(project)) else {
                    let folder = folder.display();
                    return Err(format!("the server has no project {folder}"));
                };
                if before.iter().any(|other| other.is_of(project)) {
                    return Err("another row for the same project is before it".to_owned());
                }
            }
        }
        match self.command.first() {
            None => Ok(()),
            Some(program) if is_program(program) => Ok(()),
            Some(program) => Err(format!(
                "the program {program:?} is not found, or may not be run"
            )),
        }
    }

    fn wall(&self, project: &Project) -> Result<Wall, String> {
        let mut wall = Wall::new(&self.name, &self.command);
        if self.is_shell {
            wall = wall.shell();
        }
        if let Some(home) = &self.home {
            wall = wall.home(home_of(&home.replace("{project}", &project.name))?);
        }
        if let Some(claude) = &self.claude {
            wall = wall.claude(claude);
        }
        for name in &self.env {
            wall = wall.inherit(name);
        }
        for (name, value) in &self.set {
            wall = wall.set(name, value);
        }
        Ok(wall)
    }
}

/// Returns the home of a wall. Creates a configuration folder in it that only the server's user can read.
fn home_of(home: &str) -> Result<PathBuf, String> {
    let home = Path::new(home);
    let failed = |error: std::io::Error| format!("home: {}: {error}", home.display());
    if !home.is_absolute() {
        return Err(format!("home: {} is not an absolute path", home.display()));
    }
    let home = home.canonicalize().map_err(failed)?;
    let config = home.join(".claude");
    match fs::symlink_metadata(&config) {
        Ok(found) if found.is_dir() => {}
        // A program behind the wall may have created the file.
        Ok(_) => return Err(format!("home: {} is no folder", config.display())),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let mut folder = fs::DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut folder, 0o700);
            folder.create(&config).map_err(failed)?;
        }
        Err(error) => return Err(failed(error)),
    }
    Ok(home)
}

/// Returns whether this is the path of a program, or the name of a program in `PATH`.
fn is_program(name: &str) -> bool {
    let is_runnable = |path: &Path| {
        let Ok(found) = path.metadata() else {
            return false;
        };
        #[cfg(unix)]
        let may_run = std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 != 0;
        #[cfg(not(unix))]
        let may_run = true;
        found.is_file() && may_run
    };
    if Path::new(name).components().count() > 1 {
        return is_runnable(Path::new(name));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| {
        is_runnable(&folder.join(name))
            || is_runnable(&folder.join(format!("{name}{}", env::consts::EXE_SUFFIX)))
    })
}

fn text(item: &Item) -> Result<String, &'static str> {
    let text = item.as_str().filter(|text| !text.contains('\0'));
    text.map(str::to_owned).ok_or("not a text")
}

fn texts(item: &Item) -> Result<Vec<String>, &'static str> {
    let texts = item.as_array().ok_or("not an array of texts")?;
    let all = Array::iter(texts).map(|value: &Value| {
        let text = value.as_str().filter(|text| !text.contains('\0'));
        text.map(str::to_owned)
    });
    all.collect::<Option<_>>().ok_or("not an array of texts")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> (usize, String) {
        rows(text).map(drop).unwrap_err()
    }

    #[test]
    fn a_fault_has_its_line() {
        let (line, text) = fault("[shop]\ncommand = [\"sh\"]\nhomes = \"/x\"\n");
        assert_eq!(line, 3);
        assert!(
            text.starts_with("the wall \"shop\": homes: there is no such key"),
            "{text}"
        );
        assert_eq!(fault("\n[shop]\nhome = \"/x\"\n").0, 2);
        assert_eq!(fault("shop = 1\n").0, 1);
        assert_eq!(fault("[shop]\ncommand = [1]\n").0, 2);
        assert_eq!(fault("[shop]\ncommand = []\nenv = [\"*\"]\n").0, 3);
        assert_eq!(fault("[shop]\ncommand = [\n").0, 2);
    }

    #[test]
    fn each_project_has_its_row_or_the_general_one() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| {
            let path = folder.path().join(name);
            fs::create_dir(&path).unwrap();
            path
        };
        let [shop, bank, open] = ["shop", "bank", "open"].map(at);
        let [home, file] = ["home", "walls.toml"].map(|name| folder.path().join(name));
        for name in ["", "bank"] {
            fs::create_dir_all(home.join(name)).unwrap();
        }
        let projects = || [&shop, &bank, &open].map(|it| Project::new(it).unwrap());
        let applied = |text: &str| {
            fs::write(&file, text).unwrap();
            let mut projects = projects();
            apply(&file, &mut projects)
                .map(|()| projects)
                .map_err(|error| error.to_string())
        };
        let (shop, open, home) = (shop.display(), open.display(), home.display());
        let text = format!(
            "[general]\ncommand = [\"sh\"]\nhome = \"{home}/{{project}}\"\n\
             [one]\nproject = \"{shop}\"\ncommand = [\"sh\", \"-c\"]\nshell = true\nenv = [\"A\"]\nset = {{ B = \"1\" }}\n\
             [none]\nproject = \"{open}\"\ncommand = []\n"
        );
        let [one, general, none] = applied(&text).unwrap().map(|project| project.wall);
        let real = folder.path().canonicalize().unwrap();
        let expected = Wall::new("general", ["sh"]).home(real.join("home/bank"));
        assert_eq!(general, Some(expected));
        let expected = Wall::new("one", ["sh", "-c"]).shell();
        assert_eq!(one, Some(expected.inherit("A").set("B", "1")));
        assert_eq!(none, None);

        let fails = |text: &str, part: &str| {
            let error = applied(text).unwrap_err();
            assert!(error.contains(part), "{error}");
        };
        fails(
            &format!("[one]\nproject = \"{shop}\"\ncommand = []"),
            "no wall for the project",
        );
        fails(
            "\n[a]\ncommand = [\"no-such-program\"]",
            ":2: the wall \"a\": the program",
        );
        fails(
            "[a]\ncommand = []\n[b]\ncommand = []",
            ":3: the wall \"b\": another row without",
        );
        fails(
            "[a]\nproject = \"/no/such\"\ncommand = []",
            "the server has no project",
        );
        fails(
            "[a]\ncommand = [\"sh\"]\nhome = \"h\"",
            "home: h is not an absolute path",
        );
        let row = format!("project = \"{shop}\"\ncommand = []");
        fails(
            &format!("[a]\n{row}\n[b]\n{row}"),
            "another row for the same project",
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_configuration_folder_that_is_a_link_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc", folder.path().join(".claude")).unwrap();
        assert!(
            home_of(folder.path().to_str().unwrap())
                .unwrap_err()
                .contains("is no folder")
        );
    }
}
