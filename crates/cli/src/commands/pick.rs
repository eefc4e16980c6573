//! `heapsmith pick`: another question to a finished exploration, or what it answers.

use heapsmith_explore::{Ask, Exploration, Preference, TimingPlan, ask, asked};

use crate::args::Pick;
use crate::commands::answer::{self, Answer, Page};
use crate::commands::explore::screen::Screen;
use crate::commands::{explore, pages};
use crate::console::note;
use crate::failure::Failure;
use crate::interrupt;

/// Rounds of timing, where the question asks for times.
const ROUNDS: usize = 5;

pub fn run(arguments: &Pick) -> Result<(), Failure> {
    let dir = arguments.dir.as_path();
    if arguments.prefer.is_none() && arguments.goal.is_empty() {
        return look(arguments);
    }
    let before = asked(dir)?;
    let question = arguments.goal.question(arguments.prefer.map_or(Preference::default(), Into::into));
    let stop = interrupt::catch();
    let timing = TimingPlan { command: Some(pages::command()?), ..TimingPlan::rounds(ROUNDS, true) };
    let job = Ask { dir, question, jobs: explore::jobs(arguments.jobs), timing, stop };
    let found = ask(&job, &mut Screen::new(0, false)).map_err(|error| explore::failure(error, dir, &job.question))?;
    let Some(pick) = found.pick else { return Err(answer::nothing(&found, dir)) };
    if job.question != before {
        note!("before, {} answered: {}", dir.display(), before.words());
    }
    note!("{} answers: {}; `emit`, `run` and `report` follow", dir.display(), job.question.words());
    let answer = Answer::new(&found.exploration, &[], job.question.preference, pick);
    answer.print(arguments.showing, dir, Page::Older)
}

/// Shows what the folder answers, and writes nothing.
fn look(arguments: &Pick) -> Result<(), Failure> {
    let dir = arguments.dir.as_path();
    let exploration = Exploration::open(dir)?;
    let question = &exploration.question;
    let Some(pick) = exploration.picked() else { return Err(Failure::job(exploration.no_pick())) };
    note!("{} answers: {}; `emit`, `run` and `report` follow", dir.display(), question.words());
    Answer::new(&exploration, &[], question.preference, pick).print(arguments.showing, dir, Page::Older)
}
