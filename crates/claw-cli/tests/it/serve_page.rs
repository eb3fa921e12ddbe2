//! The live page of `claw serve` in Chromium, with the real CLI: what happens to a page when the server is killed, and
//! when a phone sleeps.
#![cfg(unix)]

use std::fs;
use std::process::Command;

use claw_testkit::Block;
use claw_testkit::api::{Answer, Rule, Scenario};
use serde_json::{Value, json};

use crate::chat::in_order;
use crate::chromium::Chromium;
use crate::real_cli::Place;
use crate::serve::Served;

/// What the API answers.
fn scenario() -> Scenario {
    let held =
        |text: &str, words, gate: &str| Answer::message([Block::text(text).hold(words, gate)]);
    Scenario::new(
        "page",
        [
            Rule::new(held("Half of it, and the rest.", 2, "rest")).on_prompt("Sleep"),
            Rule::new(held("This is cut here, in the middle.", 3, "cut")).on_prompt("Talk"),
            Rule::new(Answer::message([Block::text("It goes on.")])).on_prompt("You were cut off"),
            Rule::new(Answer::message([Block::text("The first answer.")])).on_prompt("Begin"),
            Rule::new(Answer::message([Block::text("Still here.")])).on_prompt("Again"),
            Rule::new(Answer::message([Block::text("A title.")])),
        ],
    )
}

/// The prompt of the button "Go on".
const GO_ON: &str = "You were cut off. Go on.";

/// The messages of the newest request to the API that has a text in them.
fn asked(place: &Place, text: &str) -> String {
    let requests = place.api.requests().into_iter().rev();
    let mut messages = requests.map(|request| request.body["messages"].to_string());
    messages.find(|messages| messages.contains(text)).unwrap()
}

/// `claw serve` at an address, with the real CLI.
fn served(place: &Place, address: &str) -> Served {
    served_with(place, address, &[])
}

fn served_with(place: &Place, address: &str, args: &[&str]) -> Served {
    let at = |name: &str| place.folder.path().join(name);
    let options = json!({"pathToClaudeCodeExecutable": claw_testkit::claude().unwrap()});
    fs::write(at("options.json"), options.to_string()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_claw"));
    command
        .args(["serve", "--listen", address])
        .args(args)
        .arg("--project")
        .arg(at("work"))
        .arg("--options")
        .arg(at("options.json"))
        .envs(place.api.env())
        .env("HOME", at("home"))
        .env("CLAUDE_CONFIG_DIR", at("config"))
        .env_remove("XDG_RUNTIME_DIR");
    Served::of(command)
}

/// A session that has had one turn, on the page of a browser.
fn begun(served: &Served) -> Chromium {
    let project = served.ask("GET /api/projects", &Value::Null)[0]["name"].clone();
    let session = served.ask("POST /api/sessions", &json!({"project": project}));
    let mut browser = opened(served, session["id"].as_str().unwrap());
    prompt(&mut browser, "Begin");
    shows(&mut browser, "The first answer.");
    browser.until("document.getElementById('phase').dataset.phase === 'idle'");
    browser
}

/// The page of a session, in a browser that has logged in.
pub(crate) fn opened(served: &Served, session: &str) -> Chromium {
    let mut browser = Chromium::start();
    let address = &served.address;
    // As the page of the link does, which then goes to another one.
    browser.open(&format!("http://{address}/nowhere"));
    let login = browser.value(&format!(
        "{{ const key = 'a1'.repeat(32);
            localStorage.setItem('claw.key', key);
            fetch('{}', {{ method: 'POST', headers: {{ 'x-claw-key': key }} }}).then((it) => it.status); }}",
        served.login
    ));
    assert_eq!(login, 204);
    browser.open(&format!("http://{address}/s/{session}"));
    browser.until("document.getElementById('phase')?.dataset.phase === 'idle'");
    browser
}

pub(crate) fn prompt(browser: &mut Chromium, text: &str) {
    browser.value(&format!(
        "{{ document.getElementById('prompt').value = {text:?}; document.getElementById('send').click(); }}"
    ));
}

pub(crate) fn shows(browser: &mut Chromium, text: &str) {
    browser.until(&format!(
        "document.getElementById('log')?.innerText.includes({text:?})"
    ));
}

/// The IDs of the elements on the page, which are there once each.
fn elements(browser: &mut Chromium) -> Vec<Value> {
    let ids = browser.value("[...document.querySelectorAll('#log > section')].map(it => it.id)");
    let ids = ids.as_array().unwrap().clone();
    for (at, id) in ids.iter().enumerate() {
        assert!(!ids[..at].contains(id), "{id} is there twice");
    }
    ids
}

/// How often a text stands in the conversation.
fn count(browser: &mut Chromium, text: &str) -> u64 {
    let count = format!("document.getElementById('log').innerText.split({text:?}).length - 1");
    browser.value(&count).as_u64().unwrap()
}

