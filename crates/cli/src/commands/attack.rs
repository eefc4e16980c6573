//! `heapsmith attack`: the program that hurts a heap or a reference allocator, compared with its bound, with what is printed of
//! it, and with what chance does.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use heapsmith_limits::attack::{Attack, AttackOptions, PeerTarget, attack, attack_peer, peer_region};
use heapsmith_limits::{AttackGoal, Bound, ProgramClass, Published, any_allocator, bound_of, published, published_of};
use heapsmith_output::Output;
use heapsmith_replay::{Extent, Reference, peer_child};
use heapsmith_spec::{Spec, resolve};
use heapsmith_trace::{Bytes, Origin};

use crate::args::{self, Format};
use crate::commands::limited::{self, Limited};
use crate::commands::pages;
use crate::console::{self, error, note};
use crate::failure::Failure;
use crate::quoted::quoted;
use crate::table::{Item, Table, flag, heap, integer, none, number, percent, text};
use crate::{interrupt, output, progress};

/// What is attacked.
enum Attacked {
    Heap(String, Box<Spec>),
    Peer(Reference),
}

pub fn run(arguments: &args::Attack) -> Result<(), Failure> {
    verify(arguments)?;
    let heaps = limited::heaps(&without_peers(&arguments.heap))?;
    let program = limited::programs(&arguments.programs, &heaps)?;
    let attacked = attacked(arguments, heaps)?;
    if let (Some(out), true) = (&arguments.out, attacked.len() > 1) {
        let out = out.display();
        return Err(Failure::wrong_use(format!(
            "{out} can hold the attack on one heap only: name one heap, or leave --out away"
        )));
    }
    let mut out = arguments.out.as_deref().map(|out| output::beside_text::<&Path>(out, [])).transpose()?;
    let stop = interrupt::catch();
    let mut table = Table::new(COLUMNS).hiding(&HIDDEN);
    let mut stopped = false;
    for one in &attacked {
        let found = found(one, program, arguments, stop)?;
        table.row(row(one, program, arguments, &found));
        tell(one, program, arguments, &found);
        if let Some(out) = out.take() {
            write(out, one, program, arguments, &found)?;
        }
        stopped |= found.stopped;
        if stopped {
            break;
        }
    }
    table.print(arguments.format)?;
    if arguments.format == Format::Table {
        console::note_text(LEGEND);
    }
    if stopped { Err(Failure::interrupted("interrupted: the best attack so far is shown")) } else { Ok(()) }
}

/// What this process is, when it was run to be a reference allocator.
pub fn child(arguments: &[String]) -> ExitCode {
    let code = match peer_child(arguments, &mut io::stdin().lock(), &mut console::pipe()) {
        Ok(()) => 0,
        Err(error) => {
            error!("{error}");
            1
        }
    };
    ExitCode::from(code)
}

/// What a goal or a target does not go with.
fn verify(arguments: &args::Attack) -> Result<(), Failure> {
    let args::Attack { goal, region, programs, heap, peers, .. } = arguments;
    if *goal == args::Aim::Refusal && region.is_none() {
        return Err(Failure::wrong_use(
            "--goal refusal is of a region: add --region with its bytes, as --region 48K; `heapsmith bound` prints one that refuses nothing",
        ));
    }
    let has_peer = !peers.is_empty() || without_peers(heap).len() < heap.len();
    if has_peer && *goal == args::Aim::Accesses {
        return Err(Failure::wrong_use(
            "the metadata accesses of reference allocators are not counted: --goal footprint or refusal attacks them",
        ));
    }
    if has_peer && (programs.reallocations || programs.align.is_some()) {
        return Err(Failure::wrong_use(
            "reference allocators are attacked by allocations and frees alone: leave --reallocations and --align out, or name only heaps",
        ));
    }
    Ok(())
}

fn without_peers(names: &[String]) -> Vec<String> {
    names.iter().filter(|name| !name.starts_with(heapsmith_peers::PREFIX)).cloned().collect()
}

/// The heaps, and the reference allocators as they were named.
fn attacked(arguments: &args::Attack, heaps: Vec<Limited>) -> Result<Vec<Attacked>, Failure> {
    let mut attacked: Vec<Attacked> =
        heaps.into_iter().map(|heap| Attacked::Heap(heap.name, Box::new(heap.spec))).collect();
    let among_heaps = arguments.heap.iter().filter_map(|name| name.strip_prefix(heapsmith_peers::PREFIX));
    for name in among_heaps.chain(arguments.peers.iter().map(String::as_str)) {
        attacked.push(reference(name)?);
    }
    Ok(attacked)
}

/// A reference allocator; those of FreeRTOS are specs that place as they do.
fn reference(name: &str) -> Result<Attacked, Failure> {
    let named = format!("freertos/{name}");
    if let Ok(spec) = resolve(&named) {
        return Ok(Attacked::Heap(named, Box::new(spec)));
    }
    let reference: Reference = name.parse().map_err(heapsmith_replay::SubjectError::from)?;
    if let Reference::Library(path) = &reference
        && !path.is_file()
    {
        return Err(Failure::bad_input(format!("there is no library {}", path.display())));
    }
    Ok(Attacked::Peer(reference))
}

