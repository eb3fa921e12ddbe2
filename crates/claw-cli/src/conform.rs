//! `claw conform`: tests an SDK in any language with the conformance suite of claw-testkit.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};

use claw_testkit::conform::{Case, ConformError, Testee, Verdict, cases, run};
use futures::StreamExt as _;
use serde_json::{Value, json};

use crate::args::conform::Conform;
use crate::demo::STAND_IN;
use crate::escape::escape;
use crate::outcome::{Outcome, report, write_stderr};

/// The outcome of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Passed,
    Failed(Vec<String>),
    Unsupported(String),
    /// The case is known to fail, and fails.
    KnownFailure,
    /// The case is known to fail, and passes.
    UnexpectedPass,
}

/// A case that was played, its outcome, and the time that it took.
struct Played {
    case: Case,
    state: State,
    took: Duration,
}

impl Conform {
    pub(crate) async fn run(self) -> Outcome {
        let known = match self.known.as_deref().map(known).transpose() {
            Ok(known) => known.unwrap_or_default(),
            Err(outcome) => return outcome,
        };
        let all = cases();
        let unknown = known
            .iter()
            .find(|name| !all.iter().any(|case| case.name == **name));
        if let Some(name) = unknown {
            return refuse(
                &format!("the list of known failures names {name}, which is no case"),
                Outcome::Usage,
            );
        }
        let is_chosen = |case: &Case| {
            let mut starts = self.cases.iter();
            case.level <= self.level
                && (self.cases.is_empty() || starts.any(|start| case.name.starts_with(start)))
        };
        let chosen: Vec<Case> = all.into_iter().filter(is_chosen).collect();
        if chosen.is_empty() {
            return refuse("no case has such a name and level", Outcome::Usage);
        }
        if self.list {
            return self.list(&chosen);
        }
        if cfg!(not(unix)) {
            return refuse(
                "the stand-in for claude is a shell script, which needs Unix",
                Outcome::Usage,
            );
        }
        let program = match env::current_exe() {
            Ok(program) => program,
            Err(error) => return report(&error, Outcome::NotStarted),
        };
        let testee = Testee::new(&self.command, program).agent_variable(STAND_IN, "1");
        match self.play(&testee, chosen, &known).await {
            Ok(played) => self.end(&played),
            Err(error) => report(&error, Outcome::NotStarted),
        }
    }

    fn list(&self, chosen: &[Case]) -> Outcome {
        for case in chosen {
            if self.json {
                anstream::println!("{}", json!(case));
            } else {
                anstream::println!("{} {:<32} {}", case.level, case.name, case.rule);
            }
        }
        Outcome::Success
    }

    /// Plays the cases, and prints each outcome in the order of the cases.
    async fn play(
        &self,
        testee: &Testee,
        chosen: Vec<Case>,
        known: &BTreeSet<String>,
    ) -> Result<Vec<Played>, ConformError> {
        let outcomes = chosen.into_iter().map(|case| async move {
            let begun = Instant::now();
            let verdict = run(testee, &case).await?;
            let state = match (verdict, known.contains(&case.name)) {
                (Verdict::Failed(_), true) => State::KnownFailure,
                (Verdict::Passed, true) => State::UnexpectedPass,
                (Verdict::Passed, false) => State::Passed,
                (Verdict::Unsupported(what), _) => State::Unsupported(what),
                (Verdict::Failed(wrong), false) => State::Failed(wrong),
                (_, _) => State::Failed(vec!["the verdict is unknown".to_owned()]),
            };
            let took = begun.elapsed();
            Ok(Played { case, state, took })
        });
        let mut outcomes = futures::stream::iter(outcomes).buffered(self.jobs.into());
        let mut played = Vec::new();
        while let Some(outcome) = outcomes.next().await {
            let outcome = outcome?;
            if self.json {
                anstream::println!("{}", outcome.json());
            } else {
                anstream::print!("{}", outcome.text());
            }
            played.push(outcome);
        }
        Ok(played)
    }

