//! What a terminal showed is also shown of its transcript.

use claw_view::element::{Content, NoticeKind, NoticeLevel};

use crate::sessions::{fed, sessions};

/// The notices of a recording in a terminal, without the durations of turns.
fn notices(recording: &str) -> Vec<(NoticeKind, NoticeLevel, String)> {
    let sessions = sessions();
    let session = sessions.iter().find(|session| session.name == recording);
    let transcript = &session.unwrap().transcript;
    let (elements, ..) = fed(transcript.iter().map(String::as_str));
    let notices = elements
        .iter()
        .filter_map(|element| match &element.content {
            Content::Notice(notice) => Some((notice.kind, notice.level, notice.text.clone())),
            _ => None,
        });
    notices.collect()
}

#[test]
fn goals_are_shown_when_they_are_reached_and_when_they_are_given_up() {
    let goals = notices("interactive_goals");
    let goals = goals.iter().filter(|(_, _, text)| text.contains("Goal "));
    let goals: Vec<_> = goals
        .map(|(kind, level, text)| {
            let (head, rest) = text.split_once(": ").unwrap();
            // The duration is that of one run.
            let head = match head.split_once(" turn") {
                Some((turns, _)) => turns,
                None => head,
            };
            (*kind, *level, head, rest)
        })
        .collect();
    let (session, info) = (NoticeKind::Session, NoticeLevel::Info);
    assert_eq!(
        goals,
        [
            (
                session,
                info,
                "Goal reached (1",
                "the sum is known\nIt is done."
            ),
            (
                session,
                info,
                "Goal not reached yet",
                "the sum is checked\nNobody has checked it."
            ),
            (
                session,
                info,
                "Goal reached (2",
                "the sum is checked\nIt is done."
            ),
            (
                session,
                NoticeLevel::Warning,
                "Goal given up (1",
                "the moon is cheese\nThe moon is rock."
            ),
        ]
    );
}

#[test]
fn every_turn_of_a_terminal_has_its_duration() {
    let turns = notices("interactive_goals");
    let turns = turns
        .iter()
        .filter(|(_, _, text)| text.starts_with("The turn took "));
    assert_eq!(turns.count(), 4);
}
