//! `heapsmith pick`: another question to a finished exploration.

use heapsmith_explore::{Ask, Preference, TimingPlan, ask, asked, effects, finding};

use crate::args::{Format, Pick};
use crate::commands::explore::answer::{self, Answer};
use crate::commands::explore::screen::Screen;
use crate::commands::{explore, pages};
use crate::console::{note, say};
use crate::failure::Failure;
use crate::interrupt;

/// Rounds of timing, where the question asks for times.
const ROUNDS: usize = 5;

pub fn run(arguments: &Pick) -> Result<(), Failure> {
    let dir = arguments.dir.as_path();
    let before = asked(dir)?;
    let is_asked = arguments.prefer.is_some() || !arguments.goal.is_empty();
    let question = match is_asked {
        true => arguments.goal.question(arguments.prefer.map_or(Preference::default(), Into::into)),
        false => before.clone(),
    };
    let stop = interrupt::catch();
    let timing = TimingPlan { command: Some(pages::command()?), ..TimingPlan::rounds(ROUNDS, true) };
    let job = Ask { dir, question, jobs: explore::jobs(arguments.jobs), timing, stop };
    let found = ask(&job, &mut Screen::new(0, arguments.format))
        .map_err(|error| explore::failure(error, dir, &job.question))?;
    let exploration = &found.exploration;
    let Some(pick) = found.pick else { return Err(answer::nothing(&found, dir)) };
    let family = exploration.classic().unwrap_or(usize::from(exploration.rows[pick].design.family));
    let effects = effects(exploration, family);
    let finding = finding(exploration, &effects);
    let answer = Answer { exploration, lines: &[], preference: job.question.preference, pick, family };
    answer.print(&effects, &finding, arguments.format)?;
    if arguments.format == Format::Table {
        say!("\n{} answers: {}; `emit`, `run` and `report` follow", dir.display(), job.question.words());
    }
    if job.question != before {
        note!("before, it answered: {}", before.words());
    }
    Ok(())
}
