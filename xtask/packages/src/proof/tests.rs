use super::*;
use crate::LANGUAGES;

const ALLOWED: &str =
    r#"{"type":"control_request","request_id":"1","request":{"subtype":"interrupt","a":"\ud83d"}}"#;

fn add(way: &str, line: &str, output: &str) -> std::result::Result<Account, String> {
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    let model = Model::read(&schemas).unwrap();
    let mut account = Account::default();
    account.add(&LANGUAGES[0], &model, way, line, &parse(output).unwrap())?;
    Ok(account)
}

fn fault(way: &str, line: &str, output: &str) -> String {
    add(way, line, output).err().unwrap_or_default()
}

#[test]
fn a_line_has_to_come_back_equal() {
    let kind = "read\tControlRequest/Interrupt\t0\t";
    let account = add("stdin", ALLOWED, &format!("{kind}{ALLOWED}")).unwrap();
    assert_eq!((account.lines, account.unknown, account.inner), (1, 0, 0));
    let lost = ALLOWED.replace(r#","a":"\ud83d""#, "");
    assert_eq!(
        fault("stdin", ALLOWED, &format!("{kind}{lost}")),
        "changed at .request.a is lost"
    );
    let damaged = ALLOWED.replace(r"\ud83d", r"\ufffd");
    assert!(
        fault("stdin", ALLOWED, &format!("{kind}{damaged}")).starts_with("changed at .request.a")
    );
    assert!(fault("stdin", ALLOWED, "error\trequest\tno").starts_with("refused at request: no"));
}

#[test]
fn a_known_line_has_to_be_read_as_its_type() {
    for kind in ["ControlRequest", "ControlRequest/Initialize", "KeepAlive"] {
        let output = format!("read\t{kind}\t0\t{ALLOWED}");
        assert!(
            fault("stdin", ALLOWED, &output).starts_with("expected"),
            "{kind}"
        );
    }
    assert!(fault("stdin", ALLOWED, &format!("unknown\t{ALLOWED}")).starts_with("expected"));
    let other = r#"{"type":"of_tomorrow"}"#;
    assert_eq!(
        add("stdin", other, &format!("unknown\t{other}"))
            .unwrap()
            .unknown,
        1
    );
    assert!(fault("stdin", other, &format!("read\tKeepAlive\t0\t{other}")).starts_with("expected"));
}

#[test]
fn the_kind_with_more_tags_is_meant() {
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    let model = Model::read(&schemas).unwrap();
    for (line, expected) in [
        (r#"{"type":"user","isReplay":true}"#, "UserMessageReplay"),
        (r#"{"type":"user"}"#, "UserMessage"),
        (r#"{"type":"result","subtype":"success"}"#, "ResultSuccess"),
        (
            r#"{"type":"result","subtype":"error_max_turns"}"#,
            "ResultError",
        ),
    ] {
        assert_eq!(kind(&model, "stdout", line), Some(vec![expected]), "{line}");
    }
    assert_eq!(kind(&model, "stdout", "[]"), None);
}

#[test]
fn another_output_is_refused() {
    for output in ["", "read\tA\t0", "read\tA\tb\t{}", "other\t{}"] {
        assert!(parse(output).is_err(), "{output}");
    }
}
