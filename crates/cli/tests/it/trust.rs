//! What another user can do to who runs a program with `run` or `record`.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

/// The number of the user nobody.
const NOBODY: u32 = 65534;

/// Whether this process may be other users; said where it may not.
pub fn is_root(dir: &Path) -> bool {
    let root = dir.metadata().expect("a folder").uid() == 0
        && Command::new("setpriv")
            .args(["--reuid=65534", "--clear-groups", "true"])
            .status()
            .is_ok_and(|s| s.success());
    if !root {
        eprintln!("NOT RUN: only root, with setpriv of util-linux, can be another user");
    }
    root
}

/// A folder that everybody can write, as /tmp is.
fn shared() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o1777)).expect("permissions");
    dir
}

/// The command with these folders only, in a shared one.
fn heapsmith(shared: &Path, variables: &[(&str, &Path)], arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    for variable in ["HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "HEAPSMITH_LIBRARY"] {
        command.env_remove(variable);
    }
    command.args(arguments).current_dir(shared).env("TMPDIR", shared).envs(variables.iter().copied());
    command
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Everything that is mapped by a program of the command.
const MAPPED: [&str; 6] = ["run", "--heap", "tlsf", "--", "cat", "/proc/self/maps"];

/// The libraries of heapsmith's that a program has mapped.
fn mapped(output: &Output) -> Vec<PathBuf> {
    let maps = String::from_utf8_lossy(&output.stdout).into_owned();
    let paths =
        maps.lines().filter_map(|line| line.split_whitespace().nth(5)).filter(|path| path.contains("heapsmith"));
    let mut paths: Vec<PathBuf> =
        paths.map(PathBuf::from).filter(|path| path.extension().is_some_and(|e| e == "so")).collect();
    paths.dedup();
    paths
}

fn give_to_nobody(path: &Path) {
    std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).expect("root gives a file away");
}

/// The attack that ran code as root: another user has prepared the folder, with the genuine library in it, and
/// exchanges the library while the program runs; the programs that it starts then load the other.
#[test]
fn no_library_is_loaded_that_another_user_can_exchange() {
    let shared = shared();
    if !is_root(shared.path()) {
        return;
    }
    // The genuine library, as the attacker has it too.
    let own = shared.path().join("own");
    let output = heapsmith(shared.path(), &[("XDG_CACHE_HOME", &own)], &MAPPED).output().expect("it runs");
    let [genuine] = &mapped(&output)[..] else { panic!("{}", errors(&output)) };
    let evil = shared.path().join("evil.so");
    std::fs::write(
        shared.path().join("evil.c"),
        "#include <stdio.h>\n#include <unistd.h>\n\
        __attribute__((constructor)) static void attack(void) { dprintf(1, \"attacked uid %d\\n\", geteuid()); }\n",
    )
    .expect("a file");
    let cc =
        Command::new("cc").args(["-shared", "-fPIC", "-o", "evil.so", "evil.c"]).current_dir(shared.path()).status();
    assert!(cc.is_ok_and(|status| status.success()), "install build-essential");

    let prepared = shared.path().join("heapsmith");
    let cache = shared.path().join("cache");
    let theirs = cache.join("heapsmith");
    for folder in [&prepared, &theirs] {
        std::fs::create_dir_all(folder).expect("a folder");
        std::fs::copy(genuine, folder.join(genuine.file_name().expect("a name"))).expect("a copy");
        for path in [&folder.join(genuine.file_name().expect("a name")), folder] {
            give_to_nobody(path);
        }
    }
    give_to_nobody(&cache);
    let script = "touch started; while [ ! -e swapped ]; do sleep 0.05; done; cat /proc/self/maps";
    let run = ["run", "--heap", "tlsf", "--", "sh", "-c", script];
    // Without a home that the environment names, with one of the other user's, and with such a cache.
    for variables in [&[][..], &[("HOME", cache.as_path())], &[("XDG_CACHE_HOME", cache.as_path())]] {
        for name in ["started", "swapped"] {
            let _ = std::fs::remove_file(shared.path().join(name));
        }
        let child = heapsmith(shared.path(), variables, &run)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("it starts");
        let swap = std::thread::spawn({
            let (dir, evil, prepared, theirs) =
                (shared.path().to_owned(), evil.clone(), prepared.clone(), theirs.clone());
            let name = genuine.file_name().expect("a name").to_owned();
            move || {
                for _ in 0..600 {
                    if dir.join("started").exists() {
                        break;
                    }
                    std::thread::sleep(Duration::from_millis(50));
                }
                for folder in [prepared, theirs] {
                    let swap = format!("cp {} x && mv x {}", evil.display(), name.to_string_lossy());
                    let mut nobody = Command::new("setpriv");
                    nobody
                        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c", &swap])
                        .current_dir(folder);
                    assert!(nobody.status().expect("setpriv runs").success(), "nobody can swap what is nobody's");
                }
                std::fs::write(dir.join("swapped"), "").expect("a file");
            }
        });
        let output = child.wait_with_output().expect("it ends");
        std::fs::write(shared.path().join("started"), "").expect("a file");
        swap.join().expect("the swap is done");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!said.contains("attacked"), "{variables:?}: {said}");
        for library in mapped(&output) {
            assert_eq!(library.metadata().expect("a library").uid(), 0, "{variables:?}");
            assert!(library.ancestors().all(|path| path.metadata().is_ok_and(|path| path.uid() == 0)));
        }
        if !output.status.success() {
            assert_eq!(output.status.code(), Some(4));
            assert!(errors(&output).contains("HEAPSMITH_LIBRARY=$(mktemp -d)"), "{}", errors(&output));
        }
        for folder in [&prepared, &theirs] {
            std::fs::copy(genuine, folder.join(genuine.file_name().expect("a name"))).expect("a copy");
        }
    }
}

