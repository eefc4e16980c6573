//! The tools that tests need, and the tests that are left out without them.

use crate::tools::{self, Tool};

/// A tool, and the tests that cannot run without it: parts of their names.
pub type Needed = (Tool, &'static [&'static str]);

/// Without a C compiler nothing is linked; all else can be left out, and it is said what then is not tested.
pub const BY_DAY: &[Needed] = &[
    (tools::CXX, &["objects_of_cpp", "program_of_cpp"]),
    (tools::VALGRIND, &["agrees_with_valgrind", "no_hot_path_takes", "no_hit_takes", "costs_of_programs_are_computed"]),
    (tools::SQLITE, &["sqlite_agrees"]),
    (
        tools::PYTHON,
        &["a_compiler_and_an_interpreter", "a_real_program_has_a_site", "programs_run_on_an_emitted_library"],
    ),
    (tools::MAKE, &["examples::the_server", "examples::the_global_allocator"]),
    (tools::XMLLINT, &["schemas::"]),
    (tools::JSON_SCHEMA, &["schemas::"]),
];

/// What takes long to install for few tests: `cargo xtask nightly whole` installs it, and has its tests.
pub const BY_NIGHT: &[Needed] = &[
    (tools::BROWSER, &["draws_itself"]),
    (tools::JAVA, &["java::agent::", "java::objects::", "java::slots::", "a_java_program", "that_is_no_jvm"]),
    (tools::CC32, &["c_of_32_bits"]),
    (tools::CLANG, &["lint::clang_has", "wrappers_have_no_warning_of_clang", "plans_have_no_warning_of_clang"]),
    (tools::CLANG_TIDY, &["lint::clang_tidy", "wrappers_have_no_complaint"]),
    (tools::CPPCHECK, &["lint::cppcheck", "lint::misra", "wrappers_have_no_complaint"]),
    (
        tools::ARM,
        &[
            "lint::arm_gcc",
            "examples::the_firmware",
            "size::",
            "sizes_are_printed",
            "instructions_are_counted",
            "freestanding::",
            "emulated::heaps_on_an_armv6_m",
            "cortex_m3::",
            "wrappers_have_no_warning_of_arm_gcc",
            "plans_have_no_warning_of_arm_gcc",
            "printf_on_newlib",
            "program_on_picolibc",
            "cpp_for_firmware",
            "portable::an_arm_takes",
            "recorder::an_event_takes",
        ],
    ),
    (tools::RISCV, &["size::", "sizes_are_printed", "portable::a_risc_v"]),
    (tools::AVR, &["emulated::heaps_on_an_avr", "portable::an_avr"]),
    (tools::AVR_LIBC, &["emulated::heaps_on_an_avr", "portable::an_avr"]),
    (tools::POWERPC, &["of_big_endian"]),
    (tools::QEMU_USER, &["of_big_endian"]),
    (tools::SIMAVR, &["emulated::heaps_on_an_avr"]),
    (
        tools::NEWLIB,
        &[
            "examples::the_firmware",
            "wrappers_have_no_warning_of_arm_gcc",
            "plans_have_no_warning_of_arm_gcc",
            "printf_on_newlib",
            "portable::an_arm_takes",
            "recorder::an_event_takes",
        ],
    ),
    (tools::ARM_CXX, &["cpp_for_firmware"]),
    (tools::PICOLIBC, &["program_on_picolibc"]),
    (
        tools::QEMU,
        &[
            "instructions_are_counted",
            "examples::the_firmware",
            "cortex_m",
            "emulated::heaps_on_an_armv6_m",
            "printf_on_newlib",
            "program_on_picolibc",
            "recorder::an_event_takes",
        ],
    ),
    (tools::CMAKE, &["examples::the_examples_build_with_cmake"]),
];

/// What could not be installed of what was asked for.
#[derive(Default)]
pub struct Needs {
    /// Each with why.
    missing: Vec<(Tool, String)>,
}

impl Needs {
    /// Installs the tools that tests need, and others, in one call.
    pub fn obtain(needed: &[Needed], others: &[Tool]) -> Needs {
        let tools: Vec<Tool> = needed.iter().map(|(tool, _)| *tool).chain(others.iter().copied()).collect();
        Needs { missing: tools::obtain(&tools) }
    }

    /// Whether all of these are there.
    pub fn has(&self, tools: &[Tool]) -> bool {
        tools.iter().all(|tool| self.missing.iter().all(|(missing, _)| missing.name != tool.name))
    }

    /// What is left out, and why.
    pub fn left_out(&self) -> impl Iterator<Item = String> {
        self.missing.iter().map(|(tool, why)| format!("{}: there is no {} ({why})", what_needs(tool), tool.name))
    }

    /// Options for test programs that leave out the tests of what is missing.
    pub fn skipped(&self) -> Vec<&'static str> {
        self.missing.iter().flat_map(|(tool, _)| tests_of(tool)).flat_map(|test| ["--skip", test]).collect()
    }
}

/// Options for test programs that leave out the tests of these tools.
pub fn skips(needed: &[Needed]) -> Vec<&'static str> {
    needed.iter().flat_map(|(_, tests)| *tests).flat_map(|test| ["--skip", *test]).collect()
}

fn tests_of(tool: &Tool) -> impl Iterator<Item = &'static str> {
    let needed = BY_DAY.iter().chain(BY_NIGHT).filter(|(needed, _)| needed.name == tool.name);
    needed.flat_map(|(_, tests)| tests.iter().copied())
}

/// What is left out without a tool, in words.
fn what_needs(tool: &Tool) -> String {
    let tests: Vec<&str> = tests_of(tool).collect();
    match tests.is_empty() {
        true => format!("what has a use for it ({})", tool.why),
        false => format!("tests with {} in their names", tests.join(" or ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::root;

    /// Every source of a test below `crates`.
    fn sources() -> Vec<std::path::PathBuf> {
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
        files.retain(|file| file.display().to_string().contains("/tests/"));
        files
    }

    /// Every test below `crates`, as cargo names it but for its program.
    fn tests() -> Vec<String> {
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
        sources().iter().flat_map(named).collect()
    }

    /// Few machines have a C library of 32 bits.
    #[test]
    fn what_compiles_for_32_bits_is_named_so() {
        let mut found = 0;
        for file in sources() {
            let text = std::fs::read_to_string(&file).expect("a source");
            for (at, _) in text.match_indices("\"-m32\"") {
                // What only looks at flags compiles nothing.
                if text[..at].ends_with("contains(&") {
                    continue;
                }
                found += 1;
                let test = text[..at].rsplit_once("\nfn ").map_or("", |(_, test)| test);
                let name = test.split('(').next().unwrap_or_default();
                assert!(name.contains("c_of_32_bits"), "{}: {name}", file.display());
            }
        }
        assert!(found > 2, "they were found");
    }

    #[test]
    fn what_a_missing_tool_leaves_out_is_there() {
        let tests = tests();
        assert!(tests.len() > 300, "the tests were found");
        for (tool, names) in BY_DAY.iter().chain(BY_NIGHT) {
            for name in *names {
                assert!(tests.iter().any(|test| test.contains(name)), "no test has {name} in its name ({})", tool.name);
            }
        }
    }
}
