//! Python's own tests, with every object from `malloc`.

use std::path::Path;

use crate::packages;
use crate::real::program::{Inputs, Program, Task, words};
use crate::run::{Outcome, output};
use crate::tools::Tool;

/// Modules of tests that need no network and no screen, and take a second or two at most.
const MODULES: &[&str] = &[
    "test_array",
    "test_base64",
    "test_binascii",
    "test_bisect",
    "test_bool",
    "test_builtin",
    "test_bytes",
    "test_class",
    "test_cmath",
    "test_code",
    "test_codecs",
    "test_collections",
    "test_complex",
    "test_configparser",
    "test_contextlib",
    "test_copy",
    "test_csv",
    "test_dataclasses",
    "test_deque",
    "test_dict",
    "test_difflib",
    "test_enum",
    "test_float",
    "test_format",
    "test_fractions",
    "test_functools",
    "test_generators",
    "test_hashlib",
    "test_heapq",
    "test_html",
    "test_int",
    "test_ipaddress",
    "test_json",
    "test_list",
    "test_marshal",
    "test_memoryview",
    "test_operator",
    "test_re",
    "test_set",
    "test_sort",
    "test_string",
    "test_struct",
    "test_syntax",
    "test_textwrap",
    "test_thread",
    "test_tokenize",
    "test_tuple",
    "test_typing",
    "test_unicode",
    "test_unicodedata",
    "test_unpack",
    "test_userdict",
    "test_uuid",
    "test_xml_etree",
    "test_zlib",
];

/// Every this many of them in a quick run.
const QUICK: usize = 6;

const PYTHON: &str = "/usr/bin/python3";

/// `python3 -m test`.
pub const TESTS: Program = Program {
    name: "python-tests",
    about: "python3 -m test of up to 55 modules, PYTHONMALLOC=malloc",
    threads: false,
    benchmark: false,
    min_calls: 100_000,
    tools: &[Tool { name: PYTHON, package: "python3", why: "to run its tests" }],
    prepare,
    task,
};

/// Its tests are in a package that has the version in its name.
fn prepare(_: &Inputs) -> Outcome {
    let import = || output(PYTHON, &["-c", "import test.test_json"]).map(drop);
    if import().is_ok() {
        return Ok(());
    }
    let version = output(PYTHON, &["-c", "import sys; print('%d.%d' % sys.version_info[:2])"])?;
    packages::install(&[&format!("libpython{}-testsuite", version.trim())])?;
    import()
}

fn task(inputs: &Inputs, scratch: &Path) -> Task {
    let mut command = words(&[PYTHON, "-m", "test", "-v", "--tempdir", &scratch.display().to_string()]);
    let step = if inputs.quick { QUICK } else { 1 };
    command.extend(MODULES.iter().step_by(step).map(|&module| module.to_owned()));
    Task {
        environment: vec![("PYTHONMALLOC", "malloc".into()), ("PYTHONHASHSEED", "0".into())],
        lasting: counts,
        proof: "Tests result: SUCCESS",
        ..Task::new("python3", command)
    }
}

/// Which modules ran, how many tests each, how many were left out, and the result; without times.
fn counts(output: &str) -> String {
    let kept = output.lines().filter_map(|line| {
        if let Some(ran) = line.strip_prefix("Ran ") {
            return Some(format!("ran {}", ran.split(" in ").next()?));
        }
        let module = line.split_once("] ").filter(|(before, _)| before.contains("load avg")).map(|(_, module)| module);
        // The result of the module before may follow, if that took long.
        let module = module.and_then(|module| Some(module.split(' ').next()?.to_owned()));
        module.or_else(|| {
            let result = line.starts_with("OK") || line.starts_with("FAILED") || line.starts_with("Tests result");
            let failed = line.starts_with("ERROR: ") || line.starts_with("FAIL: ");
            (result || failed || line.ends_with("tests OK.")).then(|| line.to_owned())
        })
    });
    kept.map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::counts;

    #[test]
    fn counts_are_kept_and_times_are_not() {
        let output = "0:00:00 load avg: 3.50 [ 1/61] test_array\ntest_add (A.b) ... ok\n\
                      Ran 12 tests in 0.084s\n\nOK (skipped=2)\nTotal duration: 3 sec\nTests result: SUCCESS\n";
        assert_eq!(counts(output), "test_array\nran 12 tests\nOK (skipped=2)\nTests result: SUCCESS\n");
        assert_ne!(counts(output), counts(&output.replace("12", "11")));
    }

    #[test]
    fn a_module_that_took_long_is_not_another_output() {
        let (quick, slow) =
            ("0:00:01 load avg: 3.50 [2/9] test_b\n", "0:00:59 load avg: 3.50 [2/9] test_b -- test_a passed\n");
        assert_eq!(counts(quick), counts(slow));
    }

    #[test]
    fn the_table_says_how_many_modules_there_are() {
        assert!(super::TESTS.about.contains(&super::MODULES.len().to_string()));
    }
}
