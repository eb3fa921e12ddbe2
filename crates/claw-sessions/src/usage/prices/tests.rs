use std::io::Write as _;

use super::*;

const TABLE: &str = r#"{
    "date": "2026-11-25",
    "webSearch": 0.01,
    "usInference": 1.1,
    "models": {
        "claude-a": {
            "input": 4, "output": 20, "cacheRead": 0.2, "cacheWrite5m": 5, "cacheWrite1h": 8,
            "fast": {"input": 8, "output": 40, "cacheRead": 0.4, "cacheWrite5m": 10, "cacheWrite1h": 16},
            "long": {
                "above": 1000,
                "input": 40, "output": 200, "cacheRead": 2, "cacheWrite5m": 50, "cacheWrite1h": 80
            }
        }
    }
}"#;

const STANDARD: Terms = Terms {
    is_fast: false,
    is_us: false,
};

fn cost(tokens: Tokens, terms: Terms) -> String {
    let prices = Prices::from_json(TABLE).unwrap();
    prices.cost("claude-a", &tokens, terms).unwrap().to_string()
}

fn tokens(input: u64, output: u64) -> Tokens {
    Tokens {
        input,
        output,
        ..Tokens::default()
    }
}

#[test]
fn each_kind_of_token_has_its_price() {
    let kinds = [
        (tokens(1, 0), "0.000004"),
        (tokens(0, 1), "0.00002"),
        (
            Tokens {
                cache_read: 1,
                ..Tokens::default()
            },
            "0.0000002",
        ),
        (
            Tokens {
                cache_write: 3,
                cache_write_1h: 1,
                ..Tokens::default()
            },
            "0.000018",
        ),
        (
            Tokens {
                web_searches: 3,
                ..Tokens::default()
            },
            "0.03",
        ),
        // The number of tokens written for an hour is greater than the number of all written tokens.
        (
            Tokens {
                cache_write: 1,
                cache_write_1h: 9,
                ..Tokens::default()
            },
            "0.000008",
        ),
    ];
    for (tokens, expected) in kinds {
        assert_eq!(cost(tokens, STANDARD), expected, "{tokens:?}");
    }
}

#[test]
fn fast_mode_long_inputs_and_the_place_of_inference_change_the_price() {
    let fast = Terms {
        is_fast: true,
        is_us: false,
    };
    let us = Terms {
        is_fast: false,
        is_us: true,
    };
    assert_eq!(cost(tokens(1000, 1), STANDARD), "0.00402");
    assert_eq!(cost(tokens(1000, 1), fast), "0.00804");
    assert_eq!(cost(tokens(1000, 1), us), "0.004422");
    let long = Tokens {
        input: 1,
        cache_read: 600,
        cache_write: 400,
        ..Tokens::default()
    };
    assert_eq!(cost(long, STANDARD), "0.02124");
    assert_eq!(cost(tokens(1001, 0), fast), "0.008008");
    let searched = Tokens {
        web_searches: 1,
        ..tokens(10, 0)
    };
    assert_eq!(cost(searched, us), "0.010044");
    let prices = Prices::from_json(TABLE).unwrap();
    assert_eq!(prices.cost("claude-b", &tokens(1, 1), STANDARD), None);
    // Even numbers of tokens that no real answer has cause no overflow.
    assert!(cost(tokens(u64::MAX, u64::MAX), us).len() > 12);
}

#[test]
fn the_shipped_table_is_read_and_names_every_current_model() {
    let prices = Prices::shipped();
    assert_eq!(prices.date().len(), 10);
    assert_eq!(prices.web_search().to_string(), "0.01");
    for model in [
        "claude-opus-5-5",
        "claude-sonnet-4-5-20250929",
        "claude-haiku-5-5",
    ] {
        let rates = prices.of(model).expect(model).standard;
        assert!(rates.cache_read < rates.input && rates.input < rates.output);
        assert!(rates.cache_write_5m < rates.cache_write_1h);
    }
    assert_eq!(prices.of("claude-of-tomorrow"), None);
    assert!(prices.models().count() > 20);
}

#[test]
fn an_error_names_the_field_and_its_place() {
    let wrong = |from: &str, to: &str| {
        let error = Prices::from_json(&TABLE.replacen(from, to, 1)).unwrap_err();
        error.to_string()
    };
    let cases = [
        (
            "\"input\": 4",
            "\"input\": \"4\"",
            "in models.claude-a.input at line 7, column",
        ),
        ("\"input\": 4", "\"input\": -4", "in models.claude-a.input"),
        (
            "\"input\": 4",
            "\"input\": 0.0000001",
            "at most six decimals",
        ),
        ("\"input\": 4", "\"input\": 1000001", "from 0 to 1000000"),
        ("\"input\": 4,", "", "missing field `input`"),
        ("\"cacheRead\"", "\"cached\"", "unknown field `cached`"),
        (
            "\"output\": 200",
            "\"output\": null",
            "models.claude-a.long.output",
        ),
        ("1.1", "1.0001", "in usInference at line 4"),
        ("2026-11-25", "2026-11-31", "in date at line 2"),
        ("0.01", "true", "in webSearch at line 3"),
    ];
    for (from, to, expected) in cases {
        let error = wrong(from, to);
        assert!(error.contains(expected), "{to}: {error}");
    }
    let cut = Prices::from_json("{\"date\": \"2026-11-25\",\n").unwrap_err();
    assert!(cut.to_string().contains("line 2"), "{cut}");
    let more = Prices::from_json(&format!("{TABLE}\n1")).unwrap_err();
    assert!(
        more.to_string().contains("in the table at line 16"),
        "{more}"
    );
}

#[test]
fn a_file_is_read_up_to_a_bound() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(TABLE.as_bytes()).unwrap();
    assert_eq!(
        Prices::from_file(file.path()).unwrap(),
        Prices::from_json(TABLE).unwrap()
    );
    file.write_all(&vec![b' '; 1 << 20]).unwrap();
    let error = Prices::from_file(file.path()).unwrap_err();
    assert!(error.to_string().contains("more than 1 MiB"), "{error}");
    let error = Prices::from_file("/no/such/prices.json").unwrap_err();
    assert!(
        error.to_string().contains("/no/such/prices.json"),
        "{error}"
    );
}

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
