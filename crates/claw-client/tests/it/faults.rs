//! Every fault of the scripted agent, as a process: the error that is documented, within its
//! deadline, and nothing left.

use std::time::Duration;

use claw_client::transport::{Exit, Shutdown, TransportError};
use claw_client::{Error, Received, Session};
use claw_testkit::Block;
use claw_testkit::agent::{Child, Cut, Death, Flood, Script, Step};
use futures::StreamExt;
use futures::future::join_all;
use serde_json::json;

use crate::agent::soon;
use crate::proc::{children, come_true, descriptors, is_ended_by, kill, marked};
use crate::process::options;
use crate::slow::Nothing;

/// A program of Windows cannot do it.
const CLOSES: &str = "closes its output and lives on";

/// A fault, and what comes of it.
struct Fault {
    name: &'static str,
    script: Script,
    /// What the host does, and what it gets.
    ask: Ask,
    /// How the process ends.
    end: fn(Exit) -> bool,
    /// How many processes the agent leaves, by what docs/processes.md says.
    leaves: usize,
}

/// Where the fault shows.
enum Ask {
    Connect(fn(&Error) -> bool),
    Turn(fn(&Error) -> bool),
    Request(fn(&Error) -> bool),
    /// As these, and what it gets is a time-out.
    LateConnect,
    LateRequest,
    /// It does no harm: the turn has its result, and so many lines that could not be read.
    Nothing {
        bad_lines: usize,
    },
}

fn code(expected: i32) -> impl Fn(&Error) -> bool {
    move |error| {
        error
            .exited()
            .is_some_and(|exited| exited.exit.code() == Some(expected))
    }
}

fn signal(expected: i32) -> impl Fn(&Error) -> bool {
    move |error| {
        error
            .exited()
            .is_some_and(|exited| is_ended_by(exited.exit, expected))
    }
}

fn is_end_of_output(error: &Error) -> bool {
    matches!(error.transport(), Some(TransportError::Io(error))
        if error.kind() == std::io::ErrorKind::UnexpectedEof)
}

/// Ended by claw's SIGTERM, as `claude` does it. (Windows has none: who is terminated says nothing more.)
fn obeyed(exit: Exit) -> bool {
    let code = if cfg!(windows) { 1 } else { 143 };
    exit.is_forced() && exit.code() == Some(code)
}

fn killed(exit: Exit) -> bool {
    exit.is_forced() && is_ended_by(exit, 9)
}

fn by_itself(exit: Exit) -> bool {
    !exit.is_forced()
}

fn turn(steps: impl IntoIterator<Item = Step>) -> Step {
    Step::Turn(steps.into_iter().collect())
}

fn says() -> Step {
    Step::Turns(vec![Step::message([Block::text("fine")])])
}

/// A request that is answered each time, because its id is too long to be remembered.
fn request() -> String {
    let id = "q".repeat(1000);
    let line =
        json!({"type": "control_request", "request_id": id, "request": {"subtype": "nothing"}});
    format!("{line}\n")
}

/// It can be asked nothing any more.
fn deaf() -> [Step; 3] {
    [Step::expect_prompt(), Step::Deaf, Step::gate("never")]
}

