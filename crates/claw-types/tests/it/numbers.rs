//! Numbers are sent on as they came.

use claw_types::api::ContentBlock;
use claw_types::{Count, Json, Message, Number, StdoutMessage, from_line, json_equal};

use crate::support::{message, seed};

fn result_with(cost: &str) -> String {
    seed("result_free").replace(
        r#""total_cost_usd":0"#,
        &format!(r#""total_cost_usd":{cost}"#),
    )
}

#[test]
fn costs_stay_integer_or_float() {
    for cost in [
        "0",
        "0.0",
        "1",
        "-1",
        "1e-7",
        "0.0000001",
        "0.1",
        "0.30000000000000004",
        "5e-324",
        "1.7976931348623157e308",
        "18446744073709551615",
        "-9223372036854775808",
        "-0.0",
        "-0",
        "1E3",
        "2.2250738585072014e-308",
        "123456.78901234567",
        "0.00028000000000000003",
    ] {
        let line = result_with(cost);
        let Message::ResultSuccess(result) = message(&line) else {
            panic!();
        };
        let parsed: f64 = cost.parse().unwrap();
        assert!(
            (result.total_cost_usd.as_f64() - parsed).abs() <= 0.0,
            "{cost}"
        );
    }
    assert_ne!(message(&result_with("0")), message(&result_with("0.0")));
    assert_eq!(
        message(&result_with("1e-7")),
        message(&result_with("0.0000001"))
    );
}

#[test]
fn a_number_knows_what_it_is() {
    assert_eq!(Number::from(5).as_u64(), Some(5));
    assert_eq!(Number::from(-5).as_u64(), None);
    assert_eq!(Number::from(-5).as_i64(), Some(-5));
    assert_eq!(Number::from(u64::MAX).as_i64(), None);
    assert_eq!(Number::from(5.0).as_u64(), None);
    assert_eq!(Number::from(5_i64), Number::from(5_u64));
    assert_eq!(Number::default(), Number::from(0));
    assert_eq!(Number::from(1.5).to_string(), "1.5");
    assert!(from_line::<StdoutMessage>(result_with("1e999").as_bytes()).is_err());
}

/// One value that is out of the ordinary leaves the rest of its line what it was.
#[test]
fn an_integer_beyond_64_bits_is_the_nearest_float() {
    for (text, value) in [
        ("18446744073709551616", 18_446_744_073_709_551_616.0),
        ("-9223372036854775809", -9_223_372_036_854_775_808.0),
        ("123456789012345678901234567890", 1.234_567_890_123_456_8e29),
    ] {
        let line = result_with(text);
        let read: Message = from_line(line.as_bytes()).unwrap();
        assert_eq!(serde_json::from_str::<Message>(&line).unwrap(), read);
        let Message::ResultSuccess(result) = read else {
            panic!();
        };
        assert_eq!(result.total_cost_usd, Number::from(value), "{text}");
    }
}

#[test]
fn counts_may_be_written_as_floats() {
    let count = |text: &str| serde_json::from_str::<Count>(text);
    for (text, value) in [
        ("0", 0),
        ("1.0", 1),
        ("1e3", 1000),
        ("0.0", 0),
        ("9007199254740992.0", 1 << 53),
        ("18446744073709551615", u64::MAX),
    ] {
        let read = count(text).unwrap();
        assert_eq!(read, value, "{text}");
        let written = serde_json::to_string(&read).unwrap();
        assert!(json_equal(&written, text), "{written} for {text}");
        assert_eq!(count(&written).unwrap(), read);
    }
    for text in [
        "-1",
        "1.5",
        "-0.0",
        "-0",
        "1e300",
        "18446744073709551616",
        "\"1\"",
        "null",
        "true",
    ] {
        assert!(count(text).is_err(), "{text}");
    }
}

#[test]
fn free_json_keeps_any_number() {
    let numbers = "[18446744073709551616,-9223372036854775809,1e400,0.1000000000000000055511151231257827,-0,1E+2,123456789012345678901234567890123456789]";
    let line = seed("assistant_sub_agent").replace(
        r#"{"type":"text","text":"sub"}"#,
        &format!(r#"{{"type":"tool_use","id":"t","name":"n","input":{numbers}}}"#),
    );
    let value: Message = from_line(line.as_bytes()).unwrap();
    let Message::Assistant(assistant) = &value else {
        panic!();
    };
    let ContentBlock::ToolUse(tool) = &assistant.message.content[0] else {
        panic!();
    };
    assert_eq!(tool.input.as_raw(), numbers);
    assert!(serde_json::to_string(&value).unwrap().contains(numbers));
}

#[test]
fn json_is_equal_by_value() {
    for (a, b) in [
        ("1e-7", "0.0000001"),
        ("1.0", "1e0"),
        (r#"{"a":1,"b":[2]}"#, " { \"b\" : [ 2 ],\n\"a\":1}"),
        (r#""\u00fc\/""#, "\"ü/\""),
        (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
        (r#"{"\u0061":1}"#, r#"{"a":1}"#),
        ("-0", "-0.0"),
    ] {
        assert!(json_equal(a, b), "{a} {b}");
        assert!(json_equal(b, a), "{a} {b}");
        let json = |text: &str| Json::from_text(text.to_owned()).unwrap();
        assert_eq!(json(a), json(b));
    }
    for (a, b) in [
        ("0", "0.0"),
        ("0.0", "-0.0"),
        ("1", "1.0"),
        ("null", "{}"),
        ("null", "false"),
        (r#"{"a":null}"#, "{}"),
        ("[1,2]", "[2,1]"),
        ("[]", "{}"),
        ("[1]", "[1,1]"),
        ("18446744073709551616", "18446744073709551617"),
        ("18446744073709551616", "18446744073709551616.0"),
        ("0.1", "0.10000000000000001e1"),
        ("1e400", "1e401"),
        (r#""a""#, "a"),
        (r#""1""#, "1"),
        ("{", "[ "),
        ("", " "),
    ] {
        assert!(!json_equal(a, b), "{a} {b}");
        assert!(!json_equal(b, a), "{a} {b}");
    }
}
