use std::fs;

use super::*;

/// Returns a folder that contains the given folders, each with an executable `claude`.
fn installed(folders: &[&str]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for folder in folders {
        let folder = root.path().join(folder);
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join(format!("claude{EXE_SUFFIX}"));
        fs::write(&file, "#!/bin/sh\n").unwrap();
        executable(&file);
    }
    root
}

#[cfg(unix)]
fn executable(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
fn executable(_file: &Path) {}

fn claude(root: &tempfile::TempDir, folder: &str) -> PathBuf {
    root.path().join(folder).join(format!("claude{EXE_SUFFIX}"))
}

#[test]
fn a_named_path_is_taken_and_nothing_else() {
    let root = installed(&["named", "path"]);
    let (named, search) = (claude(&root, "named"), root.path().join("path"));
    assert_eq!(
        find(Some(&named), Some(search.as_os_str()), None).unwrap(),
        named
    );
    let missing = root.path().join("no/claude");
    match find(Some(&missing), Some(search.as_os_str()), None) {
        Err(TransportError::NotFound { searched }) => assert_eq!(searched, [missing]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_bare_name_is_looked_up() {
    let root = installed(&["path"]);
    let search = root.path().join("path");
    let name = format!("claude{EXE_SUFFIX}");
    let found = find(Some(Path::new(&name)), Some(search.as_os_str()), None).unwrap();
    assert_eq!(found, claude(&root, "path"));
}

#[test]
fn the_search_path_comes_before_the_known_places() {
    let root = installed(&["path", ".local/bin"]);
    let search =
        std::env::join_paths([root.path().join("none"), root.path().join("path")]).unwrap();
    assert_eq!(
        find(None, Some(&search), Some(root.path())).unwrap(),
        claude(&root, "path")
    );
    assert_eq!(
        find(None, None, Some(root.path())).unwrap(),
        claude(&root, ".local/bin")
    );
}

#[test]
fn relative_folders_of_the_search_path_are_left_out() {
    let mut searched = Vec::new();
    assert!(in_search_path("claude".as_ref(), Some("".as_ref()), &mut searched).is_none());
    assert!(in_search_path("claude".as_ref(), Some("here".as_ref()), &mut searched).is_none());
    assert!(searched.is_empty());
}

#[test]
fn a_file_that_is_not_executable_is_passed_over() {
    let root = installed(&["second"]);
    fs::create_dir(root.path().join("first")).unwrap();
    fs::write(claude(&root, "first"), "text").unwrap();
    let folders = [root.path().join("first"), root.path().join("second")];
    let search = std::env::join_paths(folders).unwrap();
    let found = find(None, Some(&search), None).unwrap();
    if cfg!(unix) {
        assert_eq!(found, claude(&root, "second"));
    }
}

#[test]
fn what_is_not_found_says_where_it_was_looked_for_and_how_to_install() {
    let root = installed(&[]);
    let error = find(None, Some(root.path().as_os_str()), Some(root.path())).unwrap_err();
    let text = error.to_string();
    assert!(error.is_not_found() && error.is_launch_failure());
    assert!(
        text.contains(&claude(&root, "").display().to_string()),
        "{text}"
    );
    assert!(
        text.contains(&claude(&root, ".local/bin").display().to_string()),
        "{text}"
    );
    assert!(
        text.contains("npm install -g @anthropic-ai/claude-code"),
        "{text}"
    );
}

#[test]
fn a_place_is_looked_at_once() {
    let root = installed(&[]);
    // The search path contains one folder twice, and a folder that claw searches anyway.
    let [bin, local] = ["bin", ".local/bin"].map(|folder| root.path().join(folder));
    let search = std::env::join_paths([&bin, &local, &bin, &local]).unwrap();
    let error = find(None, Some(&search), Some(root.path())).unwrap_err();
    let TransportError::NotFound { searched } = &error else {
        panic!("{error}")
    };
    for place in searched {
        let times = searched.iter().filter(|other| *other == place).count();
        assert_eq!(times, 1, "{error}");
    }
    assert_eq!(
        searched[..2],
        [claude(&root, "bin"), claude(&root, ".local/bin")]
    );
}

#[test]
fn batch_files_are_recognised_in_any_disguise() {
    for path in [
        r"C:\x\claude.cmd",
        r"C:\x\CLAUDE.BAT",
        "claude.cmd. .",
        r"C:\a.bat\claude.exe",
        "x.cmd:y",
    ] {
        assert!(names_batch_file(path), "{path}");
    }
    for path in [r"C:\x\claude.exe", "/usr/bin/claude", "/cmd/bat"] {
        assert!(!names_batch_file(path), "{path}");
    }
}