fn goal(arguments: &args::Attack) -> AttackGoal {
    match arguments.goal {
        args::Aim::Footprint => AttackGoal::Footprint,
        args::Aim::Accesses => AttackGoal::Accesses,
        args::Aim::Refusal => AttackGoal::Refusal,
    }
}

/// The attack on one of them, with its bar.
fn found(
    attacked: &Attacked,
    program: ProgramClass,
    arguments: &args::Attack,
    stop: &AtomicBool,
) -> Result<Attack, Failure> {
    let goal = goal(arguments);
    let &args::Attack { seed, rounds, operations, .. } = arguments;
    let options = AttackOptions { goal, seed, rounds, operations, region: arguments.region.map(Bytes) };
    let bar = progress::attack_bar(&attacked.name());
    let progress = |at: heapsmith_limits::attack::Progress| {
        bar.set_length(at.all as u64);
        bar.set_position(at.tried as u64);
        bar.set_prefix(match goal {
            AttackGoal::Accesses => format!("{} accesses so far", at.best),
            AttackGoal::Refusal if at.best > u64::MAX / 2 => "refused".to_owned(),
            _ => format!("{} bytes so far", at.best),
        });
    };
    let found = match attacked {
        Attacked::Heap(_, spec) => attack(spec, program, options, stop, progress)?,
        Attacked::Peer(reference) => {
            let region = arguments.region.map_or_else(|| peer_region(program), Bytes);
            let (command, extent) = (pages::command()?, extent(reference, arguments.measure));
            let target = PeerTarget { command: &command, reference, extent, region };
            attack_peer(target, program, options, stop, progress)?
        }
    };
    bar.finish_and_clear();
    Ok(found)
}

/// What is the footprint of a reference allocator.
fn extent(reference: &Reference, measure: Option<args::Measure>) -> Extent {
    match (measure, reference) {
        (Some(args::Measure::Addresses), _) | (None, Reference::Library(_)) => Extent::Addresses,
        (Some(args::Measure::Pages), _) => Extent::Pages,
        (None, Reference::Peer(_)) if reference.has_region() => Extent::Addresses,
        (None, Reference::Peer(_)) => Extent::Pages,
    }
}

impl Attacked {
    fn name(&self) -> String {
        match self {
            Attacked::Heap(name, _) => name.clone(),
            Attacked::Peer(reference) => reference.to_string(),
        }
    }

    /// What it is, for those who repeat the attack.
    fn origin(&self) -> String {
        match self {
            Attacked::Heap(_, spec) => spec.to_string(),
            Attacked::Peer(Reference::Library(path)) => library(path),
            Attacked::Peer(reference) => format!("{reference} {}", reference.version()),
        }
    }

    /// What is printed of it, which is of allocations and frees at its own alignment.
    fn published(&self, program: ProgramClass) -> Option<Published> {
        match self {
            _ if program.reallocates || program.alignment > 1 => None,
            Attacked::Heap(_, spec) => published(spec, program),
            Attacked::Peer(reference) => published_of(reference, program),
        }
    }
}

/// The name of a library, without where it is.
fn library(path: &Path) -> String {
    PathBuf::from(path.file_name().unwrap_or_default()).display().to_string()
}

const COLUMNS: &[&str] = &[
    "heap",
    "operations",
    "live_peak",
    "footprint_peak",
    "bound",
    "of_bound",
    "published",
    "of_published",
    "of_any_allocator",
    "random_footprint",
    "times_random",
    "max",
    "max_bound",
    "random_max",
    "measure",
    "by",
];

/// What only programs get.
const HIDDEN: [&str; 6] = ["region", "refused", "refused_live", "random_refused", "reallocations", "align"];

fn row(attacked: &Attacked, program: ProgramClass, arguments: &args::Attack, found: &Attack) -> Vec<Item> {
    let (outcome, chance) = (&found.outcome, found.chance);
    let share = |value: u64, of: u64| value as f64 / of.max(1) as f64;
    let part = |of: Option<u64>| of.map_or_else(none, |of| percent(share(outcome.footprint, of)));
    let bound = match attacked {
        Attacked::Heap(_, spec) => Some(bound_of(spec, program)),
        Attacked::Peer(_) => None,
    };
    let proven = bound.as_ref().and_then(|bound| bound.footprint);
    let any = match &bound {
        Some(bound) => bound.any_allocator,
        None => Some(any_allocator(program)),
    };
    let printed = attacked.published(program).map(|printed| printed.bytes);
    let counted = |number: u64| if bound.is_some() { integer(number) } else { none() };
    vec![
        match attacked {
            Attacked::Heap(name, spec) if *name == spec.to_string() => heap(name),
            _ => text(attacked.name()),
        },
        integer(outcome.tape.steps.len() as u64),
        integer(outcome.live_peak),
        integer(outcome.footprint),
        proven.map_or_else(none, integer),
        part(proven),
        printed.map_or_else(none, integer),
        part(printed),
        part(any),
        integer(chance.footprint),
        number(share(outcome.footprint, chance.footprint), 2),
        counted(outcome.accesses_max),
        bound.as_ref().and_then(|bound| max_bound(bound, found)).map_or_else(none, integer),
        counted(chance.accesses_max),
        text(match attacked {
            Attacked::Heap(..) => "region",
            Attacked::Peer(reference) => match extent(reference, arguments.measure) {
                Extent::Addresses => "addresses",
                Extent::Pages => "pages",
            },
        }),
        text(&found.by),
        integer(found.region.0),
        outcome.refused.map_or_else(none, integer),
        outcome.refused.map_or_else(none, |_| integer(outcome.live)),
        integer(chance.refused as u64),
        flag(program.reallocates),
        integer(program.alignment),
    ]
}

