//! The names of the objects in the bucket.

use claw_store::adapter::names;
use claw_store::{KeyError, SessionRef, StoreError, StoreKey, Subpath};
use object_store::path::Path;

/// The names of objects:
///
/// - `PREFIX/sessions/PROJECT/SESSION`: a session, its claim and its transcripts;
/// - `PREFIX/parts/PROJECT/SESSION/main/NUMBER`: a part of the main transcript;
/// - `PREFIX/parts/PROJECT/SESSION/beside/SUBPATH/NUMBER`: a part of another transcript of the session;
/// - `PREFIX/probe/UUID`: a temporary object.
#[derive(Debug, Clone)]
pub(crate) struct Paths(Path);

/// The purpose of an object, according to its name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The object of a session.
    Session(SessionRef),
    /// A part of a transcript.
    Part(StoreKey),
    /// A temporary object.
    Probe,
}

impl Paths {
    pub(crate) fn new(prefix: &str) -> Result<Self, StoreError> {
        Path::parse(prefix).map(Self).map_err(StoreError::refused)
    }

    pub(crate) fn prefix(&self) -> &str {
        self.0.as_ref()
    }

    /// Returns the folder that holds all objects of the store.
    pub(crate) fn root(&self) -> &Path {
        &self.0
    }

    /// Returns the purpose of an object of the store. Returns `None` for a name that this store does not use.
    pub(crate) fn purpose(&self, path: &Path) -> Option<Purpose> {
        let inner = path.as_ref().strip_prefix(self.0.as_ref())?;
        let names: Vec<_> = inner.trim_start_matches('/').split('/').collect();
        let session = |project: &str, session: &str| {
            let (project, session) = (names::unescaped(project)?, names::unescaped(session)?);
            SessionRef::new(project, session).ok()
        };
        match names[..] {
            ["probe", id] => uuid::Uuid::try_parse(id).is_ok().then_some(Purpose::Probe),
            ["sessions", project, id] => session(project, id).map(Purpose::Session),
            ["parts", project, id, "main", _] => {
                number_of(path).ok()?;
                Some(Purpose::Part(session(project, id)?.main()))
            }
            ["parts", project, id, "beside", subpath, _] => {
                number_of(path).ok()?;
                let subpath = Subpath::new(&names::unescaped(subpath)?).ok()?;
                Some(Purpose::Part(session(project, id)?.at(subpath)))
            }
            _ => None,
        }
    }

    /// Returns the folder that holds the sessions of one project or of all projects.
    pub(crate) fn sessions(&self, project: Option<&str>) -> Result<Path, StoreError> {
        match project {
            Some(project) => self.path(&format!("sessions/{}", name("project", project)?)),
            None => self.path("sessions"),
        }
    }

    /// Returns the path of the object that belongs to a session.
    pub(crate) fn session(&self, session: &SessionRef) -> Result<Path, StoreError> {
        self.path(&format!("sessions/{}", of(session)?))
    }

    /// Returns the session whose object has this path.
    pub(crate) fn session_of(&self, path: &Path) -> Result<SessionRef, StoreError> {
        let inner = path.as_ref().strip_prefix(self.0.as_ref());
        let inner = inner.map(|inner| inner.trim_start_matches('/'));
        let names = inner.and_then(|inner| inner.strip_prefix("sessions/")?.split_once('/'));
        let parts = names.and_then(|(project, session)| {
            Some((names::unescaped(project)?, names::unescaped(session)?))
        });
        let session = parts.and_then(|(project, session)| SessionRef::new(project, session).ok());
        session.ok_or_else(|| {
            StoreError::corrupt(format!("an object is called {:?}", short(path.as_ref())))
        })
    }

    /// Returns the folder of a transcript.
    pub(crate) fn transcript(&self, key: &StoreKey) -> Result<Path, StoreError> {
        let session = of(key.session())?;
        match key.subpath() {
            None => self.path(&format!("parts/{session}/main")),
            Some(subpath) => {
                let subpath = name("subpath", subpath.as_str())?;
                self.path(&format!("parts/{session}/beside/{subpath}"))
            }
        }
    }

    /// Returns the path of a temporary object that no other call uses.
    pub(crate) fn probe(&self) -> Result<Path, StoreError> {
        self.path(&format!("probe/{}", uuid::Uuid::new_v4()))
    }

    fn path(&self, inner: &str) -> Result<Path, StoreError> {
        let prefix = self.0.as_ref();
        let whole = if prefix.is_empty() {
            inner.to_owned()
        } else {
            format!("{prefix}/{inner}")
        };
        if whole.len() > MOST {
            return Err(StoreError::refused(format!(
                "the name of an object has {} bytes, and the limit is {MOST}",
                whole.len()
            )));
        }
        Path::parse(whole).map_err(StoreError::refused)
    }
}

/// The maximum length of an object's name in bytes, without the number of the part. S3 accepts 1,024 bytes.
const MOST: usize = 1000;

/// Returns the path of the object that contains a part.
pub(crate) fn part(transcript: &Path, number: u64) -> Path {
    // Leading zeros make the order of the names equal to the order of the numbers.
    transcript.clone().join(format!("{number:016}"))
}

/// Returns the number of the part that an object contains.
pub(crate) fn number_of(path: &Path) -> Result<u64, StoreError> {
    let name = path.filename().unwrap_or_default();
    let number = (name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| name.parse().ok());
    number.flatten().ok_or_else(|| {
        StoreError::corrupt(format!("an object is called {:?}", short(path.as_ref())))
    })
}

fn of(session: &SessionRef) -> Result<String, StoreError> {
    let project = name("project", session.project())?;
    let session = name("session", session.session())?;
    Ok(format!("{project}/{session}"))
}

fn name(part: &'static str, text: &str) -> Result<String, StoreError> {
    let name = names::escaped(text).map(Into::into);
    name.ok_or_else(|| KeyError::new(part, text, "is too long for the name of an object").into())
}

fn short(text: &str) -> String {
    text.chars().take(200).collect()
}
