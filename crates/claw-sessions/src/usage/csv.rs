//! Usage as comma-separated values, RFC 4180.

use std::collections::BTreeMap;

use claw_types::escape;

use super::{Usage, Usd};

/// The columns after the first one. The name of the first column depends on the table.
const COLUMNS: &str = "answers,input,output,thinking,cache_read,cache_write,cache_write_1h,web_searches,\
subagent_answers,subagent_tokens,estimate_usd,estimate_written_usd,unpriced_answers,cost_usd,cost_is_whole";

/// Writes rows of usage as comma-separated values: a line with the names of the columns, and a line for each row. `by`
/// is the name of the first column, which contains the keys of the rows, such as `day`. A value that is not known is
/// empty.
pub fn usage_csv(by: &str, rows: &BTreeMap<String, Usage>) -> String {
    let mut lines = format!("{by},{COLUMNS}\r\n");
    for (name, usage) in rows {
        let tokens = usage.all.tokens;
        let numbers = [
            usage.all.answers,
            tokens.input,
            tokens.output,
            tokens.thinking,
            tokens.cache_read,
            tokens.cache_write,
            tokens.cache_write_1h,
            tokens.web_searches,
            usage.subagents.answers,
            usage.subagents.tokens.total(),
        ];
        let mut cells = vec![cell(name)];
        cells.extend(numbers.iter().map(u64::to_string));
        let estimate = usage.estimate;
        // If no cost is known, the estimate is empty and not zero.
        let known =
            estimate.filter(|e| e.unpriced_answers < usage.all.answers || e.usd != Usd::ZERO);
        cells.push(known.map_or_else(String::new, |estimate| estimate.usd.to_string()));
        cells.push(known.map_or_else(String::new, |estimate| estimate.written_usd.to_string()));
        cells.push(estimate.map_or_else(String::new, |e| e.unpriced_answers.to_string()));
        cells.push(
            usage
                .cost
                .map_or_else(String::new, |cost| cost.usd.to_string()),
        );
        cells.push(
            usage
                .cost
                .map_or_else(String::new, |cost| cost.is_whole.to_string()),
        );
        lines += &cells.join(",");
        lines += "\r\n";
    }
    lines
}

/// The characters with which a formula of a spreadsheet begins, including their full-width forms.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Returns a text as a cell. Spreadsheets treat a text as a formula if it begins with one of certain characters,
/// possibly after white space, or with a tab. Such a text gets a `'` at its beginning.
fn cell(text: &str) -> String {
    let safe = escape(text);
    let is_formula = safe.starts_with(['\t', '\r', '\n']) || safe.trim_start().starts_with(FORMULA);
    let mark = if is_formula { "'" } else { "" };
    if safe.contains([',', '"', '\n', '\r']) {
        return format!("\"{mark}{}\"", safe.replace('"', "\"\""));
    }
    format!("{mark}{safe}")
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn a_cell_is_one_cell_and_no_formula() {
        assert_eq!(cell("/work/project"), "/work/project");
        assert_eq!(cell("a,b"), "\"a,b\"");
        assert_eq!(cell("say \"x\""), "\"say \"\"x\"\"\"");
        assert_eq!(cell("=1+1"), "'=1+1");
        assert_eq!(cell("@x,y"), "\"'@x,y\"");
        assert_eq!(cell("\t=1+1"), "'\t=1+1");
        assert_eq!(cell("\tx"), "'\tx");
        assert_eq!(cell(" =1+1"), "' =1+1");
        for sign in "＝＋－＠".chars() {
            assert_eq!(cell(&format!("{sign}1+1")), format!("'{sign}1+1"));
        }
        assert_eq!(cell("\n=1"), "\"'\n=1\"");
        assert_eq!(cell("\u{1b}[31m"), "\\u{1b}[31m");
        let lines = cell("a\nb\r\"c");
        assert!(lines.starts_with('"') && lines.ends_with('"'), "{lines}");
    }
}