    /// Prints the totals, and writes the XML file.
    fn end(&self, played: &[Played]) -> Outcome {
        let count = |is: fn(&State) -> bool| played.iter().filter(|it| is(&it.state)).count();
        let failed = count(|state| matches!(state, State::Failed(_) | State::UnexpectedPass));
        if !self.json {
            anstream::println!(
                "{} passed, {failed} failed, {} known to fail, {} not supported, of {} cases",
                count(|state| matches!(state, State::Passed)),
                count(|state| matches!(state, State::KnownFailure)),
                count(|state| matches!(state, State::Unsupported(_))),
                played.len()
            );
        }
        if let Some(path) = &self.junit
            && let Err(error) = fs::write(path, junit(played))
        {
            return report(&error, Outcome::BrokeOff);
        }
        if failed == 0 {
            Outcome::Success
        } else {
            Outcome::ErrorResult
        }
    }
}

/// Reads the list of known failures.
fn known(path: &Path) -> Result<BTreeSet<String>, Outcome> {
    let text = fs::read_to_string(path)
        .map_err(|error| refuse(&format!("{}: {error}", path.display()), Outcome::Unreadable))?;
    let names = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim());
    Ok(names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect())
}

fn refuse(why: &str, outcome: Outcome) -> Outcome {
    write_stderr(&format!("claw: {}\n", escape(why)));
    outcome
}

impl State {
    fn word(&self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed(_) => "FAILED",
            Self::Unsupported(_) => "not supported",
            Self::KnownFailure => "known failure",
            Self::UnexpectedPass => "PASSED, though it is in the list of known failures",
        }
    }
}

impl Played {
    fn text(&self) -> String {
        let mut text = format!("{:<32} {}", self.case.name, self.state.word());
        if let State::Unsupported(what) = &self.state {
            let _ = write!(text, ": {}", escape(what));
        }
        text.push('\n');
        if let State::Failed(wrong) = &self.state {
            let _ = writeln!(text, "    {}", self.case.rule);
            for wrong in wrong {
                let _ = writeln!(text, "    - {}", escape(wrong));
            }
        }
        text
    }

    fn json(&self) -> Value {
        let wrong = match &self.state {
            State::Failed(wrong) => wrong.clone(),
            State::Unsupported(what) => vec![what.clone()],
            _ => Vec::new(),
        };
        let state = match &self.state {
            State::Passed => "passed",
            State::Failed(_) => "failed",
            State::Unsupported(_) => "unsupported",
            State::KnownFailure => "knownFailure",
            State::UnexpectedPass => "unexpectedPass",
        };
        json!({"case": self.case.name, "level": self.case.level, "rule": self.case.rule, "state": state,
            "differences": wrong, "seconds": self.took.as_secs_f64()})
    }
}

/// Returns the outcomes in the XML format of `JUnit`.
fn junit(played: &[Played]) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"claw conform\">\n",
    );
    for it in played {
        let (name, seconds) = (xml(&it.case.name), it.took.as_secs_f64());
        let _ = write!(text, "  <testcase name=\"{name}\" time=\"{seconds:.3}\">");
        match &it.state {
            State::Passed => {}
            State::Failed(wrong) => {
                let _ = write!(text, "<failure>{}</failure>", xml(&wrong.join("\n")));
            }
            State::UnexpectedPass => {
                let _ = write!(text, "<failure>{}</failure>", it.state.word());
            }
            State::Unsupported(_) | State::KnownFailure => {
                let _ = write!(text, "<skipped message=\"{}\"/>", it.state.word());
            }
        }
        text += "</testcase>\n";
    }
    text + "</testsuite>\n"
}

/// Escapes a text for XML. Replaces characters that XML does not allow.
fn xml(text: &str) -> String {
    let mut safe = String::new();
    for character in text.chars() {
        match character {
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '&' => safe += "&amp;",
            '"' => safe += "&quot;",
            '\n' | '\t' => safe.push(character),
            character if character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}') => {
                safe.push('\u{fffd}');
            }
            character => safe.push(character),
        }
    }
    safe
}
