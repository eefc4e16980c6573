//! Emitted source, compiled together with the player of tapes.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use heapsmith_emit::{Extra, c, rust};
use heapsmith_spec::{Layer, NamedRegion, Regions, Spec};

use super::heaps::Heap;
use super::tape::Tape;

/// Compiles the C of all `heaps` with the player; returns the program.
pub fn c(dir: &Path, heaps: &[Heap], flags: &[&str]) -> PathBuf {
    let (mut includes, mut makers, mut rows) = (String::new(), String::new(), String::new());
    let mut sources = vec![dir.join("player.c")];
    for heap in heaps {
        for file in c::emit(&heap.request()).unwrap_or_else(|error| panic!("{}: {error}", heap.spec)) {
            let of = file.name.trim_end_matches(".c").to_uppercase();
            let secret = format!("#define {of}_SECRET {}U\n", secret(&heap.spec));
            if file.name.ends_with("_region.c") {
                sources.push(dir.join(&file.name));
            }
            let text = if file.name.ends_with(".c") { secret + &file.text } else { file.text };
            std::fs::write(dir.join(&file.name), text).expect("the file is written");
        }
        let name = heap.name.lower();
        sources.push(dir.join(format!("{name}.c")));
        writeln!(includes, "#include \"{name}.h\"").expect("a string");
        // A stack returns whether it refused.
        let free = format!("{name}_free(&{name}_it, block)");
        let free = if heap.spec.pool.frees_in_order() { free } else { format!("({free}, true)") };
        let made = match heap.spec.regions() {
            None => format!("{name}_init(&{name}_it, region, bytes)"),
            Some(regions) => format!("((void)bytes, {name}_init(&{name}_it{}))", windows(regions)),
        };
        writeln!(makers, "PART({name}, {made}, {free})").expect("a string");
        let mut part = |is_there: bool, macro_name: &str, function: &str| {
            if !is_there {
                return "NULL".to_owned();
            }
            writeln!(makers, "{macro_name}({name})").expect("a string");
            format!("{name}{function}")
        };
        let counts = part(heap.has(Extra::Counters), "COUNTERS", "_9");
        let walks = part(heap.has(Extra::Walk), "WALK", "_10");
        let reserves = heap.spec.layers.iter().any(|layer| matches!(layer, Layer::Reserve(_)));
        let urgent = part(reserves, "RESERVE", "_11");
        writeln!(rows, "    ROW({name}, {counts}, {walks}, {urgent}),").expect("a string");
    }
    std::fs::write(
        dir.join("heaps.h"),
        format!(
            "{includes}\n#define PARTS \\\n{}\n\n#define ROWS \\\n{}\n",
            makers.trim_end().replace('\n', " \\\n"),
            rows.trim_end().replace('\n', " \\\n")
        ),
    )
    .expect("the table is written");
    std::fs::write(dir.join("player.c"), include_str!("player.c")).expect("the player is written");
    objects(dir, &sources, flags);
    let program = dir.join("player");
    let objects = sources.iter().map(|source| source.with_extension("o"));
    let link = Command::new("cc").args(flags).args(objects).arg("-o").arg(&program).output().expect("cc runs");
    assert!(link.status.success(), "{}\n{}", String::from_utf8_lossy(&link.stderr), hint(flags));
    program
}

/// The arguments that say where each region is, one behind the other.
fn windows(regions: &Regions) -> String {
    let mut at = 0;
    let window = |region: &NamedRegion| {
        at += region.size;
        format!(", (unsigned char *)region + {}U, {}U", at - region.size, region.size)
    };
    regions.regions.iter().map(window).collect()
}

/// What a guard mixes into its words, here and in the explored heap, where no layer in front of it has a block before it is set.
pub fn secret(spec: &Spec) -> usize {
    let place = |of: fn(&Layer) -> bool| spec.layers.iter().position(of);
    match (place(|layer| matches!(layer, Layer::Reserve(_))), place(|layer| matches!(layer, Layer::Guard(_)))) {
        (Some(reserve), Some(guard)) if reserve < guard => 0,
        _ => 0x5EC2,
    }
}

