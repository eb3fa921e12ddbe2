//! The list of sessions, a page at a time.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use claw_testkit::agent::Script;
use serde_json::{Value, json};

use crate::client::Running;

/// The ID of a session of the test.
pub(crate) fn id(number: u64) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

/// The folder of the transcripts of the project.
fn transcripts(running: &Running) -> PathBuf {
    let shop = running.folder.path().join("shop").canonicalize().unwrap();
    let projects = running.folder.path().join("config/projects");
    projects.join(claw_sessions::slug(&shop))
}

/// Writes the transcript of a session whose last message is of so many seconds after 2026 began.
pub(crate) fn write(running: &Running, number: u64, seconds: u64) {
    let folder = transcripts(running);
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{}.jsonl", id(number)));
    let time = UNIX_EPOCH + Duration::from_secs(1_767_225_600 + seconds);
    let written = jiff::Timestamp::try_from(time).unwrap();
    let line = json!({"type": "user", "uuid": format!("a0000000-0000-4000-8000-{number:012}"), "parentUuid": null,
        "sessionId": id(number), "cwd": running.folder.path().join("shop"), "timestamp": written.to_string(),
        "isSidechain": false, "userType": "external", "version": "2.1.330",
        "message": {"role": "user", "content": format!("Fruit number {number}")}});
    std::fs::write(&path, format!("{line}\n")).unwrap();
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(time)
        .unwrap();
}

/// Has the list show what was written.
pub(crate) fn refresh(running: &Running, number: u64) {
    let hub = running.server.hub();
    hub.refresh(&hub.sessions().find(&id(number)).unwrap());
}

/// A page: the IDs of its sessions, and the query of the next one.
pub(crate) async fn page(running: &Running, query: &str) -> (Vec<String>, Option<String>) {
    let page = running
        .ask("GET", &format!("/api/sessions?{query}"), &Value::Null)
        .await;
    assert_eq!(page.status, 200, "{}", page.body);
    let page = page.json();
    let sessions = page["sessions"].as_array().unwrap().iter();
    let ids = sessions.map(|session| session["id"].as_str().unwrap().to_owned());
    let next = page["next"].as_str().map(str::to_owned);
    let next = next.or_else(|| page["next"].as_u64().map(|next| next.to_string()));
    (ids.collect(), next)
}

#[tokio::test]
async fn pages_repeat_and_skip_nothing_whatever_changes_meanwhile() {
    let running = Running::start(Script::reply("Hi.")).await;
    for number in 0..6 {
        write(&running, number, number);
        refresh(&running, number);
    }
    let (first, next) = page(&running, "limit=2").await;
    assert_eq!(first, [id(5), id(4)]);
    // A new one, one that goes on, and the last one of the page is gone.
    running.session().await;
    write(&running, 1, 100);
    refresh(&running, 1);
    let last = running.server.hub().sessions().find(&id(4)).unwrap();
    std::fs::remove_file(last.transcript()).unwrap();
    running.server.hub().refresh(&last);
    let (second, next) = page(&running, &format!("limit=2&cursor={}", next.unwrap())).await;
    assert_eq!(second, [id(3), id(2)]);
    let (third, next) = page(&running, &format!("limit=2&cursor={}", next.unwrap())).await;
    assert_eq!((third, next), (vec![id(0)], None));
    running.end().await;
}

#[tokio::test]
async fn pages_of_the_large_sessions_skip_the_others() {
    let running = Running::start(Script::reply("Hi.")).await;
    let mut sizes = Vec::new();
    // Every third session has a number with another digit in its text.
    for number in 0..9 {
        let number = if number % 3 == 0 { 10 + number } else { number };
        write(&running, number, number);
        refresh(&running, number);
        let path = transcripts(&running).join(format!("{}.jsonl", id(number)));
        sizes.push((id(number), path.metadata().unwrap().len()));
    }
    sizes.sort();
    let shown = running.ask("GET", "/api/sessions", &Value::Null).await;
    let shown = shown.json();
    let shown = shown["sessions"].as_array().unwrap().iter();
    let shown = shown.map(|item| {
        let id = item["id"].as_str().unwrap().to_owned();
        (id, item["size"].as_u64().unwrap())
    });
    let mut shown: Vec<_> = shown.collect();
    shown.sort();
    assert_eq!(shown, sizes);
    let least = sizes[0].1;
    let (mut large, mut cursor) = (Vec::new(), String::new());
    loop {
        let query = format!("largerThan={least}&limit=2{cursor}");
        let (ids, next) = page(&running, &query).await;
        large.extend(ids);
        let Some(next) = next else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(large, [16, 13, 10].map(id));
    // A session without a transcript has no size.
    let new = running.session().await;
    assert!(page(&running, "").await.0.contains(&new));
    assert!(!page(&running, "largerThan=0").await.0.contains(&new));
    running.end().await;
}

#[tokio::test]
async fn sessions_that_are_not_on_disk_yet_have_their_place_in_the_pages() {
    let running = Running::start(Script::reply("Hi.")).await;
    // Long before, and long after those that begin now.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let later = now.as_secs() - 1_767_225_600 + 10_000;
    for (number, seconds) in [(0, 0), (1, 1), (2, later)] {
        write(&running, number, seconds);
        refresh(&running, number);
    }
    let mut new = BTreeSet::new();
    for _ in 0..3 {
        new.insert(running.session().await);
    }
    let mut all = Vec::new();
    let mut query = "limit=2".to_owned();
    loop {
        let (ids, next) = page(&running, &query).await;
        assert!(ids.len() == 2 || next.is_none());
        all.extend(ids);
        let Some(next) = next else { break };
        query = format!("limit=2&cursor={next}");
    }
    assert_eq!(all.len(), 6, "{all:?}");
    assert_eq!((&all[0], &all[4..]), (&id(2), &[id(1), id(0)][..]));
    assert_eq!(all[1..4].iter().cloned().collect::<BTreeSet<_>>(), new);
    let (found, _) = page(&running, "q=fruit%20NUMBER%201").await;
    assert_eq!(found, [id(1)]);
    let nothing = page(&running, "archived=true").await;
    assert_eq!(nothing, (Vec::new(), None));
    // The page of the WebSocket's neighbour is the same one.
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {"limit": 2}});
    let page = running.ask("POST", "/rpc", &call).await.json();
    assert_eq!(page["result"]["sessions"][0]["id"], id(2));
    assert!(page["result"]["next"].is_string());
    running.end().await;
}

