//! Progress on standard error; hidden when that is no terminal, and with `--quiet`.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use heapsmith_explore::{Progress, Work};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, WeakProgressBar};

use crate::{console, interrupt};

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

/// Something that takes a while and cannot be counted.
pub fn spinner(message: &str) -> ProgressBar {
    let spinner = shown(ProgressBar::new_spinner().with_message(console::name(message).into_owned()));
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
    let template = "{msg} {bar:32.cyan/blue} {human_pos}/{human_len} designs  {per_sec}  {eta} left  {prefix}";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let style = style.with_key("per_sec", |state: &indicatif::ProgressState, out: &mut dyn std::fmt::Write| {
        let _ = write!(out, "{:.0}/s", state.per_sec());
    });
    shown(ProgressBar::new(total).with_style(style.progress_chars("━╸─")).with_message("replaying"))
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
    let template = "{prefix} {bar:32.cyan/blue} {percent}%  {eta} left  {msg}";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = shown(ProgressBar::new(0).with_style(style.progress_chars("━╸─")).with_prefix(doing));
    turn(&bar, Duration::from_millis(200));
    bar
}

/// Shows what is worked on now.
pub fn show_work(bar: &ProgressBar, at: Work<'_>) {
    bar.set_length(at.total as u64);
    bar.set_position(at.done as u64);
    bar.set_message(console::name(at.name).into_owned());
}

/// Steps of a bar for each experiment.
pub const STEPS: u64 = 100;

/// The bar of a number of experiments.
pub fn experiments_bar(experiments: usize) -> ProgressBar {
    let template = "{prefix} {bar:32.cyan/blue} {percent}%  {elapsed}  {msg}";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = shown(ProgressBar::new(experiments as u64 * STEPS).with_style(style.progress_chars("━╸─")));
    turn(&bar, Duration::from_millis(200));
    bar
}

/// The bar of an attack on one heap.
pub fn attack_bar(heap: &str) -> ProgressBar {
    let template = "{msg} {bar:32.cyan/blue} {human_pos}/{human_len} plans  {eta} left  {prefix}";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(0).with_style(style.progress_chars("━╸─"));
    shown(bar.with_message(format!("attacking {}", console::name(heap))))
}
