//! What a trace file says about itself: its key-value metadata.

use std::collections::BTreeMap;

use parquet::file::metadata::KeyValue;

use crate::{Module, Origin, Trace};

pub(super) const SCHEMA: &str = "heapsmith.schema";
pub(super) const EVENTS: &str = "heapsmith.events";
pub(super) const DIGEST: &str = "heapsmith.digest";
const VERSION: &str = "heapsmith.version";
const PROGRAM: &str = "heapsmith.program";
const SOURCE: &str = "heapsmith.source";
const SETTING: &str = "heapsmith.setting.";
const LABEL: &str = "heapsmith.label.";
const SITE: &str = "heapsmith.site.";
const MODULE: &str = "heapsmith.module.";

/// The entries that can be written before any event.
pub(super) fn entries(trace: &Trace) -> Vec<KeyValue> {
    let origin = &trace.origin;
    let mut entries = vec![
        entry(SCHEMA, super::NEWEST_SCHEMA.to_string()),
        entry(VERSION, origin.heapsmith.clone()),
        entry(PROGRAM, origin.program.clone()),
        entry(SOURCE, origin.source.clone()),
    ];
    let settings = origin.settings.iter();
    let settings: Vec<String> = settings.map(|(key, value)| format!("{key}={value}")).collect();
    let module = |module: &Module| format!("{}\t{}\t{}", module.name, module.build_id, module.path);
    let modules: Vec<String> = origin.modules.iter().map(module).collect();
    let lists = [(SETTING, &settings), (LABEL, &trace.labels), (SITE, &trace.sites), (MODULE, &modules)];
    for (prefix, list) in lists {
        for (index, value) in list.iter().enumerate() {
            entries.push(entry(&format!("{prefix}{index}"), value.clone()));
        }
    }
    entries
}

pub(super) fn entry(key: &str, value: String) -> KeyValue {
    KeyValue::new(key.to_owned(), value)
}

/// The entries of a file by key.
pub(super) struct Entries(BTreeMap<String, String>);

impl Entries {
    pub fn new(entries: Option<&Vec<KeyValue>>) -> Entries {
        let entries = entries.into_iter().flatten();
        Entries(entries.map(|entry| (entry.key.clone(), entry.value.clone().unwrap_or_default())).collect())
    }

    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    fn text(&self, key: &str) -> String {
        self.get(key).unwrap_or_default().to_owned()
    }

    /// The values of `prefix0`, `prefix1`, … up to the first that is missing.
    fn list(&self, prefix: &str) -> Vec<String> {
        (0..).map_while(|index| self.get(&format!("{prefix}{index}"))).map(str::to_owned).collect()
    }

    /// A trace with everything but its events.
    pub fn trace(&self) -> Trace {
        let settings = self.list(SETTING).into_iter();
        let split = |setting: String| match setting.split_once('=') {
            Some((key, value)) => (key.to_owned(), value.to_owned()),
            None => (setting, String::new()),
        };
        Trace {
            origin: Origin {
                program: self.text(PROGRAM),
                source: self.text(SOURCE),
                settings: settings.map(split).collect(),
                heapsmith: self.text(VERSION),
                modules: self.list(MODULE).iter().map(|text| module(text)).collect(),
            },
            events: Vec::new(),
            labels: self.list(LABEL),
            sites: self.list(SITE),
        }
    }
}

/// A module from its entry: name, build id and path, apart by tabs.
fn module(text: &str) -> Module {
    let mut parts = text.splitn(3, '\t').map(str::to_owned);
    let mut next = || parts.next().unwrap_or_default();
    Module { name: next(), build_id: next(), path: next() }
}
