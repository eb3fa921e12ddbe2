//! The time that a person's view of a session takes for each message, compared with decoding the
//! message.

use std::hint::black_box;
use std::time::Duration;

use claw_types::{Message, from_line};
use claw_view::progress::Tracker;
use claw_view::{Input, Timeline};

use crate::rounds::{median, time};
use crate::{Result, lines};

const ROUNDS: usize = 15;
/// The repetitions in a round, so that it takes long enough to be timed.
const TIMES: usize = 5;

pub(crate) fn main() -> Result {
    println!(
        "{:<26}{:>10}{:>12}{:>16}{:>16}",
        "recordings", "messages", "decode ns", "Timeline ns", "Progress ns"
    );
    let all = lines::sessions()?;
    let partial = |session: &&Vec<String>| session.iter().any(|line| line.contains("stream_event"));
    table("all", &all);
    table(
        "with partial messages",
        &all.iter().filter(partial).cloned().collect::<Vec<_>>(),
    );
    Ok(())
}

fn table(name: &str, sessions: &[Vec<String>]) {
    let read = |line: &String| from_line::<Message>(line.as_bytes()).ok();
    let sessions: Vec<(Vec<&String>, Vec<Message>)> = sessions
        .iter()
        .map(|lines| {
            lines
                .iter()
                .filter_map(|line| Some((line, read(line)?)))
                .unzip()
        })
        .collect();
    let messages = || sessions.iter().map(|(_, messages)| messages);
    let count: usize = messages().map(Vec::len).sum();
    let (mut decode, mut timeline, mut progress) = (Vec::new(), Vec::new(), Vec::new());
    #[expect(clippy::cast_precision_loss, reason = "a count")]
    let each = |took: Duration| took.as_secs_f64() * 1e9 / (count * TIMES) as f64;
    for _ in 0..ROUNDS {
        decode.push(each(time(TIMES, || {
            for line in sessions.iter().flat_map(|(lines, _)| lines) {
                black_box(read(line));
            }
        })));
        timeline.push(each(time(TIMES, || {
            for messages in messages() {
                let mut timeline = Timeline::default();
                for message in messages {
                    black_box(timeline.push(Input::Message(message)));
                }
            }
        })));
        progress.push(each(time(TIMES, || {
            for messages in messages() {
                let mut tracker = Tracker::new();
                for message in messages {
                    black_box(tracker.push(message));
                }
            }
        })));
    }
    println!(
        "{name:<26}{count:>10}{:>12.0}{:>16.0}{:>16.0}",
        median(&mut decode),
        median(&mut timeline),
        median(&mut progress)
    );
}
