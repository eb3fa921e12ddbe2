use super::*;

/// Excerpts of executables: what a minifier leaves of declarations, and other code.
const SOURCE: &str = r#"u({subtype:P("set_peer_delivery"),hold_id:r().optional().describe("held (2)"),name:r(),
kinds:O(r()),sandbox_enabled:dt([M(),P("unknown")]).optional()}),
xK=p(()=>D().and(u({hook_event_name:P("PreSkillShellCommand"),type:P("result")}))),
downloadsMirrorUrl:()=>r().optional().describe("x"),onDismiss:()=>a(b)(c),
{rowSource:y,plain:f(x),other:maker(x).optional()},e.rowSource,e.readOnly,
{type:"system",subtype:"task_notification",by_agent:o?.a,b:f({c:1,d:2}),...e,last:[1,k],x},{z:1},
{subtype:n,none:1},["tengu_copper_sluice","mcp_call_soft_error_result_v1","sideload_flags_disabled","Sentence","two words","get_v2_x"],
process.env.MY_OWN,"CLAUDE_CODE_X2","CLAUDE_code","--no-crash-report","--","ERR_X","x_V1""#;

fn source() -> String {
    SOURCE.replace('\n', "")
}

fn found(kind: Kind) -> Vec<String> {
    let mut names = names(source().as_bytes());
    names
        .remove(&kind)
        .unwrap_or_default()
        .into_iter()
        .collect()
}

#[test]
fn declarations_are_told_from_other_code() {
    assert_eq!(found(Kind::HookEvent), ["PreSkillShellCommand"]);
    assert_eq!(found(Kind::Subtype), ["set_peer_delivery"]);
    assert_eq!(found(Kind::Type), ["result"]);
    assert_eq!(
        found(Kind::Written),
        [
            "task_notification.b",
            "task_notification.by_agent",
            "task_notification.last"
        ]
    );
    assert_eq!(
        found(Kind::Field),
        ["hold_id", "kinds", "name", "sandbox_enabled"]
    );
    assert_eq!(found(Kind::Setting), ["downloadsMirrorUrl"]);
    assert_eq!(found(Kind::Name), ["rowSource"]);
}

#[test]
fn names_have_digits() {
    assert_eq!(found(Kind::Capability), ["mcp_call_soft_error_result_v1"]);
    assert_eq!(
        found(Kind::Value),
        [
            "get_v2_x",
            "set_peer_delivery",
            "sideload_flags_disabled",
            "task_notification"
        ]
    );
    assert_eq!(found(Kind::Variable), ["CLAUDE_CODE_X2", "MY_OWN"]);
    assert_eq!(found(Kind::Flag), ["--no-crash-report"]);
}

#[test]
fn any_bytes_are_read() {
    let source = source();
    for end in 0..source.len() {
        names(&source.as_bytes()[end..]);
        names(&source.as_bytes()[..end]);
    }
    assert!(names(&[b'{', b'a', b'b', 0xff, b':']).is_empty());
}
