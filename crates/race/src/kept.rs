//! A race as a file: JSON, replaced as a whole after every run, so that an interrupt loses nothing.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::entrant::Kind;
use crate::load::LoadFigures;
use crate::result::{Left, Race, Raced, Run};

/// Its name in a folder of results.
pub const FILE: &str = "race.json";

/// What the file says it is.
const SCHEMA: u64 = 1;

/// Why a race cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    /// The system refuses the file.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is none, is damaged, or is of another version.
    #[error("{} is no race that this heapsmith wrote: {what}; remove it, and race again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

/// A race as text.
pub fn text(race: &Race) -> String {
    let entrants: Vec<Value> = race.entrants.iter().map(entrant).collect();
    let runs: Vec<Value> = race.runs.iter().map(run).collect();
    let value = json!({
        "schema": SCHEMA, "command": race.command, "load": race.load, "seed": race.seed,
        "output_compared": race.output_compared, "finished": race.is_finished, "entrants": entrants, "runs": runs,
    });
    format!("{value:#}\n")
}

/// The race of a folder; none where it has none.
///
/// # Errors
///
/// [`KeptError`].
pub fn read(folder: &Path) -> Result<Option<Race>, KeptError> {
    let path = folder.join(FILE);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(KeptError::Read { path, source }),
    };
    let damaged = |what: String| KeptError::Damaged { path: path.clone(), what };
    let value: Value = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
    match value["schema"].as_u64() {
        Some(SCHEMA) => {
            parsed(&value).map(Some).ok_or_else(|| damaged("a value is missing or of another kind".to_owned()))
        }
        schema => Err(damaged(format!("its schema is {schema:?}, and {SCHEMA} is known"))),
    }
}

fn entrant(raced: &Raced) -> Value {
    let mut object = Map::new();
    object.insert("name".to_owned(), json!(raced.name));
    match &raced.kind {
        Kind::AsIs { library } => {
            object.insert("kind".to_owned(), json!("as_is"));
            object.insert("library".to_owned(), json!(library))
        }
        Kind::Heap { spec, design } => {
            object.insert("kind".to_owned(), json!("heap"));
            object.insert("spec".to_owned(), json!(spec));
            object.insert("design".to_owned(), json!(design))
        }
        Kind::Reference { library, line } => {
            object.insert("kind".to_owned(), json!("reference"));
            object.insert("library".to_owned(), json!(library));
            object.insert("environment".to_owned(), json!(line))
        }
    };
    let left = raced.left.as_ref().map(|left| match left {
        Left::Same => json!({"kind": "same"}),
        Left::NoEffect(why) => json!({"kind": "no_effect", "why": why}),
        Left::Wrong(why) => json!({"kind": "wrong", "why": why}),
    });
    object.insert("left".to_owned(), json!(left));
    Value::Object(object)
}

fn run(run: &Run) -> Value {
    json!({
        "round": run.round, "entrant": run.entrant, "processor_time": run.processors, "wall_time": run.clock,
        "peak_resident": run.peak, "mean_resident": run.mean, "rate": run.load.rate,
        "latency_ms": run.load.latencies.iter().map(|(percentile, value)| json!([percentile, value])).collect::<Vec<_>>(),
    })
}

fn parsed(value: &Value) -> Option<Race> {
    let words = value["command"].as_array()?.iter().map(|word| word.as_str().map(str::to_owned));
    let race = Race {
        command: words.collect::<Option<_>>()?,
        load: value["load"].as_str().map(str::to_owned),
        seed: value["seed"].as_u64()?,
        output_compared: value["output_compared"].as_bool()?,
        is_finished: value["finished"].as_bool()?,
        entrants: value["entrants"].as_array()?.iter().map(parsed_entrant).collect::<Option<_>>()?,
        runs: value["runs"].as_array()?.iter().map(parsed_run).collect::<Option<_>>()?,
    };
    let is_whole = race.runs.iter().all(|run| run.entrant < race.entrants.len());
    is_whole.then_some(race)
}

fn parsed_entrant(value: &Value) -> Option<Raced> {
    let kind = match value["kind"].as_str()? {
        "as_is" => Kind::AsIs { library: value["library"].as_str().map(str::to_owned) },
        "heap" => Kind::Heap {
            spec: value["spec"].as_str()?.to_owned(),
            design: value["design"].as_u64().and_then(|design| u32::try_from(design).ok()),
        },
        "reference" => Kind::Reference {
            library: value["library"].as_str()?.to_owned(),
            line: value["environment"].as_str()?.to_owned(),
        },
        _ => return None,
    };
    let why = || value["left"]["why"].as_str().map(str::to_owned);
    let left = match value["left"]["kind"].as_str() {
        None => None,
        Some("same") => Some(Left::Same),
        Some("no_effect") => Some(Left::NoEffect(why()?)),
        Some("wrong") => Some(Left::Wrong(why()?)),
        Some(_) => return None,
    };
    Some(Raced { name: value["name"].as_str()?.to_owned(), kind, left })
}

fn parsed_run(value: &Value) -> Option<Run> {
    let latency = |pair: &Value| Some((pair[0].as_f64()?, pair[1].as_f64()?));
    Some(Run {
        round: u32::try_from(value["round"].as_u64()?).ok()?,
        entrant: usize::try_from(value["entrant"].as_u64()?).ok()?,
        processors: value["processor_time"].as_f64()?,
        clock: value["wall_time"].as_f64()?,
        peak: value["peak_resident"].as_u64()?,
        mean: value["mean_resident"].as_f64()?,
        load: LoadFigures {
            rate: value["rate"].as_f64(),
            latencies: value["latency_ms"].as_array()?.iter().map(latency).collect::<Option<_>>()?,
        },
    })
}

#[cfg(test)]
mod tests;
