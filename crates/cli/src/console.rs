//! The one door to standard output and standard error.
//!
//! ```text
//!   say!, say_text, Table ──► standard output      note!, error! ──► standard error
//!                 │                                   │
//!                 └── control characters escaped ─────┘
//! ```
//!
//! - **No line is longer than the terminal.** Lines for people are broken at words, where the width is known: from
//!   `COLUMNS`, else from the terminal. Elsewhere lines are as long as they are.
//! - **Colour and bold are for terminals**, and for none where `NO_COLOR` is set.
//! - **`--quiet` leaves results and errors.** Remarks and progress are dropped.
//! - **A closed pipe ends nothing.** `explore … | head -1` runs to its end, and all its files are written; what
//!   cannot be printed is dropped. [`exit_code`] then says 141, as a shell does of a program that SIGPIPE
//!   ended. On a closed or full standard error, remarks and progress are dropped in silence.
//! - **What cannot be printed for another reason** (a full disk) is reported at the end, with exit code 4.
//! - **No file speaks to the terminal.** Whatever text comes from a file (names, labels, call sites, lines that an error
//!   quotes) cannot move the cursor, change colours or hide itself: control characters and those that turn the
//!   direction of writing are shown as `\x1b` or `\u{202e}`.
//!
//! Clippy's lints `print_stdout` and `print_stderr` keep everything else out.

use std::borrow::Cow;
use std::fmt::Arguments;
use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use terminal_size::Width;

use crate::failure::Failure;
use crate::fit;

/// The exit code of a job that is done, but that nobody read to the end.
pub const CLOSED: u8 = 141;

/// A terminal is taken to have this many columns at least.
const MIN_COLUMNS: usize = 40;

/// Whether remarks and progress are dropped.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Why standard output takes no more.
static LOST: Mutex<Option<io::Error>> = Mutex::new(None);

/// Prints a line for people to standard output.
macro_rules! say {
    () => { $crate::console::say_text("\n") };
    ($($text:tt)*) => { $crate::console::say_line(format_args!($($text)*)) };
}

/// Prints a remark to standard error.
macro_rules! note {
    ($($text:tt)*) => { $crate::console::note_line(format_args!($($text)*)) };
}

/// Prints what went wrong to standard error, with `--quiet` too.
macro_rules! error {
    ($($text:tt)*) => { $crate::console::error_line(format_args!($($text)*)) };
}

pub(crate) use {error, note, say};

/// How a piece of a line looks on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    Plain,
    /// What is read first.
    Strong,
    /// What leads the eye.
    Label,
    /// What must not be missed.
    Alarm,
}

impl Look {
    fn style(self) -> Style {
        match self {
            Look::Plain => Style::new(),
            Look::Strong => Style::new().bold(),
            Look::Label => AnsiColor::Cyan.on_default(),
            Look::Alarm => AnsiColor::Red.on_default().bold(),
        }
    }
}

/// Drops remarks and progress from here on.
pub fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether remarks and progress are dropped.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// What [`say!`] does.
pub fn say_line(line: Arguments<'_>) {
    say_text(&format!("{line}\n"));
}

/// Prints text for people to standard output.
pub fn say_text(text: &str) {
    out(fitted(text, columns()).as_bytes());
}

/// Prints one line of pieces for people to standard output, as it is wide.
pub fn say_pieces(pieces: &[(Look, &str)]) {
    let is_coloured = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
    let piece = |&(look, text): &(Look, &str)| match look.style() {
        style if is_coloured && look != Look::Plain => format!("{style}{}{style:#}", name(text)),
        _ => name(text).into_owned(),
    };
    let line: String = pieces.iter().map(piece).collect();
    out(format!("{}\n", line.trim_end()).as_bytes());
}

/// Prints text for programs to standard output: as it is, except to a terminal.
pub fn hand_over(text: &[u8]) {
    match io::stdout().is_terminal() {
        true => out(escaped(&String::from_utf8_lossy(text)).as_bytes()),
        false => out(text),
    }
}

/// Standard output as a pipe to the command that started this one.
pub fn pipe() -> io::StdoutLock<'static> {
    io::stdout().lock()
}

