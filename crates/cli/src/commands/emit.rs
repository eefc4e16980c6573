//! `heapsmith emit`: a heap as source, with what was measured of it.

use std::path::Path;

use heapsmith_emit::size::{TARGETS, Target, size, size_of};
use heapsmith_emit::{
    Compiler, EmitError, Figures, File, Name, Request, SizeError, System, base_alignment, c, evidence, preload, rust,
    system, write,
};
use heapsmith_explore::reserve_on;
use heapsmith_limits::ProgramClass;
use heapsmith_output::Scratch;
use heapsmith_replay::{Measures, Region, ReplayOptions, replay};
use heapsmith_spec::{Spec, Threads};
use heapsmith_trace::{Bytes, PackedTrace, plural};

use crate::args::{Emit, Language};
use crate::console::note;
use crate::failure::Failure;
use crate::heap::{self, By, Named};
use crate::input;
use crate::progress;
use crate::sheet::{Sheet, Subject, sheet};
use crate::table::{Table, integer, text};

pub fn run(arguments: &Emit) -> Result<(), Failure> {
    let name = Name::new(&arguments.name)?;
    let (named, region) = match arguments.guaranteed {
        true => heap::guaranteed(&arguments.heap, arguments.prefer).map(|(named, bytes)| (named, Some(bytes)))?,
        false => (heap::named(&arguments.heap, arguments.prefer)?, None),
    };
    let language = language(arguments)?;
    if arguments.sheet {
        crate::sheet::verify(arguments)?;
    }
    if arguments.system.is_some() || arguments.evidence.is_some() || arguments.sheet || arguments.size {
        EmitError::verify_one_region(&named.spec)?;
    }
    let spec = match (language, arguments.system) {
        (Language::So, _) => suited(&named)?,
        (_, Some(system)) => suited_to(&named, system),
        _ => named.spec.clone(),
    };
    if language != Language::So && spec.threads != Threads::One {
        note!("`threads=` is of a library (--lang so): this is one heap, for one thread at a time");
    }
    // A `malloc` grows.
    let is_reserved = language != Language::So;
    let (measured, coarsest, reserve) = match arguments.trace.is_empty() {
        true => {
            let reserve = if is_reserved { named.reserve()? } else { None };
            (named.measured().to_vec(), named.programs().map_or(1, |programs| programs.alignment), reserve)
        }
        false => replayed(arguments, &spec, is_reserved.then(|| named.asked_region()))?,
    };
    let mut request = Request { spec, name, figures: None, extras: arguments.with.clone() };
    let sheet = arguments.sheet.then(|| worked_out(arguments, &named, &request)).transpose()?;
    if !measured.is_empty() {
        let base = base_alignment(&request, coarsest)?;
        request.figures = Some(match &sheet {
            Some(sheet) => signed(figures(&measured, None, base, None), sheet),
            None => figures(&measured, reserve, base, named.holds()),
        });
        if let Some((figures, bytes)) = request.figures.as_mut().zip(region) {
            figures.lines.extend(guarantee(bytes, named.programs()));
            (figures.reserve, figures.guaranteed) = (bytes, true);
        }
    }
    let mut files = match (language, arguments.system) {
        (_, Some(system)) => system::emit(&request, system)?,
        (Language::C, None) => c::emit(&request)?,
        (Language::Rust, None) => rust::emit(&request)?,
        (Language::So, None) => preload::emit(&request)?,
    };
    let signed = sheet.map(|sheet| sheet.files).unwrap_or_default();
    files.extend(signed.iter().cloned());
    let linked = || preload::link(&Compiler::find()?, &request, &files);
    let library = (language == Language::So).then(linked).transpose()?;
    let written = write(&arguments.out, &files, library.as_ref());
    for path in written.map_err(|(path, error)| Failure::writing(&path, &error))? {
        note!("wrote {}", path.display());
    }
    if let Some(dir) = &arguments.evidence {
        evidence(arguments, language, &request, &signed, dir)?;
    }
    if arguments.size { sizes(arguments, &request) } else { Ok(()) }
}

/// Writes the folder with evidence of the heap, whose files are those that are emitted, and the sheet if there is one.
fn evidence(
    arguments: &Emit,
    language: Language,
    request: &Request,
    signed: &[File],
    dir: &Path,
) -> Result<(), Failure> {
    if language == Language::Rust {
        return Err(Failure::wrong_use(
            "--evidence is of a heap in C: leave out --lang rust, or emit the heap as C, too; it serves the same addresses",
        ));
    }
    if dir == arguments.out {
        return Err(Failure::wrong_use("--evidence and --out name the same folder: name one for the evidence"));
    }
    let mut files = evidence::emit(request, arguments.system)?;
    // The assertions say where the traces are, seen from the source.
    files.extend(signed.iter().filter(|file| file.name.ends_with("_sheet.txt")).cloned());
    let written = write(dir, &files, None).map_err(|(path, error)| Failure::writing(&path, &error))?;
    note!("wrote {} and {} more files: sh {}", written[0].display(), written.len() - 1, dir.join("run.sh").display());
    Ok(())
}

