//! A report as JUnit XML, by the schema that is published for Apache Ant's `junitreport`
//! (`JUnit.xsd` of windyroad/JUnit-Schema, Apache License 2.0), which CI systems read.
//!
//! ```text
//!   testsuites ─ testsuite: the check file ─┬─ properties: heapsmith's version, the heaps' specs
//!                                           ├─ testcase: one limit ─ failure: it is not kept
//!                                           │                      └ error: it cannot be evaluated
//!                                           └─ system-out, system-err (the schema asks for both)
//! ```
//!
//! The schema asks for a time, a date and a host. Nothing here is timed and the same check is to give the same bytes, so
//! they are 0, 1970-01-01 and localhost.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use crate::printable::printable;
use crate::report::{Outcome, Report, Verdict};

/// The report as JUnit XML, in UTF-8.
pub fn junit(report: &Report) -> String {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 1);
    write(&mut writer, report).expect("memory takes every write");
    let mut text = String::from_utf8_lossy(&writer.into_inner()).into_owned();
    text.push('\n');
    text
}

fn write(writer: &mut Writer<Vec<u8>>, report: &Report) -> io::Result<()> {
    let path = printable(&report.path.to_string_lossy());
    let (failures, errors) = (report.failed().count().to_string(), report.impossible().count().to_string());
    let tests = report.verdicts.len().to_string();
    let suite = [
        ("name", "heapsmith check"),
        ("package", path.as_str()),
        ("id", "0"),
        ("hostname", "localhost"),
        ("timestamp", "1970-01-01T00:00:00"),
        ("time", "0"),
        ("tests", &tests),
        ("failures", &failures),
        ("errors", &errors),
    ];
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    writer.create_element("testsuites").write_inner_content(|writer| {
        writer.create_element("testsuite").with_attributes(suite).write_inner_content(|writer| {
            properties(writer, report)?;
            report.verdicts.iter().try_for_each(|verdict| test_case(writer, verdict))?;
            writer.create_element("system-out").write_empty()?;
            writer.create_element("system-err").write_empty().map(drop)
        })?;
        Ok(())
    })?;
    Ok(())
}

fn properties(writer: &mut Writer<Vec<u8>>, report: &Report) -> io::Result<()> {
    writer.create_element("properties").write_inner_content(|writer| {
        property(writer, "heapsmith", env!("CARGO_PKG_VERSION"))?;
        let mut heaps = report.heaps.iter();
        heaps.try_for_each(|(name, spec)| property(writer, &format!("heap.{}", printable(name)), &printable(spec)))
    })?;
    Ok(())
}

fn property(writer: &mut Writer<Vec<u8>>, name: &str, value: &str) -> io::Result<()> {
    writer.create_element("property").with_attributes([("name", name), ("value", value)]).write_empty().map(drop)
}

fn test_case(writer: &mut Writer<Vec<u8>>, verdict: &Verdict) -> io::Result<()> {
    let name = printable(&format!("{}: {}", verdict.figure, verdict.allowed()));
    let subject = printable(&verdict.subject());
    let case = writer.create_element("testcase").with_attributes([
        ("name", name.as_str()),
        ("classname", subject.as_str()),
        ("time", "0"),
    ]);
    let (element, sentence) = match &verdict.outcome {
        Outcome::Passed => return case.write_empty().map(drop),
        Outcome::Failed(sentence) => ("failure", printable(sentence)),
        Outcome::Impossible(sentence) => ("error", printable(sentence)),
    };
    case.write_inner_content(|writer| {
        let kind = verdict.figure.measure().name();
        let outcome = writer.create_element(element);
        let outcome = outcome.with_attributes([("message", sentence.as_str()), ("type", kind)]);
        outcome.write_text_content(BytesText::new(&sentence)).map(drop)
    })?;
    Ok(())
}
