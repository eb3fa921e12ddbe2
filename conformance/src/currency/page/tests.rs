use super::*;

fn given(all: &[(Kind, &[&str])]) -> Names {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    all.iter()
        .map(|(kind, names)| (*kind, owned(names)))
        .collect()
}

#[test]
fn a_name_is_listed_once_in_its_most_noticeable_place_and_unknown_ones_first() {
    let old = given(&[(Kind::Field, &["kept", "left"]), (Kind::Name, &["moved"])]);
    let new = given(&[
        (Kind::Field, &["a_known", "fresh", "kept", "moved"]),
        (Kind::Name, &["a_known", "fresh", "inner", "moved"]),
        (Kind::HookEvent, &["PreDance2"]),
    ]);
    let text = name_changes(&old, &new, &words("{\"a_known\":1}"));
    assert_eq!(
        text,
        "\n## Names in the executable\n\
         \n### Hook events\n\n- new: `PreDance2`\n\
         \n### Fields in the CLI's own checks\n\n- new: `fresh`, `a_known` ✓\n- new in this place: `moved`\n\
         - gone: `left`\n\
         \n### Other fields (mostly noise)\n\n- new: `inner`\n"
    );
}

#[test]
fn the_kinds_are_in_the_order_in_which_they_are_noticed() {
    assert!(Kind::HookEvent < Kind::Field && Kind::Capability < Kind::Value);
    assert!(Kind::Name.is_noise() && Kind::Value.is_noise() && !Kind::Variable.is_noise());
}

#[test]
fn a_help_is_compared_by_its_lines() {
    let help = "Usage: claude\n\nOptions:\n  --dance   Dances\n\nCommands:\n  mcp         Servers\n  \
                plugin|plugins [x]  Plugins\n                      more\n  help [c]  Help\n";
    assert_eq!(commands(help), ["mcp", "plugin"]);
    let old = help_lines("claude", help);
    let new = help_lines("claude", &help.replace("Dances", "Dances  twice"));
    assert_eq!(
        help_changes(&old, &new),
        ["+ claude: --dance Dances twice", "- claude: --dance Dances"]
    );
    assert!(help_changes(&old, &old).is_empty());
}

#[test]
fn an_empty_section_says_so() {
    let mut page = String::new();
    section(&mut page, "Gaps", [].into_iter());
    section(&mut page, "More", ["a"].into_iter());
    assert_eq!(page, "\n## Gaps\n\nnone\n\n## More\n\n- `a`\n");
}

#[test]
fn kinds_that_claw_does_not_know_are_listed_also_if_both_versions_have_them() {
    let names = given(&[
        (Kind::HookEvent, &["PreDance", "PreToolUse"]),
        (Kind::Type, &["user"]),
        (
            Kind::Value,
            &["dance_tool_result", "other_value", "web_tool_result"],
        ),
    ]);
    assert_eq!(
        unknown_names(&names, &words("PreToolUse user web_tool_result")),
        "\n## In the executable, and not in claw\n\n- Hook events: `PreDance`\n\
         \n- Subtypes of requests and messages: none\n\
         \n- Types of messages, entries and blocks: none\n\
         \n- Results of the API's own tools: `dance_tool_result`\n"
    );
}
