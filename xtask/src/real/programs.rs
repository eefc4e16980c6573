//! The programs: one file for each, or for a few that are alike.

mod compiler;
mod git;
mod python;
mod redis;
mod scripts;
mod sort;
mod sqlite;
mod threads;

use super::program::Program;

/// All of them, in the order of the table.
pub const ALL: &[&Program] = &[
    &python::TESTS,
    &compiler::GCC,
    &git::CLONE_AND_GC,
    &sqlite::SPEED,
    &redis::SERVER,
    &scripts::PERL,
    &scripts::NODE,
    &scripts::JAVA,
    &sort::GNU,
    &sort::STRINGS,
    &threads::LARSON,
    &threads::MSTRESS,
    &threads::XMALLOC,
];

#[cfg(test)]
mod tests {
    use super::ALL;
    use crate::real::program::Inputs;

    #[test]
    fn every_program_can_tell_a_wrong_output() {
        let folder = std::path::PathBuf::from("inputs");
        for quick in [true, false] {
            let inputs = Inputs { folder: folder.clone(), quick };
            for program in ALL {
                let task = (program.task)(&inputs, std::path::Path::new("scratch"));
                assert!(!task.command.is_empty(), "{}", program.name);
                assert!(!task.process.is_empty(), "{}", program.name);
                // What proves a server is what its clients print, which is kept as it is.
                let answer = if task.client.is_some() { task.proof.to_owned() } else { (task.lasting)(task.proof) };
                assert!(!task.proof.is_empty() || !task.evidence.is_empty(), "{}", program.name);
                assert!(answer.contains(task.proof), "{}: what proves it is stripped from its output", program.name);
            }
        }
    }

    #[test]
    fn names_are_told_apart() {
        let mut names: Vec<&str> = ALL.iter().map(|program| program.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
    }
}
