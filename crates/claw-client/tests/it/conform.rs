//! claw-client passes the conformance suite for SDKs.

use std::path::{Path, PathBuf};

use claw_testkit::conform::{Case, Testee, Verdict, cases, run};
use futures::StreamExt as _;

/// The number of cases that run at the same time.
const AT_ONCE: usize = 4;

/// Runs every case with the testee of claw-client, which gets the arguments.
pub(crate) async fn passes_every_case(program: &Path, arguments: &[&str]) {
    let agent = claw_testkit::agent::program().unwrap();
    let program = [program.display().to_string()].into_iter();
    let testee = &Testee::new(
        program.chain(arguments.iter().map(ToString::to_string)),
        agent,
    );
    let verdicts = cases().into_iter().map(|case| async move {
        let verdict = run(testee, &case).await.unwrap();
        (verdict != Verdict::Passed).then(|| format!("{}: {verdict:?}", case.name))
    });
    let verdicts = futures::stream::iter(verdicts).buffer_unordered(AT_ONCE);
    let wrong: Vec<String> = verdicts.filter_map(std::future::ready).collect().await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The suite notices an SDK that says nothing, one that hangs, and one that leaves a process.
#[tokio::test]
async fn a_testee_that_does_nothing_fails() {
    let program = claw_testkit::processes::program().unwrap();
    let agent = claw_testkit::agent::program().unwrap();
    let testee = |steps: &[&str]| {
        let words = std::iter::once(program.display().to_string());
        Testee::new(
            words.chain(steps.iter().map(|step| (*step).to_owned())),
            agent.clone(),
        )
    };
    let mut case: Case = cases().swap_remove(0);
    case.expect.seconds = Some(1);
    let verdict = run(&testee(&["say={\"end\":true}"]), &case).await.unwrap();
    assert!(
        matches!(&verdict, Verdict::Failed(wrong) if wrong.len() == 2),
        "{verdict:?}"
    );
    let verdict = run(&testee(&["wait"]), &case).await.unwrap();
    let Verdict::Failed(wrong) = verdict else {
        panic!("it passed")
    };
    assert!(
        wrong.iter().any(|it| it.contains("within 1 seconds")),
        "{wrong:?}"
    );
    let verdict = run(&testee(&["say={\"unsupported\":\"x\"}"]), &case)
        .await
        .unwrap();
    assert_eq!(verdict, Verdict::Unsupported("x".to_owned()));
    let none = Testee::new(["/nowhere/testee"], PathBuf::new());
    assert!(run(&none, &case).await.is_err());
}