fn faults() -> Vec<Fault> {
    let fault = |name, script, ask, end| Fault {
        name,
        script,
        ask,
        end,
        leaves: 0,
    };
    let holder = || Step::Child(Child::new().holds_stdout());
    let daemon = || Step::Child(Child::new().daemon());
    let dies = |after, by| Script::reply("a word or two").cut(Cut::new(after, by));
    vec![
        fault(
            "exits at the start",
            Script::new([Step::Stderr("why\n".into()), Step::Exit(3)]),
            Ask::Connect(|error| code(3)(error) && error.to_string().contains("why")),
            by_itself,
        ),
        fault(
            "is killed at the start",
            Script::new([Step::Signal(9)]),
            Ask::Connect(|error| signal(9)(error)),
            by_itself,
        ),
        fault(
            "dies inside of its first line",
            dies(100, Death::Signal(11)),
            Ask::Connect(|error| signal(11)(error)),
            by_itself,
        ),
        fault(
            "dies inside of a turn",
            dies(4000, Death::Signal(9)),
            Ask::Turn(|error| signal(9)(error)),
            by_itself,
        ),
        fault(
            "says that it is done, and is not",
            Script::new([turn([Step::Exit(0)])]),
            Ask::Turn(|error| code(0)(error)),
            by_itself,
        ),
        fault(
            "ignores SIGTERM",
            Script::new(deaf()).ignore_sigterm(),
            Ask::LateRequest,
            killed,
        ),
        fault(
            "ignores the end of its input",
            Script::new(deaf()).ignore_eof(),
            Ask::LateRequest,
            obeyed,
        ),
        fault(
            "ignores both",
            Script::new(deaf()).ignore_eof().ignore_sigterm(),
            Ask::LateRequest,
            killed,
        ),
        fault(
            "exits while a child holds its output",
            Script::new([turn([holder(), Step::Exit(3)])]),
            Ask::Turn(|error| code(3)(error)),
            by_itself,
        ),
        fault(
            "crashes while a child holds its output",
            Script::new([turn([holder(), Step::Signal(6)])]),
            Ask::Turn(|error| signal(6)(error)),
            by_itself,
        ),
        fault(
            "exits in mid-turn and leaves a daemon",
            Script::new([turn([daemon(), Step::Exit(0)])]),
            Ask::Turn(|error| code(0)(error)),
            by_itself,
        ),
        Fault {
            leaves: 1,
            ..fault(
                "leaves a daemon when it is asked to end",
                Script::new([turn([daemon(), Step::message([Block::text("fine")])])]),
                Ask::Nothing { bad_lines: 0 },
                by_itself,
            )
        },
        fault(
            "crashes and leaves a daemon",
            Script::new([turn([daemon(), Step::Signal(9)])]),
            Ask::Turn(|error| signal(9)(error)),
            by_itself,
        ),
        fault(
            "hangs with a daemon",
            Script::new([turn([daemon(), Step::Deaf, Step::gate("never")])]).ignore_sigterm(),
            Ask::LateRequest,
            killed,
        ),
        fault(
            "never answers initialize",
            Script::new([Step::expect_initialize(), Step::gate("never")]),
            Ask::LateConnect,
            obeyed,
        ),
        fault(
            "answers initialize under another id",
            Script::new([
                Step::expect_initialize(),
                Step::answer_to("nobody", &json!({})),
                Step::gate("never"),
            ]),
            Ask::LateConnect,
            obeyed,
        ),
        fault(
            "answers initialize with garbage",
            Script::new([
                Step::expect_initialize(),
                Step::Text(
                    r#"{"type":"control_response","response":{"request_id":"$request_id","sub"#
                        .into(),
                ),
                Step::gate("never"),
            ]),
            Ask::Connect(Error::is_bad_answer),
            obeyed,
        ),
        fault(
            "answers initialize twice",
            Script::new([
                Step::expect_initialize(),
                Step::Initialized,
                Step::Initialized,
                says(),
            ]),
            Ask::Nothing { bad_lines: 0 },
            by_itself,
        ),
        fault(
            "answers too late",
            Script::new([
                Step::expect_request("nothing"),
                Step::expect_request("end_session"),
                Step::Reply(json!({})),
                Step::Exit(0),
            ]),
            Ask::LateRequest,
            by_itself,
        ),
        fault(
            "floods its output",
            Script::new([turn([Step::Flood(Flood::new("{\"type\":\"noise\"}\n"))])]),
            Ask::Request(Error::is_backlogged),
            // Nobody reads it any more, which ends it as well, if it notices before the signal comes.
            |exit| exit.is_forced() || exit.code() == Some(1),
        ),
        fault(
            "asks without end and does not listen",
            Script::new([turn([Step::Deaf, Step::Flood(Flood::new(request()))])]),
            Ask::Turn(Error::is_not_reading),
            Exit::is_forced,
        ),
        fault(
            "floods its output with one line",
            Script::new([turn([Step::Deaf, Step::Flood(Flood::new("xxxxxxxx"))])]),
            Ask::LateRequest,
            Exit::is_forced,
        ),
        fault(
            "floods standard error",
            Script::new([
                Step::Flood(Flood::new("a line\n").times(1 << 20).stderr()),
                Step::Flood(Flood::new("endless").times(1 << 20).stderr()),
                says(),
            ]),
            Ask::Nothing { bad_lines: 0 },
            by_itself,
        ),
        fault(
            "floods standard error without end",
            Script::new([turn([Step::Flood(Flood::new("e").stderr())])]),
            Ask::Request(|error| error.code() == Some("unsupported_request")),
            by_itself,
        ),
        fault(
            "stops reading",
            Script::new(deaf()),
            Ask::LateRequest,
            obeyed,
        ),
        fault(
            CLOSES,
            Script::new([turn([Step::CloseStdout, Step::gate("never")])]).ignore_eof(),
            Ask::Turn(is_end_of_output),
            obeyed,
        ),
        fault(
            "writes what is no JSON",
            Script::new([
                Step::Text("Debugger listening".into()),
                turn([
                    Step::Text("[warning] stray".into()),
                    Step::Bytes(b"\xff\xfe\n".to_vec()),
                    Step::message([Block::text("fine")]),
                ]),
            ]),
            Ask::Nothing { bad_lines: 3 },
            by_itself,
        ),
        fault(
            "does nothing any more",
            Script::new([Step::expect_prompt(), Step::Hang]),
            Ask::LateRequest,
            obeyed,
        ),
    ]
}

