//! Recording a program that runs already.
//!
//! ```text
//!   Attached::to ─ holds a thread ─▶ dlopen ─▶ heapsmith_attach        note, note, …        detach ─ holds a thread ─▶ heapsmith_detach
//!                     (ms)              the recorder, in the program ──▶ FOLDER/PROGRAM-PID.recording
//! ```
//!
//! One thread is held at a system call at which it is not inside its allocator ([`held`]), and calls the recorder's functions
//! from there; all others run on. The library stays in the program, as some of its threads may be inside it.
//!
//! The program writes its own recording, so the folder has to be one that it can write to: where it belongs to another user or
//! sees other folders (a container), that is one in its own folder for temporary files.

mod error;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod held;
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
#[path = "attach/not_here.rs"]
mod held;
mod process;

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, chown};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use heapsmith_launch::Library;
use heapsmith_output::Output;
use rustix::fs::{SeekFrom, seek};

pub use error::AttachError;
use held::Held;
use process::Running;

use crate::exported::exported;
use crate::format::header;
use crate::rotation::nanoseconds;
use crate::{Launch, RecordingError, Rotation};

/// `dlopen`: all of the library's symbols are found at once.
const RTLD_NOW: u64 = 2;

/// A program that runs, and is recorded.
#[derive(Debug)]
pub struct Attached {
    running: Running,
    /// Held as long as this records, by whichever heapsmith.
    _alone: UnixListener,
    place: Place,
    recording: PathBuf,
    file: File,
    since: Instant,
    /// The program's processor time when it began.
    busy: Duration,
    begun: Begun,
}

/// What a recording of a running program was.
#[derive(Debug)]
pub struct Detached {
    /// The recording.
    pub recording: PathBuf,
    /// How long it took.
    pub lasted: Duration,
    /// The processor time of the program meanwhile.
    pub busy: Duration,
    /// How long a thread of the program was held, at the beginning and at the end.
    pub held: Duration,
    /// What [`EVENTS`] events cost, measured in the program when the recording began.
    pub event_cost: Duration,
    /// Whether the program ended before the recording did.
    pub ended: bool,
}

/// Events that [`Detached::event_cost`] is of.
pub const EVENTS: u32 = 1000;

impl Attached {
    /// Begins to record a process into a folder, which is there and is the caller's own: call sites of `frames`, and one block in
    /// `every`.
    ///
    /// # Errors
    ///
    /// [`AttachError`], which says what to do. The process runs on as before.
    pub fn to(process: u32, folder: &Path, frames: u8, every: u32) -> Result<Attached, AttachError> {
        let running = Running::of(process)?;
        let alone = alone(process)?;
        let library = Library::Recorder.bytes()?;
        if library.is_empty() {
            return Err(AttachError::NotHere);
        }
        let place = Place::for_recording(&running, folder)?;
        let begun = begin(&running, &place, &library, frames, every);
        let begun = begun.inspect_err(|_| place.leave())?;
        let recordings = Launch::recordings(&place.ours).unwrap_or_default();
        let recording = recordings.into_iter().next().ok_or(AttachError::NoRecording)?;
        let file = opened(&recording, running.user()).map_err(AttachError::Folder)?;
        let (since, busy) = (Instant::now(), running.busy());
        Ok(Attached { running, _alone: alone, place, recording, file, since, busy, begun })
    }

