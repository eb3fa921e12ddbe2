//! `claw serve --limits`: reads the limits of users and projects from a file.

use std::error::Error;
use std::fs;
use std::ops::Range;
use std::path::Path;

use claw_server::{Project, Quota, Quotas, User};
use toml_edit::{Document, Item, TableLike};

/// Maximum number of bytes of the file.
const LARGEST: u64 = 1 << 20;
/// Maximum number of rows.
const MOST_ROWS: usize = 1000;
/// Maximum limit of turns within an hour. The limit is bounded because the time of each turn is in memory.
const MOST_TURNS: u32 = 10_000;

/// A row of the file, with the number of its line.
struct Row {
    name: String,
    line: usize,
    of: Of,
    quota: Quota,
}

/// The user or project of a row.
#[derive(Debug, Clone, PartialEq)]
enum Of {
    User(String),
    /// Each user without a row.
    Users,
    /// The project in this folder.
    Project(String),
    /// Each project without a row.
    Projects,
}

/// Reads the limits of a file. `users` are the users of the server. It is `None` if the server has no users.
///
/// # Errors
///
/// Fails with the first fault of the file. The error names the file, the line and the row.
pub(super) fn read(
    file: &Path,
    projects: &[Project],
    users: Option<&[User]>,
) -> Result<Quotas, Box<dyn Error>> {
    let name = file.display();
    let size = fs::metadata(file).map_err(|error| format!("{name}: {error}"))?;
    if size.len() > LARGEST {
        return Err(format!("{name}: the file is longer than {LARGEST} bytes").into());
    }
    let text = fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
    let set = |(line, fault): (usize, String)| format!("{name}:{line}: {fault}");
    let rows = rows(&text).map_err(set)?;
    let mut quotas = Quotas::new();
    for (at, row) in rows.iter().enumerate() {
        let of_row = |fault: String| set((row.line, format!("the limits {:?}: {fault}", row.name)));
        let of = row.of.found(projects, users).map_err(of_row)?;
        let mut before = rows[..at].iter();
        if before.any(|other| other.of.found(projects, users).as_ref() == Ok(&of)) {
            return Err(of_row("another row for the same is before it".to_owned()).into());
        }
        let quota = row.quota.clone();
        quotas = match of {
            Of::User(name) => {
                if !users
                    .unwrap_or_default()
                    .iter()
                    .any(|user| user.name == name)
                {
                    let text = "there is no such user yet";
                    anstream::eprintln!("claw: {}", of_row(format!("{name}: {text}")));
                }
                quotas.user(name, quota)
            }
            Of::Users => quotas.other_users(quota),
            Of::Project(name) => quotas.project(name, quota),
            Of::Projects => quotas.other_projects(quota),
        };
    }
    Ok(quotas)
}

impl Of {
    /// Checks that this user or project exists, and returns it. The file contains the folder of a project, and the
    /// result contains its name.
    fn found(&self, projects: &[Project], users: Option<&[User]>) -> Result<Self, String> {
        match self {
            Self::User(_) | Self::Users if users.is_none() => {
                Err("the server has no users: they need --users".to_owned())
            }
            Self::Project(folder) => {
                let real = fs::canonicalize(folder);
                let mut projects = projects.iter();
                let found = projects.find(|project| real.as_ref().ok() == Some(&project.folder));
                let found = found.map(|project| Self::Project(project.name.clone()));
                found.ok_or_else(|| format!("the server has no project {folder}"))
            }
            Self::User(_) | Self::Users | Self::Projects => Ok(self.clone()),
        }
    }
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
        if rows.len() == MOST_ROWS {
            return Err((at, format!("there are more than {MOST_ROWS} rows")));
        }
        let mut subject = None;
        let mut quota = Quota::default();
        for (key, item) in table.iter() {
            read_key(key, item, &mut subject, &mut quota).map_err(|fault| {
                let fault = format!("the limits {name:?}: {key}: {fault}");
                (of(table, key, item), fault)
            })?;
        }
        let Some(subject) = subject else {
            let text = "`user` or `project` is missing; `\"*\"` stands for each that has no row";
            return Err((at, format!("the limits {name:?}: {text}")));
        };
        rows.push(Row {
            name: name.to_owned(),
            line: at,
            of: subject,
            quota,
        });
    }
    Ok(rows)
}

/// Reads one key of a row.
fn read_key(
    key: &str,
    item: &Item,
    subject: &mut Option<Of>,
    quota: &mut Quota,
) -> Result<(), &'static str> {
    match key {
        "user" | "project" => {
            let text = item.as_str().filter(|text| !text.contains('\0'));
            let text = text.ok_or("not a text")?.to_owned();
            let of = match (key, &*text) {
                ("user", "*") => Of::Users,
                ("user", _) => Of::User(text),
                (_, "*") => Of::Projects,
                _ => Of::Project(text),
            };
            if subject.replace(of).is_some() {
                return Err("a row has either `user` or `project`");
            }
        }
        "processes" => quota.processes = Some(count(item)?),
        "sessions" => quota.sessions = Some(count(item)?),
        "waiting" => quota.waiting = Some(count(item)?),
        "cost-per-day" => quota.cost_per_day = Some(dollars(item)?),
        "cost-per-month" => quota.cost_per_month = Some(dollars(item)?),
        "turns-per-hour" => {
            let turns = count(item)?;
            if turns > MOST_TURNS {
                return Err("more than 10000 turns per hour: leave the key out for no limit");
            }
            quota.turns_per_hour = Some(turns);
        }
        _ => {
            return Err(
                "there is no such key; the keys are user, project, processes, sessions, turns-per-hour, waiting, cost-per-day and cost-per-month",
            );
        }
    }
    Ok(())
}

