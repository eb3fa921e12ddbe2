use claw_codec::Line;
use futures::FutureExt;
use futures::future::poll_fn;

use super::*;

fn line(number: u64) -> LineItem {
    let raw = Bytes::from(format!(r#"{{"type":"odd","n":{number}}}"#));
    LineItem::Line(Line::new(number, raw))
}

/// The number of the next line, if there is one now.
fn next(reader: &mut Reader) -> Option<Option<Result<u64, Error>>> {
    let frame = poll_fn(|cx| reader.poll_frame(cx)).now_or_never();
    frame.map(|frame| frame.map(|frame| frame.map(|frame| frame.number())))
}

fn number(reader: &mut Reader) -> u64 {
    next(reader).unwrap().unwrap().unwrap()
}

#[test]
fn a_line_is_delivered_once() {
    let inbox = Arc::new(Inbox::default());
    let (first, second) = (TurnId(1), TurnId(2));
    let mut one = inbox.open(Stream::Turn(first)).unwrap();
    let mut two = inbox.open(Stream::Turn(second)).unwrap();
    inbox.line(Some(first), line(1));
    inbox.line(Some(second), line(2));
    inbox.line(None, line(3));
    assert_eq!((number(&mut one), number(&mut two)), (1, 2));
    assert!(next(&mut one).is_none());
    assert_eq!(inbox.skipped(), 1);
    let mut all = inbox.open(Stream::All).unwrap();
    assert!(inbox.open(Stream::All).is_none());
    inbox.line(Some(first), line(4));
    inbox.result(&[first], &line(5));
    assert_eq!((number(&mut all), number(&mut all)), (4, 5));
    assert_eq!(number(&mut one), 5);
    assert!(next(&mut one).unwrap().is_none());
    assert!(next(&mut all).is_none());
}

#[test]
fn what_waits_is_counted() {
    let inbox = Arc::new(Inbox::default());
    let turn = TurnId(1);
    let mut reader = inbox.open(Stream::Turn(turn)).unwrap();
    for number in 1..=10 {
        inbox.line(Some(turn), line(number));
    }
    let full = inbox.bytes();
    assert!(full > 10 * OVERHEAD);
    number(&mut reader);
    assert!(inbox.bytes() < full);
    reader.result_only();
    assert_eq!(inbox.bytes(), 0);
    inbox.line(Some(turn), line(11));
    assert_eq!((inbox.bytes(), inbox.skipped()), (0, 0));
    inbox.result(&[turn], &line(12));
    assert_eq!(number(&mut reader), 12);
    let other = inbox.open(Stream::Turn(TurnId(2))).unwrap();
    inbox.line(Some(TurnId(2)), line(13));
    drop(other);
    assert_eq!(inbox.bytes(), 0);
}

#[test]
fn the_end_comes_behind_what_waits() {
    let inbox = Arc::new(Inbox::default());
    let mut turn = inbox.open(Stream::Turn(TurnId(1))).unwrap();
    let mut all = inbox.open(Stream::All).unwrap();
    inbox.line(None, line(1));
    inbox.end(End::Closed, true);
    inbox.end(
        End::Io {
            kind: std::io::ErrorKind::Other,
            text: "late".into(),
        },
        false,
    );
    assert_eq!(number(&mut all), 1);
    assert!(next(&mut all).unwrap().is_none());
    assert!(next(&mut turn).unwrap().unwrap().unwrap_err().is_closed());
    assert!(next(&mut turn).unwrap().is_none());
    // One that is opened too late ends as well.
    let mut late = inbox.open(Stream::Turn(TurnId(2))).unwrap();
    assert!(next(&mut late).unwrap().unwrap().is_err());
}

#[test]
fn an_end_that_is_none_is_an_error_for_all() {
    let inbox = Arc::new(Inbox::default());
    let mut all = inbox.open(Stream::All).unwrap();
    inbox.end(End::Closed, false);
    assert!(next(&mut all).unwrap().unwrap().is_err());
    assert!(next(&mut all).unwrap().is_none());
}