#[tokio::test]
async fn a_cursor_that_is_none_is_refused() {
    let running = Running::start(Script::reply("Hi.")).await;
    for cursor in ["7", "x_y", "", "1_../x"] {
        let path = format!("/api/sessions?cursor={cursor}");
        let refused = running.ask("GET", &path, &Value::Null).await;
        assert_eq!(refused.status, 400, "{cursor}: {}", refused.body);
        assert!(refused.body.contains("cursor"), "{}", refused.body);
    }
    running.end().await;
}

#[tokio::test]
async fn what_was_closed_a_moment_ago_is_listed() {
    let running = Running::start(Script::reply("Hi.")).await;
    let session = running.session().await;
    // As its CLI does.
    let path = transcripts(&running).join(format!("{session}.jsonl"));
    write(&running, 7, 7);
    let text =
        std::fs::read_to_string(transcripts(&running).join(format!("{}.jsonl", id(7)))).unwrap();
    std::fs::write(path, text.replace(&id(7), &session)).unwrap();
    let close = format!("/api/sessions/{session}/close");
    assert_eq!(running.ask("POST", &close, &Value::Null).await.status, 204);
    let (all, _) = page(&running, "").await;
    assert!(all.contains(&session), "{all:?}");
    running.end().await;
}

/// How often a page fits into the time of the first one, which reads all sessions.
const PAGES: u32 = 50;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_of_ten_thousand_sessions_reads_none_of_them() {
    // Other tests take the time that is measured.
    if !claw_testkit::alone("list::a_page_of_ten_thousand_sessions_reads_none_of_them") {
        return;
    }
    let running = Running::start(Script::reply("Hi.")).await;
    for number in 0..10_000 {
        write(&running, number, number);
    }
    // What was there before the server is read by the first page.
    let folder = running.end_and_keep().await;
    std::fs::remove_dir(folder.path().join("shop")).unwrap();
    let running = Running::start_in(Script::reply("Hi."), folder, |builder| builder).await;
    let begun = Instant::now();
    page(&running, "limit=1").await;
    let reading = begun.elapsed();
    println!("the first page: {reading:?}");
    for query in ["limit=50", "limit=200", "limit=50&q=FRUIT", "q=nowhere"] {
        let (mut seen, mut times) = (BTreeSet::new(), Vec::new());
        let mut cursor = String::new();
        loop {
            let head = running.head("GET", &format!("/api/sessions?{query}{cursor}"));
            let request = format!("{head}Connection: close\r\n\r\n");
            let begun = Instant::now();
            let page = running.raw(&request).await;
            times.push(begun.elapsed());
            assert_eq!(page.status, 200, "{}", page.body);
            let page = page.json();
            for session in page["sessions"].as_array().unwrap() {
                assert!(seen.insert(session["id"].as_str().unwrap().to_owned()));
            }
            match page["next"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                // Again, for the sake of the measurement.
                None if query == "q=nowhere" && times.len() < 20 => {}
                None => break,
            }
        }
        assert_eq!(seen.len(), if query == "q=nowhere" { 0 } else { 10_000 });
        times.sort();
        let of = |share: usize| times[(times.len() - 1) * share / 4];
        let (judged, median, most) = (of(1), of(2), of(4));
        println!(
            "{query}: {} pages, a quarter {judged:?}, half {median:?}, all {most:?}",
            times.len()
        );
        // Whatever else runs on this machine takes its time from the others.
        assert!(
            judged * PAGES < reading,
            "{query}: {times:?}, all: {reading:?}"
        );
    }
    running.end().await;
}
