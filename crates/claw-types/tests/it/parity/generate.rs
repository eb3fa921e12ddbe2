//! Values by the word of a schema.

use serde_json::{Map, Value, json};

/// A value that a schema takes, but for a few things in it that something else was put in place of;
/// the same for the same seed.
pub(super) fn value(schema: &Value, seed: u64) -> Value {
    let misses = if seed.is_multiple_of(2) { 0 } else { 60 };
    let mut generator = Generator {
        schema,
        choices: seed,
        misses,
    };
    generator.of(schema, 0)
}

struct Generator<'a> {
    schema: &'a Value,
    choices: u64,
    /// One of so many values is anything at all; none where it is 0.
    misses: usize,
}

/// So deep, an object has what it must have and nothing else.
const DEEP: usize = 7;

impl<'a> Generator<'a> {
    /// One of `n`.
    fn one_of(&mut self, n: usize) -> usize {
        // Knuth's linear congruential generator; the high bits are the good ones.
        self.choices = self
            .choices
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.choices >> 33).unwrap() % n
    }

    fn of(&mut self, schema: &'a Value, depth: usize) -> Value {
        if self.misses > 0 && self.one_of(self.misses) == 0 {
            return self.anything(0);
        }
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.rsplit('/').next().unwrap();
            return self.of(&self.schema["$defs"][name], depth);
        }
        // Beside a choice stands what is not to be: that is left to chance.
        for key in ["anyOf", "allOf"] {
            if let Some(members) = schema[key].as_array() {
                let members: Vec<_> = members.iter().filter(|m| m.get("not").is_none()).collect();
                if !members.is_empty() {
                    let member = members[self.one_of(members.len())];
                    return self.of(member, depth);
                }
            }
        }
        if schema.get("if").is_some() {
            let branch = ["then", "else"][self.one_of(2)];
            return self.of(&schema[branch], depth);
        }
        if let Some(values) = schema["enum"].as_array() {
            return values[self.one_of(values.len())].clone();
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds[self.one_of(kinds.len())].as_str(),
            kind => kind.as_str(),
        };
        match kind {
            Some("null") => Value::Null,
            Some("boolean") => (self.one_of(2) == 0).into(),
            Some("integer") => [
                json!(0),
                json!(7),
                json!(u64::MAX),
                json!(2.0),
                json!(9.5e15),
            ][self.one_of(5)]
            .clone(),
            Some("number") => {
                [json!(0), json!(-3), json!(0.25), json!(1e300)][self.one_of(4)].clone()
            }
            Some("string") => self.text(schema),
            Some("array") => {
                let count = if depth > DEEP { 0 } else { self.one_of(3) };
                (0..count)
                    .map(|_| self.of(&schema["items"], depth + 1))
                    .collect()
            }
            Some("object") => self.object(schema, depth),
            _ => self.anything(0),
        }
    }

    fn text(&mut self, schema: &'a Value) -> Value {
        match schema["x-known-values"].as_array() {
            Some(known) if self.one_of(4) > 0 => known[self.one_of(known.len())].clone(),
            _ => ["", "x", "success", "stdio"][self.one_of(4)].into(),
        }
    }

    fn object(&mut self, schema: &'a Value, depth: usize) -> Value {
        let mut object = Map::new();
        let required = schema["required"].as_array();
        for (key, property) in schema["properties"].as_object().into_iter().flatten() {
            let required = required.is_some_and(|r| r.iter().any(|r| r == key));
            let taken = if required {
                self.misses == 0 || self.one_of(self.misses) > 0
            } else {
                depth <= DEEP && self.one_of(3) == 0
            };
            if taken {
                object.insert(key.clone(), self.of(property, depth + 1));
            }
        }
        if let Some(rest) = schema.get("additionalProperties")
            && depth <= DEEP
        {
            for key in &["a", "b"][..self.one_of(3)] {
                object.insert((*key).to_owned(), self.of(rest, depth + 1));
            }
        } else if self.one_of(4) == 0 {
            object.insert("of tomorrow".to_owned(), self.anything(0));
        }
        Value::Object(object)
    }

    /// Any JSON, with a preference for what means something.
    fn anything(&mut self, depth: usize) -> Value {
        let plain = [
            json!(null),
            json!(false),
            json!(-1),
            json!(1.5),
            json!("text"),
            json!({"type": "of tomorrow"}),
            json!({"type": "text"}),
            json!({}),
            json!([]),
        ];
        match self.one_of(if depth > 2 { 9 } else { 11 }) {
            9 => vec![self.anything(depth + 1)].into(),
            10 => json!({ "subtype": self.anything(depth + 1) }),
            plainly => plain[plainly].clone(),
        }
    }
}
