//! Joins the scripts of a page to one file. A browser spends about as much time on each file that it loads as on what the
//! file does, so a page with one script is there earlier than a page with thirty.
//!
//! Each script keeps a scope of its own: it becomes a function that is called at once and returns what the script exports.
//! The scripts run in the order in which a browser would run the modules.

use std::fmt::Write as _;

/// Joins scripts and all scripts that they import, directly or through others. `source` returns the text of a script.
pub(super) fn joined(
    scripts: &[&'static str],
    source: impl Fn(&str) -> &'static str + Copy,
) -> String {
    let mut done = Vec::new();
    let mut text = String::new();
    for script in scripts {
        add(script, source, &mut done, &mut text);
    }
    text
}

/// Adds a script after the scripts that it imports. No two scripts import each other.
fn add(
    script: &'static str,
    source: impl Fn(&str) -> &'static str + Copy,
    done: &mut Vec<&'static str>,
    text: &mut String,
) {
    if done.contains(&script) {
        return;
    }
    done.push(script);
    let lines = source(script).lines();
    for (_, from) in lines.clone().filter_map(import) {
        add(from, source, done, text);
    }
    let mut exports = Vec::new();
    let _ = writeln!(text, "const {} = (() => {{", scope(script));
    for line in lines {
        let _ = match (import(line), line.strip_prefix("export ")) {
            (Some((None, _)), _) => Ok(()),
            (Some((Some(names), from)), _) => {
                let names = names.replace(" as ", ": ");
                writeln!(text, "const {{{names}}} = {};", scope(from))
            }
            (None, Some(declaration)) => {
                exports.extend(declared(declaration));
                writeln!(text, "{declaration}")
            }
            (None, None) => writeln!(text, "{line}"),
        };
    }
    let _ = writeln!(text, "return {{ {} }};\n}})();", exports.join(", "));
}

/// Returns the names that a line imports, as they are between its braces, and the script from which it imports them.
fn import(line: &'static str) -> Option<(Option<&'static str>, &'static str)> {
    let (names, from) = line.strip_prefix("import ")?.split_once("'./")?;
    let names = names
        .strip_prefix('{')
        .and_then(|names| names.split('}').next());
    Some((names, from.strip_suffix("';")?))
}

/// Returns the name that a declaration declares.
fn declared(declaration: &str) -> Option<&str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let mut words = declaration.split(|c| !is_part(c));
    words.find(|word| !matches!(*word, "" | "async" | "function" | "const" | "class"))
}

/// Returns the name of the constant with what a script exports.
fn scope(script: &str) -> String {
    format!("${}", script.trim_end_matches(".js"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_keep_their_scopes_and_run_after_what_they_import() {
        let source = |name: &str| match name {
            "page.js" => {
                "import './keys.js';\nimport { at, make as made } from './common.js';\nmade(at);\n"
            }
            "keys.js" => "import { at } from './common.js';\nat();\n",
            "more.js" => "import { Late } from './common.js';\n",
            _ => {
                "export const at = 1;\nconst own = 2;\nexport async function make() {}\nexport class Late {}\n"
            }
        };
        assert_eq!(
            joined(&["page.js", "more.js"], source),
            "const $common = (() => {\nconst at = 1;\nconst own = 2;\nasync function make() {}\nclass Late {}\n\
             return { at, make, Late };\n})();\n\
             const $keys = (() => {\nconst { at } = $common;\nat();\nreturn {  };\n})();\n\
             const $page = (() => {\nconst { at, make: made } = $common;\nmade(at);\nreturn {  };\n})();\n\
             const $more = (() => {\nconst { Late } = $common;\nreturn {  };\n})();\n"
        );
    }
}
