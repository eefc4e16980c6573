//! `heapsmith record --rotate`: traces that follow each other, while the program runs on.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread::{scope, sleep};
use std::time::Duration;

use heapsmith_output::Output;
use heapsmith_recording::{Launch, RecordingError, Rotation};

use super::{Made, Making, amend};
use crate::args::Record;
use crate::console::error;
use crate::failure::Failure;

/// How often it is looked whether a recording is due.
const STEP: Duration = Duration::from_millis(50);

/// The recordings of which traces were made already.
pub(super) struct Rotating {
    /// Bytes of a recording that become a trace.
    size: u64,
    /// How many traces of a process are kept.
    keep: usize,
    /// By the names of their recordings.
    processes: BTreeMap<OsString, Process>,
    /// Events of traces that are not kept.
    pub events_gone: u64,
}

/// A process with a recording that was due.
struct Process {
    /// Nothing where it failed; the recording has what is in no trace then.
    rotation: Option<Rotation>,
    made: VecDeque<Made>,
}

impl Rotating {
    /// As it was asked for.
    pub fn of(arguments: &Record) -> Option<Rotating> {
        let keep = arguments.keep.unwrap_or(usize::MAX);
        arguments.rotate.map(|size| Rotating { size, keep, processes: BTreeMap::new(), events_gone: 0 })
    }

    /// Makes traces of the recordings in a folder that are due, while `wait` waits.
    pub fn while_it_runs<T: Send>(&mut self, folder: &Path, making: &Making<'_>, wait: impl FnOnce() -> T + Send) -> T {
        scope(|scope| {
            let waiting = scope.spawn(wait);
            while !waiting.is_finished() {
                for path in Launch::recordings(folder).unwrap_or_default() {
                    self.turn(&path, folder, making, || Rotation::open(&path));
                }
                sleep(STEP);
            }
            waiting.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }

    /// Makes a trace of a recording if it is due, in a folder.
    pub fn turn(
        &mut self,
        recording: &Path,
        folder: &Path,
        making: &Making<'_>,
        open: impl FnOnce() -> Result<Rotation, RecordingError>,
    ) {
        let name = recording.file_name().unwrap_or_default();
        if !self.processes.contains_key(name) {
            // Most processes never get there, and no file is open for them.
            if !recording.metadata().is_ok_and(|data| data.len() > self.size) {
                return;
            }
            match open() {
                Ok(rotation) => {
                    let process = Process { rotation: Some(rotation), made: VecDeque::new() };
                    self.processes.insert(name.to_owned(), process);
                }
                Err(why) => return error!("heapsmith: {}", Failure::from(why).message()),
            }
        }
        if let Some(process) = self.processes.get_mut(name) {
            process.rotate_if(self.size, self.size, &folder.join(name), making);
            self.events_gone += process.drop_all_but(self.keep);
        }
    }

    /// Drops the traces of all recordings but these.
    pub fn keep_only(&mut self, recordings: &[PathBuf]) {
        let kept = |name: &OsString| recordings.iter().any(|path| path.file_name() == Some(name));
        self.processes.retain(|name, process| {
            let is_kept = kept(name);
            if !is_kept {
                process.drop_all_but(0);
            }
            is_kept
        });
    }

    /// The traces of a recording, whose process has `ended` or not. Whether there is more in it is said with them.
    pub fn finish(&mut self, recording: &Path, ended: bool, making: &Making<'_>) -> Result<(Vec<Made>, bool), Failure> {
        let name = recording.file_name().unwrap_or_default();
        let Some(mut process) = self.processes.remove(name) else { return Ok((Vec::new(), true)) };
        // What came while a trace was written may be more than one.
        while ended && process.rotate_if(2 * self.size, self.size, recording, making) {
            self.events_gone += process.drop_all_but(self.keep);
        }
        let rotation = process.rotation.take().filter(|_| ended);
        let is_left = rotation.is_none();
        if let Some(rotation) = rotation {
            let file = recording.with_extension(format!("{}.parquet", rotation.made() + 1));
            let program = rotation.recording().program();
            let recorded = part(&file, |to| rotation.finish(to, |recording, origin| amend(recording, making, origin)))?;
            let _ = std::fs::remove_file(recording);
            process.made.push_back(Made { recorded, file, program });
            self.events_gone += process.drop_all_but(self.keep);
        }
        Ok((process.made.into(), is_left))
    }
}

impl Process {
    /// Makes a trace of `size` bytes, named as the recording, if that has grown by `due`; says whether it was made.
    fn rotate_if(&mut self, due: u64, size: u64, recording: &Path, making: &Making<'_>) -> bool {
        let is_due = |rotation: &Rotation| rotation.grown().is_ok_and(|grown| grown > due);
        let Some(mut rotation) = self.rotation.take_if(|rotation| is_due(rotation)) else { return false };
        let file = recording.with_extension(format!("{}.parquet", rotation.made() + 1));
        match part(&file, |to| rotation.rotate(size, to, |recording, origin| amend(recording, making, origin))) {
            Ok(recorded) => {
                let program = rotation.recording().program();
                self.made.push_back(Made { recorded, file, program });
                self.rotation = Some(rotation);
                true
            }
            Err(why) => {
                let name = recording.display();
                error!("heapsmith: {}: {name} grows from here on, and is read at the end", why.message());
                false
            }
        }
    }

    /// Removes the oldest traces until there are no more than this; says how many events they had.
    fn drop_all_but(&mut self, keep: usize) -> u64 {
        let mut events = 0;
        while self.made.len() > keep
            && let Some(oldest) = self.made.pop_front()
        {
            let _ = std::fs::remove_file(&oldest.file);
            events += oldest.recorded.events;
        }
        events
    }
}

/// Writes a trace into a new file.
fn part<T>(file: &Path, write: impl FnOnce(Output) -> Result<T, RecordingError>) -> Result<T, Failure> {
    let output = Output::create_new(file).map_err(|error| Failure::writing(file, &error))?;
    Ok(write(output)?)
}
