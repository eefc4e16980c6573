//! A report as SARIF 2.1.0 (OASIS Standard), which code hosts show where a line caused it.
//!
//! What failed is a result, at its assertion's line of the check file. What could not be evaluated is a notification of
//! the run, which then was not successful. What passed is not in it: readers show every result as a problem.

use std::path::{Component, Path};

use serde_json::{Value, json};

use crate::measure::Measure;
use crate::printable::printable;
use crate::report::{Outcome, Report, Verdict};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The report as SARIF.
pub fn sarif(report: &Report) -> String {
    let uri = uri(&report.path);
    let of = |wanted: fn(&Outcome) -> bool, made: fn(&Verdict, &str) -> Value| {
        let verdicts = report.verdicts.iter().filter(|verdict| wanted(&verdict.outcome));
        verdicts.map(|verdict| made(verdict, &uri)).collect::<Vec<Value>>()
    };
    let results = of(|outcome| matches!(outcome, Outcome::Failed(_)), result);
    let notifications = of(|outcome| matches!(outcome, Outcome::Impossible(_)), notification);
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "heapsmith",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": Measure::ALL.map(rule),
            } },
            "invocations": [{
                "executionSuccessful": notifications.is_empty(),
                "toolExecutionNotifications": notifications,
            }],
            "artifacts": [{ "location": { "uri": uri } }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn rule(measure: Measure) -> Value {
    json!({
        "id": measure.name(),
        "shortDescription": { "text": measure.meaning() },
        "fullDescription": { "text": measure.meaning() },
        "help": { "text": format!("{} `heapsmith check --help` lists the measures.", measure.meaning()) },
        "defaultConfiguration": { "level": "error" },
    })
}

fn result(verdict: &Verdict, uri: &str) -> Value {
    let measure = verdict.figure.measure();
    let index = Measure::ALL.iter().position(|other| *other == measure).unwrap_or_default();
    json!({
        "ruleId": measure.name(),
        "ruleIndex": index,
        "level": "error",
        "message": { "text": sentence(verdict) },
        "locations": [location(verdict, uri)],
        // The same alert for as long as the same thing is asserted, wherever its line moves to and whatever it measures.
        "partialFingerprints": {
            "assertion/v1": printable(&format!("{}: {}: {}", verdict.figure, verdict.subject(), verdict.allowed())),
        },
        "properties": {
            "trace": printable(&verdict.trace),
            "heap": verdict.heap.as_deref().map(printable),
            "figure": verdict.figure.to_string(),
            "value": verdict.value,
            "base": verdict.base,
            "allowed": verdict.allowed(),
        },
    })
}

fn notification(verdict: &Verdict, uri: &str) -> Value {
    json!({
        "level": "error",
        "message": { "text": sentence(verdict) },
        "locations": [location(verdict, uri)],
        "associatedRule": { "id": verdict.figure.measure().name() },
    })
}

fn sentence(verdict: &Verdict) -> String {
    printable(verdict.outcome.sentence().unwrap_or_default())
}

fn location(verdict: &Verdict, uri: &str) -> Value {
    json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri },
            "region": { "startLine": verdict.line, "startColumn": verdict.column },
        },
    })
}

/// A path as a URI reference: relative as it is, absolute under `file://`. All but unreserved characters are escaped, so
/// any name of a file is one.
fn uri(path: &Path) -> String {
    let parts: Vec<String> = path
        .components()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(escaped(name.as_encoded_bytes())),
            Component::ParentDir => Some("..".to_owned()),
            _ => None,
        })
        .collect();
    let parts = parts.join("/");
    if path.is_absolute() { format!("file:///{parts}") } else { parts }
}

fn escaped(bytes: &[u8]) -> String {
    let escape = |byte: &u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(*byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    bytes.iter().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_is_a_uri() {
        assert_eq!(uri(Path::new("ci/heap.toml")), "ci/heap.toml");
        assert_eq!(uri(Path::new("./../a b/%:?#é\u{1}.toml")), "../a%20b/%25%3A%3F%23%C3%A9%01.toml");
        assert_eq!(uri(Path::new("/tmp/heap.toml")), "file:///tmp/heap.toml");
    }
}
