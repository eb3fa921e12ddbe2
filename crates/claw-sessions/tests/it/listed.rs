//! The order and the titles of a list of sessions.

use std::fs::{File, FileTimes};
use std::time::{Duration, SystemTime};

use claw_sessions::Session;
use serde_json::{Value, json};

use crate::folder::{Folder, uuid};

/// The ID of a session that ends in a number.
fn id(number: usize) -> String {
    format!("0a0a0a0a-0000-4000-8000-{number:012}")
}

/// A prompt and its answer, at this hour of a day.
fn turn(hour: usize) -> [Value; 2] {
    let line = |number: usize, kind: &str, parent: Option<String>, text: &str| {
        json!({
            "type": kind, "uuid": uuid(number), "parentUuid": parent, "isSidechain": false,
            "timestamp": format!("2026-01-01T{hour:02}:00:0{number}.000Z"),
            "message": {"role": kind, "content": text},
        })
    };
    [
        line(0, "user", None, &format!("prompt of {hour}")),
        line(1, "assistant", Some(uuid(0)), "done"),
    ]
}

fn text(lines: &[Value]) -> String {
    let lines: Vec<_> = lines.iter().map(|line| format!("{line}\n")).collect();
    lines.concat()
}

/// What an ending process appends.
fn cost() -> Value {
    json!({"type": "cost-state", "totalCostUSD": 0.25, "modelUsage": {}})
}

fn summary(text: &str, leaf: usize) -> Value {
    json!({"type": "summary", "summary": text, "leafUuid": uuid(leaf)})
}

fn write_at(session: &Session, ago: Duration) {
    let file = File::options().write(true).open(session.transcript());
    let times = FileTimes::new().set_modified(SystemTime::now() - ago);
    file.unwrap().set_times(times).unwrap();
}

/// The IDs of a list, and their times of activity.
fn listed(folder: &Folder, offset: usize, limit: usize) -> Vec<(String, i64)> {
    let list = folder.sessions();
    let list = list.list().offset(offset).limit(limit).run().unwrap();
    assert!(list.problems.is_empty());
    let each = list.sessions.iter();
    each.map(|info| {
        let active = info.last_modified.as_i64().unwrap();
        (info.session_id.as_str().to_owned(), active)
    })
    .collect()
}

fn title(lines: &[Value]) -> String {
    let folder = Folder::new();
    folder.add(&id(1), &text(lines));
    let list = folder.sessions().list().run().unwrap();
    list.sessions[0].summary.clone()
}

#[test]
fn a_list_is_ordered_by_the_last_message_and_not_by_the_file() {
    let folder = Folder::new();
    // The oldest conversation has the newest file: its process ended last.
    for (number, hour, minutes) in [(1, 8, 1), (2, 9, 3), (3, 10, 2)] {
        let [prompt, answer] = turn(hour);
        let session = folder.add(&id(number), &text(&[prompt, answer, cost()]));
        write_at(&session, Duration::from_mins(minutes));
    }
    // 2026-01-01T00:00:01Z, in milliseconds.
    let spoke = |number, hour: i64| (id(number), 1_767_225_601_000 + hour * 3_600_000);
    let all = [spoke(3, 10), spoke(2, 9), spoke(1, 8)];
    assert_eq!(listed(&folder, 0, 0), all);
    for at in 0..3 {
        assert_eq!(listed(&folder, at, 1), all[at..=at], "page {at}");
    }
}

#[test]
fn a_page_of_the_large_sessions_skips_the_others() {
    let folder = Folder::new();
    let size = |session: &Session| session.transcript().metadata().unwrap().len();
    let small = folder.add(&id(0), &text(&turn(20)));
    let least = size(&small);
    for hour in 1..=3 {
        let [prompt, answer] = turn(hour);
        let added = folder.add(&id(hour), &text(&[prompt, answer, cost()]));
        assert!(size(&added) > least);
        folder.add(&id(10 + hour), &text(&turn(10 + hour)));
    }
    let sessions = folder.sessions();
    for (offset, limit, expected) in [(0, 0, &[3, 2, 1][..]), (0, 2, &[3, 2]), (1, 1, &[2])] {
        let list = sessions.list().offset(offset).limit(limit);
        let list = list.larger_than(least).run().unwrap();
        let found = list.sessions.iter().map(|info| info.session_id.as_str());
        let expected = expected.iter().map(|number| id(*number));
        assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }
    let all = sessions.list().larger_than(least - 1).run().unwrap();
    assert_eq!(all.sessions.len(), 7);
}

#[test]
fn a_conversation_without_times_has_the_time_of_its_file() {
    let folder = Folder::new();
    let mut lines = turn(8);
    for line in &mut lines {
        line.as_object_mut().unwrap().remove("timestamp");
    }
    let session = folder.add(&id(1), &text(&lines));
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let file = File::options().write(true).open(session.transcript());
    file.unwrap()
        .set_times(FileTimes::new().set_modified(then))
        .unwrap();
    assert_eq!(listed(&folder, 0, 0), [(id(1), 1_700_000_000_000)]);
}

#[test]
fn a_summary_of_another_session_is_no_title() {
    let [prompt, answer] = turn(8);
    let (before, behind) = (summary("cooking", 9), summary("more cooking", 9));
    let foreign = [before, prompt.clone(), answer.clone(), behind];
    assert_eq!(title(&foreign), "prompt of 8");
    let own = [prompt, answer, summary("the login form", 1)];
    assert_eq!(title(&own), "the login form");
}

#[test]
fn a_title_is_the_persons_then_the_clis_then_the_first_prompt() {
    let mut lines = turn(8).to_vec();
    lines.push(json!({"type": "last-prompt", "lastPrompt": "the last one"}));
    assert_eq!(title(&lines), "prompt of 8");
    lines.push(json!({"type": "ai-title", "aiTitle": "by the CLI"}));
    assert_eq!(title(&lines), "by the CLI");
    lines.push(json!({"type": "custom-title", "customTitle": "by a person"}));
    lines.push(json!({"type": "ai-title", "aiTitle": "by the CLI later"}));
    assert_eq!(title(&lines), "by a person");
}
