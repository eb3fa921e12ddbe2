use super::*;

#[test]
fn folders_of_one_machine_are_found() {
    for (text, found) in [
        ("see /root", "/root"),
        (r#"{"cwd":"/root/x"}"#, "/root/x"),
        ("`/home/alice/.claude`", "/home/alice/.claude"),
        ("/Users/bob", "/Users/bob"),
        ("(/work/elsewhere)", "/work/elsewhere"),
        ("/home/user, then /work/other.", "/work/other."),
    ] {
        assert_eq!(machine_path(text), Some(found), "{text}");
    }
}

#[test]
fn fixed_names_and_relative_paths_pass() {
    for text in [
        "/home/user/.claude",
        "/work/project/src",
        "/home/",
        "/rootless",
        "src/root/mod.rs",
        "https://host/root/x",
        "$HOME/work/x",
    ] {
        assert_eq!(machine_path(text), None, "{text}");
    }
}

#[test]
fn temporary_paths_are_found() {
    assert_eq!(temporary_path(r#""/tmp/a.b/c""#), Some("/tmp/a.b/c"));
    assert_eq!(
        temporary_path("the folder /tmp/ itself, target/tmp/x"),
        None
    );
}

#[test]
fn keys_are_found() {
    assert_eq!(
        key("x-api-key: sk-ant-api03-AbC_1"),
        Some("sk-ant-api03-AbC_1")
    );
    assert_eq!(key("task-notification, disk-full, sk-"), None);
}

#[test]
fn addresses_are_found() {
    assert_eq!(
        email("by jo.doe+x@mail.host.org."),
        Some("jo.doe+x@mail.host.org")
    );
    for text in [
        "plugin@builtin",
        "claude-code@2.1.329",
        "a@example.com",
        "@user.name",
        "@",
    ] {
        assert_eq!(email(text), None, "{text}");
    }
}