/// The language: C is that of every system.
fn language(arguments: &Emit) -> Result<Language, Failure> {
    let language = arguments.lang.unwrap_or(Language::C);
    match (language, arguments.system) {
        (Language::Rust, Some(system)) => Err(Failure::wrong_use(format!(
            "--for {} is C: leave out --lang rust. Rust firmware makes a global allocator of an emitted heap itself \
             (docs/guides/embedded-rust.md)",
            system.name()
        ))),
        (Language::So, Some(system)) => Err(Failure::wrong_use(format!(
            "--for {} is for firmware, and --lang so for programs of this machine: choose one of them",
            system.name()
        ))),
        _ => Ok(language),
    }
}

/// The heap with the alignment that a system has on microcontrollers of 32 bits. An allocator of the catalogue gets it, which
/// is said; what was typed or explored is not changed: its wrapper does not compile where the system wants more.
fn suited_to(named: &Named, system: System) -> Spec {
    let spec = named.spec.clone();
    if spec.alignment >= System::ALIGNMENT {
        return spec;
    }
    let (wanted, system, found) = (System::ALIGNMENT, system.name(), spec.alignment);
    if matches!(named.by, By::Name) {
        let suited = Spec { alignment: wanted, ..spec };
        note!("{system} aligns blocks to {wanted} bytes on processors of 32 bits: emitting {suited}");
        return suited;
    }
    note!(
        "blocks are multiples of {found} bytes: where {system} wants more, the wrapper does not compile; align={wanted} suits most"
    );
    spec
}

/// The heap as malloc has to be. An allocator of the catalogue becomes one, which is said; what was typed or explored is not
/// changed.
fn suited(named: &Named) -> Result<Spec, Failure> {
    match (preload::verify(&named.spec), &named.by) {
        (Err(EmitError::Unsuited { suited, .. }), By::Name) => {
            note!("malloc needs blocks that are multiples of 16 bytes: emitting {suited}");
            Ok(*suited)
        }
        (Err(EmitError::Unsuited { .. }), By::Exploration { dir, .. }) => Err(heap::unsuited_pick(dir, &named.spec)),
        (verified, _) => Ok(verified.map(|()| named.spec.clone())?),
    }
}

/// What is measured of the heap on traces, the coarsest alignment that they ask for, and the region to reserve.
type Replayed = (Vec<(String, Measures)>, u64, Option<Bytes>);

/// Replays the heap in the region to reserve, where one is: the one that was asked for, or as much as it takes.
fn replayed(arguments: &Emit, spec: &Spec, reserves: Option<Option<u64>>) -> Result<Replayed, Failure> {
    let mut traces = Vec::new();
    for path in &arguments.trace {
        let trace = input::stream_packed(path, &arguments.reading)?;
        input::announce(&trace);
        traces.push(trace);
    }
    let found = match reserves.filter(|_| spec.regions().is_none()) {
        Some(asked) => reserve_on(spec, &traces, asked)?,
        None => None,
    };
    let reserve = found.map(|(bytes, _)| bytes);
    let options = ReplayOptions { region: reserve, ..ReplayOptions::MEASURE };
    let measured = traces.iter().map(|trace| {
        let measures = replay(spec, trace, &mut Region::for_trace(trace)?, options)?;
        Ok((trace.name.clone(), measures))
    });
    let coarsest = traces.iter().map(PackedTrace::coarsest_alignment).max().unwrap_or(1);
    Ok((measured.collect::<Result<_, Failure>>()?, coarsest, reserve))
}

/// The figures to sign, on the traces. The C is that of the heap itself, with all parts of its interface.
fn worked_out(arguments: &Emit, named: &Named, request: &Request) -> Result<Sheet, Failure> {
    let subject = Subject::of(arguments, named)?;
    if subject.traces.is_empty() {
        note!(
            "the sheet has no figure of a program: name a recording of the firmware with --trace, or explore it and emit the folder"
        );
    }
    let c = match arguments.system {
        Some(system) => system::emit(request, system)?,
        None => c::emit(request)?,
    };
    let spinner = progress::spinner("working out the sheet");
    let sheet = sheet(&request.name, &request.spec, &subject, &c);
    spinner.finish_and_clear();
    sheet
}

