use super::notices::{Notice, collect, text, texts};
use super::parts::{name_and_version, parts};
use super::*;

#[test]
fn every_command_has_a_man_page_and_completions() {
    let folder = tempfile::tempdir().unwrap();
    describe(folder.path()).unwrap();
    let read = |path: &str| fs::read_to_string(folder.path().join(path)).unwrap();
    let command = args::command();
    let shells = [
        "bash-completion/completions/claw",
        "fish/vendor_completions.d/claw.fish",
        "powershell/claw.ps1",
        "zsh/site-functions/_claw",
    ]
    .map(|name| read(&format!("share/{name}")));
    assert!(read("share/man/man1/claw.1").contains("Exit codes"));
    assert!(read("share/man/man1/claw-run.1").contains("Review this change"));
    for sub in command.get_subcommands() {
        let name = sub.get_name();
        assert!(read(&format!("share/man/man1/claw-{name}.1")).contains(name));
        for shell in &shells {
            assert!(shell.contains(name), "{name}");
        }
    }
    assert!(shells.iter().all(|shell| shell.contains("permission-mode")));
}

#[test]
fn licences_of_what_only_a_feature_needs_are_listed() {
    let workspace = Workspace::read().unwrap();
    for target in &TARGETS {
        let notices = collect(&workspace, CRATE, target.triple).unwrap();
        let is_there = |name: &str| {
            notices
                .iter()
                .any(|it| it.name.starts_with(&format!("{name} ")))
        };
        for name in ["crossterm", "jsonschema", "similar"] {
            assert!(is_there(name), "{name} for {}", target.triple);
        }
        assert_eq!(is_there("musl"), target.is_musl(), "{}", target.triple);
    }
}

#[test]
fn the_same_files_make_the_same_archive() {
    let archive = |content: &str, at: u64| {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("claw")).unwrap();
        for name in ["b", "a"] {
            let file = folder.path().join("claw").join(name);
            fs::write(&file, content).unwrap();
            let time = std::time::UNIX_EPOCH + Duration::from_secs(at);
            File::options()
                .write(true)
                .open(&file)
                .unwrap()
                .set_modified(time)
                .unwrap();
        }
        fs::read(pack(folder.path(), "claw").unwrap()).unwrap()
    };
    assert_eq!(archive("x", 1), archive("x", 1_000_000_000));
    assert_ne!(archive("x", 1), archive("y", 1));
}

#[test]
fn an_archive_is_unpacked_by_tar_and_what_is_a_program_can_be_run() {
    let folder = tempfile::tempdir().unwrap();
    let long = format!("share/{}/file", "folder/".repeat(20));
    for name in ["bin/claw", "share/doc/claw/LICENSE", &long] {
        let file = folder.path().join("claw-1").join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, name).unwrap();
    }
    let archive = pack(folder.path(), "claw-1").unwrap();
    let list = read(Command::new("tar").arg("-tvzf").arg(archive)).unwrap();
    let mode = |name: &str| {
        let line = list.lines().find(|line| line.ends_with(name));
        line.unwrap_or_else(|| panic!("no {name} in {list}"))[..10].to_owned()
    };
    assert_eq!(mode(" claw-1/"), "drwxr-xr-x");
    assert_eq!(mode(" claw-1/bin/claw"), "-rwxr-xr-x");
    assert_eq!(mode("/LICENSE"), "-rw-r--r--");
    assert_eq!(mode("/folder/file"), "-rw-r--r--");
}

#[test]
fn a_licence_that_many_bring_is_there_once() {
    let notice = |name: &str, texts: &[&str]| Notice {
        name: name.to_owned(),
        license: "MIT".to_owned(),
        texts: texts.iter().map(|it| (*it).to_owned()).collect(),
    };
    let text = text(&[
        notice("a 1.0.0", &["Same.\n"]),
        notice("b 2.0.0", &["Same.", "Own."]),
    ]);
    assert_eq!(text.matches("Same.").count(), 1, "{text}");
    assert!(text.contains("a 1.0.0: MIT\nb 2.0.0: MIT\n"), "{text}");
    assert!(text.contains("\na 1.0.0, b 2.0.0:\n\nSame.\n"), "{text}");
    assert!(text.contains("\nb 2.0.0:\n\nOwn.\n"), "{text}");
}

#[test]
fn licences_are_found_by_the_names_of_their_files() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["license-mit", "COPYING.txt", "Cargo.toml", "UNLICENSE"] {
        fs::write(folder.path().join(name), name).unwrap();
    }
    fs::create_dir(folder.path().join("LICENSES")).unwrap();
    let found = texts(folder.path()).unwrap();
    assert_eq!(found, ["COPYING.txt", "UNLICENSE", "license-mit"]);
    assert_eq!(
        name_and_version("serde v1.0.229 (*)").unwrap(),
        "serde 1.0.229"
    );
}

#[test]
fn the_executable_names_no_folder_of_this_machine() {
    let flags = flags(Path::new("/work/project")).unwrap();
    assert!(
        flags.contains("\u{1f}--remap-path-prefix=/work/project=/claw"),
        "{flags}"
    );
}

/// Runs the installer with these arguments. It installs from the releases in a folder.
#[cfg(unix)]
fn install(releases: &Path, home: &Path, args: &[&str]) -> std::process::Output {
    let workspace = Workspace::read().unwrap();
    let mut sh = Command::new("sh");
    sh.arg(workspace.root.join(INSTALLER)).args(args);
    sh.env("HOME", home);
    sh.env("CLAW_RELEASES", format!("file://{}", releases.display()));
    sh.output().unwrap()
}

