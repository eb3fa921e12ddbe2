//! Keys that no session uses.

use std::collections::HashSet;
use std::sync::LazyLock;

use claw_store::{Leftover, SessionRef, StoreError, StoreKey, Subpath};
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use redis::Script;

use crate::foreign::glob;
use crate::{Store, keys, read};

/// The number of keys of a page that are examined concurrently.
const AT_ONCE: usize = 16;

/// The maximum number of keys that are named.
const NAMED: usize = 10_000;

/// Returns 1 if the key exists, and 0 otherwise. Then whether the transcript has a hash `meta`, whether the main transcript
/// has one, and whether the session's list of transcripts has the subpath. Returns all numbers at one time, so that a call
/// that runs meanwhile does not mislead.
static EXAMINE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local length = redis.call(ARGV[1], KEYS[1])
        local listed = redis.call('ZSCORE', KEYS[4], ARGV[2])
        return { length, redis.call('HLEN', KEYS[2]), redis.call('HLEN', KEYS[3]), listed and 1 or 0 }",
    )
});

/// Whether the list of sessions has a session.
static IS_LISTED: LazyLock<Script> =
    LazyLock::new(|| Script::new("return redis.call('ZSCORE', KEYS[1], ARGV[1]) and 1 or 0"));

/// A key of a session.
struct Named {
    key: StoreKey,
    /// The last part of the name, such as `lines`.
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Claim,
    Subs,
    Meta,
    Lines,
    Uuids,
    Writers,
}

impl Kind {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "claim" => Self::Claim,
            "subs" => Self::Subs,
            "meta" => Self::Meta,
            "lines" => Self::Lines,
            "uuids" => Self::Uuids,
            "writers" => Self::Writers,
            _ => return None,
        })
    }

    /// Returns the command for the length of a key of this kind.
    fn length(self) -> &'static str {
        match self {
            Self::Claim | Self::Meta | Self::Writers => "HLEN",
            Self::Subs => "ZCARD",
            Self::Lines => "LLEN",
            Self::Uuids => "SCARD",
        }
    }
}

impl Store {
    pub(crate) async fn find_leftovers(&self) -> Result<Vec<Leftover>, StoreError> {
        let pattern = format!("{}:*", glob(&self.prefix));
        let own: HashSet<_> = keys::index(&self.prefix).into();
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        let mut cursor = "0".to_owned();
        loop {
            let mut scan = redis::cmd("SCAN");
            scan.arg(&cursor).arg("MATCH").arg(&pattern);
            scan.arg("COUNT").arg(1000);
            let answer = self.server.command(self.server.deadline(), &scan).await?;
            let (next, names): (String, Vec<Vec<u8>>) = read(answer)?;
            let names = names.into_iter().map(|name| crate::text(&name));
            let names = names.filter(|name| !own.contains(name));
            let examined = stream::iter(names).map(|name| async move {
                let what = self.examine(&name).await?;
                Ok::<_, StoreError>(what.map(|what| (name, what)))
            });
            let leftovers: Vec<Option<(String, &str)>> =
                examined.buffer_unordered(AT_ONCE).try_collect().await?;
            // A page can have a key that an earlier page had.
            for (name, what) in leftovers.into_iter().flatten() {
                if !seen.insert(name.clone()) {
                    continue;
                }
                if found.len() == NAMED {
                    let what = "more keys that no session uses are not named";
                    found.push(Leftover::unexplained(&*self.prefix, what, "key"));
                    return Ok(found);
                }
                found.push(Leftover::unexplained(name, what, "key"));
            }
            if next == "0" {
                found.sort_by(|one, other| one.place.cmp(&other.place));
                return Ok(found);
            }
            cursor = next;
        }
    }

    /// Returns why no session uses a key. Returns `None` if a session uses it, or if it does not exist any more.
    async fn examine(&self, name: &str) -> Result<Option<&'static str>, StoreError> {
        let Some(Named { key, kind }) = self.named(name) else {
            return Ok(Some("claw knows no such key"));
        };
        if kind == Kind::Claim {
            // It stays for ever, because the epochs must not begin again.
            return Ok(None);
        }
        let of = self.keys(key.session());
        let (own, main) = (of.transcript(key.subpath()), of.transcript(None));
        let mut script = EXAMINE.key(name);
        script.key(own.meta).key(main.meta).key(own.subs);
        script.arg(kind.length());
        script.arg(key.subpath().map_or("", Subpath::as_str));
        let answer = self.server.ask(self.server.deadline(), &script).await?;
        let [length, meta, main, in_subs]: [u64; 4] = read(answer)?;
        Ok(if length == 0 {
            None
        } else if kind != Kind::Subs && meta == 0 {
            Some("a part of a transcript whose key meta is missing")
        } else if main == 0 {
            Some("a part of a session that has no main transcript")
        } else if key.subpath().is_some() && in_subs == 0 {
            Some("a part of a transcript that the key subs of its session does not name")
        } else if !self.is_listed(key.session()).await? {
            Some("a part of a session that the list of sessions does not have")
        } else {
            None
        })
    }

    async fn is_listed(&self, session: &SessionRef) -> Result<bool, StoreError> {
        let [names, _] = keys::index(&self.prefix);
        let mut script = IS_LISTED.key(names);
        script.arg(keys::member(session));
        read(self.server.ask(self.server.deadline(), &script).await?)
    }

    /// Returns the transcript and the kind of a key. Returns `None` for a name that this store does not use.
    fn named(&self, name: &str) -> Option<Named> {
        let inner = name.strip_prefix(&*self.prefix)?.strip_prefix(":{")?;
        // The name of a session contains no brace.
        let (member, rest) = inner.split_once("}:")?;
        let session = keys::session(member.as_bytes()).ok()?;
        let (kind, subpath) = match rest.split_once(':') {
            Some((kind, subpath)) => (kind, Some(Subpath::new(subpath).ok()?)),
            None => (rest, None),
        };
        let kind = Kind::of(kind)?;
        let is_whole = matches!(kind, Kind::Claim | Kind::Subs);
        let key = match subpath {
            Some(_) if is_whole => return None,
            Some(subpath) => session.at(subpath),
            None => session.main(),
        };
        Some(Named { key, kind })
    }
}
