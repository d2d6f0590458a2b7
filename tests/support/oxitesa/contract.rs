//! The contract file, read and applied: as much of OpenAPI 3.1 as it uses, and a panic for anything else in it.
use regex::Regex;
use serde_json::Value;

/// The contract.
pub struct Contract(Value);

const OPERATION: &str = "/paths/~1v1~1aura~1patient-lookup/post";

impl Contract {
    /// Reads `tests/oxitesa.openapi.yaml`.
    pub fn read() -> Self {
        let contract: Value =
            serde_saphyr::from_str(include_str!("../../oxitesa.openapi.yaml")).expect("the contract is YAML");
        assert_eq!(contract["openapi"], "3.1.0");
        assert!(contract.pointer(OPERATION).is_some(), "the operation is in the contract");
        Self(contract)
    }

    /// The header of the secret, in lower case.
    pub fn secret_header(&self) -> String {
        let scheme = &self.0["components"]["securitySchemes"]["sharedSecret"];
        assert_eq!((&scheme["type"], &scheme["in"]), (&Value::from("apiKey"), &Value::from("header")));
        scheme["name"].as_str().expect("a header's name").to_ascii_lowercase()
    }

    /// Panics unless a request is as the contract has it.
    #[track_caller]
    pub fn check_request(&self, path: &str, body: &Value) {
        assert_eq!(path, "/v1/aura/patient-lookup");
        let schema = self.at(&format!("{OPERATION}/requestBody/content/application~1json/schema"));
        self.check(schema, body).unwrap_or_else(|why| panic!("a request against the contract: {why}"));
    }

    /// Panics unless an answer is as the contract has it.
    #[track_caller]
    pub fn check_answer(&self, status: u16, body: &Value) {
        let schema = self.at(&format!("{OPERATION}/responses/{status}/content/application~1json/schema"));
        self.check(schema, body).unwrap_or_else(|why| panic!("an answer against the contract: {why}"));
    }

    /// The header that asks for a pause, in lower case; panics unless the contract lets this status send it so.
    #[track_caller]
    pub fn retry_header(&self, status: u16, value: &str) -> String {
        let headers = self.at(&format!("{OPERATION}/responses/{status}/headers"));
        let (name, header) = headers.as_object().and_then(|all| all.iter().next()).expect("a header");
        let header = self.resolve(header);
        self.check(&header["schema"], &Value::from(value)).expect("a value by the contract");
        name.to_ascii_lowercase()
    }

    fn at(&self, pointer: &str) -> &Value {
        self.0.pointer(pointer).unwrap_or_else(|| panic!("the contract has no {pointer}"))
    }

    fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value.get("$ref").and_then(Value::as_str) {
            Some(reference) => self.at(reference.trim_start_matches('#')),
            None => value,
        }
    }

    /// Why a value isn't of this schema.
    pub fn check(&self, schema: &Value, value: &Value) -> Result<(), String> {
        let schema = self.resolve(schema);
        for (keyword, rule) in schema.as_object().expect("a schema") {
            self.keyword(keyword, rule, schema, value)?;
        }
        Ok(())
    }

    fn keyword(&self, keyword: &str, rule: &Value, schema: &Value, value: &Value) -> Result<(), String> {
        let length = || value.as_str().map(|text| text.chars().count() as u64);
        let holds = match keyword {
            "description" => true,
            "type" => is_of(rule, value),
            "enum" => rule.as_array().expect("values").contains(value),
            "pattern" => {
                let pattern = Regex::new(rule.as_str().expect("a pattern")).expect("a pattern that compiles");
                value.as_str().is_none_or(|text| pattern.is_match(text))
            }
            "minLength" => length().is_none_or(|length| length >= rule.as_u64().expect("a number")),
            "maxLength" => length().is_none_or(|length| length <= rule.as_u64().expect("a number")),
            "maxItems" => {
                value.as_array().is_none_or(|all| all.len() as u64 <= rule.as_u64().expect("a number"))
            }
            "required" => rule
                .as_array()
                .expect("names")
                .iter()
                .all(|name| value.get(name.as_str().expect("a name")).is_some()),
            "additionalProperties" => {
                let known = &schema["properties"];
                let fields = value.as_object().into_iter().flatten();
                rule == &Value::Bool(true) || fields.into_iter().all(|(name, _)| known.get(name).is_some())
            }
            "properties" => return self.properties(rule, value),
            "items" => {
                return value.as_array().into_iter().flatten().try_for_each(|item| self.check(rule, item));
            }
            other => panic!("the contract uses {other}, which this reader doesn't know"),
        };
        if holds { Ok(()) } else { Err(format!("{keyword} {rule} doesn't hold for {value}")) }
    }

    fn properties(&self, rules: &Value, value: &Value) -> Result<(), String> {
        let rules = rules.as_object().expect("properties");
        rules.iter().try_for_each(|(name, rule)| match value.get(name) {
            Some(field) => self.check(rule, field),
            None => Ok(()),
        })
    }
}

fn is_of(rule: &Value, value: &Value) -> bool {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    match rule {
        Value::Array(kinds) => kinds.iter().any(|one| one == kind),
        rule => rule == kind,
    }
}
