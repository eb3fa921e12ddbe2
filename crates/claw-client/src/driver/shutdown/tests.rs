use super::*;
use crate::outcome::error::Cause;

fn ending() -> ShutdownState {
    ShutdownState::of(&Process::detached())
}

/// Returns the exit of a process whose status is unknown.
fn exit() -> Exit {
    let process = Process::detached();
    process.terminate();
    process.exit().unwrap()
}

fn eof() -> io::Error {
    io::ErrorKind::UnexpectedEof.into()
}

fn broken_pipe() -> io::Error {
    io::ErrorKind::BrokenPipe.into()
}

fn refusal() -> Error {
    Cause::NotReading { waiting: 7 }.into()
}

/// Returns a short text for the outcome.
fn outcome(shutdown: &ShutdownState) -> String {
    match shutdown.outcome() {
        ShutdownOutcome::Closed => "closed".to_owned(),
        ShutdownOutcome::Exited(_) => "exited".to_owned(),
        ShutdownOutcome::Failed(error) => match error.transport() {
            Some(TransportError::Io(error)) => error.kind().to_string(),
            _ => error.to_string(),
        },
    }
}

#[test]
fn an_exit_is_told_once_the_pipe_is_drained_or_given_up() {
    let mut shutdown = ending();
    assert!(shutdown.is_running() && shutdown.has_output());
    shutdown.exited(exit());
    assert!(!shutdown.is_running() && shutdown.has_output() && !shutdown.has_ended());
    assert!(shutdown.drain_deadline().is_some() && shutdown.linger_deadline().is_none());
    shutdown.drain_timed_out();
    assert!(shutdown.has_ended() && !shutdown.has_output() && shutdown.drain_deadline().is_none());
    assert_eq!(outcome(&shutdown), "exited");
}

#[test]
fn the_end_of_output_has_ended_when_the_process_is() {
    let mut shutdown = ending();
    shutdown.end_of_output(eof());
    assert!(
        !shutdown.has_output() && !shutdown.has_ended() && shutdown.linger_deadline().is_some()
    );
    shutdown.exited(exit());
    assert!(shutdown.has_ended());
    // The status of this exit is unknown, so the outcome is the error of the pipe.
    assert_eq!(outcome(&shutdown), "unexpected end of file");
    // The same events happen in the other order.
    let mut shutdown = ending();
    shutdown.exited(exit());
    shutdown.end_of_output(eof());
    assert!(shutdown.has_ended());
    assert_eq!(outcome(&shutdown), "unexpected end of file");
}

#[test]
fn what_is_asked_for_is_the_last_word() {
    type Step = fn(&mut ShutdownState);
    let before: [Step; 5] = [
        |_| (),
        |shutdown| shutdown.broken(broken_pipe()),
        |shutdown| shutdown.refuse(refusal()),
        |shutdown| shutdown.exited(exit()),
        |shutdown| {
            shutdown.end_of_output(eof());
            shutdown.exited(exit());
        },
    ];
    for step in before {
        let mut shutdown = ending();
        step(&mut shutdown);
        assert!(!shutdown.is_asked());
        assert!(shutdown.ask() && !shutdown.ask() && shutdown.is_asked());
        shutdown.broken(broken_pipe());
        shutdown.refuse(refusal());
        shutdown.end_of_output(eof());
        assert_eq!(outcome(&shutdown), "closed");
    }
}

#[test]
fn of_a_pipe_and_a_refusal_the_first_counts() {
    let mut shutdown = ending();
    shutdown.refuse(refusal());
    shutdown.broken(broken_pipe());
    shutdown.end_of_output(eof());
    assert!(shutdown.linger_deadline().is_none() && !shutdown.has_output());
    shutdown.exited(exit());
    assert_eq!(outcome(&shutdown), refusal().to_string());
    let mut shutdown = ending();
    shutdown.broken(broken_pipe());
    shutdown.refuse(refusal());
    assert!(shutdown.linger_deadline().is_some() && shutdown.has_output());
    assert_eq!(outcome(&shutdown), "broken pipe");
    // The end of the output replaces the error of the failed write.
    shutdown.end_of_output(eof());
    assert_eq!(outcome(&shutdown), "unexpected end of file");
}

#[test]
fn patience_ends_once_whoever_asks_meanwhile() {
    let mut shutdown = ending();
    shutdown.broken(broken_pipe());
    let until = shutdown.linger_deadline();
    shutdown.ask();
    assert_eq!(shutdown.linger_deadline(), until);
    shutdown.linger_timed_out();
    assert!(shutdown.linger_deadline().is_none());
    assert_eq!(outcome(&shutdown), "closed");
    let mut shutdown = ending();
    shutdown.broken(broken_pipe());
    shutdown.linger_timed_out();
    assert!(shutdown.linger_deadline().is_none() && !shutdown.has_ended());
    shutdown.exited(exit());
    shutdown.drain_timed_out();
    assert_eq!(outcome(&shutdown), "broken pipe");
}

#[test]
fn all_who_wait_are_told_that_it_is_stuck() {
    let mut shutdown = ending();
    let waiting = [oneshot::channel(), oneshot::channel()].map(|(done, closed)| {
        shutdown.wait(done);
        closed
    });
    shutdown.ask();
    shutdown.stuck(TransportError::Stuck { pid: 7 }.into());
    assert!(shutdown.has_ended() && shutdown.exit().is_none());
    shutdown.notify_waiters();
    for mut closed in waiting {
        let error = closed.try_recv().unwrap().unwrap_err();
        assert!(error.to_string().contains("process 7"), "{error}");
    }
}
