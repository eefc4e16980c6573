//! Progress on standard error; hidden when that is no terminal, and with `--quiet`.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use heapsmith_explore::{Progress, Work};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, WeakProgressBar};

use crate::{console, fit, interrupt};

/// Columns of a drawn bar where the terminal has room, and where it has little.
const BAR: std::ops::RangeInclusive<usize> = 8..=32;

/// The bar that was shown last.
static SHOWN: Mutex<Option<WeakProgressBar>> = Mutex::new(None);

/// Clears the bar that is shown.
pub fn clear() {
    let shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(bar) = shown.and_then(|bar| bar.upgrade()) {
        bar.finish_and_clear();
    }
}

/// Shows a bar, unless it is quiet; an interrupt clears it.
fn shown(bar: ProgressBar) -> ProgressBar {
    if console::is_quiet() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    if !bar.is_hidden() {
        interrupt::at_end(clear);
        *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.downgrade());
    }
    bar
}

/// Columns for the name of what is worked on, at least.
const NAME: usize = 20;

/// Columns of a line of work besides its bar and the name of what is worked on.
fn counts(prefix: &str) -> usize {
    fit::width(prefix) + " 100%  10m left  ".len() + 2
}

/// Columns of an attack's line besides its bar and the heap's name.
const ATTACK: usize = 52;

/// A message on one line of the terminal, of which other things take this many columns.
fn message(text: &str, others: usize) -> String {
    let text = console::name(text);
    let room = console::columns_of_errors().map(|columns| columns.saturating_sub(others));
    room.map_or_else(|| text.to_string(), |room| fit::shortened(&text, room))
}

/// The style of a bar with other things on its line, which take this many columns.
fn style(template: &str, others: usize) -> ProgressStyle {
    let room = console::columns_of_errors().map_or(*BAR.end(), |columns| columns.saturating_sub(others));
    let bar = format!("{{bar:{}.cyan/blue}}", room.clamp(*BAR.start(), *BAR.end()));
    let style = ProgressStyle::with_template(&template.replace("{bar}", &bar));
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━╸─")
}

/// Something that takes a while and cannot be counted.
pub fn spinner(doing: &str) -> ProgressBar {
    let spinner = shown(ProgressBar::new_spinner().with_message(message(doing, "⠁ ".len())));
    turn(&spinner, Duration::from_millis(100));
    spinner
}

/// Keeps a bar moving while the job runs. That takes a thread, which nobody needs where the bar is hidden, and
/// which the system may refuse.
fn turn(bar: &ProgressBar, every: Duration) {
    if !bar.is_hidden() && std::thread::Builder::new().spawn(|| ()).is_ok() {
        bar.enable_steady_tick(every);
    }
}

/// The bar of a sweep.
pub fn sweep_bar(total: u64) -> ProgressBar {
    let template = "{msg} {bar} {human_pos}/{human_len} designs  {per_sec}  {eta} left  {prefix}";
    let style =
        style(template, 70).with_key("per_sec", |state: &indicatif::ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = write!(out, "{:.0}/s", state.per_sec());
        });
    shown(ProgressBar::new(total).with_style(style).with_message("replaying"))
}

/// Shows how far a sweep is.
pub fn show(bar: &ProgressBar, progress: Progress) {
    let doing = match progress.round {
        Some(round) => format!("on slices, round {round}"),
        None => "replaying".to_owned(),
    };
    if bar.message() != doing || bar.length() != Some(progress.total as u64) {
        bar.set_message(doing);
        bar.set_length(progress.total as u64);
        bar.set_prefix("");
        bar.set_position(0);
        bar.reset_eta();
    }
    if bar.position() == 0 && progress.designs > 0 && bar.prefix().is_empty() {
        // What an earlier run did does not count towards this run's speed.
        bar.reset_elapsed();
        bar.set_position(progress.designs as u64);
        bar.reset_eta();
    } else {
        bar.set_position(progress.designs as u64);
    }
    bar.set_prefix(format!("front so far {}", progress.front));
}

/// The bar of things that take their time one after another, each named while it runs.
pub fn work_bar(doing: &'static str) -> ProgressBar {
    let style = style("{prefix} {bar} {percent}%  {eta} left  {msg}", counts(doing) + NAME);
    let bar = shown(ProgressBar::new(0).with_style(style).with_prefix(doing));
    turn(&bar, Duration::from_millis(200));
    bar
}

/// Shows what is worked on now.
pub fn show_work(bar: &ProgressBar, at: Work<'_>) {
    bar.set_length(at.total as u64);
    bar.set_position(at.done as u64);
    bar.set_message(message(at.name, counts(&bar.prefix()) + BAR.start()));
}

/// Steps of a bar for each experiment.
pub const STEPS: u64 = 100;

/// The bar of a number of experiments.
pub fn experiments_bar(experiments: usize) -> ProgressBar {
    let style = style("{prefix} {bar} {percent}%  {elapsed}  {msg}", 50);
    let bar = shown(ProgressBar::new(experiments as u64 * STEPS).with_style(style));
    turn(&bar, Duration::from_millis(200));
    bar
}

/// The bar of an attack on one heap.
pub fn attack_bar(heap: &str) -> ProgressBar {
    let style = style("{msg} {bar} {human_pos}/{human_len} plans  {eta} left  {prefix}", ATTACK + NAME);
    let bar = ProgressBar::new(0).with_style(style);
    shown(bar.with_message(message(&format!("attacking {heap}"), ATTACK + BAR.start())))
}