/// Columns of a line of standard output: those of `COLUMNS`, else of its terminal; none where it goes elsewhere.
pub fn columns() -> Option<usize> {
    columns_or(terminal_size::terminal_size_of(io::stdout()))
}

/// The same of standard error.
pub fn columns_of_errors() -> Option<usize> {
    columns_or(terminal_size::terminal_size_of(io::stderr()))
}

fn columns_or<H>(terminal: Option<(Width, H)>) -> Option<usize> {
    let wanted = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(|&columns| columns > 0);
    wanted.or(terminal.map(|(Width(columns), _)| columns.into())).map(|columns: usize| columns.max(MIN_COLUMNS))
}

/// Text for people, with lines of at most this many columns.
fn fitted(text: &str, columns: Option<usize>) -> String {
    let text = escaped(text);
    columns.map_or_else(|| text.to_string(), |columns| fit::paragraphs(&text, columns))
}

/// What [`note!`] does.
pub fn note_line(line: Arguments<'_>) {
    note_text(&format!("{line}\n"));
}

/// Prints remarks to standard error.
pub fn note_text(text: &str) {
    if !is_quiet() {
        error_text(text);
    }
}

/// Prints a command below a remark, on a line of its own, which is never broken: it is there to be copied.
pub fn note_command(command: &str) {
    if !is_quiet() {
        let _ = io::stderr().lock().write_all(format!("  {}\n", name(command)).as_bytes());
    }
}

/// What [`error!`] does.
pub fn error_line(line: Arguments<'_>) {
    error_text(&format!("{line}\n"));
}

/// Prints text to standard error, with `--quiet` too.
pub fn error_text(text: &str) {
    // There is no third place to complain at.
    let _ = io::stderr().lock().write_all(fitted(text, columns_of_errors()).as_bytes());
}

/// Records that something could not be printed, as clap reported.
pub fn printed(outcome: io::Result<()>) {
    if let Err(error) = outcome {
        let mut lost = LOST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        lost.get_or_insert(error);
    }
}

fn out(text: &[u8]) {
    let is_lost = LOST.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).is_some();
    if !is_lost {
        printed(io::stdout().lock().write_all(text));
    }
}

/// The exit code of a command that would end with `code`, once all is printed.
pub fn exit_code(code: u8) -> u8 {
    printed(io::stdout().lock().flush());
    let lost = LOST.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
    match lost {
        Some(error) if code == 0 && error.kind() == io::ErrorKind::BrokenPipe => CLOSED,
        Some(error) if code == 0 => {
            error!("heapsmith: cannot print to standard output: {error}");
            Failure::ENVIRONMENT
        }
        _ => code,
    }
}

/// A name from a file on one line: as [`escaped`], and line ends and tabs too.
pub fn name(text: &str) -> Cow<'_, str> {
    escape(text, is_hidden)
}

/// Text without characters that a terminal obeys or that cannot be seen, except line ends and tabs.
pub fn escaped(text: &str) -> Cow<'_, str> {
    escape(text, |character| is_hidden(character) && !matches!(character, '\n' | '\t'))
}

fn escape(text: &str, is_hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match u32::from(character) {
            _ if !is_hidden(character) => shown.push(character),
            0x0a => shown.push_str("\\n"),
            0x09 => shown.push_str("\\t"),
            code @ ..=0xff => shown.push_str(&format!("\\x{code:02x}")),
            code => shown.push_str(&format!("\\u{{{code:x}}}")),
        }
    }
    Cow::Owned(shown)
}

/// Control characters, and those that turn the direction of writing or end a line unseen.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_shown_instead() {
        assert_eq!(escaped("a\x1b[31mb\r\x07\x7f"), "a\\x1b[31mb\\x0d\\x07\\x7f");
        assert_eq!(escaped("\u{9b}2J \u{202e}txt.exe"), "\\x9b2J \\u{202e}txt.exe");
        assert_eq!(escaped("größer\tals ▁▂\n"), "größer\tals ▁▂\n");
        assert_eq!(name("one\nline\t"), "one\\nline\\t");
    }
}
