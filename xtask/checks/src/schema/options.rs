//! Generates the tables of docs/options.md. The headings, the other texts and the positions of the rows are written by
//! hand. The rows are generated: they contain the description of a field of `QueryOptions`, and the way in which the
//! field declares that it is passed to the CLI.

use serde_json::Value;

use xtask::run::Result;

/// The page.
pub(super) const PAGE: &str = "docs/options.md";

/// The head of the tables.
const HEAD: &str = "| field | what it does | goes to |";

/// An option, with the data that its field declares.
struct Field {
    name: &'static str,
    key: &'static str,
    way: &'static str,
    /// The flag or environment variable.
    argument: &'static str,
    /// The text of `#[wire(way = "…")]`.
    text: &'static str,
}

fn fields() -> Vec<Field> {
    let mut fields = Vec::new();
    macro_rules! add {
        ($field:ident $key:literal $way:ident($($argument:tt)?) $text:literal) => {
            fields.push(Field {
                name: stringify!($field),
                key: $key,
                way: stringify!($way),
                argument: stringify!($($argument)?).trim_matches('"'),
                text: $text,
            })
        };
    }
    claw_types::each_option!(add);
    fields
}

impl Field {
    /// Returns the row of the option. Its description comes from the schema of the options.
    fn row(&self, schema: &Value) -> Result<String> {
        let Self { name, key, .. } = self;
        let description = schema["properties"][key]["description"]
            .as_str()
            .ok_or_else(|| format!("the schema of the options describes no {key}"))?;
        let description = description.replace('\n', " ").replace('|', "\\|");
        let other_key =
            (name.replace('_', "") != key.to_lowercase()).then(|| format!(" (`{key}`)"));
        let other_key = other_key.unwrap_or_default();
        Ok(format!(
            "| `{name}`{other_key} | {description} | {} |",
            self.goes_to()
        ))
    }

    fn goes_to(&self) -> String {
        let argument = self.argument;
        match self.way {
            _ if !self.text.is_empty() => self.text.to_owned(),
            "switch" => format!("`--{argument}`"),
            "paths" => format!("`--{argument}=`, one each"),
            "list" => format!("`--{argument}=a,b`"),
            "variable" => format!("`{argument}` in the environment"),
            "initialize" | "launch" => self.way.to_owned(),
            _ => format!("`--{argument}=`"),
        }
    }
}

/// Returns the page with the rows of all options. If a row is missing in the page, it is inserted after the row of the
/// previous field. A row of an unknown field is removed.
pub(super) fn page(text: &str, schema: &Value) -> Result<String> {
    let fields = fields();
    let mut lines: Vec<(Option<&str>, String)> = Vec::new();
    let mut is_table = false;
    for line in text.lines() {
        is_table = line.starts_with('|') && (is_table || line == HEAD);
        let name = line.split('`').nth(1).filter(|_| is_table);
        match (name, fields.iter().find(|field| Some(field.name) == name)) {
            (None, _) => lines.push((None, line.to_owned())),
            (Some(_), Some(field)) => lines.push((Some(field.name), field.row(schema)?)),
            (Some(_), None) => {}
        }
    }
    let mut previous = None;
    for field in &fields {
        if lines.iter().all(|(name, _)| *name != Some(field.name)) {
            let behind = lines
                .iter()
                .position(|(name, _)| name.is_some() && *name == previous);
            let behind = behind.ok_or_else(|| format!("{PAGE}: no row before {}", field.name))?;
            lines.insert(behind + 1, (Some(field.name), field.row(schema)?));
        }
        previous = Some(field.name);
    }
    Ok(lines.iter().flat_map(|(_, line)| [line, "\n"]).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns a schema in which the description of each option is its key.
    fn schema() -> Value {
        let described = |field: &Field| (field.key.to_owned(), json!({"description": field.key}));
        json!({"properties": fields().iter().map(described).collect::<serde_json::Map<_, _>>()})
    }

    fn row(text: &str, name: &str) -> String {
        let begin = format!("| `{name}`");
        let mut lines = text.lines().filter(|line| line.starts_with(&begin));
        let row = lines.next().unwrap_or_default().to_owned();
        assert_eq!(lines.next(), None, "{name} has two rows");
        row
    }

    #[test]
    fn every_option_has_a_row() {
        let first = fields()[0].name;
        let begin = format!("# Options\n\n{HEAD}\n|---|---|---|\n| `{first}` | old | old |\n");
        let written = page(&begin, &schema()).unwrap();
        for field in fields() {
            assert_ne!(row(&written, field.name), "", "{}", field.name);
        }
        assert!(!written.contains("old"), "{written}");
        for (name, expected) in [
            ("max_turns", "| `max_turns` | maxTurns | `--max-turns=` |"),
            (
                "debug_file",
                "| `debug_file` | debugFile | `--debug-file=` |",
            ),
            ("betas", "| `betas` | betas | `--betas=a,b` |"),
            ("title", "| `title` | title | initialize |"),
            ("plugins", "| `plugins` | plugins | launch |"),
            (
                "strict_mcp_config",
                "| `strict_mcp_config` | strictMcpConfig | `--strict-mcp-config` |",
            ),
            (
                "additional_directories",
                "| `additional_directories` | additionalDirectories | `--add-dir=`, one each |",
            ),
            (
                "continue_session",
                "| `continue_session` (`continue`) | continue | `--continue` |",
            ),
            (
                "cwd",
                "| `cwd` | cwd | the directory that the process starts in |",
            ),
        ] {
            assert_eq!(row(&written, name), expected);
        }
        assert_eq!(page(&written, &schema()).unwrap(), written);
    }

    #[test]
    fn rows_stay_where_they_are() {
        let all = page(
            &format!("{HEAD}\n|---|---|---|\n| `{}` | | |\n", fields()[0].name),
            &schema(),
        );
        let all = all.unwrap();
        let model = row(&all, "model");
        let without = all.replace(&format!("{model}\n"), "");
        let other = format!(
            "{HEAD}\n|---|---|---|\n| `model` | | |\n\n| `gone` | stays |\n\n{without}| `gone` | | |\n"
        );
        let written = page(&other, &schema()).unwrap();
        let expected = format!("{HEAD}\n|---|---|---|\n{model}\n\n| `gone` | stays |\n\n{without}");
        assert_eq!(written, expected);
        assert!(page("# Options\n", &schema()).is_err());
    }
}
