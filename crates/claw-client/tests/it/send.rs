//! Handles go anywhere, and so do futures: this compiles.

use claw_client::transport::{
    CommandSpec, Incoming, Io, Local, Outgoing, Parts, Pipes, Process, Recorder, Shutdown,
    Subprocess, Transport,
};
use claw_client::types::QueryOptions;
use claw_client::{Error, Messages, Query, Session, SessionBuilder, Turn};
use tokio::io::DuplexStream;

use crate::slow::Nothing;

fn anywhere<T: Send + 'static>() {}
fn shared<T: Send + Sync + 'static>() {}
fn this<T: Send + 'static>(_: &T) {}

#[test]
fn handles_and_futures_go_anywhere() {
    shared::<Session>();
    shared::<Process>();
    shared::<Error>();
    shared::<CommandSpec>();
    shared::<Local>();
    anywhere::<SessionBuilder>();
    anywhere::<Query>();
    anywhere::<Turn>();
    anywhere::<Messages>();
    anywhere::<Incoming>();
    anywhere::<Outgoing>();
    anywhere::<Parts>();
    anywhere::<Pipes>();
    anywhere::<Subprocess>();
    anywhere::<Io<DuplexStream, DuplexStream>>();
    anywhere::<Recorder<Subprocess, Vec<u8>, Vec<u8>>>();

    // Never run: what they return is looked at by the compiler alone.
    let builder = || Session::builder(QueryOptions::default());
    let _ = || {
        this(&claw_client::query("Hi", QueryOptions::default()));
        this(&builder().connect());
        this(&builder().query("Hi"));
        this(&Subprocess::new(&QueryOptions::default()).open());
    };
    let _ = |session: Session, turn: Turn, process: Process| {
        this(&session.send("Hi"));
        this(&session.call(Nothing));
        this(&session.interrupt());
        this(&session.close());
        this(&session.close_with(Shutdown::now()));
        this(&process.exited());
        this(&process.shutdown(Shutdown::now()));
        this(&turn.result());
    };
    // Those of a stream borrow it, and go where it goes.
    let _ = |mut turn: Turn, mut messages: Messages, mut query: Query| {
        this(&async move { turn.next_frame().await });
        this(&async move { messages.next_frame().await });
        this(&async move { query.next_frame().await });
    };
    let _ = |mut parts: Parts| {
        this(&async move { parts.outgoing.send("{}".into()).await });
    };
}
