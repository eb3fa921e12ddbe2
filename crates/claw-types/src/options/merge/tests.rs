use serde_json::json;

use super::*;
use crate::options::SandboxSettings;

/// Merges this sandbox into these settings. The expectations are what the official TypeScript SDK (0.3.329) gives to
/// its CLI.
fn merged(sandbox: Value, settings: Value) -> Value {
    let sandbox: SandboxSettings = serde_json::from_value(sandbox).unwrap();
    let options = QueryOptions::default().sandbox(sandbox).settings(settings);
    let merged = options.merged_settings().unwrap().unwrap();
    merged.to_value().unwrap()
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "reads better without ampersands"
)]
fn assert_merged(over: Value, under: Value, expected: Value) {
    let settings = json!({ "sandbox": under });
    assert_eq!(merged(over, settings)["sandbox"], expected);
}

#[test]
fn what_is_refused_is_joined() {
    assert_merged(
        json!({"enabled": true, "filesystem": {"denyRead": ["/b"], "allowWrite": ["/w2"]}}),
        json!({"filesystem": {"denyRead": ["/a", "/b"], "allowWrite": ["/w"], "disabled": true},
            "network": {"httpProxyPort": 1}}),
        json!({"filesystem": {"denyRead": ["/a", "/b"], "allowWrite": ["/w2"]},
            "network": {"httpProxyPort": 1}, "enabled": true, "failIfUnavailable": true}),
    );
    assert_merged(
        json!({"credentials": {"files": [{"path": "/p", "mode": "deny"}]}}),
        json!({"filesystem": {"disabled": true, "denyWrite": ["/q"]},
            "credentials": {"files": [{"path": "/o", "mode": "mask"}]}}),
        json!({"filesystem": {"denyWrite": ["/q"]}, "credentials": {"files": [
            {"path": "/o", "mode": "mask"}, {"path": "/p", "mode": "deny"}]}}),
    );
}

#[test]
fn what_would_undo_it_goes() {
    assert_merged(
        json!({"network": {"allowedDomains": ["x"], "tlsTerminate": {"caCertPath": "c"}},
            "ripgrep": {"command": "rg"}}),
        json!({"enabled": true, "ripgrep": {"command": "x", "args": ["y"]}, "network":
            {"httpProxyPort": 1, "socksProxyPort": 2, "allowedDomains": ["y"],
             "deniedDomains": ["z"], "tlsTerminate": {"caKeyPath": "k"}}}),
        json!({"enabled": true, "failIfUnavailable": true, "ripgrep": {"command": "rg"}, "network":
            {"allowedDomains": ["x"], "deniedDomains": ["z"], "tlsTerminate": {"caCertPath": "c"}}}),
    );
    assert_merged(
        json!({"network": {"deniedDomains": ["x"], "httpProxyPort": 9}}),
        json!({"network": {"httpProxyPort": 1, "socksProxyPort": 2}}),
        json!({"network": {"httpProxyPort": 9, "deniedDomains": ["x"]}}),
    );
    assert_merged(
        json!({"credentials": {"files": [{"path": "/p", "mode": "mask"}]}}),
        json!({"filesystem": {"disabled": true}}),
        json!({"filesystem": {"disabled": true},
            "credentials": {"files": [{"path": "/p", "mode": "mask"}]}}),
    );
    assert_merged(
        json!({"filesystem": {"disabled": false}}),
        json!({"filesystem": {"disabled": true}}),
        json!({"filesystem": {"disabled": false}}),
    );
}

#[test]
fn the_rest_goes_over() {
    assert_merged(
        json!({"excludedCommands": ["a"], "ignoreViolations": {"x": ["1"]}}),
        json!({"excludedCommands": ["b"], "ignoreViolations": {"y": ["2"], "x": ["3"]}}),
        json!({"excludedCommands": ["a"], "ignoreViolations": {"y": ["2"], "x": ["1"]}}),
    );
    assert_merged(
        json!({"enabled": true}),
        json!({"failIfUnavailable": false}),
        json!({"failIfUnavailable": false, "enabled": true}),
    );
    assert_merged(
        json!({"enabled": true, "failIfUnavailable": false}),
        json!({"enabled": false}),
        json!({"enabled": true, "failIfUnavailable": false}),
    );
    assert_eq!(
        merged(json!({"enabled": false}), json!({"a": 1})),
        json!({"a": 1, "sandbox": {"enabled": false}})
    );
}

/// The official types have no null here. Other languages write one for an option that is not set.
#[test]
fn a_null_says_nothing() {
    assert_merged(
        json!({"network": null, "filesystem": {"denyRead": null}, "enabled": null}),
        json!({"enabled": true, "failIfUnavailable": true, "network": {"deniedDomains": ["a"]},
            "filesystem": {"denyRead": ["/b"]}}),
        json!({"enabled": true, "failIfUnavailable": true, "network": {"deniedDomains": ["a"]},
            "filesystem": {"denyRead": ["/b"]}}),
    );
}

#[test]
fn one_without_the_other() {
    let none = QueryOptions::default();
    assert_eq!(none.merged_settings(), Ok(None));
    let settings = none.clone().settings(json!({"a": 1.0}));
    assert_eq!(
        settings.merged_settings(),
        Ok(Some(json!({"a": 1.0}).into()))
    );
    let path = none.clone().settings("/x.json");
    assert_eq!(path.merged_settings(), Ok(None));
    let both = path.sandbox(SandboxSettings::new());
    assert_eq!(both.merged_settings().unwrap_err().option, "sandbox");
    let alone = none.sandbox(SandboxSettings::new().enabled(true));
    let expected = json!({"sandbox": {"enabled": true, "failIfUnavailable": true}});
    assert_eq!(alone.merged_settings(), Ok(Some(expected.into())));
}
