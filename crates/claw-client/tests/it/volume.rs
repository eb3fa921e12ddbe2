//! Much of everything: in, out, and on standard error.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use claw_client::Session;
use claw_client::transport::{Io, Shutdown};
use claw_testkit::agent::{self, Flood, Script, Step};
use claw_testkit::{Block, Gates};
use futures::StreamExt;
use tokio::io::{AsyncRead, ReadBuf};

use crate::agent::{builder, soon};
use crate::proc::peak_memory;
use crate::process::options;
use crate::slow::Nothing;

const MIB: usize = 1 << 20;

fn run(test: impl Future<Output = ()>) {
    agent::program().unwrap();
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(test);
}

async fn connect(script: Script, buffer: usize) -> (Session, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let builder = Session::builder(options(folder.path(), &script)).buffer(buffer);
    (soon(builder.connect()).await.unwrap(), folder)
}

/// By how many KiB the memory of this process grew at the most.
async fn growth(name: &str, what: impl Future<Output = ()>) -> usize {
    let before = peak_memory();
    what.await;
    let growth = peak_memory() - before;
    println!("{name}: memory grew by {growth} KiB at the most");
    growth
}

#[test]
fn a_hundred_megabytes_of_stderr_hold_up_nothing() {
    if !claw_testkit::alone("volume::a_hundred_megabytes_of_stderr_hold_up_nothing") {
        return;
    }
    run(async {
        let line = "a line of standard error that is of no use to anybody at all\n";
        let lines = Flood::new(line).times((100 * MIB / line.len()) as u64);
        let endless = Flood::new("endless ").times((100 * MIB / 8) as u64);
        let script = Script::new([
            Step::Flood(lines.stderr()),
            Step::Flood(endless.stderr()),
            Step::Stderr("\nthe end\n".into()),
            Step::Turn(vec![Step::message([Block::text("fine")])]),
        ]);
        let (session, _folder) = connect(script, MIB).await;
        let grown = growth("200 MiB of stderr", async {
            let turn = session.send("Go").await.unwrap();
            assert!(!soon(turn.result()).await.unwrap().is_error());
        })
        .await;
        assert!(grown < 16 << 10, "{grown} KiB");
        // Standard error is a pipe of its own: its end may be read after the result.
        soon(async {
            while !session.process().stderr_tail().ends_with("the end\n") {
                tokio::task::yield_now().await;
            }
        })
        .await;
        soon(session.close()).await.unwrap();
    });
}

#[test]
fn a_gigabyte_for_a_reader_who_has_stopped_takes_no_more_than_the_bound() {
    if !claw_testkit::alone(
        "volume::a_gigabyte_for_a_reader_who_has_stopped_takes_no_more_than_the_bound",
    ) {
        return;
    }
    run(async {
        let line = format!("{{\"type\":\"noise\",\"text\":\"{}\"}}\n", "x".repeat(200));
        let flood = Flood::new(line.as_str()).times((1 << 30) / line.len() as u64);
        let script = Script::new([Step::Turn(vec![Step::Flood(flood)])]);
        let (session, _folder) = connect(script, 16 * MIB).await;
        let mut turn = session.send("Go").await.unwrap();
        let grown = growth("1 GiB, a bound of 16 MiB", async {
            turn.next().await.unwrap().unwrap();
            // From here on nobody reads. Calls are answered as long as there is room, and fail after.
            let error = soon(async {
                loop {
                    let error = session.call(Nothing).await.unwrap_err();
                    if !error.is_refused() {
                        return error;
                    }
                }
            })
            .await;
            assert!(error.is_backlogged(), "{error}");
            for _ in 0..3 {
                let error = soon(session.interrupt()).await.unwrap_err();
                assert!(error.is_backlogged(), "{error}");
            }
        })
        .await;
        // The bound is one of bytes on the wire; what holds them takes some, too.
        assert!(grown < 3 * (16 << 10), "{grown} KiB");
        let ladder = Shutdown::default().grace(Duration::from_millis(100));
        soon(session.close_with(ladder)).await.unwrap();
    });
}

#[test]
fn what_nobody_can_read_takes_no_room() {
    if !claw_testkit::alone("volume::what_nobody_can_read_takes_no_room") {
        return;
    }
    run(async {
        let line = format!(
            "{{\"type\":\"noise\",\"text\":\"{}\"}}\n",
            "x".repeat(60_000)
        );
        let flood = Flood::new(line.as_str()).times((128 * MIB / line.len()) as u64);
        let script = Script::new([
            Step::Turn(vec![Step::Flood(flood)]),
            Step::Turns(vec![Step::message([Block::text("fine")])]),
        ]);
        let (session, _folder) = connect(script, 16 * MIB).await;
        let grown = growth("128 MiB that nobody reads", async {
            drop(session.send("Go").await.unwrap());
            let turn = session.send("And then?").await.unwrap();
            assert!(!soon(turn.result()).await.unwrap().is_error());
        })
        .await;
        assert!(grown < 16 << 10, "{grown} KiB");
        assert!(session.skipped() > 2000, "{}", session.skipped());
        soon(session.close()).await.unwrap();
    });
}

/// Gives a kilobyte at a time, and others their turn after each.
struct Slow<R>(R, bool);

impl<R: AsyncRead + Unpin> AsyncRead for Slow<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        self.1 = !self.1;
        if self.1 {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let mut kilobyte = [0; 1024];
        let most = buffer.remaining().min(kilobyte.len());
        let mut part = ReadBuf::new(&mut kilobyte[..most]);
        let read = Pin::new(&mut self.0).poll_read(cx, &mut part);
        buffer.put_slice(part.filled());
        read
    }
}

#[tokio::test]
async fn thirteen_megabytes_go_to_one_that_reads_slowly_while_it_floods() {
    let noise = Flood::new("{\"type\":\"noise\"}\n").times(200_000);
    let script = Script::new([
        Step::Turn(vec![Step::Flood(noise)]),
        Step::Turn(vec![Step::message([Block::text("fine")])]),
    ]);
    let (near, far) = tokio::io::duplex(64 << 10);
    let running = tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(far);
        agent::run(&script, Slow(reader, false), writer, &Gates::new()).await
    });
    let (reader, writer) = tokio::io::split(near);
    let session = soon(builder().transport(Io::new(reader, writer)).connect())
        .await
        .unwrap();
    let first = session.send("Flood!").await.unwrap();
    let text = "y".repeat(13 * MIB);
    let second = session.send(text.as_str()).await.unwrap();
    assert!(!soon(second.result()).await.unwrap().is_error());
    assert!(!soon(first.result()).await.unwrap().is_error());
    soon(session.close()).await.unwrap();
    let received = soon(running).await.unwrap().unwrap().received;
    let came = received
        .iter()
        .any(|line| line["message"]["content"] == text.as_str());
    assert!(came);
}
