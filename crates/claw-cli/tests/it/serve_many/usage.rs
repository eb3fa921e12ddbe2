//! What `/api/usage` reports of the sessions in a store, compared with the transcripts and with what the API answered.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::{Duration, Instant};

use claw_store::{ReadSessions, SessionRef, Subpath};
use futures::TryStreamExt as _;
use serde_json::{Value, json};

use super::{Host, PATIENCE, Place, asked, text};

/// The number of tokens of the answer to the prompt with this mark.
pub(super) fn tokens(mark: &str) -> u64 {
    mark.bytes().map(u64::from).sum()
}

/// The answers of a session in the store, also those that are kept beside it: for each message of the API the last line
/// of its transcripts.
async fn stored(store: &dyn ReadSessions, id: &str) -> BTreeMap<String, Value> {
    let session = SessionRef::new("shop", id).unwrap();
    let beside = session.at(Subpath::new("claw/kept").unwrap());
    let mut lines = Vec::new();
    for (key, is_kept) in [(session.main(), false), (beside, true)] {
        let mut loaded = store.load(&key);
        while let Some(line) = loaded.try_next().await.unwrap() {
            let line: Value = serde_json::from_str(line.line.as_str()).unwrap();
            lines.push(if is_kept {
                serde_json::from_str(line["line"].as_str().unwrap()).unwrap()
            } else {
                line
            });
        }
    }
    let messages = lines.into_iter().filter_map(|mut line| {
        let message = line["message"].take();
        let is_answer = line["type"] == "assistant" && message["model"] != "<synthetic>";
        is_answer.then(|| (message["id"].as_str().unwrap().to_owned(), message))
    });
    messages.collect()
}

/// What a row of the usage has to be, of these answers of a session.
fn row(answers: &BTreeMap<String, Value>) -> Value {
    let of = |name: &str| -> u64 {
        let counts = answers.values().map(|it| it["usage"][name].as_u64());
        counts.map(Option::unwrap).sum()
    };
    json!({"answers": answers.len(), "input": of("input_tokens"), "output": of("output_tokens")})
}

/// What a host reports of these sessions. `None` if it says that something is not counted.
fn reported(host: &Host, ids: &[String]) -> Option<BTreeMap<String, Value>> {
    let response = text(&host.address, "GET /api/usage?by=session")?;
    let (head, body) = response.split_once("\r\n\r\n")?;
    assert!(head.starts_with("HTTP/1.1 200"), "{response}");
    if head.contains("claw-missing") {
        return None;
    }
    let rows: Value = serde_json::from_str(body).unwrap();
    let row = |id: &String| {
        let (row, tokens) = (&rows[id], &rows[id]["tokens"]);
        let row = json!({"answers": row["answers"], "input": tokens["input"], "output": tokens["output"]});
        (id.clone(), row)
    };
    Some(ids.iter().map(row).collect())
}

/// Every host reports what the transcripts in the store have, and every answer in them is one that the API has given.
/// Returns how many answers that are.
pub(super) async fn equals_the_transcripts(
    place: &Place,
    hosts: &[&Host],
    ids: &[String],
) -> usize {
    let store = claw_store_postgres::Store::connect(place.store.url())
        .await
        .unwrap();
    let asked = asked(&place.api);
    let (mut expected, mut counted) = (BTreeMap::new(), 0);
    for id in ids {
        let answers = stored(&store, id).await;
        let mut times = BTreeMap::<_, usize>::new();
        for message in answers.values() {
            let content = message["content"].to_string();
            let at = content.find("prompt-").unwrap();
            let end = content.find("-of-this-test").unwrap() + "-of-this-test".len();
            let mark = &content[at..end];
            assert_eq!(message["usage"]["output_tokens"], tokens(mark), "{message}");
            *times.entry(mark.to_owned()).or_default() += 1;
        }
        for (mark, times) in times {
            assert!(
                asked.get(&mark).is_some_and(|asked| times <= *asked),
                "{mark}: {times}"
            );
        }
        counted += answers.len();
        expected.insert(id.clone(), row(&answers));
    }
    for host in hosts {
        let began = Instant::now();
        // A host reads the list of the store again after some time.
        loop {
            let reported = reported(host, ids);
            if reported.as_ref() == Some(&expected) {
                break;
            }
            assert!(
                began.elapsed() < PATIENCE,
                "{reported:#?} is not {expected:#?}"
            );
            sleep(Duration::from_millis(200));
        }
    }
    counted
}
