//! A server: when it is ready, its load, its end.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use heapsmith_launch::descendants;
use rustix::process::{Pid, Signal, kill_process};

use crate::launch::Served;
use crate::load::LoadFigures;

/// How long a server may take to be ready.
const START: Duration = Duration::from_secs(60);

/// Between looks whether it is ready.
const LOOK: Duration = Duration::from_millis(10);

/// What the load command did to a server.
pub struct Loaded {
    /// When it began.
    pub began: Instant,
    /// When it ended.
    pub ended: Instant,
    /// What it printed.
    pub figures: LoadFigures,
}

/// Waits until a server is ready, lets the load command run, and ends the server.
pub fn load(served: &Served, server: &Child, is_over: &dyn Fn() -> bool) -> Result<Loaded, String> {
    wait(served, server, is_over)?;
    let began = Instant::now();
    let output = shell(&served.load).output().map_err(|error| format!("cannot run sh: {error}"))?;
    let ended = Instant::now();
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        return Err(format!("the load command ended with {}: {}", output.status, last.trim()));
    }
    end(served, server)?;
    Ok(Loaded { began, ended, figures: LoadFigures::of(&String::from_utf8_lossy(&output.stdout)) })
}

/// A command of the user's, without the allocator.
fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).stdin(Stdio::null());
    shell
}

fn wait(served: &Served, server: &Child, is_over: &dyn Fn() -> bool) -> Result<(), String> {
    let began = Instant::now();
    loop {
        let is_ready = match &served.ready {
            Some(command) => {
                let status = shell(command).stdout(Stdio::null()).stderr(Stdio::null()).status();
                status.map_err(|error| format!("cannot run sh: {error}"))?.success()
            }
            None => listens(server.id()),
        };
        if is_over() {
            return Err(match left_others(server) {
                true => "the server went into the background: it has to stay in the foreground (redis-server --daemonize no, \
                         nginx -g 'daemon off;')"
                    .to_owned(),
                false => "the server ended before it was ready".to_owned(),
            });
        }
        if is_ready {
            return Ok(());
        }
        if began.elapsed() > START {
            let how = served.ready.as_deref().unwrap_or("a listening socket; --ready names a command that says so");
            return Err(format!("the server was not ready after {} s: {how}", START.as_secs()));
        }
        thread::sleep(LOOK);
    }
}

/// Ends a server, by the user's command or by SIGTERM.
fn end(served: &Served, server: &Child) -> Result<(), String> {
    match &served.stop {
        // A server may close the connection before it answers.
        Some(command) => shell(command).output().map(|_| ()).map_err(|error| format!("cannot run sh: {error}")),
        None => kill_process(Pid::from_child(server), Signal::TERM)
            .map_err(|error| format!("cannot end the server: {}", io::Error::from(error))),
    }
}

/// Whether a server that has ended left processes, which this one adopted.
fn left_others(server: &Child) -> bool {
    descendants(std::process::id()).into_iter().skip(1).any(|process| process != server.id())
}

/// Whether a process, or one that it started, listens on a socket.
fn listens(process: u32) -> bool {
    let listening = listening();
    let mut owned = descendants(process)
        .into_iter()
        .flat_map(|process| fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten());
    owned.any(|file| {
        let target = fs::read_link(file.path()).map(|target| target.to_string_lossy().into_owned());
        let inode = target.ok().and_then(|target| target.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok());
        inode.is_some_and(|inode: u64| listening.contains(&inode))
    })
}

/// The inodes of all sockets that listen (proc(5): `net/tcp`, `net/unix`).
fn listening() -> HashSet<u64> {
    let table = |name: &str| fs::read_to_string(format!("/proc/self/net/{name}")).unwrap_or_default();
    let row = |line: &str, is_listening: &dyn Fn(&[&str]) -> bool, inode: usize| {
        let words: Vec<&str> = line.split_whitespace().collect();
        if is_listening(&words) { words.get(inode)?.parse::<u64>().ok() } else { None }
    };
    let tcp = [table("tcp"), table("tcp6")].concat();
    let tcp = tcp.lines().filter_map(|line| row(line, &|words| words.get(3) == Some(&"0A"), 9));
    let unix = table("unix");
    let unix = unix.lines().filter_map(|line| row(line, &|words| words.get(3) == Some(&"00010000"), 6));
    tcp.chain(unix).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_listens_is_known() {
        let own = std::process::id();
        let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a socket");
        assert!(listens(own));
        let folder = tempfile::tempdir().expect("a folder");
        drop(socket);
        assert!(!listens(own));
        let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).expect("a socket");
        assert!(listens(own));
    }
}
