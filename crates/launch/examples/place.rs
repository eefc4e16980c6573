//! Puts the library that is preloaded where `HEAPSMITH_LIBRARY` says, or into the user's
//! cache, and prints where it is: for those who set `LD_PRELOAD` and `HEAPSMITH_RECORD` themselves.

fn main() {
    match heapsmith_launch::Library::Recorder.place() {
        Ok(path) => println!("{}", path.display()),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(4);
        }
    }
}
