//! `claw users`: the users of `claw serve`.

use std::error::Error;
use std::fs::canonicalize;
use std::io::Write as _;
use std::path::PathBuf;

use claw_server::{NewUser, PublicUrl, Role, Users};

use crate::args::users::{Add, Command, File};
use crate::escape::escape;
use crate::outcome::{Outcome, report};

/// The environment variable with the path of the file. It is used if no option names the file.
const VARIABLE: &str = "CLAW_USERS";

impl Command {
    pub(crate) fn run(self) -> Outcome {
        let done = match self {
            Self::Add(add) => add.run(),
            Self::List { file } => list(file),
            Self::Remove { name, file } => remove(&name, file),
        };
        let text = match done {
            Ok(text) => text,
            Err(error) => return report(&*error, Outcome::Unreadable),
        };
        let mut out = anstream::stdout();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Ok(()) => Outcome::Success,
            Err(error) => Outcome::unwritten(&error),
        }
    }
}

impl File {
    fn path(self) -> Result<PathBuf, Box<dyn Error>> {
        let of_environment = || std::env::var_os(VARIABLE).map(PathBuf::from);
        let path = self.users.or_else(of_environment);
        let path = path.filter(|path| !path.as_os_str().is_empty());
        Ok(path.ok_or("name the file of users with --users FILE, or in CLAW_USERS")?)
    }
}

impl Add {
    fn run(self) -> Result<String, Box<dyn Error>> {
        let url = PublicUrl::new(&self.url);
        let url = url.ok_or("--url: not an address such as https://claw.example.org")?;
        let mut new = NewUser::new(&self.name, self.role.parse::<Role>()?);
        if !self.projects.is_empty() {
            let real = |folder: &PathBuf| {
                let real = canonicalize(folder);
                real.map_err(|error| format!("--project {}: {error}", folder.display()))
            };
            new.projects = Some(self.projects.iter().map(real).collect::<Result<_, _>>()?);
        }
        if self.no_token {
            Users::add_without_token(self.file.path()?, new)?;
            return Ok("The user has no token: a proxy names the user.\n".to_owned());
        }
        let token = Users::add(self.file.path()?, new)?;
        let token = token.expose();
        Ok(format!(
            "Log in with {url}/login/{token}\nToken for programs: {token}\nNeither is shown again.\n"
        ))
    }
}

fn list(file: File) -> Result<String, Box<dyn Error>> {
    let line = |user: claw_server::User| {
        let has_token = user.has_token();
        let folders = user.projects.map_or_else(
            || "all projects".to_owned(),
            |folders| {
                let folders = folders.iter().map(|folder| folder.display().to_string());
                folders.collect::<Vec<_>>().join(", ")
            },
        );
        let name = escape(&user.name).into_owned();
        let token = if has_token { "" } else { "  no token" };
        format!("{name}  {}  {}{token}\n", user.role, escape(&folders))
    };
    let users = Users::open(file.path()?)?.list();
    Ok(users.into_iter().map(line).collect())
}

fn remove(name: &str, file: File) -> Result<String, Box<dyn Error>> {
    Users::remove(file.path()?, name)?;
    Ok(String::new())
}
