use std::io::{self, Write};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use claw_codec::LineItem;
use claw_transport::{Io, Parts, Recorder, Shutdown, Transport};
use futures::{StreamExt, TryStreamExt};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, DuplexStream, ReadBuf};

use crate::support::{Started, line, process, run, soon};

async fn over(near: DuplexStream) -> Parts {
    let (reader, writer) = tokio::io::split(near);
    Io::new(reader, writer).open().await.unwrap().into_parts()
}

#[tokio::test]
async fn both_pipes_full_do_not_block_each_other() {
    // It reads nothing before it has written four megabytes, and then all; so do we.
    let mut parts = run(&["fill=4000000", "count"]).await;
    let Parts {
        incoming, outgoing, ..
    } = &mut parts;
    let sending = async {
        outgoing
            .send(Bytes::from(vec![b'y'; 3_999_999]))
            .await
            .unwrap();
        outgoing.close().await.unwrap();
    };
    let ((), lines) = soon(futures::future::join(
        sending,
        incoming.try_collect::<Vec<_>>(),
    ))
    .await;
    let lengths: Vec<_> = lines
        .unwrap()
        .iter()
        .map(|item| match item {
            LineItem::Line(line) => line.raw.len(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(lengths, [4_000_000, 7]);
}

#[tokio::test]
async fn a_cancelled_line_is_neither_cut_nor_repeated() {
    let (near, mut far) = tokio::io::duplex(16);
    let mut parts = over(near).await;
    let long = "x".repeat(100);
    assert!(futures::poll!(std::pin::pin!(parts.outgoing.send(long.clone().into()))).is_pending());
    // What is sent next waits for its rest.
    let mut read = String::new();
    let sending = async {
        parts.outgoing.send("next".into()).await.unwrap();
        parts.outgoing.close().await.unwrap();
        drop(parts);
    };
    soon(futures::future::join(
        sending,
        far.read_to_string(&mut read),
    ))
    .await
    .1
    .unwrap();
    assert_eq!(read, format!("{long}\nnext\n"));
}

fn text(item: Option<LineItem>) -> Option<Bytes> {
    item.map(|item| match item {
        LineItem::Line(line) => line.raw,
        other => panic!("{other:?}"),
    })
}

#[tokio::test]
async fn whole_lines_that_came_together_are_at_hand() {
    let (near, mut far) = tokio::io::duplex(64);
    let mut incoming = over(near).await.incoming;
    assert_eq!(text(incoming.at_hand()), None);
    far.write_all(b"1\n2\n\n3\nhalf").await.unwrap();
    // It reads when it is waited for, and not before.
    assert_eq!(text(incoming.at_hand()), None);
    assert_eq!(text(incoming.try_next().await.unwrap()).unwrap(), "1");
    assert_eq!(text(incoming.at_hand()).unwrap(), "2");
    assert_eq!(text(incoming.at_hand()).unwrap(), "3");
    assert_eq!(text(incoming.at_hand()), None);
    drop(far);
    assert_eq!(text(incoming.try_next().await.unwrap()).unwrap(), "half");
    assert_eq!(text(incoming.try_next().await.unwrap()), None);
    assert_eq!(text(incoming.at_hand()), None);
}

/// Gives a line and a half, then fails, then would go on.
struct Failing(u8);

impl AsyncRead for Failing {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.0 += 1;
        match self.0 {
            2 => return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into())),
            1 => into.put_slice(b"one\nha"),
            _ => into.put_slice(b"lf\n"),
        }
        Poll::Ready(Ok(()))
    }
}

#[tokio::test]
async fn nothing_comes_behind_an_error() {
    let transport = Io::new(Failing(0), tokio::io::sink());
    let mut incoming = transport.open().await.unwrap().into_parts().incoming;
    assert_eq!(text(incoming.try_next().await.unwrap()).unwrap(), "one");
    let error = incoming.try_next().await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    assert_eq!(text(incoming.try_next().await.unwrap()), None);
    assert_eq!(text(incoming.at_hand()), None);
}

/// Bytes of which it can be seen that nobody has them any more.
struct Seen {
    _held: Arc<()>,
}

impl AsRef<[u8]> for Seen {
    fn as_ref(&self) -> &[u8] {
        b"{}"
    }
}

