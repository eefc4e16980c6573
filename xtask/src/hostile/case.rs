//! One case: its folder, its random numbers, and the command that it tries.

use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use fastrand::Rng;
use tempfile::TempDir;

use super::inputs::Inputs;
use super::launched::{Launch, Launched};

/// What all cases share: the command, the seed, and good inputs of every kind.
pub struct Place {
    /// The command that is tried.
    pub command: PathBuf,
    /// Where the random numbers begin.
    pub seed: u64,
    /// Good inputs, which cases copy and damage.
    pub inputs: Inputs,
    /// The private folder of all; it goes when this does.
    folder: TempDir,
}

impl Place {
    /// Makes the folder and the inputs.
    pub fn prepare(command: &Path, seed: u64) -> Result<Place, String> {
        let folder = tempfile::Builder::new().prefix("hostile-").tempdir();
        let folder = folder.map_err(|error| format!("cannot make a temporary folder: {error}"))?;
        let inputs = Inputs::make(command, &folder.path().join("inputs"))?;
        let place = Place { command: command.to_owned(), seed, inputs, folder };
        place.begin_library()?;
        Ok(place)
    }

    /// The first run on a heap may compile the library that serves malloc, which takes longer than a case may.
    fn begin_library(&self) -> Result<(), String> {
        let mut first = Launch::new(&self.command, self.folder.path());
        first.arguments(&["run", "--heap", "list", "--", "true"]).environment("XDG_CACHE_HOME", self.cache());
        let ended = first.within(900).run()?;
        if ended.code == Some(0) { Ok(()) } else { Err(ended.describe("cannot run a program on a heap")) }
    }

    /// Where the command keeps its libraries: a folder for all cases, as they are large.
    pub fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }
}

/// One case of a kind.
pub struct Case<'a> {
    /// What it shares with all others.
    pub place: &'a Place,
    /// Its number.
    pub number: usize,
    /// Its random numbers.
    pub draw: Rng,
    folder: TempDir,
}

impl<'a> Case<'a> {
    /// A case with a folder of its own.
    pub fn begin(place: &'a Place, kind: &str, number: usize) -> Result<Case<'a>, String> {
        let folder = tempfile::Builder::new().prefix("case-").tempdir_in(place.folder.path());
        let folder = folder.map_err(|error| format!("cannot make a temporary folder: {error}"))?;
        let mut hasher = DefaultHasher::new();
        (place.seed, kind, number).hash(&mut hasher);
        Ok(Case { place, number, draw: Rng::with_seed(hasher.finish()), folder })
    }

    /// Its folder, in which the command runs.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A file in its folder.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file into its folder.
    pub fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> Result<(), String> {
        let path = self.path(name);
        std::fs::write(&path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))
    }

    /// Copies good inputs into its folder, under their own names.
    pub fn copy(&self, inputs: &[&str]) -> Result<(), String> {
        self.copy_to("", inputs)
    }

    /// The same into a folder below its own, which is made.
    pub fn copy_to(&self, folder: &str, inputs: &[&str]) -> Result<(), String> {
        let failed = |path: &Path, error| format!("cannot copy to {}: {error}", path.display());
        for input in inputs {
            let to = self.path(folder).join(input);
            let above = to.parent().unwrap_or(Path::new(""));
            std::fs::create_dir_all(above).map_err(|error| failed(above, error))?;
            std::fs::copy(self.place.inputs.path(input), &to).map_err(|error| failed(&to, error))?;
        }
        Ok(())
    }

    /// The command with these arguments, about to run in the case's folder.
    pub fn heapsmith<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Launch {
        self.program(&self.place.command, arguments)
    }

    /// Another program with these arguments, about to run in the case's folder.
    pub fn program<S: AsRef<OsStr>>(&self, program: impl AsRef<OsStr>, arguments: &[S]) -> Launch {
        let mut launch = Launch::new(program, self.folder());
        launch.arguments(arguments).environment("XDG_CACHE_HOME", self.place.cache());
        launch
    }

    /// Runs the command, which may succeed or refuse but must do so as documented.
    pub fn must_end_well<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Result<Launched, String> {
        let launched = self.heapsmith(arguments).run()?;
        launched.is_documented()?;
        Ok(launched)
    }

    /// Runs the command, which must succeed.
    pub fn must_succeed<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Result<Launched, String> {
        let launched = self.must_end_well(arguments)?;
        if launched.code == Some(0) { Ok(launched) } else { Err(launched.describe("failed")) }
    }

    /// One of several, at random.
    pub fn choose<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.draw.usize(..all.len())]
    }

    /// Leaves its folder, and that of all, where they are.
    pub fn keep(mut self) -> PathBuf {
        self.folder.disable_cleanup(true);
        self.folder.path().to_owned()
    }
}
