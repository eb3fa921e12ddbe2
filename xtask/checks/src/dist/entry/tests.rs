use std::collections::BTreeSet;

use super::*;

const RELEASE: Release<'_> = Release {
    version: "1.2.3",
    repository: "https://example.org/claw",
    license: "MIT OR Apache-2.0",
};

fn made() -> Value {
    agent(&RELEASE, |_| Ok("0a".repeat(32))).unwrap()
}

/// The rules of the registry's schema for an entry that is distributed as archives.
fn rules() -> jsonschema::Validator {
    let text = json!({"type": "string", "minLength": 1});
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let address = json!({"type": "string", "format": "uri"});
    let platforms = [
        "darwin-aarch64",
        "darwin-x86_64",
        "linux-aarch64",
        "linux-x86_64",
        "windows-aarch64",
        "windows-x86_64",
    ];
    let archive = json!({
        "type": "object",
        "required": ["archive", "cmd"],
        "additionalProperties": false,
        "properties": {
            "archive": address,
            "sha256": {"type": "string", "pattern": "^[a-fA-F0-9]{64}$"},
            "cmd": {"type": "string"},
            "args": texts,
            "env": {"type": "object", "additionalProperties": {"type": "string"}},
        },
    });
    let rules = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "required": ["id", "name", "version", "description", "distribution"],
        "properties": {
            "id": {"type": "string", "pattern": "^[a-z][a-z0-9-]*$"},
            "name": text,
            "version": {"type": "string", "pattern": r"^[0-9]+\.[0-9]+\.[0-9]+"},
            "description": text,
            "repository": address,
            "website": address,
            "authors": texts,
            "license": {"type": "string"},
            "license_url": address,
            "distribution": {
                "type": "object",
                "required": ["binary"],
                "additionalProperties": false,
                "properties": {"binary": {
                    "type": "object",
                    "minProperties": 1,
                    "propertyNames": {"enum": platforms},
                    "additionalProperties": archive,
                }},
            },
        },
    });
    jsonschema::options()
        .should_validate_formats(true)
        .build(&rules)
        .unwrap()
}

#[test]
fn the_entry_keeps_the_rules_of_the_registry() {
    let (rules, made) = (rules(), made());
    if let Err(error) = rules.validate(&made) {
        panic!("{}: {error}", error.instance_path());
    }
    let archives = made["distribution"]["binary"].as_object().unwrap();
    let systems: BTreeSet<_> = archives
        .keys()
        .map(|it| it.split('-').next().unwrap())
        .collect();
    assert_eq!(systems, BTreeSet::from(["darwin", "linux", "windows"]));
    for (platform, archive) in archives {
        let address = archive["archive"].as_str().unwrap();
        // The address contains the version, so that the file behind it never changes.
        assert!(address.contains("/releases/download/v1.2.3/"), "{address}");
        assert!(
            address.ends_with(".tar.gz") && !address.contains("/latest/"),
            "{address}"
        );
        let cmd = archive["cmd"].as_str().unwrap();
        assert_eq!(
            cmd.ends_with("/bin/claw.exe"),
            platform.starts_with("windows"),
            "{cmd}"
        );
        assert_eq!(archive["args"], json!(["acp"]));
    }
}

#[test]
fn the_rules_refuse_what_the_registry_refuses() {
    let rules = rules();
    let target = "/distribution/binary/linux-x86_64";
    for (place, value) in [
        ("/id", json!("Claw")),
        ("/name", json!("")),
        ("/version", json!("1.2")),
        ("/repository", json!("no address")),
        ("/distribution", json!({})),
        (
            "/distribution/binary",
            json!({"linux-arm": {"archive": "https://a.b/c", "cmd": "d"}}),
        ),
        (target, json!({"archive": "https://a.b/c"})),
        (
            target,
            json!({"archive": "https://a.b/c", "cmd": "d", "sha512": "e"}),
        ),
        (
            target,
            json!({"archive": "https://a.b/c", "cmd": "d", "sha256": "e"}),
        ),
    ] {
        let mut changed = made();
        *changed.pointer_mut(place).unwrap() = value.clone();
        assert!(!rules.is_valid(&changed), "{place}: {value}");
    }
}

#[test]
fn the_icon_is_small_and_takes_the_colour_of_its_surroundings() {
    assert!(ICON.starts_with("<svg ") && ICON.trim_end().ends_with("</svg>"));
    assert!(
        ICON.contains(r#" width="16" height="16" viewBox="0 0 16 16""#),
        "{ICON}"
    );
    // The icon must not contain comments, nor styles that could set colours.
    for part in ["<!--", "style"] {
        assert!(!ICON.contains(part), "{part}");
    }
    let colours = [" fill=\"", " stroke=\""].map(|name| {
        let values = ICON
            .split(name)
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap());
        values.collect::<Vec<_>>()
    });
    let colours = colours.concat();
    assert!(colours.contains(&"currentColor"), "{colours:?}");
    assert!(
        colours
            .iter()
            .all(|it| ["currentColor", "none"].contains(it)),
        "{colours:?}"
    );
}

#[test]
fn a_missing_archive_is_named_with_the_system_that_makes_it() {
    let folder = tempfile::tempdir().unwrap();
    let fault = write(&RELEASE, folder.path()).unwrap_err().to_string();
    assert!(
        fault.contains("claw-1.2.3-x86_64-unknown-linux-musl.tar.gz"),
        "{fault}"
    );
    assert!(fault.contains("on linux"), "{fault}");
    for target in &TARGETS {
        let name = format!("{}.tar.gz", archive(RELEASE.version, target));
        fs::write(folder.path().join(name), "abc").unwrap();
    }
    let entry = write(&RELEASE, folder.path()).unwrap();
    assert!(entry.ends_with(ID));
    let agent: Value =
        serde_json::from_str(&fs::read_to_string(entry.join("agent.json")).unwrap()).unwrap();
    let of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(
        agent["distribution"]["binary"]["darwin-aarch64"]["sha256"],
        of_abc
    );
    assert_eq!(fs::read_to_string(entry.join("icon.svg")).unwrap(), ICON);
}
