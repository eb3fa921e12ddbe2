use super::*;
use crate::error::Cause;

fn ending() -> Ending {
    Ending::of(&Process::detached())
}

/// Of a process that nobody knows the status of.
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

/// The verdict in a word.
fn verdict(ending: &Ending) -> String {
    match ending.verdict() {
        Verdict::Closed => "closed".to_owned(),
        Verdict::Exited(_) => "exited".to_owned(),
        Verdict::Failed(error) => match error.transport() {
            Some(TransportError::Io(error)) => error.kind().to_string(),
            _ => error.to_string(),
        },
    }
}

#[test]
fn an_exit_is_told_once_the_pipe_is_drained_or_given_up() {
    let mut ending = ending();
    assert!(ending.is_running() && ending.has_output());
    ending.exited(exit());
    assert!(!ending.is_running() && ending.has_output() && !ending.is_over());
    assert!(ending.drained_until().is_some() && ending.patient_until().is_none());
    ending.gave_up();
    assert!(ending.is_over() && !ending.has_output() && ending.drained_until().is_none());
    assert_eq!(verdict(&ending), "exited");
}

#[test]
fn the_end_of_output_is_over_when_the_process_is() {
    let mut ending = ending();
    ending.end_of_output(eof());
    assert!(!ending.has_output() && !ending.is_over() && ending.patient_until().is_some());
    ending.exited(exit());
    assert!(ending.is_over());
    // No status says more than that.
    assert_eq!(verdict(&ending), "unexpected end of file");
    // In the other order.
    let mut ending = self::ending();
    ending.exited(exit());
    ending.end_of_output(eof());
    assert!(ending.is_over());
    assert_eq!(verdict(&ending), "unexpected end of file");
}

#[test]
fn what_is_asked_for_is_the_last_word() {
    type Step = fn(&mut Ending);
    let before: [Step; 5] = [
        |_| (),
        |ending| ending.broken(broken_pipe()),
        |ending| ending.refuse(refusal()),
        |ending| ending.exited(exit()),
        |ending| {
            ending.end_of_output(eof());
            ending.exited(exit());
        },
    ];
    for step in before {
        let mut ending = ending();
        step(&mut ending);
        assert!(!ending.is_asked());
        assert!(ending.ask() && !ending.ask() && ending.is_asked());
        ending.broken(broken_pipe());
        ending.refuse(refusal());
        ending.end_of_output(eof());
        assert_eq!(verdict(&ending), "closed");
    }
}

#[test]
fn of_a_pipe_and_a_refusal_the_first_counts() {
    let mut ending = ending();
    ending.refuse(refusal());
    ending.broken(broken_pipe());
    ending.end_of_output(eof());
    assert!(ending.patient_until().is_none() && !ending.has_output());
    ending.exited(exit());
    assert_eq!(verdict(&ending), refusal().to_string());
    let mut ending = self::ending();
    ending.broken(broken_pipe());
    ending.refuse(refusal());
    assert!(ending.patient_until().is_some() && ending.has_output());
    assert_eq!(verdict(&ending), "broken pipe");
    // The end of the output says more than that nothing can be written.
    ending.end_of_output(eof());
    assert_eq!(verdict(&ending), "unexpected end of file");
}

#[test]
fn patience_ends_once_whoever_asks_meanwhile() {
    let mut ending = ending();
    ending.broken(broken_pipe());
    let until = ending.patient_until();
    ending.ask();
    assert_eq!(ending.patient_until(), until);
    ending.outstayed();
    assert!(ending.patient_until().is_none());
    assert_eq!(verdict(&ending), "closed");
    let mut ending = self::ending();
    ending.broken(broken_pipe());
    ending.outstayed();
    assert!(ending.patient_until().is_none() && !ending.is_over());
    ending.exited(exit());
    ending.gave_up();
    assert_eq!(verdict(&ending), "broken pipe");
}

#[test]
fn all_who_wait_are_told_that_it_is_stuck() {
    let mut ending = ending();
    let waiting = [oneshot::channel(), oneshot::channel()].map(|(done, closed)| {
        ending.wait(done);
        closed
    });
    ending.ask();
    ending.stuck(TransportError::Stuck { pid: 7 }.into());
    assert!(ending.is_over() && ending.exit().is_none());
    ending.tell();
    for mut closed in waiting {
        let error = closed.try_recv().unwrap().unwrap_err();
        assert!(error.to_string().contains("process 7"), "{error}");
    }
}
