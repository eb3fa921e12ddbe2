//! How pages and lists tell a fork from its original.

use claw_types::SessionId;

/// The maximum depth that is counted. It also ends the search in transcripts that name each other.
const DEEPEST: u32 = 9;

/// What a fork's title ends with if nobody has chosen another one.
const SUFFIX: &str = " (fork)";

/// Returns how many forks are between a session and one that is no fork. `from` is the session of which this one is a fork,
/// and `of` finds the same for any session. A session that was deleted counts as no fork. Returns `None` for a session that is
/// no fork.
pub(crate) fn depth(
    from: Option<SessionId>,
    of: impl Fn(&SessionId) -> Option<SessionId>,
) -> Option<u32> {
    let mut from = from;
    let mut depth = 0;
    while let Some(id) = from.take().filter(|_| depth < DEEPEST) {
        depth += 1;
        from = of(&id);
    }
    (depth > 0).then_some(depth)
}

/// Returns the same as [`depth`], of a session of which only the title is known.
pub(crate) fn depth_in(title: &str) -> Option<u32> {
    let depth = (0..DEEPEST).take_while({
        let mut rest = title;
        move |_| match rest.strip_suffix(SUFFIX) {
            Some(shorter) => {
                rest = shorter;
                true
            }
            None => false,
        }
    });
    u32::try_from(depth.count()).ok().filter(|depth| *depth > 0)
}

/// Returns the title of a session as pages show it. That of a fork begins with the word, because long titles are cut off at
/// their ends.
pub(crate) fn shown_title(title: &str, depth: Option<u32>) -> String {
    let Some(depth) = depth else {
        return title.to_owned();
    };
    let title = title.trim_end_matches(SUFFIX);
    match depth {
        1 => format!("Fork: {title}"),
        _ => format!("Fork, level {depth}: {title}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forks_of_forks_are_counted_to_an_end() {
        let id = |name: &str| Some(SessionId::from(name));
        let of = |session: &SessionId| match session.as_str() {
            "b" => id("a"),
            "round" => id("round"),
            _ => None,
        };
        assert_eq!(depth(None, of), None);
        assert_eq!(depth(id("a"), of), Some(1));
        assert_eq!(depth(id("b"), of), Some(2));
        assert_eq!(depth(id("round"), of), Some(DEEPEST));
    }

    #[test]
    fn a_title_begins_with_the_word() {
        assert_eq!(depth_in("Sums"), None);
        assert_eq!(depth_in("Sums (fork) of it"), None);
        assert_eq!(depth_in("Sums (fork) (fork)"), Some(2));
        assert_eq!(shown_title("Sums", None), "Sums");
        assert_eq!(shown_title("Sums (fork)", Some(1)), "Fork: Sums");
        assert_eq!(shown_title("Mine", Some(2)), "Fork, level 2: Mine");
    }
}