#[tokio::test]
async fn a_line_that_is_sent_is_let_go_of() {
    let (near, _far) = tokio::io::duplex(64);
    let mut parts = over(near).await;
    let seen = Arc::new(());
    let line = Bytes::from_owner(Seen {
        _held: seen.clone(),
    });
    parts.outgoing.send(line).await.unwrap();
    assert_eq!(Arc::strong_count(&seen), 1);
}

#[tokio::test]
async fn what_is_not_one_line_is_refused_and_nothing_sent() {
    let (near, mut far) = tokio::io::duplex(64);
    let mut parts = over(near).await;
    let error = parts.outgoing.send("one\ntwo".into()).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    parts.outgoing.close().await.unwrap();
    parts.outgoing.close().await.unwrap();
    let error = parts.outgoing.send("late".into()).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    drop(parts);
    let mut read = Vec::new();
    soon(far.read_to_end(&mut read)).await.unwrap();
    assert!(read.is_empty());
}

#[tokio::test]
async fn lines_go_over_any_reader_and_writer() {
    let (near, mut far) = tokio::io::duplex(64);
    let mut parts = over(near).await;
    far.write_all(b"{}\r\nlast").await.unwrap();
    far.shutdown().await.unwrap();
    assert_eq!(line(&mut parts).await, "{}");
    assert_eq!(line(&mut parts).await, "last");
    assert!(soon(parts.incoming.next()).await.is_none());
    assert_eq!(parts.process.exit(), None);
}

/// Memory that can be looked at afterwards.
#[derive(Clone, Default)]
struct Copy(Arc<Mutex<Vec<u8>>>);

impl Write for Copy {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Write::write(&mut *self.0.lock().unwrap(), bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_recorder_keeps_every_byte() {
    let (stdout, stdin) = (Copy::default(), Copy::default());
    // Line endings of all sorts, no text at all, a cut last line.
    let odd = ["bytes=97,13,10,10,255,254,0,10,98", "cat"];
    let recorder = Recorder::new(Started(process(&odd)), stdout.clone(), stdin.clone());
    let mut parts = recorder.open().await.unwrap().into_parts();
    let text = format!("🎉{}", "z".repeat(300_000));
    let Parts {
        incoming, outgoing, ..
    } = &mut parts;
    let sending = async {
        outgoing.send(text.clone().into()).await.unwrap();
        outgoing.close().await.unwrap();
    };
    let read = incoming.try_for_each(|_| std::future::ready(Ok(())));
    soon(futures::future::join(sending, read)).await.1.unwrap();
    let sent = format!("{text}\n").into_bytes();
    assert!(*stdin.0.lock().unwrap() == sent);
    assert!(*stdout.0.lock().unwrap() == [b"a\r\n\n\xff\xfe\0\nb", &sent[..]].concat());
}

#[tokio::test]
async fn a_recorder_writes_files() {
    let folder = tempfile::tempdir().unwrap();
    let [stdout, stdin] = ["stdout.ndjson", "stdin.ndjson"].map(|name| folder.path().join(name));
    let recorder = Recorder::create(Started(process(&["cat"])), &stdout, &stdin).unwrap();
    let mut parts = recorder.open().await.unwrap().into_parts();
    parts.outgoing.send("{}".into()).await.unwrap();
    assert_eq!(line(&mut parts).await, "{}");
    parts.outgoing.close().await.unwrap();
    soon(parts.process.shutdown(Shutdown::default()))
        .await
        .unwrap();
    assert_eq!(std::fs::read(stdout).unwrap(), b"{}\n");
    assert_eq!(std::fs::read(stdin).unwrap(), b"{}\n");
}

/// Takes nothing.
struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_recording_has_no_silent_holes() {
    let recorder = Recorder::new(Started(process(&["say=x", "cat"])), Full, Full);
    let mut parts = recorder.open().await.unwrap().into_parts();
    let sent = parts.outgoing.send("{}".into()).await.unwrap_err();
    assert_eq!(sent.kind(), io::ErrorKind::StorageFull);
    let read = soon(parts.incoming.next()).await.unwrap().unwrap_err();
    assert_eq!(read.kind(), io::ErrorKind::StorageFull);
}
