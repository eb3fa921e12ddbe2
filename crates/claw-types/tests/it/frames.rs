//! A line and its message travel together, until somebody changes the message.

use claw_types::{Frame, Message, from_line};

use crate::support::seed;

fn frame(line: &str) -> Frame<Message, Vec<u8>> {
    Frame::new(7, line.into(), from_line(line.as_bytes()).unwrap())
}

#[test]
fn a_frame_keeps_its_line_until_it_is_changed() {
    let line = seed("spaced");
    let mut frame = frame(&line);
    assert_eq!((frame.number(), frame.raw()), (7, Some(line.as_bytes())));
    assert_eq!(frame.raw_buffer().unwrap().len(), line.len());
    let Message::User(user) = frame.value_mut() else {
        panic!();
    };
    user.message.content = "changed".into();
    assert_eq!(frame.raw(), None);
    assert_eq!(frame.into_value().text(), "changed");
}

#[test]
fn another_reading_keeps_the_line() {
    let line = seed("user_text");
    let frame = frame(&line).map(|message| message.text());
    assert_eq!(frame.value(), "What is 2 + 2?");
    assert_eq!(frame.raw(), Some(line.as_bytes()));
    assert!(!format!("{frame:?}").contains("parent_tool_use_id"));
}

#[test]
fn a_value_is_written_as_one_line() {
    let message: Message = from_line(seed("spaced").as_bytes()).unwrap();
    let line = serde_json::to_vec(&message).unwrap();
    assert!(!line.contains(&b'\n'));
    let message = Message::from(claw_types::message::UserMessage::prompt("a\nb\r\u{2028}\0"));
    let line = serde_json::to_vec(&message).unwrap();
    assert_eq!(line.iter().filter(|byte| **byte < b' ').count(), 0);
    assert_eq!(from_line::<Message>(&line).unwrap(), message);
}
