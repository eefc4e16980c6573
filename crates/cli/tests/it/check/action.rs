//! The script of the action in `.github/actions/heapsmith-check`, as a workflow calls it.

use std::path::Path;
use std::process::Command;

use super::{PEAK, action, folder, results, trace, write};

/// What a workflow gets of a run.
struct Run {
    code: Option<i32>,
    log: String,
    summary: String,
    outputs: String,
}

fn run(dir: &Path, more: &[(&str, &str)]) -> Run {
    let file = |name: &str| {
        write(dir, name, "");
        dir.join(name)
    };
    let (summary, outputs) = (file("summary.md"), file("outputs"));
    let mut command = Command::new(action());
    command
        .current_dir(dir)
        .env("HEAPSMITH", env!("CARGO_BIN_EXE_heapsmith"))
        .env("CHECK_FILE", "heap.toml")
        .env("CHECK_SARIF", "heap.sarif")
        .env("GITHUB_STEP_SUMMARY", &summary)
        .env("GITHUB_OUTPUT", &outputs)
        .envs(more.iter().copied());
    let output = command.output().expect("bash runs");
    let read = |path| std::fs::read_to_string(path).expect("the file");
    let log = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    Run { code: output.status.code(), log, summary: read(summary), outputs: read(outputs) }
}

/// Lines of the log that the runner obeys: those outside of what is stopped by a token.
fn commands(log: &str) -> Vec<&str> {
    let (mut obeyed, mut token) = (Vec::new(), None);
    for line in log.lines().filter(|line| line.starts_with("::")) {
        match token {
            None if line.starts_with("::stop-commands::") => token = line.strip_prefix("::stop-commands::"),
            None => obeyed.push(line),
            Some(stopped) if line == format!("::{stopped}::") => token = None,
            Some(_) => {}
        }
    }
    assert_eq!(token, None, "commands are obeyed again");
    obeyed
}

#[test]
fn where_all_holds_the_summary_says_so() {
    let dir = folder(&format!("{PEAK}max = \"1M\"\n"));
    let run = run(dir.path(), &[]);
    assert_eq!(run.code, Some(0), "{}", run.log);
    assert!(run.summary.starts_with("### heapsmith check: every assertion holds\n<pre>\n"), "{}", run.summary);
    assert!(run.outputs.contains("code=0\n") && run.outputs.contains("\nheap.sarif\n"), "{}", run.outputs);
    assert!(results(&dir.path().join("heap.sarif")).is_empty() && commands(&run.log).is_empty());
}

#[test]
fn what_failed_is_annotated_at_its_line() {
    let dir = folder(&format!("{PEAK}max = 5000\n"));
    let run = run(dir.path(), &[("CHECK_JUNIT", "heap.xml"), ("CHECK_SAVE", "base.json")]);
    assert_eq!(run.code, Some(1), "{}", run.log);
    let annotations = commands(&run.log);
    let begins = "::error file=heap.toml,line=8,title=heapsmith check::footprint_peak of now on day is ";
    assert!(annotations.iter().any(|line| line.starts_with(begins)), "{annotations:?}");
    assert!(run.summary.contains("an assertion failed") && run.summary.contains("heap.toml:8: "), "{}", run.summary);
    assert_eq!(results(&dir.path().join("heap.sarif")).len(), 2);
    assert!(std::fs::read_to_string(dir.path().join("heap.xml")).expect("JUnit").contains("failures=\"2\""));
    assert!(dir.path().join("base.json").exists());
}

#[test]
fn a_base_is_passed_on() {
    let dir = folder(&format!("{PEAK}max_growth = \"5%\"\n"));
    write(dir.path(), "old/a.csv", &trace(300));
    assert_eq!(run(dir.path(), &[("CHECK_BASE", "old")]).code, Some(0));
    write(dir.path(), "old/a.csv", &trace(10));
    assert_eq!(run(dir.path(), &[]).code, Some(2));
}

#[test]
fn a_check_that_cannot_begin_leaves_no_report_of_an_earlier_one() {
    let dir = folder("[[assert]]\nmeasure = \"speed\"\nmax = 1\n");
    write(dir.path(), "heap.sarif", "{}");
    let run = run(dir.path(), &[]);
    assert_eq!(run.code, Some(2), "{}", run.log);
    assert!(!dir.path().join("heap.sarif").exists() && !run.outputs.contains("sarif"), "{}", run.outputs);
    let annotations = commands(&run.log);
    assert!(annotations.len() == 1 && annotations[0].contains("\"speed\" is no measure"), "{annotations:?}");
}

/// Names in check files come from the author of a change.
#[test]
fn names_become_no_commands_of_the_workflow() {
    let dir = folder("");
    let name = "\\n::error::owned%0A::set-output name=x::y</pre><script>`id`";
    let text = format!(
        "[trace.\"{name}\"]\nfile = \"a.csv\"\n[heap.\"$(touch owned)\"]\nspec = \"tlsf\"\n[[assert]]\nmeasure = \
         \"footprint_peak\"\nmax = 1\n"
    );
    let file = "a,b:c%0A$(touch owned).toml";
    write(dir.path(), file, &text);
    let run = run(dir.path(), &[("CHECK_FILE", file)]);
    assert_eq!(run.code, Some(1), "{}", run.log);
    let annotations = commands(&run.log);
    assert!(
        annotations.iter().all(|line| line.starts_with("::error ") && line.contains("title=heapsmith check::")),
        "{annotations:?}"
    );
    assert!(
        annotations.iter().any(|line| line.contains("file=a%2Cb%3Ac%250A$(touch owned).toml,line=6,")),
        "{annotations:?}"
    );
    assert!(!run.summary.contains("<script>") && !dir.path().join("owned").exists());
}