impl Fault {
    async fn show(self) {
        let name = self.name;
        println!("{name}");
        let folder = tempfile::tempdir().unwrap();
        let options = options(folder.path(), &self.script);
        let mark = format!(
            "CLAW_AGENT_SCRIPT={}",
            folder.path().join("script.json").display()
        );
        let builder = Session::builder(options).buffer(1 << 20);
        // Short where it is what is tested; a loaded machine needs the others.
        let (ask, late) = match self.ask {
            Ask::LateConnect => (Ask::Connect(Error::is_timeout), true),
            Ask::LateRequest => (Ask::Request(Error::is_timeout), true),
            ask => (ask, false),
        };
        let short = Duration::from_millis(500);
        let builder = match ask {
            Ask::Connect(_) if late => builder.initialize_timeout(short),
            Ask::Request(_) if late => builder.call_timeout(short),
            _ => builder,
        };
        let exit = match ask {
            Ask::Connect(is_expected) => {
                let error = soon(builder.connect()).await.unwrap_err();
                assert!(is_expected(&error), "{name}: {error:?}");
                None
            }
            Ask::Turn(is_expected) => {
                let session = soon(builder.connect()).await.unwrap();
                let turn = session.send("Go").await.unwrap();
                let error = soon(turn.result()).await.unwrap_err();
                assert!(is_expected(&error), "{name}: {error:?}");
                // Whatever is asked later gets the same.
                let again = soon(session.interrupt()).await.unwrap_err();
                assert!(is_expected(&again), "{name}: {again:?}");
                Some(soon(session.process().exited()).await)
            }
            Ask::Request(is_expected) => {
                let session = soon(builder.connect()).await.unwrap();
                let turn = session.send("Go").await.unwrap();
                let error = soon(async {
                    loop {
                        let error = session.call(Nothing).await.unwrap_err();
                        // While there is room a flood is answered through.
                        if is_expected(&error) || !error.is_refused() {
                            return error;
                        }
                    }
                })
                .await;
                assert!(is_expected(&error), "{name}: {error:?}");
                let ladder = Shutdown::default()
                    .grace(Duration::from_millis(500))
                    .terminate(Duration::from_millis(500));
                let exit = soon(session.close_with(ladder)).await.unwrap();
                // One that listens breaks its turn off, with a result that says so.
                let ended = soon(turn.result()).await;
                assert!(ended.map_or(true, |result| result.is_error()), "{name}");
                Some(exit)
            }
            Ask::LateConnect | Ask::LateRequest => unreachable!("they are others by now"),
            Ask::Nothing { bad_lines } => {
                let session = soon(builder.connect()).await.unwrap();
                let mut messages = session.messages().unwrap();
                let turn = session.send("Go").await.unwrap();
                assert!(!soon(turn.result()).await.unwrap().is_error(), "{name}");
                let patient = Shutdown::default().grace(Duration::from_secs(25));
                let exit = soon(session.close_with(patient)).await.unwrap();
                let mut bad = 0;
                while let Some(message) = soon(messages.next()).await {
                    bad += usize::from(matches!(message, Ok(Received::Unreadable(_))));
                }
                assert_eq!(bad, bad_lines, "{name}");
                Some(exit)
            }
        };
        if let Some(exit) = exit {
            assert!((self.end)(exit), "{name}: {exit:?}");
        }
        if self.leaves > 0 {
            let left = marked(&mark);
            assert_eq!(left.len(), self.leaves, "{name}");
            left.into_iter().for_each(kill);
        }
        come_true(name, || marked(&mark).is_empty()).await;
        println!("{name}: as expected");
    }
}

/// All of them at once, and then nothing is left of them in this process either.
async fn all_at_once() {
    // What stays: the supervisor, the runtime's own.
    Fault::show(faults().remove(0)).await;
    let tasks = || {
        tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks()
    };
    let before = (descriptors(), tasks());
    let faults = faults().into_iter();
    let possible = faults.filter(|fault| cfg!(unix) || fault.name != CLOSES);
    join_all(possible.map(Fault::show)).await;
    let after = || (descriptors(), tasks());
    // Fewer, if the first one's were still being closed when they were counted.
    let fits = |(descriptors, tasks)| descriptors <= before.0 && tasks <= before.1;
    come_true("descriptors and tasks", || fits(after())).await;
    assert_eq!(children().len(), 0);
    println!(
        "descriptors and tasks: {before:?} before, {:?} after",
        after()
    );
}

#[test]
fn each_fault_is_told_and_leaves_nothing() {
    if claw_testkit::alone("faults::each_fault_is_told_and_leaves_nothing") {
        let runtime = tokio::runtime::Builder::new_multi_thread();
        run(runtime);
    }
}

#[test]
fn each_fault_is_told_on_one_thread_too() {
    if claw_testkit::alone("faults::each_fault_is_told_on_one_thread_too") {
        run(tokio::runtime::Builder::new_current_thread());
    }
}

fn run(mut runtime: tokio::runtime::Builder) {
    // Building it takes pipes, which are not to be counted.
    claw_testkit::agent::program().unwrap();
    let runtime = runtime.enable_all().build().unwrap();
    runtime.block_on(all_at_once());
}
