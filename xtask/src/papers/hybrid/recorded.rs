//! A recording without times, threads and sites: what a program requests and frees, in order.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Program, ended, said, sample, write};

/// Columns that are kept.
const KEPT: [&str; 4] = ["action", "id", "size", "alignment"];

/// Records a program, and writes its sample; gives the events of the whole recording.
pub fn record(program: &Program, folder: &Path, heapsmith: &Path, scratch: &Path) -> Result<u64, String> {
    let into = scratch.join("recorded");
    let mut recorder = program.command(heapsmith, folder, scratch)?;
    recorder.args(["record", "--only", program.name, "--format", "csv", "--out"]).arg(&into);
    recorder.arg("--").arg(program.file()).args(program.arguments).stdout(Stdio::null());
    let told = ended(&mut recorder)?.stderr;
    let kept = scratch.join(format!("{}.csv", program.sample()));
    write(&kept, &kept_columns(&of_trace(&only_file(&into)?, program.events, heapsmith, scratch)?)?)?;
    let mut import = Command::new(heapsmith);
    import.args(["import", "--quiet"]).arg(&kept).arg("--out").arg(sample(program.sample(), "parquet"));
    ended(&mut import)?;
    events(program.name, &String::from_utf8_lossy(&told))
}

/// The events of a program in what the recorder tells: `program,process,events,...`.
fn events(program: &str, told: &str) -> Result<u64, String> {
    let mut rows = told.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    let row = rows.find(|row| row.len() > 3 && row[0] == program);
    row.and_then(|row| row[2].parse().ok()).ok_or_else(|| format!("{program} was not recorded:\n{told}"))
}

/// The one file of a folder.
fn only_file(folder: &Path) -> Result<PathBuf, String> {
    let mut files = std::fs::read_dir(folder).map_err(|error| said(folder, error))?.flatten();
    match (files.next(), files.next()) {
        (Some(file), None) => Ok(file.path()),
        _ => Err(format!("{}: not one recording", folder.display())),
    }
}

/// The events of a trace file, as lines of CSV.
pub fn of_trace(trace: &Path, events: Option<u64>, heapsmith: &Path, scratch: &Path) -> Result<String, String> {
    let all = scratch.join("events.csv");
    let mut import = Command::new(heapsmith);
    import.args(["import", "--quiet"]).arg(trace).arg("--out").arg(&all);
    if let Some(events) = events {
        import.args(["--limit", &events.to_string()]);
    }
    ended(&mut import)?;
    std::fs::read_to_string(&all).map_err(|error| said(&all, error))
}

/// The columns of a table of events that are kept.
fn kept_columns(events: &str) -> Result<String, String> {
    let head: Vec<&str> = events.lines().next().unwrap_or_default().split(',').collect();
    let place = |name: &&str| head.iter().position(|column| column == name).ok_or(format!("there is no column {name}"));
    let places = KEPT.iter().map(place).collect::<Result<Vec<usize>, String>>()?;
    let mut kept = String::new();
    for line in events.lines() {
        let fields: Vec<&str> = line.split(',').collect();
        let own: Vec<&str> = places.iter().map(|&place| fields.get(place).copied().unwrap_or_default()).collect();
        kept += &own.join(",");
        kept.push('\n');
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::{events, kept_columns};

    #[test]
    fn times_threads_and_sites_are_left_out() {
        let events = "time,thread,action,id,size,alignment,label,site\n7,0,allocate,0,12,16,,main\n9,1,free,0,,,,\n";
        assert_eq!(kept_columns(events).as_deref(), Ok("action,id,size,alignment\nallocate,0,12,16\nfree,0,,\n"));
        assert!(kept_columns("time,id\n").is_err());
    }

    #[test]
    fn the_recorder_tells_how_many_events_a_program_has() {
        let told = "program,process,events,allocations\nsh,6,3,2\nespresso,7,66697880,33348940\n";
        assert_eq!(events("espresso", told), Ok(66_697_880));
        assert!(events("cfrac", told).is_err());
    }
}
