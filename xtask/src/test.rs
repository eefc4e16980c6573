//! `cargo xtask test` and `cargo xtask lint`: what must hold before a change lands, in under ten minutes on two cores.
//!
//! The tests run on the build that ships: the features of the command, without those of the reference allocators that
//! compile for minutes (`cargo xtask nightly` has them), and without the atomic words that `heapsmith-preload` switches
//! on for itself. So it is compiled and tested apart, and everything else once, by one selection of packages.

use std::path::Path;

use crate::actions;
use crate::check32;
use crate::hardware;
use crate::hostile;
use crate::msrv;
use crate::parts::Parts;
use crate::python;
use crate::real;
use crate::run::{Outcome, cargo, cargo_with, run, target};
use crate::tools::{self, Tool};

/// The packages that are compiled and tested together, with the features that only tests ask for. Another selection
/// would have other features, and compile all heaps once more.
pub const SHIPPED: [&str; 7] =
    ["--workspace", "--exclude", "heapsmith-preload", "--exclude", "xtask", FEATURES[0], FEATURES[1]];

/// The features that only tests ask for.
const FEATURES: &[&str] = &["--features", "heapsmith/allocator-api2,heapsmith/critical-section,heapsmith/lock_api"];

/// What is tested apart: words of its own kind, and this program.
pub const APART: [&str; 2] = ["heapsmith-preload", "xtask"];

/// A tool, and the tests that cannot run without it: parts of their names.
type Needed = (Tool, &'static [&'static str]);

/// Without a C compiler nothing is linked; all else can be left out, and it is said what then is not tested.
const NEEDED: &[Needed] = &[
    (tools::CXX, &["objects_of_cpp"]),
    (tools::BROWSER, &["draws_itself"]),
    (tools::VALGRIND, &["agrees_with_valgrind", "no_hot_path_takes", "costs_of_programs_are_computed"]),
    (tools::SQLITE, &["sqlite_agrees"]),
    (
        tools::PYTHON,
        &["a_compiler_and_an_interpreter", "a_real_program_has_a_site", "programs_run_on_an_emitted_library"],
    ),
    (tools::JAVA, &["java::agent::", "java::objects::", "java::slots::", "a_java_program", "that_is_no_jvm"]),
    (tools::CC32, &["c_of_32_bits"]),
    (tools::CLANG, &["lint::clang_has"]),
    (tools::CLANG_TIDY, &["lint::clang_tidy"]),
    (tools::CPPCHECK, &["lint::cppcheck", "lint::misra"]),
    (tools::ARM, &["lint::arm_gcc", "examples::", "size::", "freestanding::", "emulated::heaps_on_an_armv6_m"]),
    (tools::AVR, &["emulated::heaps_on_an_avr"]),
    (tools::AVR_LIBC, &["emulated::heaps_on_an_avr"]),
    (tools::SIMAVR, &["emulated::heaps_on_an_avr"]),
    (tools::NEWLIB, &["examples::the_firmware"]),
    (tools::QEMU, &["examples::the_firmware", "cortex_m", "emulated::heaps_on_an_armv6_m"]),
    (tools::CMAKE, &["examples::the_examples_build_with_cmake"]),
    (tools::MAKE, &["examples::"]),
    (tools::XMLLINT, &["schemas::"]),
    (tools::JSON_SCHEMA, &["schemas::"]),
];

/// Everything that must hold before a change lands; the time of each part is printed at the end.
pub fn test() -> Outcome {
    let mut parts = Parts::default();
    let outcome = all(&mut parts);
    parts.tell();
    outcome
}

fn all(parts: &mut Parts) -> Outcome {
    let mut missing = Vec::new();
    parts.run("tools", || {
        missing = tools::obtain(&wanted());
        Ok(())
    })?;
    for (tool, why) in &missing {
        parts.leave_out(format!("{}: there is no {} ({why})", what_needs(tool), tool.name));
    }
    let absent: Vec<&str> = missing.iter().map(|(tool, _)| tool.name).collect();
    let has = |tools: &[Tool]| tools.iter().all(|tool| !absent.contains(&tool.name));
    if !has(&[tools::CC]) {
        return Err("nothing can be linked without a C compiler".to_owned());
    }
    let mut skipped: Vec<&str> =
        missing.iter().flat_map(|(tool, _)| tests_of(tool)).flat_map(|&test| ["--skip", test]).collect();

    // The firmware of `examples/cortex-m`.
    if let Err(why) = tools::install_target("thumbv7m-none-eabi") {
        parts.leave_out(format!("tests with cortex_m in their names: {why}"));
        skipped.extend(["--skip", "cortex_m"]);
    }

    parts.run("lint", lint)?;
    match actions::actionlint() {
        Ok(actionlint) => parts.run("actionlint", || actions::lint(&actionlint))?,
        Err(why) => parts.leave_out(format!("the workflows are not looked over: {why}")),
    }
    // Built apart, so that the times tell building from running.
    parts.run("build", || cargo(&[&["test"], &SHIPPED[..], &["--no-run"]].concat()))?;
    // Cargo built the command along with its tests. Built alone it would be compiled again: without the tests' dependencies
    // others have fewer features.
    let command = target().join("debug/heapsmith");
    let shown = command.display().to_string();
    // The first run on a heap compiles the library of `heapsmith run`.
    parts.run("library", || run(&shown, &["run", "--heap", "list", "--", "true"]))?;
    parts.side_by_side(
        |parts| {
            parts.run("tests", || cargo(&[&["test"], &SHIPPED[..], &["--"], &skipped].concat()))?;
            APART.iter().try_for_each(|package| parts.run(package, || cargo(&["test", "--package", package])))
        },
        |parts| others(parts, &command, &has),
    )
}