/// Compiles each source on its own, two at a time.
fn objects(dir: &Path, sources: &[PathBuf], flags: &[&str]) {
    let (queue, all) = (std::sync::Mutex::new(sources.iter()), flags);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().expect("no panic").next();
                    let Some(source) = next else { return };
                    let mut cc = Command::new("cc");
                    cc.args([
                        "-std=c11",
                        "-O1",
                        "-Wall",
                        "-Wextra",
                        "-Wpedantic",
                        "-Wconversion",
                        "-Wshadow",
                        "-Werror",
                    ]);
                    cc.args(["-Wcast-align", "-Wundef", "-c", "-o"]).arg(source.with_extension("o")).arg(source);
                    // What a compiler is to forget concerns the heaps: the player needs a C library.
                    let player = source.ends_with("player.c");
                    let flags = flags.iter().filter(|flag| !player || !flag.starts_with("-U"));
                    let output = cc
                        .args(flags.filter(|flag| !player || **flag != "-ffreestanding"))
                        .current_dir(dir)
                        .output()
                        .expect("cc runs: install build-essential");
                    let text = String::from_utf8_lossy(&output.stderr);
                    assert!(output.status.success(), "{}:\n{text}\n{}", source.display(), hint(all));
                }
            });
        }
    });
}

fn hint(flags: &[&str]) -> &'static str {
    if flags.contains(&"-m32") { "programs of 32 bits need gcc-multilib: install it" } else { "" }
}

/// Compiles the Rust of all `heaps` with the player; returns the program.
pub fn rust(dir: &Path, heaps: &[Heap]) -> PathBuf {
    let (mut modules, mut arms) = (String::new(), String::new());
    for (number, heap) in heaps.iter().enumerate() {
        for file in rust::emit(&heap.rust_request()).unwrap_or_else(|error| panic!("{}: {error}", heap.spec)) {
            std::fs::write(dir.join(&file.name), file.text).expect("the file is written");
        }
        let name = heap.name.lower();
        writeln!(modules, "#[path = \"{name}.rs\"]\nmod {name};").expect("a string");
        let counts = if heap.has(Extra::Counters) { "Some(heap.counts())" } else { "None" };
        let counts = format!("|{}| {counts}", if heap.has(Extra::Counters) { "heap" } else { "_" });
        let made = match heap.spec.regions() {
            None => format!("{name}::heap(region)"),
            Some(regions) => {
                let parts = regions.regions.iter().enumerate();
                let split = parts
                    .map(|(part, region)| format!("let (part_{part}, region) = region.split_at({}); ", region.size));
                let (split, parts): (String, Vec<String>) =
                    (split.collect(), (0..regions.regions.len()).map(|part| format!("part_{part}")).collect());
                format!("{{ {split}let _ = region; {name}::heap([{}]) }}", parts.join(", "))
            }
        };
        writeln!(arms, "        {number} => player.play({made}, {}, {counts}),", secret(&heap.spec)).expect("a string");
    }
    let table = format!(
        "use crate::Player;\nuse heapsmith::Fixed;\n{modules}\npub fn play(number: u64, player: Player<'_>, region: Fixed<'_>) {{\n    \
         match number {{\n{arms}        _ => panic!(\"no such heap\"),\n    }}\n}}\n"
    );
    std::fs::write(dir.join("table.rs"), table).expect("the table is written");
    std::fs::write(dir.join("player.rs"), include_str!("player.rs")).expect("the player is written");
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../heapsmith/src/lib.rs");
    let common = ["--edition", "2024", "-C", "opt-level=0", "-C", "debuginfo=0"];
    rustc(dir, &[&common[..], &["--crate-name", "heapsmith", "--crate-type", "rlib"]].concat(), &library);
    // What is emitted compiles without a warning.
    let flags = [&common[..], &["-D", "warnings", "--extern", "heapsmith=libheapsmith.rlib"]].concat();
    rustc(dir, &flags, &dir.join("player.rs"));
    dir.join("player")
}

fn rustc(dir: &Path, flags: &[&str], source: &Path) {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).args(flags).arg(source).current_dir(dir).output().expect("rustc runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Plays the tapes; what the program says is the failure.
pub fn play(program: &Path, tapes: &[Tape], heaps: &[Heap]) {
    let mut bytes = Vec::new();
    tapes.iter().for_each(|tape| tape.write(&mut bytes));
    let mut player = Command::new(program);
    let mut player =
        player.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let mut input = player.stdin.take().expect("a pipe");
    // A player that found a difference reads no further.
    let _ = input.write_all(&bytes);
    drop(input);
    let output = player.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout);
    let spec = text
        .split_whitespace()
        .nth(1)
        .and_then(|number| number.parse::<usize>().ok())
        .and_then(|number| heaps.get(number));
    let spec = spec.map_or_else(String::new, |heap| heap.spec.to_string());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{spec}\n{text}\n{stderr}\n{}", output.status);
    assert_eq!(text.trim(), format!("{} tapes played", tapes.len()));
}
