//! Several configuration folders, whose sessions are used together.

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, MAIN_SEPARATOR_STR, Path, PathBuf};
use std::sync::Arc;

use crate::home::{CONFIG_VARIABLE, Home, Named, PROJECT_NAME_VARIABLE, usual_config};
use crate::{Error, Session, Sessions, real_path};

impl Sessions {
    /// The maximum number of configuration folders that are used together.
    pub const MOST_CONFIG_DIRS: usize = 16;

    /// Gives access to the sessions in these configuration folders, such as `~/.claude` and `~/.claude-work`. Lists,
    /// searches, reports, watches and calls that find a session use all of them. New sessions belong to the first
    /// folder. A folder that is named twice, also by a symbolic link, is used once. Without a folder, this function is
    /// the same as [`of_environment`](Self::of_environment).
    ///
    /// `variable` returns the value of an environment variable. It determines what [`environment`](Self::environment)
    /// changes.
    ///
    /// A folder that does not exist or cannot be read is one of the [`problems`](Self::problems) of the value, and of
    /// each list. The sessions of the other folders are used.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::TooManyConfigDirs`] if there are more than [`MOST_CONFIG_DIRS`](Self::MOST_CONFIG_DIRS)
    /// folders, with [`Error::Io`] if a path is empty, is not UTF-8 or cannot be made absolute, and with
    /// [`Error::NoHome`] if no folder is named and the environment names no home.
    pub fn of_config_dirs<D: Into<PathBuf>>(
        folders: impl IntoIterator<Item = D>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, Error> {
        let mut homes: Vec<(PathBuf, Arc<Home>)> = Vec::new();
        for folder in folders {
            let folder = folder.into();
            let config = std::path::absolute(&folder)
                .map_err(|error| Error::io("cannot use", &folder, error))?;
            let Some(text) = config.to_str() else {
                let error = io::Error::new(ErrorKind::InvalidInput, "the path is not UTF-8");
                return Err(Error::io("cannot use", folder, error));
            };
            let real = real(&config);
            if homes.iter().any(|(known, _)| *known == real) {
                continue;
            }
            if homes.len() == Self::MOST_CONFIG_DIRS {
                return Err(Error::TooManyConfigDirs);
            }
            let variable_of = set_variable(text, &real, &variable);
            let named = Named {
                variable: variable_of,
            };
            let name = variable(PROJECT_NAME_VARIABLE).filter(|name| !name.is_empty());
            homes.push((real, Arc::new(Home::named(config, named, name))));
        }
        let all: Arc<[_]> = homes.into_iter().map(|(_, home)| home).collect();
        match &*all {
            [] => Self::of_environment(variable),
            [home] => Ok(Self::of_home(home.clone())),
            [home, ..] => Ok(Self {
                home: home.clone(),
                all: Some(all),
            }),
        }
    }

    /// Returns each configuration folder as a value of its own, in their order.
    pub fn each(&self) -> impl ExactSizeIterator<Item = Self> {
        let homes = self.homes().iter().cloned().map(Self::of_home);
        homes.collect::<Vec<_>>().into_iter()
    }

    /// Whether the sessions of several configuration folders are used together.
    pub fn has_several(&self) -> bool {
        self.all.is_some()
    }

    /// Returns the environment variable with which a `claude` uses the first configuration folder: its name, and its
    /// value. The value is `None` if the variable must not be set. The variable also selects other data of `claude`,
    /// such as logins. Therefore it is not set for a folder that `claude` uses without it. Returns `None` if the folder
    /// was not named by [`of_config_dirs`](Self::of_config_dirs).
    pub fn environment(&self) -> Option<(&'static str, Option<&str>)> {
        let named = self.home.named.as_ref()?;
        Some((CONFIG_VARIABLE, named.variable.as_deref()))
    }

    /// Returns the configuration folders that were named and cannot be read, with the reasons.
    pub fn problems(&self) -> Vec<Error> {
        let named = self.homes().iter().filter(|home| home.named.is_some());
        let problems = named.filter_map(|home| {
            let config = &home.config;
            let error = fs::read_dir(config).err()?;
            Some(Error::io("cannot read", config, error))
        });
        problems.collect()
    }

    /// Returns a short name of a configuration folder, which differs from the names of the other folders: the end of
    /// its path. Returns `None` if there is only one folder, and for any other folder.
    pub fn short_name(&self, config: &Path) -> Option<String> {
        let all = self.all.as_ref()?;
        let own = all.iter().find(|home| home.config == config)?;
        let others = || all.iter().filter(|home| !Arc::ptr_eq(home, own));
        let most = own.config.components().count();
        let ends = (1..most).map(|parts| end(&own.config, parts));
        let mut unique = ends
            .zip(1..)
            .filter(|(name, parts)| others().all(|other| end(&other.config, *parts) != *name));
        let name = unique.next().map(|(name, _)| name);
        Some(name.unwrap_or_else(|| own.config.display().to_string()))
    }

    /// Returns the index of the configuration folder that contains this path. Returns 0 if no folder contains it.
    pub(crate) fn number_of(&self, path: &Path) -> usize {
        let Some(all) = &self.all else { return 0 };
        let above = all.iter().enumerate();
        let above = above.filter(|(_, home)| path.starts_with(&home.config));
        let nearest = above.max_by_key(|(_, home)| home.config.as_os_str().len());
        nearest.map_or(0, |(number, _)| number)
    }

    /// Returns the configuration folder that contains this path.
    pub(crate) fn containing(&self, path: &Path) -> Self {
        let homes = self.homes();
        Self::of_home(homes[self.number_of(path)].clone())
    }

    fn homes(&self) -> &[Arc<Home>] {
        let alone = std::slice::from_ref(&self.home);
        self.all.as_deref().unwrap_or(alone)
    }
}

impl Session {
    /// Returns the configuration folder of the session.
    pub fn config_dir(&self) -> &Path {
        self.sessions().config_dir()
    }
}

/// Returns the session that was found in one of several configuration folders.
pub(crate) fn only(id: &str, mut found: Vec<Session>) -> Result<Option<Session>, Error> {
    if found.len() < 2 {
        return Ok(found.pop());
    }
    let config_dirs = found.iter().map(|session| session.config_dir().to_owned());
    Err(Error::InSeveral {
        id: id.to_owned(),
        config_dirs: config_dirs.collect(),
    })
}

/// Returns the path without symbolic links, or the given path if the folder does not exist.
fn real(path: &Path) -> PathBuf {
    real_path(path).unwrap_or_else(|_| path.to_owned())
}

/// Returns the value of the variable with which a `claude` uses this folder. `None` if it uses the folder without one.
fn set_variable(
    config: &str,
    real_config: &Path,
    variable: &impl Fn(&str) -> Option<OsString>,
) -> Option<String> {
    let is_it = |path: &Path| path.is_absolute() && real(path) == real_config;
    let set = variable(CONFIG_VARIABLE).and_then(|set| set.into_string().ok());
    if let Some(set) = set.filter(|set| is_it(Path::new(set))) {
        return Some(set);
    }
    if usual_config(variable).is_some_and(|usual| is_it(&usual)) {
        return None;
    }
    Some(config.to_owned())
}

/// Returns the last parts of a path.
fn end(path: &Path, parts: usize) -> String {
    let named = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    let named: Vec<_> = named.collect();
    let from = named.len().saturating_sub(parts);
    named[from..].join(MAIN_SEPARATOR_STR)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(folders: &[&str], environment: &[(&str, &str)]) -> Sessions {
        let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        let all = [(home, "/home/user")].into_iter();
        let all: Vec<_> = all.chain(environment.iter().copied()).collect();
        let sessions = Sessions::of_config_dirs(folders, |name| {
            let set = all.iter().rev().find(|(set, _)| *set == name)?;
            Some(set.1.into())
        });
        sessions.unwrap()
    }

    #[test]
    #[cfg(unix)]
    fn a_short_name_is_the_end_that_differs() {
        let sessions = named(
            &[
                "/home/user/.claude",
                "/home/user/work/.claude",
                "/home/user/other",
            ],
            &[],
        );
        let name = |config: &str| sessions.short_name(Path::new(config));
        assert_eq!(name("/home/user/.claude").as_deref(), Some("user/.claude"));
        assert_eq!(
            name("/home/user/work/.claude").as_deref(),
            Some("work/.claude")
        );
        assert_eq!(name("/home/user/other").as_deref(), Some("other"));
        assert_eq!(name("/elsewhere"), None);
        let alone = named(&["/home/user/.claude", "/home/user/.claude/"], &[]);
        assert!(!alone.has_several());
        assert_eq!(alone.short_name(Path::new("/home/user/.claude")), None);
        // One path is the end of the other one.
        let nested = named(&["/a/.claude", "/b/a/.claude"], &[]);
        let names = nested.each().map(|it| nested.short_name(it.config_dir()));
        let names: Vec<_> = names.flatten().collect();
        assert_eq!(names, ["/a/.claude", "b/a/.claude"]);
    }

    #[test]
    #[cfg(unix)]
    fn the_usual_folder_needs_no_variable() {
        let value = |folder, environment: &[_]| {
            let sessions = named(&[folder], environment);
            let (name, value) = sessions.environment().unwrap();
            assert_eq!(name, "CLAUDE_CONFIG_DIR");
            value.map(ToOwned::to_owned)
        };
        let work = [("CLAUDE_CONFIG_DIR", "/home/user/work/")];
        assert_eq!(value("/home/user/.claude", &[]), None);
        assert_eq!(value("/home/user/.claude", &work), None);
        assert_eq!(value("/work", &work).as_deref(), Some("/work"));
        // The CLI uses the text of the variable as the name of a login, so the slash at the end
        // stays.
        let same = value("/home/user/work", &work);
        assert_eq!(same.as_deref(), Some("/home/user/work/"));
        assert!(Sessions::new("/work").environment().is_none());
    }

    #[test]
    fn the_number_of_folders_is_limited() {
        let folders = |count: usize| (0..count).map(|at| format!("/config/{at}"));
        let of = |folders| Sessions::of_config_dirs(folders, |_| None);
        let most = Sessions::MOST_CONFIG_DIRS;
        assert_eq!(of(folders(most)).unwrap().each().len(), most);
        let error = of(folders(most + 1)).unwrap_err();
        assert!(matches!(error, Error::TooManyConfigDirs), "{error}");
    }
}
