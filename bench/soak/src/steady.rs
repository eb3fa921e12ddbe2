//! A server that runs from the beginning to the end, with sessions that begin and are closed, and their viewers.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use hyper::Method;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::agent::{ANSWER, REAL_ANSWER, is_real};
use crate::client::Client;
use crate::tally::Tally;
use crate::viewers::Viewers;
use crate::{Result, hosts};

/// The maximum delay between the end of a turn and the arrival of its answer at a viewer.
const DELIVERY: Duration = Duration::from_secs(10);
/// The interval at which the state of a session is read.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// An actor that begins, prompts and closes sessions, one after the other.
pub(crate) struct Actor {
    pub(crate) number: u64,
    pub(crate) client: Client,
    pub(crate) random: fastrand::Rng,
    pub(crate) pace: Duration,
    pub(crate) tally: Rc<RefCell<Tally>>,
}

impl Actor {
    /// Acts until the end.
    pub(crate) async fn run(mut self, end: watch::Receiver<bool>) {
        let mut prompts = 0;
        while !*end.borrow() {
            if let Err(error) = self.session(&mut prompts, &end).await {
                self.tally
                    .borrow_mut()
                    .wrong(format!("actor {}: {error}", self.number));
                sleep(self.pace).await;
            }
        }
    }

    async fn session(&mut self, prompts: &mut u64, end: &watch::Receiver<bool>) -> Result {
        let begun = self
            .client
            .have(
                Method::POST,
                "/api/sessions",
                Some(&json!({"project": "shop"})),
            )
            .await?;
        let id = begun["id"].as_str().ok_or("no id")?.to_owned();
        let path = format!("/api/sessions/{id}");
        let mut viewers = Viewers::of(&self.client, &id).await?;
        let mut marks = Vec::new();
        for _ in 0..self.random.u32(2..10) {
            if *end.borrow() {
                break;
            }
            *prompts += 1;
            let mark = format!("soak-served-{}-{prompts:08}", self.number);
            let prompt = json!({"text": format!("Answer {mark}.")});
            self.client
                .have(Method::POST, &format!("{path}/prompts"), Some(&prompt))
                .await?;
            if self.random.u32(..8) == 0 {
                viewers = Viewers::of(&self.client, &id).await?;
                self.tally.borrow_mut().count("viewers that left");
            }
            let error = self.idle(&path).await?;
            let elements = self.elements(&path).await?;
            marks.push(mark.clone());
            match count(&elements, &answer(&id, &mark)) {
                // All answers of the real CLI have the same text, so only those of the scripted CLI are awaited below.
                0 => self.unanswered(&mark, &error),
                _ if !is_real(&id) && !viewers.see(&mark, DELIVERY).await => {
                    self.tally
                        .borrow_mut()
                        .wrong(format!("a viewer was not sent the answer to {mark}"));
                }
                _ => {}
            }
            sleep(self.pace.mul_f64(0.5 + self.random.f64())).await;
        }
        self.judge(&id, &self.elements(&path).await?, &marks);
        drop(viewers);
        self.client
            .have(Method::POST, &format!("{path}/close"), None)
            .await?;
        self.tally.borrow_mut().count("sessions");
        Ok(())
    }

    /// Counts a prompt without an answer. The session must have an error with the reason.
    fn unanswered(&self, mark: &str, error: &Value) {
        if error.is_null() {
            self.tally
                .borrow_mut()
                .wrong(format!("{mark} has no answer and no error"));
        }
    }

    /// Waits until a session is idle, and returns its error, if it has one.
    async fn idle(&self, path: &str) -> Result<Value> {
        let begun = Instant::now();
        loop {
            let session = self.client.have(Method::GET, path, None).await?;
            let state = &session["state"];
            if state["phase"] == "idle" && state["queued"] == 0 {
                return Ok(state["error"].clone());
            }
            if begun.elapsed() > hosts::PATIENCE {
                return Err(format!("{path} is still {state}").into());
            }
            sleep(POLL_INTERVAL).await;
        }
    }

    async fn elements(&self, path: &str) -> Result<Value> {
        self.client
            .have(Method::GET, &format!("{path}/elements?limit=200"), None)
            .await
    }

    /// Checks that each prompt has one answer. A prompt whose process was killed may have none. The run compares the
    /// number of such prompts with that of the kills.
    fn judge(&self, id: &str, elements: &Value, marks: &[String]) {
        let mut tally = self.tally.borrow_mut();
        if is_real(id) {
            let answers = count(elements, REAL_ANSWER);
            for at in 0..marks.len() {
                tally.count(if at < answers {
                    "answered by the real CLI"
                } else {
                    "killed"
                });
            }
            if answers > marks.len() {
                tally.wrong(format!(
                    "{id}: {} prompts have {answers} answers",
                    marks.len()
                ));
            }
            return;
        }
        for mark in marks {
            match count(elements, &answer(id, mark)) {
                0 => tally.count("killed"),
                1 => tally.count("answered"),
                more => tally.wrong(format!("{mark} was answered {more} times")),
            }
        }
    }
}

/// The expected answer of a session to a prompt.
fn answer(session: &str, mark: &str) -> String {
    if is_real(session) {
        REAL_ANSWER.to_owned()
    } else {
        format!("{ANSWER}{mark}")
    }
}

/// The number of texts in the value that equal this text.
fn count(value: &Value, text: &str) -> usize {
    match value {
        Value::String(found) => usize::from(found.trim() == text),
        Value::Array(all) => all.iter().map(|value| count(value, text)).sum(),
        Value::Object(all) => all.values().map(|value| count(value, text)).sum(),
        _ => 0,
    }
}
