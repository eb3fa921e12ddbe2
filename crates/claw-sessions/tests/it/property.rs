//! What holds of any bytes as a transcript. The fuzz targets and the ordinary tests share it.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use claw_sessions::Sessions;

const ID: &str = "0a0a0a0a-0000-4000-8000-000000000001";

/// The conversation of any bytes: no line is lost, no link comes twice, pages are parts of the whole.
pub(crate) fn history_holds(folder: &Path, bytes: &[u8]) {
    let Some(session) = written(folder, bytes) else {
        return;
    };
    let mut end = 0;
    for line in session.entries().unwrap() {
        let line = line.unwrap();
        let place = |at: u64| usize::try_from(at).unwrap();
        let (from, to) = (place(line.offset()), place(line.offset() + line.length()));
        // Between the records nothing is left out but what is blank.
        assert!(
            bytes[end..from]
                .iter()
                .all(|byte| *byte == 0 || byte.is_ascii_whitespace())
        );
        assert_eq!(line.raw(), Some(&bytes[from..to]));
        end = to;
        let _ = line.entry();
    }
    assert!(
        bytes[end..]
            .iter()
            .all(|byte| *byte == 0 || byte.is_ascii_whitespace())
    );
    let all = session.messages().include_system().read().unwrap().messages;
    let names: HashSet<_> = all.iter().map(|message| message.uuid.as_str()).collect();
    assert_eq!(names.len(), all.len());
    let page = session
        .messages()
        .include_system()
        .offset(1)
        .limit(2)
        .read()
        .unwrap();
    let wanted = all.iter().skip(1).take(2);
    assert!(page.messages.iter().eq(wanted));
}

/// What a list tells of any bytes is what the session itself tells.
pub(crate) fn ends_hold(folder: &Path, bytes: &[u8]) {
    // Long enough for two ends, of which each cuts a line.
    for times in [1, 1 + 140_000 / (bytes.len() + 1)] {
        let Some(session) = written(folder, &bytes.repeat(times)) else {
            return;
        };
        let info = session.info().unwrap();
        let listing = Sessions::new(folder).list().run().unwrap();
        assert!(listing.problems.is_empty());
        assert!(listing.sessions.len() <= usize::from(info.is_some()));
        assert!(
            listing
                .sessions
                .iter()
                .all(|listed| Some(listed) == info.as_ref())
        );
    }
}

fn written(folder: &Path, bytes: &[u8]) -> Option<claw_sessions::Session> {
    let project = folder.join("projects/-work");
    fs::create_dir_all(&project).unwrap();
    fs::write(project.join(format!("{ID}.jsonl")), bytes).unwrap();
    Sessions::new(folder).find(ID).ok()
}

#[cfg(test)]
mod seeds {
    use super::*;

    #[test]
    fn seeds_hold() {
        let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/transcript");
        let folder = tempfile::tempdir().unwrap();
        let mut count = 0;
        for seed in fs::read_dir(seeds).unwrap() {
            let bytes = fs::read(seed.unwrap().path()).unwrap();
            history_holds(folder.path(), &bytes);
            ends_hold(folder.path(), &bytes);
            count += 1;
        }
        assert!(count >= 5, "{count} seeds");
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(32))]

        #[test]
        fn parts_of_lines_hold(
            parts in proptest::collection::vec(proptest::sample::select(vec![
                r#"{"type":"user","uuid":"a","parentUuid":"b","message":{"content":"x"}}"#,
                r#"{"type":"assistant","uuid":"b","parentUuid":"a","message":{"id":"m","content":[]}}"#,
                r#"{"type":"system","uuid":"c","parentUuid":"a"}"#,
                r#"{"type":"custom-title","customTitle":"t\ud800"}"#,
                "\n", "\n", "{", "}", "\"", "\\", "\u{fffd}", ",", r#""uuid":"d""#,
            ]), 0..12),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let text = parts.concat();
            history_holds(folder.path(), text.as_bytes());
            ends_hold(folder.path(), text.as_bytes());
        }
    }
}
