//! Settings: built by their constructors, read from what a settings file may say, kept where they are
//! of tomorrow.

use claw_types::hook::HookOnFailure;
use claw_types::options::{EffortLevel, PermissionMode, SandboxSettings, SettingsOrPath};
use claw_types::settings::*;
use claw_types::{Json, JsonOf, Map, QueryOptions};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::support::assert_lossless;

/// Read whole, and written as it came.
fn read<T: DeserializeOwned + Serialize + std::fmt::Debug>(wire: &Value) -> T {
    let text = wire.to_string();
    let read: T = serde_json::from_str(&text).unwrap();
    assert_lossless(&read, &text);
    let shown = format!("{read:#?}");
    assert!(!shown.contains("extra: {\n"), "{shown}");
    read
}

#[test]
fn settings_are_built() {
    let permissions = SettingsPermissions::new()
        .allow(vec!["Bash(ls:*)".to_owned()])
        .deny(vec!["WebFetch".to_owned()])
        .default_mode(PermissionMode::Plan);
    let hook = CommandHook::new("true")
        .timeout(5)
        .on_failure(HookOnFailure::Block)
        .condition("Bash(git *)");
    let matcher = SettingsHookMatcher::new(vec![hook.into()]).matcher("Bash");
    let settings = Settings::new()
        .model("opus")
        .effort_level(EffortLevel::Low)
        .permissions(permissions)
        .env(Map::from_iter([("KEY", "hunter2".to_owned())]))
        .hooks(Map::from_iter([("PreToolUse", vec![matcher])]))
        .sandbox(SandboxSettings::new().enabled(true))
        .status_line(StatusLine::new("date"))
        .enabled_plugins(Map::from_iter([("p@m", EnabledPlugin::from(true))]))
        .denied_mcp_servers(vec![McpServerRule::new().server_name("s")])
        .attribution(AttributionTexts::new().commit(""));
    assert!(!format!("{settings:#?}").contains("hunter2"));
    let wire = json!({"model": "opus", "effortLevel": "low",
        "permissions": {"allow": ["Bash(ls:*)"], "deny": ["WebFetch"], "defaultMode": "plan"},
        "env": {"KEY": "hunter2"},
        "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command",
            "command": "true", "timeout": 5, "onFailure": "block", "if": "Bash(git *)"}]}]},
        "sandbox": {"enabled": true}, "statusLine": {"type": "command", "command": "date"},
        "enabledPlugins": {"p@m": true}, "deniedMcpServers": [{"serverName": "s"}],
        "attribution": {"commit": ""}});
    assert_eq!(serde_json::to_value(&settings).unwrap(), wire);
    assert_eq!(read::<Settings>(&wire), settings);
    let options = QueryOptions::default()
        .settings(settings.clone())
        .managed_settings(settings);
    assert!(!format!("{options:?}").contains("hunter2"));
    let written = serde_json::to_value(&options).unwrap();
    assert_eq!(written, json!({"settings": wire, "managedSettings": wire}));
}

