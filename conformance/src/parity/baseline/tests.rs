use super::*;

fn set(lines: &[&str]) -> BTreeSet<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

fn listing(groups: &[(&str, &[&str])]) -> Baseline {
    let group = |(reason, lines): &(&str, &[&str])| Group {
        left_out: false,
        reason: (*reason).to_owned(),
        differences: set(lines),
    };
    Baseline {
        groups: groups.iter().map(group).collect(),
    }
}

#[test]
fn holds_where_what_is_found_is_what_is_listed() {
    let baseline = listing(&[("later", &["a", "b"]), ("never", &["c"])]);
    assert!(baseline.judge(&set(&["a", "b", "c"])).is_ok());
}

#[test]
fn fails_both_ways() {
    let baseline = listing(&[("later", &["a", "b"])]);
    let error = baseline.judge(&set(&["b", "c"])).unwrap_err().to_string();
    assert!(error.contains("listed, and closed: a"), "{error}");
    assert!(error.contains("not listed: c"), "{error}");
    assert!(!error.contains(": b"), "{error}");
}

#[test]
fn fails_without_a_reason_and_with_two() {
    let error = |groups| listing(groups).judge(&set(&["a"])).unwrap_err().to_string();
    assert!(error(&[("", &["a"])]).contains("no reason: a"));
    assert!(error(&[("later", &["a"]), ("never", &["a"])]).contains("listed twice: a"));
}

#[test]
fn an_update_keeps_reasons_and_asks_for_those_of_what_is_new() {
    let mut baseline = listing(&[("later", &["a", "b"]), ("never", &["gone"])]);
    baseline.update(&set(&["a", "new"]));
    assert_eq!(baseline, listing(&[("later", &["a"]), ("", &["new"])]));
    assert!(baseline.judge(&set(&["a", "new"])).is_err());
    baseline.update(&set(&["a", "new", "newer"]));
    assert_eq!(baseline.groups[1].differences, set(&["new", "newer"]));
}
