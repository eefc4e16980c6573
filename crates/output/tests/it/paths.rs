//! One output at a path.

use std::io::{Read, Seek, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::process::Command;

use heapsmith_output::{Inputs, Output};

use crate::{names, read, refusal};

#[test]
fn a_file_appears_whole_and_only_when_it_is_finished() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("a");
    let mut output = Output::named(&path, &Inputs::NONE).expect("it can be written");
    output.write_all(b"half").expect("written");
    assert!(!path.exists());
    drop(output);
    assert!(names(dir.path()).is_empty(), "dropped, nothing is left");
    Output::named(&path, &Inputs::NONE).and_then(|output| output.put("whole")).expect("written");
    assert_eq!((read(&path), names(dir.path())), ("whole".to_owned(), vec!["a".to_owned()]));
}

#[test]
fn a_file_that_is_replaced_is_there_until_then_and_keeps_its_permissions() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("a");
    std::fs::write(&path, "old").expect("a file");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("permissions");
    let mut output = Output::create(&path).expect("it can be written");
    output.write_all(b"new").expect("written");
    assert_eq!(read(&path), "old");
    output.finish().expect("it takes its place");
    assert_eq!(read(&path), "new");
    assert_eq!(path.metadata().expect("a file").mode() & 0o777, 0o600);
}

#[test]
fn no_output_is_an_input_by_whatever_name() {
    let dir = tempfile::tempdir().expect("a folder");
    let [input, linked] = ["input", "linked"].map(|name| dir.path().join(name));
    std::fs::write(&input, "kept").expect("a file");
    std::fs::hard_link(&input, &linked).expect("another name");
    for path in [&input, &linked] {
        let error = Output::named(path, &Inputs::of([&input])).expect_err("it is the input");
        assert!(refusal(&error).contains("it is the input"), "{error}");
    }
    // It was none when the output was begun, and is one when it is finished.
    let output = Output::named(dir.path().join("late"), &Inputs::of([&input])).expect("it can be written");
    std::fs::hard_link(&input, dir.path().join("late")).expect("another name");
    assert!(refusal(&output.put("new").expect_err("it is the input now")).contains("it is the input"));
    assert_eq!(read(&input), "kept");
    assert_eq!(names(dir.path()), ["input", "late", "linked"], "nothing else is left");
}

#[test]
fn nothing_is_written_through_a_link() {
    let dir = tempfile::tempdir().expect("a folder");
    let victim = dir.path().join("victim");
    std::fs::write(&victim, "kept").expect("a file");
    for (name, target) in [("to_file", "victim"), ("to_nothing", "nowhere"), ("to_folder", ".")] {
        let link = dir.path().join(name);
        symlink(target, &link).expect("a link");
        for outcome in [Output::named(&link, &Inputs::NONE), Output::create(&link)] {
            assert!(refusal(&outcome.expect_err("a link")).contains("symbolic link"));
        }
        assert!(Output::create_new(&link).is_err());
        assert!(link.is_symlink());
    }
    // A link that appears while the output is written is not followed either.
    let late = dir.path().join("late");
    let output = Output::named(&late, &Inputs::NONE).expect("it can be written");
    symlink("victim", &late).expect("a link");
    assert!(refusal(&output.put("new").expect_err("a link")).contains("symbolic link"));
    assert_eq!(read(&victim), "kept");
    assert!(!dir.path().join("nowhere").exists());
}

#[test]
fn a_new_file_is_never_put_over_another() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("a");
    let outputs = [(); 2].map(|()| Output::create_new(&path).expect("nothing is there"));
    let [first, second] = outputs.map(|output| output.put("whole"));
    assert!(first.is_ok());
    assert_eq!(second.expect_err("the first is there").kind(), std::io::ErrorKind::AlreadyExists);
    assert!(Output::create_new(&path).is_err());
}

#[test]
fn a_fifo_is_written_to_as_a_stream_where_it_was_named_and_refused_as_a_result() {
    let dir = tempfile::tempdir().expect("a folder");
    let [fifo, link] = ["fifo", "link"].map(|name| dir.path().join(name));
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo runs").success());
    symlink(&fifo, &link).expect("a link, as the shell makes for >(command)");
    for path in [&fifo, &link] {
        let mut reader = Command::new("cat").arg(&fifo).stdout(std::process::Stdio::piped()).spawn().expect("cat runs");
        let mut output = Output::named(path, &Inputs::NONE).expect("a stream");
        assert!(output.is_stream() && !output.is_standard());
        assert!(refusal(&output.rewind().expect_err("a stream")).contains("as a stream"));
        output.put("passed on").expect("written");
        let mut text = String::new();
        reader.stdout.take().expect("a pipe").read_to_string(&mut text).expect("text");
        reader.wait().expect("cat ends");
        assert_eq!(text, "passed on");
        assert!(refusal(&Output::create(path).expect_err("no result")).contains("a device or a FIFO"));
    }
    assert!(fifo.metadata().expect("the fifo").file_type().is_fifo());
}

#[test]
fn devices_are_streams_and_folders_and_sockets_are_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let socket = dir.path().join("socket");
    let _listener = UnixListener::bind(&socket).expect("a socket");
    assert!(refusal(&Output::named(&socket, &Inputs::NONE).expect_err("a socket")).contains("a socket"));
    assert!(refusal(&Output::named(dir.path(), &Inputs::NONE).expect_err("a folder")).contains("a folder"));
    Output::named("/dev/null", &Inputs::NONE).and_then(|output| output.put("nothing")).expect("it takes everything");
    assert!(std::fs::metadata("/dev/null").expect("a device").file_type().is_char_device());
    assert!(Output::create("/dev/null").is_err(), "a result is a regular file");
}
