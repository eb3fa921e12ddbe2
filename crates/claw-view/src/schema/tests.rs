use super::*;

#[test]
fn members_of_unions_have_their_tags() {
    let view = view();
    let definitions = &view["$defs"];
    for (union, tag) in [
        ("Content", "type"),
        ("WrapperMessage", "type"),
        ("Change", "change"),
    ] {
        let members = definitions[union]["oneOf"].as_array().unwrap();
        assert!(members.len() > 3);
        for member in members {
            let name = member["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
            assert_eq!(member.as_object().unwrap().len(), 1, "{name}");
            let definition = &definitions[name];
            assert_eq!(
                definition["properties"][tag]["enum"]
                    .as_array()
                    .unwrap()
                    .len(),
                1,
                "{name}"
            );
            assert!(
                definition["required"]
                    .as_array()
                    .unwrap()
                    .contains(&tag.into()),
                "{name}"
            );
            assert!(definition["description"].is_string(), "{name}");
        }
    }
}

#[test]
fn enumerations_list_their_values() {
    let rule = &view()["$defs"]["Rule"];
    assert_eq!(rule["type"], "string");
    assert!(
        rule["enum"]
            .as_array()
            .unwrap()
            .contains(&"initFirst".into())
    );
    assert!(rule["x-value-descriptions"]["initFirst"].is_string());
}

#[test]
fn every_definition_says_what_it_is() {
    for (name, definition) in view()["$defs"].as_object().unwrap() {
        assert!(definition["description"].is_string(), "{name}");
    }
}