    /// Tells the recorder that somebody is there who will end the recording. Without that, it ends it itself after half a
    /// minute.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn note(&self) -> io::Result<()> {
        self.file.write_all_at(&nanoseconds().to_le_bytes(), header::NOTED as u64 * 8)
    }

    /// The recording as traces that follow each other.
    ///
    /// # Errors
    ///
    /// As [`Recording::open`](crate::Recording::open).
    pub fn rotation(&self) -> Result<Rotation, RecordingError> {
        let file = self.file.try_clone();
        let file = file.map_err(|source| RecordingError::Read { path: self.recording.clone(), source })?;
        Rotation::of(&self.recording, file)
    }

    /// Where the recording is.
    pub fn recording(&self) -> &Path {
        &self.recording
    }

    /// Whether the process still runs.
    pub fn runs(&self) -> bool {
        self.running.runs()
    }

    /// Bytes that were recorded so far.
    pub fn bytes(&self) -> u64 {
        self.file.metadata().map_or(0, |data| data.len())
    }

    /// Ends the recording. It is in `folder` then, whatever the process could write to.
    ///
    /// # Errors
    ///
    /// [`AttachError`]. Where no thread could be held, the program runs on with the recorder in it, which records nothing
    /// once nobody has noted for half a minute.
    pub fn detach(self, folder: &Path) -> Result<Detached, AttachError> {
        let so_far = || (self.since.elapsed(), self.running.busy().saturating_sub(self.busy));
        let (mut lasted, mut busy) = so_far();
        let Begun { detach, hooks, event_cost, held: mut held_for } = self.begun;
        let ended = match Held::hold(&self.running, &hooks) {
            Ok(mut held) => {
                (lasted, busy) = so_far();
                let begun = Instant::now();
                let outcome = held.call(detach, [0; 3]).and_then(|_| held.release());
                held_for += begun.elapsed();
                outcome.map(|()| false)
            }
            Err(AttachError::Gone) => Ok(true),
            Err(_) if !self.running.runs() => Ok(true),
            Err(error) => Err(error),
        }?;
        let recording = self.place.bring(&self.recording, &self.file, folder)?;
        Ok(Detached { recording, lasted, busy, held: held_for, event_cost, ended })
    }
}

/// The recording, which lies where its program may write: it is the program's own file, and no link to another.
#[allow(clippy::disallowed_methods, reason = "the process made it, and a word of it is written")]
fn opened(recording: &Path, user: u32) -> io::Result<File> {
    let no_link = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
    let file = File::options().read(true).write(true).custom_flags(no_link).open(recording)?;
    let data = file.metadata()?;
    let is_its_own = data.is_file() && data.nlink() == 1 && data.uid() == user;
    if is_its_own { Ok(file) } else { Err(io::Error::other(format!("{} is no recording", recording.display()))) }
}

/// A recording that began.
#[derive(Debug)]
struct Begun {
    /// Where the recorder's function that ends it is.
    detach: u64,
    /// Where its hooks are that programs call often.
    hooks: [u64; 4],
    /// What [`EVENTS`] events cost.
    event_cost: Duration,
    /// How long a thread was held.
    held: Duration,
}

/// What only one command at a time can have. It is gone with the command, however that ends.
fn alone(process: u32) -> Result<UnixListener, AttachError> {
    let name = SocketAddr::from_abstract_name(format!("heapsmith-record-{process}")).map_err(AttachError::System)?;
    UnixListener::bind_addr(&name).map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => AttachError::Recorded(process),
        _ => AttachError::System(error),
    })
}

/// Loads the recorder into the process and lets it begin.
fn begin(running: &Running, place: &Place, library: &[u8], frames: u8, every: u32) -> Result<Begun, AttachError> {
    let dlopen = running.function("dlopen").ok_or_else(|| AttachError::Static(running.program()))?;
    let name = library_name();
    let (ours, theirs) = (place.ours.join(&name), place.theirs.join(&name));
    Output::create(&ours).and_then(|output| output.put(library)).map_err(AttachError::Folder)?;
    let _removed = Removed(&ours);
    let mut held = Held::hold(running, &[])?;
    let begun = Instant::now();
    let path = held.put(&with_zero(&theirs))?;
    if held.call(dlopen, [path, RTLD_NOW, 0])? == 0 {
        let why = match running.function("dlerror") {
            Some(dlerror) => held.call(dlerror, [0; 3]).and_then(|text| held.text(text))?,
            None => String::new(),
        };
        held.release()?;
        return Err(AttachError::NotLoaded(why));
    }
    let base = running.base(&theirs).ok_or_else(|| AttachError::NotLoaded("it is not in its map".to_owned()))?;
    let function = |name: &str| exported(library, name).map(|address| base + address).ok_or(AttachError::NotHere);
    let [attach, cost, detach, hooks] =
        ["heapsmith_attach", "heapsmith_event_cost", "heapsmith_detach", "heapsmith_hooks"].map(function);
    let (attach, cost, detach, hooks) = (attach?, cost?, detach?, held.words(hooks?)?);
    let folder = held.put(&with_zero(&place.theirs))?;
    let words = held.call(attach, [folder, frames.into(), every.into()])? as i64;
    if words < 0 {
        held.release()?;
        return Err(AttachError::Refused(io::Error::from_raw_os_error(-words as i32)));
    }
    if words == 0 {
        held.call(detach, [0; 3])?;
        held.release()?;
        return Err(AttachError::NoCalls(running.program()));
    }
    let picoseconds = held.call(cost, [0; 3])?;
    held.release()?;
    let event_cost = Duration::from_nanos(picoseconds * u64::from(EVENTS) / 1000);
    Ok(Begun { detach, hooks, event_cost, held: begun.elapsed() })
}