#[test]
fn a_user_without_a_home_is_told_how_to_mend_it() {
    let shared = shared();
    if !is_root(shared.path()) {
        return;
    }
    // The user nobody may not look into every folder above the command. A copy as old as the command uses the library
    // that was compiled for the command.
    let copy = shared.path().join("heapsmith-command");
    let copied = Command::new("cp").arg("-p").args([Path::new(env!("CARGO_BIN_EXE_heapsmith")), &copy]).status();
    assert!(copied.expect("cp runs").success());
    let as_nobody = |script: &str| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "env", "-u", "XDG_CACHE_HOME", "HOME="]);
        command.args(["sh", "-c", script]).current_dir("/").env_remove("XDG_RUNTIME_DIR").env("TMPDIR", shared.path());
        command.output().expect("setpriv runs")
    };
    if !as_nobody(concat!("test -r ", env!("CARGO_BIN_EXE_heapsmith"))).status.success() {
        eprintln!("NOT RUN: a user without a home cannot read the folder that cargo builds in");
        return;
    }
    let run = format!("{} run --heap tlsf -- cat /proc/self/maps", copy.display());
    let refused = as_nobody(&run);
    assert_eq!(refused.status.code(), Some(4), "{}", errors(&refused));
    assert!(errors(&refused).contains("HEAPSMITH_LIBRARY=$(mktemp -d)/heapsmith.so"), "{}", errors(&refused));
    let mended = as_nobody(&format!("HEAPSMITH_LIBRARY=$(mktemp -d)/heapsmith.so {run}"));
    assert!(mended.status.success(), "{}", errors(&mended));
    assert_eq!(mapped(&mended).len(), 1);
}

#[test]
fn the_folder_of_our_libraries_is_private_and_a_changed_library_is_put_right() {
    for library in ["compiled", "built-in"] {
        is_private_and_put_right(&[&["run", "--library", library], &MAPPED[1..]].concat());
    }
}

fn is_private_and_put_right(arguments: &[&str]) {
    let shared = shared();
    let cache = shared.path().join("cache");
    let run = || heapsmith(shared.path(), &[("XDG_CACHE_HOME", &cache)], arguments).output().expect("it runs");
    let [library] = &mapped(&run())[..] else { panic!("no library") };
    let folder = library.parent().expect("a folder");
    let mode = |path: &Path| path.metadata().expect("it is there").mode() & 0o7777;
    assert_eq!((mode(folder), mode(library)), (0o700, 0o644));
    let genuine = std::fs::read(library).expect("the library");
    let victim = shared.path().join("victim");
    std::fs::write(&victim, "kept").expect("a file");
    let spoil: [&dyn Fn(); 5] = [
        &|| std::fs::write(library, &genuine[..genuine.len() - 1]).expect("a file"),
        &|| std::fs::write(library, "no library").expect("a file"),
        &|| std::fs::set_permissions(library, std::fs::Permissions::from_mode(0o666)).expect("permissions"),
        &|| std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o777)).expect("permissions"),
        &|| std::fs::remove_file(library).and_then(|()| symlink(&victim, library)).expect("a link"),
    ];
    for spoil in spoil {
        spoil();
        let output = run();
        assert_eq!(mapped(&output), std::slice::from_ref(library), "{}", errors(&output));
        assert_eq!((mode(folder), mode(library)), (0o700, 0o644));
        assert!(!library.is_symlink() && std::fs::read(library).is_ok_and(|there| there == genuine));
    }
    assert_eq!(std::fs::read(&victim).expect("the file"), b"kept");
    // A folder on the way that others can write.
    std::fs::set_permissions(&cache, std::fs::Permissions::from_mode(0o777)).expect("permissions");
    let output = run();
    assert_eq!(output.status.code(), Some(4));
    assert!(errors(&output).contains("can be written by others (mode 777): chmod go-w"), "{}", errors(&output));
}

#[test]
fn the_file_that_the_library_is_wanted_at_is_never_overwritten() {
    let shared = shared();
    let [taken, link, victim] = ["taken.so", "link.so", "victim"].map(|name| shared.path().join(name));
    std::fs::write(&taken, "kept").expect("a file");
    std::fs::write(&victim, "kept").expect("a file");
    symlink(&victim, &link).expect("a link");
    for path in [&taken, &link] {
        for arguments in [&MAPPED[..], &["record", "-o", "out", "--", "true"]] {
            let output = heapsmith(shared.path(), &[("HEAPSMITH_LIBRARY", path)], arguments).output().expect("it runs");
            assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
            assert!(errors(&output).contains("where HEAPSMITH_LIBRARY wants"), "{}", errors(&output));
        }
    }
    assert_eq!(std::fs::read(&taken).expect("the file"), b"kept");
    assert_eq!(std::fs::read(&victim).expect("the file"), b"kept");
    let free = shared.path().join("free.so");
    for _ in 0..2 {
        let output = heapsmith(shared.path(), &[("HEAPSMITH_LIBRARY", &free)], &MAPPED).output().expect("it runs");
        assert_eq!(mapped_at(&output, &free), 1, "{}", errors(&output));
    }
}

/// How many files a program has mapped at a path: 1 or 0.
fn mapped_at(output: &Output, path: &Path) -> usize {
    usize::from(String::from_utf8_lossy(&output.stdout).contains(&path.display().to_string()))
}