/// What waits for networks, for one compiler or for one processor: it runs along with the tests.
fn others(parts: &mut Parts, command: &Path, has: &dyn Fn(&[Tool]) -> bool) -> Outcome {
    if has(&[tools::PYTHON, tools::VENV]) {
        parts.run("python", || python::quick(command))?;
    }
    if has(&tools::SIMULATION) {
        parts.run("hardware", hardware::quick)?;
    }
    if has(&real::tools(real::FEW)) {
        parts.run("real programs", || real::real(&real::Arguments::few(command.to_owned())))?;
    }
    if has(&[tools::SQLITE, tools::XZ, tools::ZSTD]) {
        parts.run("hostile", || hostile::hostile(&hostile::Arguments::quick(command.to_owned())))?;
    }
    if has(&[tools::CC32]) {
        let run = || check32::check32(check32::Which::Quick);
        prepared(parts, "32 bits", "the heaps' tests on 32 bits", check32::prepare, run)?;
    }
    let run = || msrv::msrv(msrv::Which::Published);
    prepared(parts, "oldest compiler", "the published crate under the oldest compiler", msrv::prepare, run)
}

/// Runs a part whose compiler or library may be one that cannot be had: then it is left out.
fn prepared(
    parts: &mut Parts,
    name: &'static str,
    what: &str,
    prepare: fn() -> Outcome,
    run: impl FnOnce() -> Outcome,
) -> Outcome {
    let mut why_not = None;
    parts.run(name, || match prepare() {
        Ok(()) => run(),
        Err(why) => {
            why_not = Some(why);
            Ok(())
        }
    })?;
    if let Some(why) = why_not {
        parts.leave_out(format!("{what}: {why}"));
    }
    Ok(())
}

/// Every tool that a part needs, so that all are installed in one call.
fn wanted() -> Vec<Tool> {
    let tests = NEEDED.iter().map(|(tool, _)| *tool);
    let others = [tools::CC, tools::VENV, tools::XZ, tools::ZSTD].into_iter().chain(tools::SIMULATION);
    tests.chain(others).chain(real::tools(real::FEW)).collect()
}

fn tests_of(tool: &Tool) -> &'static [&'static str] {
    NEEDED.iter().find(|(needed, _)| needed.name == tool.name).map_or(&[], |(_, tests)| tests)
}

/// What is left out without a tool, in words.
fn what_needs(tool: &Tool) -> String {
    match tests_of(tool) {
        [] => format!("what has a use for it ({})", tool.why),
        tests => format!("tests with {} in their names", tests.join(" or ")),
    }
}

/// Format and clippy, with warnings as errors; the features of the tests, so that build scripts run once.
pub fn lint() -> Outcome {
    cargo(&["fmt", "--all", "--check"])?;
    let clippy = |which: &[&str]| cargo(&[&["clippy", "--all-targets"], which, &["--", "--deny", "warnings"]].concat());
    clippy(&[&["--workspace", "--exclude", "heapsmith-preload"], FEATURES].concat())?;
    clippy(&["--package", "heapsmith-preload"])
}

/// The same for what other features add, and the documentation.
pub fn lint_whole() -> Outcome {
    cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--", "--deny", "warnings"])?;
    cargo_with(&[("RUSTDOCFLAGS", "--deny warnings")], &["doc", "--workspace", "--no-deps", "--quiet"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::root;

    /// Every test below `crates`, as cargo names it but for its program.
    fn tests() -> Vec<String> {
        let mut files = Vec::new();
        let mut folders = vec![root().join("crates")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|end| end == "rs") {
                    files.push(path);
                }
            }
        }
        let named = |file: &std::path::PathBuf| {
            let path = file.display().to_string();
            let module = path.rsplit_once("/tests/").map_or("", |(_, module)| module);
            let module = module.trim_start_matches("it/").trim_end_matches(".rs").replace('/', "::");
            let text = std::fs::read_to_string(file).expect("a source");
            let names = text
                .lines()
                .filter_map(|line| line.trim().strip_prefix("fn ")?.split_once('(').map(|(name, _)| name.to_owned()));
            names.map(|name| format!("{module}::{name}")).collect::<Vec<_>>()
        };
        files.iter().filter(|file| file.display().to_string().contains("/tests/")).flat_map(named).collect()
    }

    #[test]
    fn what_a_missing_tool_leaves_out_is_there() {
        let tests = tests();
        assert!(tests.len() > 300, "the tests were found");
        for (tool, names) in NEEDED {
            for name in *names {
                assert!(tests.iter().any(|test| test.contains(name)), "no test has {name} in its name ({})", tool.name);
            }
        }
    }
}