/// Measures as lines for a comment, the region to reserve, and how the heap holds where a program differs from its trace.
fn figures(measured: &[(String, Measures)], reserve: Option<Bytes>, base: Option<u64>, holds: Option<&str>) -> Figures {
    let traces: Vec<&str> = measured.iter().map(|(name, _)| name.as_str()).collect();
    let lines = measured.iter().flat_map(|(name, measures)| {
        let heading = (measured.len() > 1).then(|| format!("{name}:"));
        let lines = [
            format!(
                "footprint     {} bytes at the peak for {} requested bytes: fragmentation {:.1}%",
                measures.footprint_peak.0,
                measures.requested_peak.0,
                measures.fragmentation() * 100.0
            ),
            format!(
                "accesses      mean {:.2}, p99 {}, max {} per operation, of {} operations",
                measures.accesses_per_operation(),
                measures.accesses.p99,
                measures.accesses.max,
                measures.operations
            ),
            format!("refused       {}", plural(measures.failed, "request", "requests")),
        ];
        heading.into_iter().chain(lines)
    });
    let holds = holds.into_iter().flat_map(|words| words.split("; ")).enumerate();
    let holds = holds.map(|(line, words)| format!("{:14}{words}", if line == 0 { "elsewhere" } else { "" }));
    let base_line = base.map(|base| {
        format!("base          a region whose address is a multiple of {base}; at others blocks may lie elsewhere, and take more")
    });
    let reserve_line =
        reserve.map(|bytes| format!("reserve       {} bytes of RAM, in which that was measured", bytes.0));
    let footprint = measured.iter().map(|(_, measures)| measures.footprint_peak.0).max().unwrap_or(0);
    Figures {
        traces: traces.join(", "),
        reserve: reserve.map_or(footprint, |bytes| bytes.0),
        guaranteed: false,
        base,
        lines: lines.chain(reserve_line).chain(base_line).chain(holds).collect(),
    }
}

/// The region that refuses nothing, and no program of which kind.
fn guarantee(bytes: u64, programs: Option<ProgramClass>) -> Vec<String> {
    let never = format!("guarantee     never refused in {bytes} bytes, by any program");
    let Some(ProgramClass { live, max_size, min_size, max_blocks, .. }) = programs else { return vec![never] };
    let blocks = plural(max_blocks, "block", "blocks");
    let kind = format!("with at most {live} bytes live in {blocks}, in requests of {min_size} to {max_size} bytes");
    vec![never, format!("{:14}{kind}", "")]
}

/// The same with what is signed.
fn signed(figures: Figures, sheet: &Sheet) -> Figures {
    let lines = figures.lines.into_iter().chain(sheet.lines.iter().cloned()).collect();
    Figures { reserve: sheet.reserve.unwrap_or(figures.reserve), lines, ..figures }
}

/// Compiles the C, which Rust is measured by too, and prints its sizes.
fn sizes(arguments: &Emit, request: &Request) -> Result<(), Failure> {
    let mut table = Table::new(&["target", "text", "calls", "data", "bss", "heap"]);
    let scratch = Scratch::new().map_err(|error| Failure::scratch(&error))?;
    for File { name, text, .. } in c::emit(request)? {
        scratch.write(name, text).map_err(|error| Failure::scratch(&error))?;
    }
    let dir = scratch.path();
    let source = dir.join(format!("{}.c", request.name.lower()));
    let calls = ["init", "allocate", "free"].map(|function| format!("{}_{function}", request.name.lower()));
    let measured = |target: &Target| {
        let whole = size(target, &source, &dir.join("heap.o"))?;
        Ok((whole, size_of(target, &calls, &source, &dir.join("calls.o"))?.text))
    };
    let (mut rows, mut missing) = (0, None);
    for target in &TARGETS {
        match measured(target) {
            Ok((whole, calls)) => {
                let heap = crate::table::heap(&request.spec.to_string());
                let [text_, calls, data, bss] = [whole.text, calls, whole.data, whole.bss].map(integer);
                rows += 1;
                table.row([text(target.name), text_, calls, data, bss, heap]);
            }
            Err(error @ SizeError::Missing { .. }) => {
                note!("no size for {}: {error}", target.name);
                missing = Some(error);
            }
            Err(error) => return Err(error.into()),
        }
    }
    match missing.filter(|_| rows == 0) {
        Some(error) => Err(error.into()),
        None => table.print(arguments.format),
    }
}
