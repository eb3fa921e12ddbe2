//! The names of models, as the API and the cloud providers write them.

/// Returns the forms of a name under which a table may contain it. The first form is the name itself. Each further form
/// lacks another addition to the model's own name.
pub(super) fn forms(name: &str) -> impl Iterator<Item = &str> {
    // This form lacks the size of the context window, such as `[1m]`.
    let plain = name.split('[').next().unwrap_or(name);
    // This form lacks a provider and its region, such as `us.anthropic.` or `anthropic/`.
    let own = plain.find("claude-").map_or(plain, |at| &plain[at..]);
    // This form lacks a version of the provider, such as `-v1:0`, and a date such as `@20251101`.
    let own = own.split(['@', ':']).next().unwrap_or(own);
    let own = without_end(own, "-v", |digits| digits <= 2);
    let undated = without_end(own, "-", |digits| digits == 8);
    [name, plain, own, undated].into_iter()
}

/// Removes this mark and the digits after it from the end of a name.
fn without_end<'a>(name: &'a str, mark: &str, fits: impl Fn(usize) -> bool) -> &'a str {
    let start = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = name.len() - start.len();
    match start.strip_suffix(mark) {
        Some(start) if digits > 0 && fits(digits) => start,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::forms;

    #[test]
    fn a_model_is_found_under_its_own_name() {
        for name in [
            "claude-haiku-4-5",
            "claude-haiku-4-5[1m]",
            "claude-haiku-4-5-20251001",
            "claude-haiku-4-5@20251001",
            "claude-haiku-4-5-20251001-v1:0",
            "us.anthropic.claude-haiku-4-5-20251001-v1:0",
            "anthropic/claude-haiku-4-5",
        ] {
            assert_eq!(forms(name).last(), Some("claude-haiku-4-5"), "{name}");
            assert_eq!(forms(name).next(), Some(name));
        }
        for name in [
            "gpt-5",
            "",
            "claude-v2",
            "claude-\u{1f600}",
            "claude-x-2025",
        ] {
            let last = forms(name).last().unwrap();
            assert!(name.starts_with(last), "{name}: {last}");
        }
        assert_eq!(forms("claude-x-2025").last(), Some("claude-x-2025"));
    }
}