/// A prompt that waited for a process when the server was killed stays on the page until a person drops it.
#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_that_was_never_sent_stays_on_the_page_until_it_is_dropped() {
    let place = Place::new(scenario()).await;
    let one = ["--processes", "1"];
    let first = served_with(&place, "127.0.0.1:0", &one);
    let address = first.address.clone();
    let mut browser = begun(&first);
    let project = first.ask("GET /api/projects", &Value::Null)[0]["name"].clone();
    let busy = first.ask("POST /api/sessions", &json!({"project": project}));
    let request = format!(
        "POST /api/sessions/{}/prompts",
        busy["id"].as_str().unwrap()
    );
    first.ask(&request, &json!({"text": "Talk"}));
    place.api.gates().reached("cut").await;
    prompt(&mut browser, "Never sent");
    browser.until("document.getElementById('phase').dataset.phase === 'waiting'");
    first.kill();
    let _next = served_with(&place, &address, &one);
    let notice = "document.querySelector('#cut:not([hidden]) span')?.textContent";
    let unsent = format!("{notice} === 'A prompt was not sent to Claude.'");
    browser.until(&unsent);
    let buttons = "[...document.querySelectorAll('#cut button:not([hidden])')].map(it => it.textContent).join()";
    assert_eq!(browser.value(buttons), "Send it,Do not send it");
    // The session continues, and the notice stays.
    prompt(&mut browser, "Again");
    shows(&mut browser, "Still here.");
    browser.until("document.getElementById('phase').dataset.phase === 'idle'");
    browser.until(&unsent);
    assert_eq!(count(&mut browser, "Never sent"), 1);
    browser.value("document.getElementById('dismiss').click()");
    browser.until("document.getElementById('cut').hidden");
    assert_eq!(count(&mut browser, "Never sent"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_survives_a_server_that_is_killed_in_mid_turn() {
    let place = Place::new(scenario()).await;
    let first = served(&place, "127.0.0.1:0");
    let address = first.address.clone();
    let mut browser = begun(&first);
    prompt(&mut browser, "Talk");
    shows(&mut browser, "This is cut");
    first.kill();
    browser.until("document.getElementById('phase').textContent === 'Not connected'");
    let lost = "The connection is lost. Trying again…";
    let is_lost = format!("document.getElementById('offline').textContent === '{lost}'");
    browser.until(&is_lost);
    // The next server has the same address, as a service that is started again.
    let _next = served(&place, &address);
    // No login, no reload.
    browser.until("document.getElementById('phase').dataset.phase === 'cut'");
    elements(&mut browser);
    let cut = "This turn was cut off before its end.";
    for said in ["Begin", "The first answer.", "Talk", cut] {
        assert_eq!(count(&mut browser, said), 1, "{said}");
    }
    // It waits for a person: the list says so, and its page goes on by one button.
    let itself = browser.value("location.href");
    browser.open(&format!("http://{address}/"));
    browser.until(
        "document.querySelector('#asking:not([hidden]) .doing')?.textContent === 'was cut off'",
    );
    browser.open(itself.as_str().unwrap());
    browser.until("document.querySelector('#cut:not([hidden]) #go-on')?.textContent === 'Go on'");
    browser.value("document.getElementById('go-on').click()");
    shows(&mut browser, "It goes on.");
    browser.until("document.getElementById('cut').hidden");
    browser.until("document.getElementById('phase').dataset.phase === 'idle'");
    // The model has got the conversation with the prompt of the turn that was cut off, and what continues it, once.
    let continued = asked(&place, GO_ON);
    in_order(&continued, &["Begin", "The first answer.", "Talk", GO_ON]);
    assert_eq!(continued.matches(GO_ON).count(), 1, "{continued}");
    prompt(&mut browser, "Again");
    shows(&mut browser, "Still here.");
    browser.until("document.getElementById('phase').dataset.phase === 'idle'");
    let before = elements(&mut browser);
    for said in ["Begin", "The first answer.", "Talk", "Again", "Still here."] {
        assert_eq!(count(&mut browser, said), 1, "{said}");
    }
    // A page that is loaded anew shows the same.
    let itself = browser.value("location.href");
    browser.open(itself.as_str().unwrap());
    shows(&mut browser, "Still here.");
    assert_eq!(elements(&mut browser), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_whose_claude_is_killed_goes_on_by_one_click() {
    let place = Place::new(scenario()).await;
    let served = served(&place, "127.0.0.1:0");
    let mut browser = begun(&served);
    prompt(&mut browser, "Talk");
    shows(&mut browser, "This is cut");
    let live = served.ask("GET /api/live", &Value::Null);
    let pid = live[0]["pid"].as_u64().unwrap();
    claw_testkit::processes::kill(pid.try_into().unwrap()).unwrap();
    browser.until("document.getElementById('phase').dataset.phase === 'idle'");
    // The page says why, and offers to continue.
    browser.until("document.getElementById('trouble').textContent.includes('SIGKILL')");
    browser.until("document.querySelector('#cut:not([hidden]) #go-on')?.textContent === 'Go on'");
    browser.value("document.getElementById('go-on').click()");
    shows(&mut browser, "It goes on.");
    browser.until("document.getElementById('phase').dataset.phase === 'idle'");
    browser.until(
        "document.getElementById('cut').hidden && document.getElementById('trouble').hidden",
    );
    elements(&mut browser);
    let continued = asked(&place, GO_ON);
    in_order(&continued, &["Begin", "The first answer.", "Talk", GO_ON]);
    assert_eq!(continued.matches(GO_ON).count(), 1, "{continued}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_was_frozen_shows_what_happened_meanwhile_once() {
    let place = Place::new(scenario()).await;
    let served = served(&place, "127.0.0.1:0");
    let mut browser = begun(&served);
    prompt(&mut browser, "Sleep");
    shows(&mut browser, "Half of");
    let before = elements(&mut browser);
    browser.freeze(true);
    place.api.gates().open("rest");
    let list = || served.ask("GET /api/sessions", &Value::Null);
    while list()["sessions"][0]["phase"] != "idle" {
        tokio::task::yield_now().await;
    }
    assert_eq!(count(&mut browser, "the rest"), 0);
    browser.freeze(false);
    shows(&mut browser, "Half of it, and the rest.");
    browser.until("document.getElementById('phase').dataset.phase === 'idle'");
    assert_eq!(elements(&mut browser)[..before.len()], before);
    assert_eq!(count(&mut browser, "Half of it, and the rest."), 1);
}
