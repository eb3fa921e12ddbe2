//! What the scripted agent of `usage.mjs` does: turns, and reports of the limits of the login.

use std::path::Path;
use std::time::{Duration, SystemTime};

use claw_sessions::{Prices, slug};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::json;

/// The project of the agent.
const USAGE: &str = "usage";

/// What the model of the scripted agents costs.
pub(crate) fn prices() -> Prices {
    let prices = json!({"date": "2026-11-25", "webSearch": 0, "usInference": 1, "models": {"claude-scripted-1":
        {"input": 10, "output": 50, "cacheRead": 1, "cacheWrite5m": 12, "cacheWrite1h": 20}}});
    Prices::from_json(&prices.to_string()).unwrap()
}

/// A report: so much of the five hours is used, and this is how the API answers.
fn limits(five_hours: f64, status: &str) -> Step {
    let later = |time: Duration| {
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        (now + time).as_secs()
    };
    let resets = later(Duration::from_hours(2));
    Step::Line(
        json!({"type": "rate_limit_event", "uuid": "$uuid", "session_id": "$session_id",
        "rate_limit_info": {"status": status, "rateLimitType": "five_hour", "resetsAt": resets, "unifiedWindows": {
            "five_hour": {"utilization": five_hours, "resetsAt": resets, "status": status},
            "seven_day": {"utilization": 0.13, "resetsAt": later(Duration::from_hours(80)), "status": "allowed"},
            "seven_day_opus": {"utilization": 0.071, "resetsAt": later(Duration::from_hours(80)), "status": "allowed"}}}}),
    )
}

/// The agents, by the names of their projects.
pub(crate) fn agents() -> Vec<(&'static str, Script)> {
    let says = |text: &str| Step::message([Block::text(text)]);
    let turns = [
        Step::Turn(vec![
            says("I count the files."),
            limits(0.42, "allowed"),
            Step::gate("counted"),
            says("There are two."),
        ]),
        Step::Turn(vec![says("Nearly."), limits(0.93, "allowed_warning")]),
        Step::Turn(vec![says("Not any more."), limits(1.0, "rejected")]),
        Step::Turns(vec![says("Well.")]),
    ];
    vec![(
        USAGE,
        Script::new(crate::offers::initialized().into_iter().chain(turns)),
    )]
}

/// Writes the transcripts of two sessions: answers of several days and models.
pub(crate) fn write_transcripts(root: &Path) {
    let folder = root.join(USAGE).canonicalize().unwrap();
    let place = root.join("config/projects").join(slug(&folder));
    std::fs::create_dir_all(&place).unwrap();
    for (id, prompt, tokens) in [
        (
            "11111111-1111-4111-8111-111111111111",
            "Mend the clock",
            40_000,
        ),
        (
            "22222222-2222-4222-8222-222222222222",
            "Count the apples",
            900,
        ),
    ] {
        let asked = json!({"type": "user", "uuid": format!("p-{id}"), "cwd": folder, "sessionId": id,
            "timestamp": "2026-11-01T12:00:00.000Z", "message": {"role": "user", "content": prompt}});
        let answer = |n: u64| {
            let model = ["claude-opus-5-5", "claude-scripted-1", "claude-of-tomorrow"]
                [usize::try_from(n % 3).unwrap()];
            json!({"type": "assistant", "uuid": format!("{id}-{n}"), "requestId": format!("{id}-{n}"), "cwd": folder,
                "timestamp": format!("2026-11-{:02}T12:00:00.000Z", 1 + 2 * n), "sessionId": id, "message": {
                    "id": format!("{id}-{n}"), "model": model, "role": "assistant", "type": "message",
                    "content": [{"type": "text", "text": "Yes."}],
                    "usage": {"input_tokens": tokens * (1 + n % 4), "output_tokens": 500}}})
        };
        let lines: Vec<_> = std::iter::once(asked).chain((0..12).map(answer)).collect();
        let lines: Vec<_> = lines.iter().map(ToString::to_string).collect();
        std::fs::write(place.join(format!("{id}.jsonl")), lines.join("\n") + "\n").unwrap();
    }
}