fn count(item: &Item) -> Result<u32, &'static str> {
    let count = item
        .as_integer()
        .and_then(|count| u32::try_from(count).ok());
    count
        .filter(|count| *count > 0)
        .ok_or("not a whole number of at least 1")
}

fn dollars(item: &Item) -> Result<f64, &'static str> {
    let whole = item.as_integer().and_then(|usd| u32::try_from(usd).ok());
    let usd = whole.map(f64::from).or_else(|| item.as_float());
    let usd = usd.filter(|usd| usd.is_finite() && *usd > 0.0);
    usd.ok_or("not a number of dollars above 0")
}

#[cfg(test)]
mod tests {
    use claw_server::{NewUser, Role, Users};

    use super::*;

    fn fault(text: &str) -> (usize, String) {
        rows(text).map(drop).unwrap_err()
    }

    #[test]
    fn a_fault_has_its_line() {
        let (line, text) = fault("[a]\nuser = \"ana\"\nprocess = 1\n");
        assert_eq!(line, 3);
        assert!(
            text.starts_with("the limits \"a\": process: there is no such key"),
            "{text}"
        );
        assert_eq!(fault("\n[a]\nsessions = 1\n").0, 2);
        assert_eq!(fault("a = 1\n").0, 1);
        for value in ["0", "-1", "1.5", "\"1\"", "4294967296"] {
            let (line, text) = fault(&format!("[a]\nuser = \"*\"\nprocesses = {value}\n"));
            assert_eq!(line, 3, "{value}: {text}");
        }
        assert_eq!(fault("[a]\nuser = \"*\"\nturns-per-hour = 10001").0, 3);
        for value in ["0", "-1", "0.0", "inf", "nan", "\"1\""] {
            let (line, text) = fault(&format!("[a]\nuser = \"*\"\ncost-per-day = {value}\n"));
            assert_eq!(line, 3, "{value}: {text}");
        }
        assert_eq!(fault("[a]\nuser = \"*\"\nproject = \"*\"").0, 3);
        assert_eq!(fault("[a]\nuser = [\n").0, 2);
        let many = (0..=MOST_ROWS).map(|n| format!("[a{n}]\nuser = \"u{n}\"\n"));
        let many = many.collect::<Vec<_>>().concat();
        assert_eq!(fault(&many).0, 2 * MOST_ROWS + 1);
    }

    #[test]
    fn each_user_and_project_has_its_row_or_the_general_one() {
        let folder = tempfile::tempdir().unwrap();
        let shop = folder.path().join("shop");
        fs::create_dir(&shop).unwrap();
        let [file, users] = ["limits.toml", "users.json"].map(|name| folder.path().join(name));
        Users::add(&users, NewUser::new("ana", Role::Prompt)).unwrap();
        let users = Users::open(&users).unwrap().list();
        let projects = [Project::new(&shop).unwrap()];
        let read_as = |text: &str, users| {
            fs::write(&file, text).unwrap();
            read(&file, &projects, users).map_err(|error| error.to_string())
        };
        let row = |change: fn(&mut Quota)| {
            let mut quota = Quota::default();
            change(&mut quota);
            quota
        };
        let shop = shop.display();
        let text = format!(
            "[general]\nuser = \"*\"\nturns-per-hour = 20\n[ana]\nuser = \"ana\"\nprocesses = 2\n\
             [shop]\nproject = \"{shop}\"\nsessions = 3\ncost-per-day = 5\ncost-per-month = 99.5\n[projects]\nproject = \"*\"\nwaiting = 4\n"
        );
        let expected = Quotas::new()
            .other_users(row(|it| it.turns_per_hour = Some(20)))
            .user("ana", row(|it| it.processes = Some(2)))
            .project(
                "shop",
                row(|it| {
                    (it.sessions, it.cost_per_day, it.cost_per_month) =
                        (Some(3), Some(5.0), Some(99.5));
                }),
            )
            .other_projects(row(|it| it.waiting = Some(4)));
        assert_eq!(read_as(&text, Some(&users)).unwrap(), expected);

        let fails = |text: &str, users, part: &str| {
            let error = read_as(text, users).unwrap_err();
            assert!(error.contains(part), "{error}");
        };
        fails(
            &text,
            None,
            ":1: the limits \"general\": the server has no users",
        );
        fails(
            "\n[a]\nproject = \"/no/such\"",
            None,
            ":2: the limits \"a\": the server has no project /no/such",
        );
        fails(
            &format!("[a]\nproject = \"{shop}\"\n[b]\nproject = \"{shop}/.\"\n"),
            None,
            ":3: the limits \"b\": another row for the same is before it",
        );
    }
}
