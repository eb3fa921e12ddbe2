use serde_json::json;

use super::super::targets::TARGETS;
use super::*;

fn release(folder: &Path) -> Release<'_> {
    Release {
        name: "claw-stream-cli".to_owned(),
        version: "1.2.3",
        description: "The claw command: run Claude Code from a shell",
        repository: "https://host.invalid/claw",
        license: "MIT OR Apache-2.0",
        folder,
    }
}

#[test]
fn the_package_of_npm_names_one_package_for_each_platform() {
    let release = release(Path::new(""));
    let manifest = npm::main_manifest(&release, &TARGETS.iter().collect::<Vec<_>>());
    assert_eq!(
        manifest["optionalDependencies"],
        json!({
            "claw-stream-cli-linux-x64": "1.2.3",
            "claw-stream-cli-linux-arm64": "1.2.3",
            "claw-stream-cli-darwin-x64": "1.2.3",
            "claw-stream-cli-darwin-arm64": "1.2.3",
            "claw-stream-cli-win32-x64": "1.2.3",
        })
    );
    let launcher = npm::launcher(&release);
    assert!(launcher.contains("`claw-stream-cli-${process.platform}-${process.arch}`"));
    assert!(launcher.contains("https://host.invalid/claw has other ways"));
    assert!(!launcher.contains("PACKAGE") && !launcher.contains("REPOSITORY"));
}

#[test]
fn a_wheel_names_each_of_its_platforms_and_its_licences() {
    let [linux, .., windows] = &TARGETS;
    assert_eq!(
        wheel::tags(linux),
        "Wheel-Version: 1.0\nGenerator: claw\nRoot-Is-Purelib: false\nTag: py3-none-manylinux_2_17_x86_64\n\
         Tag: py3-none-musllinux_1_1_x86_64\n"
    );
    assert!(wheel::tags(windows).ends_with("false\nTag: py3-none-win_amd64\n"));
    let metadata = wheel::metadata(&release(Path::new("")));
    assert!(metadata.starts_with("Metadata-Version: 2.4\nName: claw-stream-cli\nVersion: 1.2.3\nSummary: The claw command: run"));
    for line in [
        "License-Expression: MIT OR Apache-2.0",
        "License-File: THIRD-PARTY.txt",
    ] {
        assert!(metadata.lines().any(|found| found == line), "{line}");
    }
}

#[test]
fn every_line_of_a_description_for_debian_is_indented_and_short() {
    let control = debian::control(&release(Path::new("")), &TARGETS[1], 7);
    assert!(
        control.contains("Version: 1.2.3-1\nArchitecture: arm64\n")
            && control.contains("Installed-Size: 7\n")
    );
    let (_, description) = control.split_once("\nDescription: ").unwrap();
    for line in description.lines().skip(1) {
        assert!(line.starts_with(' ') && line.len() <= 80, "{line:?}");
    }
}

#[test]
fn the_formula_has_the_checksum_of_each_archive_for_macos_and_linux() {
    let folder = tempfile::tempdir().unwrap();
    let release = release(folder.path());
    let targets: Vec<_> = TARGETS.iter().collect();
    assert!(formula::text(&release, &targets).is_err());
    for target in &targets {
        fs::write(release.archive(target), target.triple).unwrap();
    }
    let text = formula::text(&release, &targets).unwrap();
    assert!(text.starts_with("class ClawStreamCli < Formula\n"));
    assert!(text.contains("license any_of: [\"MIT\", \"Apache-2.0\"]"));
    for target in targets {
        let sha256 = checksums::of(&release.archive(target)).unwrap();
        assert_eq!(
            text.contains(&sha256),
            target.host != "windows",
            "{}",
            target.triple
        );
    }
}

#[test]
fn a_missing_archive_is_named_with_the_system_that_makes_it() {
    let folder = tempfile::tempdir().unwrap();
    let release = release(folder.path());
    let error = release
        .unpack(&TARGETS[2], folder.path())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("claw-1.2.3-x86_64-apple-darwin.tar.gz") && error.contains("macos"),
        "{error}"
    );
}