#[cfg(unix)]
fn release(releases: &Path, at: &str, version: &str) -> PathBuf {
    let folder = releases.join(at);
    for target in &TARGETS {
        let name = archive(version, target);
        let bin = folder.join(&name).join("bin");
        fs::create_dir_all(&bin).unwrap();
        let script = format!("#!/bin/sh\necho claw {version}\n");
        fs::write(bin.join("claw"), script).unwrap();
        pack(&folder, &name).unwrap();
    }
    checksums::write(&folder, &[]).unwrap();
    folder
}

#[cfg(unix)]
#[test]
fn the_installer_installs_the_newest_release_or_a_named_one() {
    let (releases, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    release(releases.path(), "latest/download", "2.0.0");
    release(releases.path(), "download/v1.0.0", "1.0.0");
    let to = home.path().join("with a space");
    for (args, version, bin) in [
        (&[][..], "2.0.0", home.path().join(".local/bin")),
        (
            &["--version", "1.0.0", "--to", to.to_str().unwrap()],
            "1.0.0",
            to.join("bin"),
        ),
    ] {
        let output = install(releases.path(), home.path(), args);
        let said = String::from_utf8(output.stdout).unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        let expected = format!("installed claw {version} in {}", bin.display());
        assert!(said.starts_with(&expected), "{said}");
        assert!(said.contains("Add "), "{said}");
        assert!(bin.join("claw").is_file());
    }
}

#[cfg(unix)]
#[test]
fn the_installer_installs_nothing_that_is_not_what_the_list_names() {
    let (releases, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folder = release(releases.path(), "latest/download", "2.0.0");
    for target in &TARGETS {
        fs::write(
            folder.join(format!("{}.tar.gz", archive("2.0.0", target))),
            "other",
        )
        .unwrap();
    }
    for (args, cause) in [
        (&[][..], "nothing was installed"),
        (&["--version", "3.0.0"], "cannot download"),
        (&["--version", "../3"], "not a version"),
        (&["--to"], "needs a value"),
        (&["--force"], "unknown argument"),
    ] {
        let output = install(releases.path(), home.path(), args);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && said.contains(cause),
            "{args:?}: {said}"
        );
    }
    assert!(!home.path().join(".local").exists());
}

#[test]
fn cargo_binstall_finds_the_archives() {
    let workspace = Workspace::read().unwrap();
    let manifest = fs::read_to_string(workspace.root.join("crates/claw-cli/Cargo.toml")).unwrap();
    let value = |key: &str| {
        let line = manifest.lines().find(|line| line.starts_with(key));
        let line = line.unwrap_or_else(|| panic!("no {key}"));
        line.split('"').nth(1).unwrap().to_owned()
    };
    for target in &TARGETS {
        let name = archive("1.2.3", target);
        let filled = |text: String| {
            text.replace("{ repo }", "REPO")
                .replace("{ version }", "1.2.3")
                .replace("{ target }", target.triple)
        };
        assert_eq!(
            filled(value("pkg-url")),
            format!("REPO/releases/download/v1.2.3/{name}.tar.gz")
        );
        assert_eq!(
            filled(value("bin-dir")),
            format!("{name}/bin/{{ bin }}{{ binary-ext }}")
        );
    }
}

#[test]
fn the_installer_knows_where_the_releases_are() {
    let workspace = Workspace::read().unwrap();
    let package = workspace.packages.iter().find(|it| it.name == CRATE);
    let repository = package.unwrap().repository.clone().unwrap();
    let installer = fs::read_to_string(workspace.root.join(INSTALLER)).unwrap();
    assert!(installer.contains(&format!("{repository}/releases}}")));
    for target in TARGETS.iter().filter(|target| target.host != "windows") {
        assert!(installer.contains(target.triple), "{}", target.triple);
    }
}

#[test]
fn the_list_of_parts_has_what_the_licences_are_of_and_ours_by_their_published_names() {
    let workspace = Workspace::read().unwrap();
    let package = workspace.packages.iter().find(|it| it.name == CRATE);
    let package = package.unwrap();
    let folder = tempfile::tempdir().unwrap();
    for target in &TARGETS {
        let name = archive(&package.version, target);
        let file = folder.path().join(format!("{name}.tar.gz"));
        fs::write(&file, "packed").unwrap();
        list(&workspace, package, target, &file).unwrap();
        let text = fs::read_to_string(folder.path().join(format!("{name}.cdx.json"))).unwrap();
        let list: serde_json::Value = serde_json::from_str(&text).unwrap();
        let itself = &list["metadata"]["component"];
        assert_eq!(itself["name"], "claw-stream-cli");
        assert_eq!(
            itself["hashes"][0]["content"],
            checksums::of(&file).unwrap()
        );
        let components = list["components"].as_array().unwrap();
        let find = |name: &str| components.iter().find(|it| it["name"] == name);
        for part in parts(&workspace, CRATE, target.triple).unwrap() {
            let Some(_) = &part.source else { continue };
            let found = find(&part.name).unwrap_or_else(|| panic!("{}", part.name));
            assert_eq!(found["hashes"][0]["alg"], "SHA-256", "{}", part.name);
            assert!(found["licenses"][0]["expression"].is_string());
        }
        let types = find("claw-stream-types").unwrap();
        assert!(
            types["purl"]
                .as_str()
                .unwrap()
                .starts_with("pkg:cargo/claw-stream-types@")
        );
        assert_eq!(find("windows-sys").is_some(), target.host == "windows");
        assert!(
            find("serde_derive").is_none(),
            "it is not in the executable"
        );
    }
    checksums::write(folder.path(), &[]).unwrap();
    let sums = fs::read_to_string(folder.path().join(checksums::LIST)).unwrap();
    assert_eq!(sums.lines().count(), 2 * TARGETS.len());
}