/// Most accesses of an operation, where the region has room for the bound: else refusals may take more.
fn max_bound(bound: &Bound, found: &Attack) -> Option<u64> {
    let has_room = bound.room.is_none_or(|room| room <= found.region.0);
    bound.worst_case.either().filter(|_| has_room)
}

/// Says what a row does not: a formula that was exceeded, a refusal, a crash.
fn tell(attacked: &Attacked, program: ProgramClass, arguments: &args::Attack, found: &Attack) {
    let outcome = &found.outcome;
    let name = attacked.name();
    let done = outcome.tape.steps.len();
    if outcome.crashed {
        note!(
            "{name} crashed, or ended its process, after {done} operations: this program finds an error of the allocator"
        );
    }
    match (outcome.refused, arguments.goal) {
        (Some(size), args::Aim::Refusal) => {
            note!("{name} refused {size} bytes with {} bytes live, after {done} operations", outcome.live);
        }
        (Some(size), _) if arguments.region.is_some() => {
            note!("{name} refused {size} bytes in this region, which ended the program after {done} operations");
        }
        (None, args::Aim::Refusal) => note!("{name}: {}", unrefused(attacked, program, found)),
        _ => {}
    }
}

/// That no request was refused, and whether that is so of every program.
fn unrefused(attacked: &Attacked, program: ProgramClass, found: &Attack) -> String {
    let region = found.region.0;
    let proven = match attacked {
        Attacked::Heap(_, spec) => bound_of(spec, program).region,
        Attacked::Peer(_) => None,
    };
    match proven {
        Some(bytes) if bytes <= region => {
            format!("no request is refused in {region} bytes by any such program: {bytes} are proven to be enough")
        }
        _ => {
            let tried = found.tried + found.chance.programs;
            format!("none of {tried} programs is refused a request in {region} bytes, which proves nothing of others")
        }
    }
}

/// Below the table.
const LEGEND: &str = "
bound: the proven worst case (heapsmith bound); published: what the allocator's or another's documentation prints (docs:
worst cases of well-known allocators); measure: bytes of the region, the extent of the blocks' addresses, or pages touched;
of_any_allocator: share of Robson's lower bound for every allocator that
does not move blocks, without headers; random: the largest footprint of 45 random programs of the same length; max:
metadata accesses of the most expensive operation.
";

fn write(
    output: Output,
    attacked: &Attacked,
    program: ProgramClass,
    arguments: &args::Attack,
    found: &Attack,
) -> Result<(), Failure> {
    let mut origin = Origin::new("attack", attacked.origin());
    let settings = [
        ("max_live", program.live.to_string()),
        ("max_size", program.max_size.to_string()),
        ("min_size", program.min_size.to_string()),
        ("max_blocks", program.max_blocks.to_string()),
        ("reallocations", program.reallocates.to_string()),
        ("align", program.alignment.to_string()),
        ("region", found.region.0.to_string()),
        ("goal", goal(arguments).name().to_owned()),
        ("seed", arguments.seed.to_string()),
        ("rounds", arguments.rounds.to_string()),
        ("by", found.by.clone()),
    ];
    origin.settings = settings.map(|(key, value)| (key.to_owned(), value)).to_vec();
    let out = output.path().to_owned();
    let mut tape = found.outcome.tape.clone();
    if arguments.goal == args::Aim::Refusal {
        let outcome = &found.outcome;
        tape.refused(outcome.refused.map(|size| (size, outcome.alignment)));
    }
    tape.trace(origin).write_to(output)?;
    let out = quoted(&out);
    let steps = tape.steps.len();
    let region = arguments.region.map_or_else(String::new, |bytes| format!(" --region {bytes}"));
    match attacked {
        Attacked::Heap(_, spec) => {
            note!("{steps} operations written to {out}; heapsmith replay {out} --heap '{spec}'{region}");
        }
        Attacked::Peer(Reference::Peer(peer)) => {
            note!("{steps} operations written to {out}; heapsmith replay {out} --heap {peer}{region}");
        }
        Attacked::Peer(Reference::Library(_)) => note!("{steps} operations written to {out}"),
    }
    Ok(())
}
