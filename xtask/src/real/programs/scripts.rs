//! Programs of three languages whose machines allocate each in their own way.

use std::path::Path;

use crate::real::program::{Inputs, Program, Task, words};
use crate::run::{Outcome, run};
use crate::tools::{self, Tool};

/// `perl words.pl`.
pub const PERL: Program = Program {
    name: "perl",
    about: "words counted, lines replaced and sorted: xtask/real/words.pl",
    threads: false,
    benchmark: false,
    min_calls: 10_000,
    tools: &[tools::PERL],
    prepare: nothing,
    task: perl,
};

/// `node objects.js`.
pub const NODE: Program = Program {
    name: "node",
    about: "objects, buffers, compiled functions, streams on threads: xtask/real/objects.js",
    threads: true,
    benchmark: false,
    min_calls: 10_000,
    tools: &[Tool { name: "node", package: "nodejs", why: "to run it" }],
    prepare: nothing,
    task: node,
};

/// `java -version`, and `java Words`.
pub const JAVA: Program = Program {
    name: "java",
    about: "java --version, then words counted and compressed by two threads: xtask/real/Words.java",
    threads: true,
    benchmark: false,
    min_calls: 10_000,
    tools: &[tools::JAVA],
    prepare: compile,
    task: java,
};

fn nothing(_: &Inputs) -> Outcome {
    Ok(())
}

fn perl(inputs: &Inputs, _: &Path) -> Task {
    let command = words(&["perl", &inputs.sample("words.pl"), &inputs.amount(60_000, 8_000)]);
    Task { environment: vec![("PERL_HASH_SEED", "0".into())], proof: " letters\n", ..Task::new("perl", command) }
}

fn node(inputs: &Inputs, _: &Path) -> Task {
    let command = words(&["node", &inputs.sample("objects.js"), &inputs.amount(40, 4)]);
    Task { proof: "streams ", ..Task::new("node", command) }
}

fn compile(inputs: &Inputs) -> Outcome {
    run("javac", &["-d", &inputs.path(""), &inputs.sample("Words.java")])
}

fn java(inputs: &Inputs, _: &Path) -> Task {
    let rounds = inputs.amount(200, 10);
    let script =
        format!("java --version && java -Xms64m -Xmx64m -XX:+UseSerialGC -cp '{}' Words {rounds}", inputs.path(""));
    Task { proof: ", checksum ", ..Task::new("java", words(&["sh", "-c", &script])) }
}