#[test]
fn every_form_is_read() {
    let settings: Settings = read(&json!({
        "hooks": {"Stop": [{"hooks": [
            {"type": "prompt", "prompt": "p", "continueOnBlock": true},
            {"type": "agent", "prompt": "p", "model": "haiku"},
            {"type": "http", "url": "http://x", "headers": {"A": "b"}, "allowedEnvVars": ["A"]},
            {"type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": 1}},
            {"type": "command", "command": "c", "async": true, "asyncRewake": true, "once": true,
                "shell": "bash", "args": ["a"], "statusMessage": "m"}]}]},
        "attribution": false, "strictPluginOnlyCustomization": ["skills"],
        "enabledPlugins": {"a": ["1"], "b": {"c": 1}, "d": false},
        "modelSettings": {"m": {"autoCompactWindow": "auto"}, "n": {"autoCompactWindow": 5}},
        "worktree": {"baseRef": "head"}, "autoMode": {"soft_deny": ["x"], "classifyAllShell": true},
        "skillOverrides": {"s": "name-only"}, "promptCacheTtl": "1h",
        "extraKnownMarketplaces": {
            "url": {"source": {"source": "url", "url": "https://x", "headers": {"A": "b"}}},
            "github": {"source": {"source": "github", "repo": "o/n", "ref": "main"}},
            "git": {"source": {"source": "git", "url": "https://x", "skipLfs": true}},
            "npm": {"source": {"source": "npm", "package": "p"}, "autoUpdate": true},
            "file": {"source": {"source": "file", "path": "/f"}},
            "directory": {"source": {"source": "directory", "path": "/d"}},
            "skills": {"source": {"source": "skills-dir"}},
            "hosts": {"source": {"source": "hostPattern", "hostPattern": "x"}},
            "paths": {"source": {"source": "pathPattern", "pathPattern": "x"}},
            "own": {"source": {"source": "settings", "name": "n", "owner": {"name": "o"},
                "plugins": [
                    {"name": "a", "source": "./a"},
                    {"name": "b", "source": {"source": "npm", "package": "p"}},
                    {"name": "c", "source": {"source": "url", "url": "https://x", "sha": "0a"}},
                    {"name": "d", "source": {"source": "github", "repo": "o/n"}},
                    {"name": "e", "source": {"source": "git-subdir", "url": "x", "path": "p"}},
                    {"name": "f", "source": {"source": "archive", "url": "x", "sha256": "0a"}},
                    {"name": "g", "source": {"source": "command", "command": "c", "mode": "link"}},
                    {"name": "h", "source": {"source": "unsupported"}}]},
                "pluginDigests": {"a": ["0a"]}}}}));
    let stop = settings.hooks.as_ref().unwrap().get("Stop").unwrap();
    assert!(stop[0].hooks.iter().all(|hook| !hook.is_unknown()));
    let marketplaces = settings.extra_known_marketplaces.as_ref().unwrap();
    assert!(
        marketplaces
            .iter()
            .all(|(_, known)| !known.source.is_unknown())
    );
    assert_eq!(settings.attribution, Some(Attribution::All(false)));
}

#[test]
fn what_is_not_typed_is_kept() {
    let wire = json!({"spinnerTipsEnabled": false, "permissions": {"of": "tomorrow"},
        "hooks": {"Stop": [{"hooks": [{"type": "of_tomorrow", "n": 1.0}]}]}, "model": null});
    let text = wire.to_string();
    let settings: Settings = serde_json::from_str(&text).unwrap();
    assert_lossless(&settings, &text);
    assert!(settings.hooks.unwrap().get("Stop").unwrap()[0].hooks[0].is_unknown());
}

#[test]
fn options_take_what_is_no_settings_too() {
    // The CLI is who says what is wrong with it.
    let wire = json!({"settings": {"model": 7}});
    let options: QueryOptions = serde_json::from_value(wire.clone()).unwrap();
    assert_eq!(serde_json::to_value(&options).unwrap(), wire);
    let Some(SettingsOrPath::Inline(settings)) = &options.settings else {
        panic!("{wire}")
    };
    assert!(settings.read().is_err());
    assert_eq!(settings.json(), &Json::from(json!({"model": 7})));
    let path: QueryOptions = serde_json::from_value(json!({"settings": "/x.json"})).unwrap();
    assert_eq!(path.settings, Some("/x.json".into()));
    let known: JsonOf<Settings> = json!({"model": "opus"}).into();
    assert_eq!(known.read().unwrap(), Settings::new().model("opus"));
}

#[test]
fn where_settings_come_from() {
    let resolved: ResolvedSettings = read(&json!({
        "effective": {"model": "opus"},
        "provenance": {"model": {"source": "managed", "path": "/m.json", "policyOrigin": "file"}},
        "sources": [{"source": "managed", "settings": {"model": "opus"}, "policyOrigin": "file"}],
        "machinePolicy": {"didNotLoad": ["registry"]}}));
    let model = resolved.provenance.get("model").unwrap();
    assert_eq!(model.source, ResolvedSettingSource::Managed);
    let policy: MachinePolicy = read(&json!({"didNotLoad": false}));
    assert_eq!(policy.did_not_load, MissingPolicies::None(false));
}
