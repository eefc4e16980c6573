//! Reports against the published schemas, by validators that are not ours: `xmllint`, and Python's `jsonschema`.
//! `cargo xtask test` installs both.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use heapsmith_check::{Base, CheckFile, Report, check, junit, sarif};

use crate::program::Program;
use crate::versions::Versions;

fn schema(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas").join(name)
}

fn by_xmllint(text: &str) -> Output {
    let file = written(text);
    let mut command = Command::new("xmllint");
    command.args(["--noout", "--nonet", "--schema"]).arg(schema("JUnit.xsd")).arg(file.path());
    command.output().expect("xmllint runs: `cargo xtask test` installs it")
}

fn by_jsonschema(text: &str) -> Output {
    let file = written(text);
    const VALIDATE: &str = "import json, sys, jsonschema\n\
        schema, document = (json.load(open(path, encoding='utf-8')) for path in sys.argv[1:])\n\
        jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker()).validate(document)\n";
    // Debian's own Python, which has Debian's packages.
    let mut command = Command::new("/usr/bin/python3");
    command.args(["-c", VALIDATE]).arg(schema("sarif-2.1.0.json")).arg(file.path());
    command.output().expect("Python runs: `cargo xtask test` installs it")
}

fn written(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), text).expect("a file");
    file
}

fn validate(report: &Report) {
    let (xml, json) = (junit(report), sarif(report));
    for (output, text) in [(by_xmllint(&xml), &xml), (by_jsonschema(&json), &json)] {
        assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    }
}

/// What passes, fails and cannot be evaluated, of traces and heaps with names in quotes, at a path.
fn report(path: &Path, trace: &str, heap: &str) -> Report {
    let text = format!(
        "[trace.{trace}]\nfile = \"a\"\n[heap.{heap}]\nspec = \"list(coalesce=never)\"\n[[assert]]\nmeasure = \"footprint_peak\"\nmax = \
         \"1G\"\nmin = \"1G\"\nmax_growth = \"5%\"\n[[assert]]\nmeasure = \"bound\"\nmax = 1\n[[assert]]\nmeasure = \
         \"requested_peak\"\nmax = 1\n[[assert]]\nmeasure = \"drift\"\npasses = 2\nmax = 0\n"
    );
    let file = CheckFile::parse(path, &text).unwrap_or_else(|error| panic!("{error}"));
    check(&file, &Base::None, &mut Versions::of(&Program::random(1).trace())).expect("a report")
}

#[test]
fn reports_validate_against_the_published_schemas() {
    let report = report(Path::new("heap.toml"), "a", "h");
    assert!(report.failed().count() >= 2 && report.impossible().count() >= 2);
    validate(&report);
    let json: serde_json::Value = serde_json::from_str(&sarif(&report)).expect("JSON");
    let run = &json["runs"][0];
    assert_eq!(run["results"].as_array().map(Vec::len), Some(report.failed().count()));
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    let place = &run["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!((&place["artifactLocation"]["uri"], &place["region"]["startLine"]), (&"heap.toml".into(), &6.into()));
}

#[test]
fn names_that_xml_and_json_do_not_like_validate() {
    let names = [
        r#""<&>\"'""#,
        r#""]]>""#,
        r#""\u0001\u0008\u001b[31m\u007f""#,
        r#""\r\n\t  two  spaces ""#,
        r#""\uFFFE\uFFFF\uFDD0""#,
        r#""\u202Eevil\u2028""#,
        r#""größer 😀""#,
        r#"" ""#,
        r#""&amp;&#0;<![CDATA[""#,
        r#""\\ \" %""#,
    ];
    for name in names {
        validate(&report(Path::new("heap.toml"), name, name));
    }
    for path in [
        &b"\xff\xfe\x80.toml"[..],
        b"a\"b\\c<&>'.toml",
        b"../ with space/#?%.toml",
        b"/abs\x01\x1b/h.toml",
        b"c:h.toml",
    ] {
        validate(&report(Path::new(OsStr::from_bytes(path)), "a", "h"));
    }
}

#[test]
fn the_validators_refuse_what_is_wrong() {
    let good = report(Path::new("heap.toml"), "a", "h");
    let xml = junit(&good);
    for (part, other) in [("hostname=", "host="), ("<system-err/>", ""), ("id=\"0\"", "id=\"x\"")] {
        assert!(xml.contains(part), "{part} in {xml}");
        assert!(!by_xmllint(&xml.replacen(part, other, 1)).status.success(), "{part}");
    }
    let json = sarif(&good);
    for (part, other) in
        [("\"2.1.0\"", "\"2.0.0\""), ("\"ruleId\"", "\"rule\""), ("\"startLine\": 6", "\"startLine\": 0")]
    {
        assert!(json.contains(part), "{part} in {json}");
        assert!(!by_jsonschema(&json.replacen(part, other, 1)).status.success(), "{part}");
    }
}

#[test]
fn what_passes_is_no_failure_in_any_report() {
    let text =
        "[trace.a]\nfile = \"a\"\n[heap.h]\nspec = \"tlsf\"\n[[assert]]\nmeasure = \"min_region\"\nmax = \"1G\"\n";
    let report = Versions::of(&Program::random(1).trace()).check(text, &Base::None);
    validate(&report);
    assert!(!junit(&report).contains("<failure") && !junit(&report).contains("<error"));
    let json: serde_json::Value = serde_json::from_str(&sarif(&report)).expect("JSON");
    assert_eq!(json["runs"][0]["results"], serde_json::json!([]));
    assert_eq!(json["runs"][0]["invocations"][0]["executionSuccessful"], true);
}