/// A name that no library had before: the dynamic linker takes a path that it knows for the library that it has.
fn library_name() -> String {
    format!("heapsmith-recorder-{}-{}.so", std::process::id(), nanoseconds())
}

/// A file that is removed at the end, however that comes.
struct Removed<'a>(&'a Path);

impl Drop for Removed<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.0);
    }
}

fn with_zero(path: &Path) -> Vec<u8> {
    let mut bytes = path.as_os_str().as_encoded_bytes().to_vec();
    bytes.push(0);
    bytes
}

/// Where the process writes its recording: one folder by two names.
#[derive(Debug)]
struct Place {
    /// What it is called here.
    ours: PathBuf,
    /// What the process calls it.
    theirs: PathBuf,
    /// Whether it was made for this recording.
    made: bool,
}

impl Place {
    /// The caller's folder where the process can write to it, else a new one where it can.
    fn for_recording(running: &Running, folder: &Path) -> Result<Place, AttachError> {
        if running.shares_our_files() && running.user() == rustix::process::geteuid().as_raw() {
            return Ok(Place { ours: folder.to_owned(), theirs: folder.to_owned(), made: false });
        }
        let mut failed = None;
        for above in ["var/tmp", "tmp", "dev/shm"] {
            let name = format!("heapsmith-{}-{}", running.process(), std::process::id());
            let ours = running.root().join(above).join(&name);
            // A link in another root leads from ours.
            let links = |above: &Path| !running.root().join(above).symlink_metadata().is_ok_and(|data| data.is_dir());
            if Path::new(above).ancestors().filter(|above| !above.as_os_str().is_empty()).any(links) {
                continue;
            }
            let made = DirBuilder::new().mode(0o700).create(&ours);
            match made.and_then(|()| chown(&ours, Some(running.user()), Some(running.group()))) {
                Ok(()) => return Ok(Place { ours, theirs: Path::new("/").join(above).join(name), made: true }),
                Err(error) => failed = Some(error),
            }
        }
        Err(AttachError::Folder(failed.unwrap_or(io::ErrorKind::NotFound.into())))
    }

    /// The recording, in the caller's folder.
    fn bring(&self, recording: &Path, file: &File, folder: &Path) -> Result<PathBuf, AttachError> {
        if !self.made {
            return Ok(recording.to_owned());
        }
        let to = folder.join(recording.file_name().unwrap_or_default());
        let copied = Output::create_new(&to).and_then(|output| {
            copy(file, &output.handle()?)?;
            output.finish()
        });
        copied.map_err(AttachError::Folder)?;
        self.leave();
        Ok(to)
    }

    /// Removes what was made, and a recording that came to nothing.
    fn leave(&self) {
        if self.made {
            let _ = fs::remove_dir_all(&self.ours);
        } else {
            let recordings = Launch::recordings(&self.ours).unwrap_or_default();
            recordings.iter().for_each(|recording| drop(fs::remove_file(recording)));
        }
    }
}

/// Copies a file; what is in traces already is a hole in it, and stays one.
fn copy(from: &File, mut to: &File) -> io::Result<()> {
    let length = from.metadata()?.len();
    to.set_len(length)?;
    let mut at = 0;
    while at < length
        && let Ok(begin) = seek(from, SeekFrom::Data(at))
    {
        at = seek(from, SeekFrom::Hole(begin))?;
        seek(from, SeekFrom::Start(begin))?;
        seek(to, SeekFrom::Start(begin))?;
        io::copy(&mut from.take(at - begin), &mut to)?;
    }
    Ok(())
}
