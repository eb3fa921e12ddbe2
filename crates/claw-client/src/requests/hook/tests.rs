use claw_types::hook::{PreToolUseOutput, StopOutput};
use serde_json::json;

use super::event::ALL;
use super::*;

fn hooks(all: impl IntoIterator<Item = (HookEvent, HookFor)>) -> Hooks {
    let mut hooks = Hooks::default();
    for (event, what) in all {
        hooks.register(event, what, None);
    }
    hooks
}

#[test]
fn every_event_has_its_type() {
    let mut events: Vec<_> = ALL.iter().map(HookEvent::as_str).collect();
    let mut known = HookEvent::KNOWN.to_vec();
    events.sort_unstable();
    known.sort_unstable();
    assert_eq!(events, known);
    assert_eq!(events.len(), 34);
}

#[test]
fn they_are_registered_by_event_with_an_id_each() {
    let hooks = hooks([
        (HookEvent::PreToolUse, "Bash".into()),
        (
            HookEvent::Stop,
            HookFor::all().timeout(Duration::from_secs(5)),
        ),
        (
            HookEvent::PreToolUse,
            HookFor::all()
                .timeout(Duration::from_millis(1500))
                .on_failure(HookOnFailure::Block),
        ),
    ]);
    assert_eq!(
        serde_json::to_value(hooks.matchers()).unwrap(),
        json!({
            "PreToolUse": [
                {"matcher": "Bash", "hookCallbackIds": ["hook_0"]},
                {"hookCallbackIds": ["hook_2"], "timeout": 1.5, "onFailure": "block"}
            ],
            "Stop": [{"hookCallbackIds": ["hook_1"], "timeout": 5}]
        })
    );
    let specs = hooks.specs();
    let limit = |id: &str| specs[id].limit.as_millis();
    assert_eq!(
        (limit("hook_0"), limit("hook_1"), limit("hook_2")),
        (599_000, 4500, 1350)
    );
    assert!(specs["hook_2"].blocks && !specs["hook_0"].blocks);
    assert!(Hooks::default().matchers().is_none());
}

#[test]
fn what_is_never_called_is_an_error_that_says_what_to_do() {
    let start = |matcher: &str| (HookEvent::SessionStart, HookFor::from(matcher));
    for (event, what) in [
        (HookEvent::Setup, HookFor::all()),
        (HookEvent::Setup, HookFor::from("clear")),
        (HookEvent::SessionEnd, HookFor::all()),
        (HookEvent::SessionEnd, HookFor::from("clear|other")),
        start(""),
        start("startup"),
        start("startup|compact"),
        start(".*"),
    ] {
        let error = hooks([(event.clone(), what)]).check().unwrap_err();
        assert!(error.is_hook_never_called() && error.is_launch_failure());
        assert!(error.to_string().contains(event.as_str()), "{error}");
        assert!(
            error.to_string().contains(".claude/settings.json"),
            "{error}"
        );
    }
    let after = [
        start("compact"),
        start("clear"),
        start("compact|clear"),
        (HookEvent::SessionEnd, HookFor::from("clear")),
    ];
    assert!(hooks(after).check().is_ok());
    let others = ALL.iter().filter(|event| {
        !matches!(
            **event,
            HookEvent::Setup | HookEvent::SessionEnd | HookEvent::SessionStart
        )
    });
    assert!(
        hooks(others.map(|event| (event.clone(), HookFor::all())))
            .check()
            .is_ok()
    );
}

#[test]
fn whatever_says_something_is_an_output() {
    fn said<E: Hook>(output: impl IntoHookOutput<E>) -> String {
        match output.into_output() {
            Ok(output) => serde_json::to_string(&output).unwrap(),
            Err(reason) => reason,
        }
    }
    assert_eq!(said::<PreToolUse>(()), "{}");
    assert_eq!(said::<PreToolUse>(HookOutput::none()), "{}");
    assert_eq!(said::<PreToolUse>(Err::<(), _>("broken")), "broken");
    assert_eq!(
        said::<PreToolUse>(AsyncHookOutput::new()),
        r#"{"async":true}"#
    );
    let output = said::<Stop>(StopOutput::new());
    assert_eq!(output, r#"{"hookSpecificOutput":{"hookEventName":"Stop"}}"#);
    let output = said::<PreToolUse>(Ok::<_, String>(PreToolUseOutput::new()));
    assert_eq!(
        output,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse"}}"#
    );
    let output = said::<Stop>(SyncHookOutput::new().continue_turn(false));
    assert_eq!(output, r#"{"continue":false}"#);
}
