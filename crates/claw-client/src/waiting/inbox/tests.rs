use bytes::Bytes;
use claw_codec::Line;

use super::*;
use crate::outcome::error::Cause;

fn line(number: u64) -> LineItem {
    let raw = Bytes::from(format!(r#"{{"type":"odd","n":{number}}}"#));
    LineItem::Line(Line::new(number, raw))
}

/// Returns the next line if it is ready.
fn next(reader: &mut Reader) -> Poll<Option<Result<u64, Error>>> {
    let frame = reader.poll_frame(&mut Context::from_waker(Waker::noop()));
    frame.map(|frame| frame.map(|frame| frame.map(|frame| frame.number())))
}

fn number(reader: &mut Reader) -> u64 {
    match next(reader) {
        Poll::Ready(Some(Ok(number))) => number,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_line_is_delivered_once() {
    let inbox = Arc::new(Inbox::default());
    let (first, second) = (TurnId(1), TurnId(2));
    let mut one = inbox.open(Stream::Turn(first)).unwrap();
    let mut two = inbox.open(Stream::Turn(second)).unwrap();
    inbox.lines(Some(first), [line(1)]);
    inbox.lines(Some(second), [line(2)]);
    inbox.lines(None, [line(3)]);
    assert_eq!((number(&mut one), number(&mut two)), (1, 2));
    assert!(next(&mut one).is_pending());
    let mut all = inbox.open(Stream::All).unwrap();
    assert!(inbox.open(Stream::All).is_none());
    assert_eq!(number(&mut all), 3);
    inbox.lines(Some(first), [line(4)]);
    inbox.result(&[first], None, &line(5));
    assert_eq!((number(&mut all), number(&mut all)), (4, 5));
    assert_eq!(number(&mut one), 5);
    assert!(matches!(next(&mut one), Poll::Ready(None)));
    assert!(next(&mut all).is_pending());
}

#[test]
fn what_waits_is_counted() {
    let inbox = Arc::new(Inbox::default());
    let turn = TurnId(1);
    let mut reader = inbox.open(Stream::Turn(turn)).unwrap();
    for number in 1..=10 {
        inbox.lines(Some(turn), [line(number)]);
    }
    let full = inbox.bytes();
    assert!(full > 10 * OVERHEAD);
    number(&mut reader);
    assert!(inbox.bytes() < full);
    reader.result_only();
    assert_eq!(inbox.bytes(), 0);
    inbox.lines(Some(turn), [line(11)]);
    assert_eq!((inbox.bytes(), inbox.skipped()), (0, 0));
    inbox.result(&[turn], None, &line(12));
    assert_eq!(number(&mut reader), 12);
    let other = inbox.open(Stream::Turn(TurnId(2))).unwrap();
    inbox.lines(Some(TurnId(2)), [line(13)]);
    drop(other);
    assert_eq!(inbox.bytes(), 0);
}

#[test]
fn a_reader_takes_a_handful_at_once_and_loses_none() {
    let inbox = Arc::new(Inbox::default());
    let turn = TurnId(1);
    let mut reader = inbox.open(Stream::Turn(turn)).unwrap();
    let handful = u64::try_from(HELD / weight(&line(1))).unwrap();
    inbox.lines(Some(turn), (1..=3 * handful).map(line));
    let full = inbox.bytes();
    assert_eq!(number(&mut reader), 1);
    let taken = full - inbox.bytes();
    assert!((HELD..HELD + weight(&line(3 * handful))).contains(&taken));
    inbox.result(&[turn], None, &line(3 * handful + 1));
    for expected in 2..=3 * handful + 1 {
        assert_eq!(number(&mut reader), expected);
    }
    assert_eq!(inbox.bytes(), 0);
    // A reader that requests only the result discards the lines that do not belong to the answer.
    let mut reader = inbox.open(Stream::Turn(TurnId(2))).unwrap();
    inbox.lines(Some(TurnId(2)), (1..=3).map(line));
    assert_eq!(number(&mut reader), 1);
    reader.result_only();
    inbox.result(&[TurnId(2)], None, &line(4));
    assert_eq!(number(&mut reader), 4);
}

#[test]
fn the_end_comes_behind_what_waits() {
    let inbox = Arc::new(Inbox::default());
    let mut turn = inbox.open(Stream::Turn(TurnId(1))).unwrap();
    let mut all = inbox.open(Stream::All).unwrap();
    inbox.lines(None, [line(1)]);
    inbox.end(Cause::Closed.into(), true);
    inbox.end(Cause::ResultLost.into(), false);
    assert_eq!(number(&mut all), 1);
    assert!(matches!(next(&mut all), Poll::Ready(None)));
    assert!(matches!(
        next(&mut turn),
        Poll::Ready(Some(Err(error))) if error.is_closed()
    ));
    assert!(matches!(next(&mut turn), Poll::Ready(None)));
    // A stream that is opened after the end of the session ends at once.
    let mut late = inbox.open(Stream::Turn(TurnId(2))).unwrap();
    assert!(matches!(next(&mut late), Poll::Ready(Some(Err(_)))));
}

#[test]
fn an_end_that_is_none_is_an_error_for_all() {
    let inbox = Arc::new(Inbox::default());
    let mut all = inbox.open(Stream::All).unwrap();
    inbox.end(Cause::Closed.into(), false);
    assert!(matches!(next(&mut all), Poll::Ready(Some(Err(_)))));
    assert!(matches!(next(&mut all), Poll::Ready(None)));
}

#[test]
fn what_nobody_reads_is_kept_for_a_while() {
    let inbox = Arc::new(Inbox::default());
    let dropped = TurnId(1);
    drop(inbox.open(Stream::Turn(dropped)));
    inbox.lines(Some(dropped), [line(1)]);
    inbox.lines(None, [line(2)]);
    inbox.result(&[], None, &line(3));
    // Lines without a reader are not counted.
    assert_eq!((inbox.bytes(), inbox.skipped()), (0, 0));
    let mut all = inbox.open(Stream::All).unwrap();
    assert!(inbox.bytes() > 0);
    for expected in 1..=3 {
        assert_eq!(number(&mut all), expected);
    }
    assert!(next(&mut all).is_pending());
    assert_eq!(inbox.bytes(), 0);
    drop(all);
    let each = weight(&line(1_000_000));
    let came = u64::try_from(3 * RING / each).unwrap();
    for number in 0..came {
        inbox.lines(None, [line(1_000_000 + number)]);
    }
    let kept = came - inbox.skipped();
    assert_eq!(usize::try_from(kept).unwrap(), RING / each);
    let mut all = inbox.open(Stream::All).unwrap();
    assert_eq!(number(&mut all), 1_000_000 + came - kept);
}

#[test]
fn a_line_longer_than_the_ring_is_not_kept() {
    let inbox = Arc::new(Inbox::default());
    inbox.lines(None, [line(1)]);
    let long = format!(r#"{{"type":"{}"}}"#, "x".repeat(RING));
    inbox.lines(None, [LineItem::Line(Line::new(2, long.into()))]);
    assert_eq!(inbox.skipped(), 2);
    inbox.lines(None, [line(3)]);
    assert_eq!(number(&mut inbox.open(Stream::All).unwrap()), 3);
}

#[test]
fn who_waits_where_others_have_the_room_is_told() {
    let inbox = Arc::new(Inbox::default());
    let (full, waiting, quiet) = (TurnId(1), TurnId(2), TurnId(3));
    let mut readers = [full, waiting, quiet].map(|turn| inbox.open(Stream::Turn(turn)).unwrap());
    assert!(!inbox.is_awaited());
    inbox.lines(Some(full), [line(1)]);
    assert!(next(&mut readers[1]).is_pending());
    assert!(inbox.is_awaited());
    inbox.backlogged();
    assert!(!inbox.is_awaited());
    let told = next(&mut readers[1]);
    assert!(matches!(told, Poll::Ready(Some(Err(error))) if error.is_backlogged()));
    // The stream has ended, even if more lines follow.
    inbox.lines(Some(waiting), [line(2)]);
    inbox.result(&[waiting], None, &line(3));
    assert!(matches!(next(&mut readers[1]), Poll::Ready(None)));
    assert_eq!(number(&mut readers[0]), 1);
    inbox.lines(Some(quiet), [line(4)]);
    assert_eq!(number(&mut readers[2]), 4);
}

#[test]
fn a_backlog_does_not_keep_the_buffers_it_came_in() {
    let inbox = Arc::new(Inbox::default());
    let mut reader = inbox.open(Stream::Turn(TurnId(1))).unwrap();
    let buffer = Bytes::from(vec![b' '; 1 << 20]);
    let part = |number| LineItem::Line(Line::new(number, buffer.slice(0..100)));
    for number in 0..BACKLOG as u64 {
        inbox.lines(Some(TurnId(1)), [part(number)]);
    }
    while next(&mut reader).is_ready() {}
    for number in 0..2 * BACKLOG as u64 {
        inbox.lines(Some(TurnId(1)), [part(number)]);
    }
    let waiting = inbox.lock();
    let lines = &waiting.streams[&Stream::Turn(TurnId(1))].lines;
    let in_buffer = lines.iter().filter(|item| match item {
        LineItem::Line(line) => line.raw.as_ptr() == buffer.as_ptr(),
        _ => false,
    });
    assert_eq!((in_buffer.count(), lines.len()), (BACKLOG, 2 * BACKLOG));
}
