//! Puts a library that is preloaded where `HEAPSMITH_LIBRARY` says, or into the user's cache, and prints where it is: the
//! recorder, or with the argument `malloc` the library of `heapsmith run`. For those who set `LD_PRELOAD` themselves.

use heapsmith_launch::Library;

fn main() {
    let library = match std::env::args().nth(1).as_deref() {
        Some("malloc") => Library::Malloc,
        _ => Library::Recorder,
    };
    match library.place() {
        Ok(path) => println!("{}", path.display()),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(4);
        }
    }
}
