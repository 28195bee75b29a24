//! A validator for the part of JSON Schema that the schema of match records uses.

use serde_json::Value;

/// The violations of `schema` in `value`, with their paths; empty if it is valid.
pub(crate) fn violations(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, value, "$", &mut found);
    found
}

fn check(schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    for (keyword, wanted) in schema.as_object().expect("a schema is an object") {
        let holds = match keyword.as_str() {
            "title" => true,
            "type" => is_of_type(value, wanted.as_str().expect("a type")),
            "minLength" => {
                value.as_str().is_none_or(|text| text.chars().count() as u64 >= number(wanted) as u64)
            }
            "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= number(wanted) as u64),
            "minimum" => value.as_f64().is_none_or(|given| given >= number(wanted)),
            "maximum" => value.as_f64().is_none_or(|given| given <= number(wanted)),
            "required" => {
                for name in wanted.as_array().expect("names") {
                    let name = name.as_str().expect("a name");
                    if value.get(name).is_none() {
                        found.push(format!("{path} lacks {name}"));
                    }
                }
                true
            }
            "properties" => {
                for (name, schema) in wanted.as_object().expect("properties") {
                    if let Some(value) = value.get(name) {
                        check(schema, value, &format!("{path}.{name}"), found);
                    }
                }
                true
            }
            "items" => {
                for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(wanted, item, &format!("{path}[{number}]"), found);
                }
                true
            }
            "additionalProperties" => {
                assert_eq!(wanted, &Value::Bool(false));
                value
                    .as_object()
                    .is_none_or(|members| members.keys().all(|name| schema["properties"].get(name).is_some()))
            }
            other => panic!("the schema uses {other}, which is not known here"),
        };
        if !holds {
            found.push(format!("{path}: {keyword} {wanted}"));
        }
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("no type is called {other}"),
    }
}

#[test]
fn violations_are_found() {
    let schema = serde_json::from_str(include_str!("../../protocol/record.schema.json")).expect("JSON");
    let record = serde_json::json!({ "matchId": "", "goalValues": [50, 101], "more": 1, "scrambled": "no" });
    let found = violations(&schema, &record);
    for wanted in [
        "$ lacks moves",
        "$.matchId: minLength 1",
        "$.goalValues[1]: maximum 100",
        "$.scrambled: type \"boolean\"",
        "$: additionalProperties false",
    ] {
        assert!(found.iter().any(|violation| violation == wanted), "{wanted}: {found:?}");
    }
}
