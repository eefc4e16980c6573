//! `heapsmith plan`: an offset for every block whose lifetime is known, or pools of fixed blocks.

mod pools;
mod problem;

use std::sync::atomic::Ordering;

use heapsmith_emit::placed::{PlacedBlock, StaticPlan};
use heapsmith_emit::preload::LinkedLibrary;
use heapsmith_emit::{EmitError, File, Name, write};
use heapsmith_limits::PlacementEffort;
use heapsmith_limits::placement::{Solution, place_until};
use heapsmith_report::thousands;
use heapsmith_trace::plural;

use crate::args::{Format, Plan};
use crate::console::{self, note, say};
use crate::failure::Failure;
use crate::table::{Table, bytes, integer, text};
use crate::{interrupt, progress};
use problem::Problem;

pub fn run(arguments: &Plan) -> Result<(), Failure> {
    let name = Name::new(&arguments.name)?;
    if let Some(count) = arguments.pools {
        return pools::run(arguments, &name, count);
    }
    let problem = Problem::read(arguments)?;
    let stop = interrupt::catch();
    let spinner = progress::spinner("searching for a placement");
    let effort = PlacementEffort {
        work: arguments.effort.saturating_mul(1_000_000),
        target: arguments.capacity.unwrap_or(0),
        ..PlacementEffort::USUAL
    };
    let solution = place_until(&problem.lifetimes, effort, stop);
    spinner.finish_and_clear();
    let was_stopped = stop.load(Ordering::Relaxed);
    if let Some(capacity) = arguments.capacity.filter(|&capacity| capacity < solution.placement.footprint) {
        return Err(too_small(capacity, &problem, &solution, was_stopped));
    }
    let plan = StaticPlan {
        name,
        about: about(&problem, &solution),
        blocks: problem.placed(&solution.placement.offsets),
        bytes: solution.placement.footprint,
    };
    overlap_nowhere(&plan.blocks, plan.bytes).map_err(|wrong| Failure::job(format!("the plan is wrong: {wrong}")))?;
    write_plan(arguments, &plan)?;
    answer(arguments, &problem, &solution)?;
    match was_stopped {
        true => Err(Failure::interrupted("interrupted: the plan is the best that was found so far")),
        false => Ok(()),
    }
}

fn blocks(problem: &Problem) -> String {
    plural(problem.blocks(), "block", "blocks")
}

/// What was made and proven, for a comment.
fn about(problem: &Problem, solution: &Solution) -> Vec<String> {
    let footprint = thousands(solution.placement.footprint);
    vec![
        format!("{} of {} in {footprint} bytes.", blocks(problem), console::name(&problem.name)),
        proven(problem, solution, false),
    ]
}

/// What is known of placements that are lower.
fn proven(problem: &Problem, solution: &Solution, is_short: bool) -> String {
    let (footprint, min) = (solution.placement.footprint, solution.min);
    let why = if min == problem.lifetimes.live() { "peak live bytes" } else { "a search that ended" };
    match (solution.is_optimal, is_short) {
        (true, true) => format!("optimal: no placement needs less ({why})"),
        (true, false) => format!("It is optimal: no placement needs less, by {why}."),
        (false, short) => {
            let gap = (footprint as f64 / min.max(1) as f64 - 1.0) * 100.0;
            let min = thousands(min);
            match short {
                true => format!("none below {min} bytes ({why}): a gap of {gap:.2}%"),
                false => format!("No placement needs less than {min} bytes, by {why}: a gap of {gap:.2}%."),
            }
        }
    }
}

/// No placement within the capacity: what would do.
fn too_small(capacity: u64, problem: &Problem, solution: &Solution, was_stopped: bool) -> Failure {
    let footprint = thousands(solution.placement.footprint);
    let (min, given) = (thousands(solution.min), thousands(capacity));
    if was_stopped {
        return Failure::interrupted(format!(
            "interrupted before a placement in {given} bytes was found; one in {footprint} bytes was. Nothing is written"
        ));
    }
    let why = match solution.min == problem.lifetimes.live() {
        true => "blocks of that many bytes are live at once",
        false => "a search of all placements below has ended",
    };
    Failure::job(match (solution.min > capacity, solution.is_optimal) {
        (true, true) => format!(
            "--capacity {given} is too small: no placement needs less than {min} bytes, as {why}. \
             --capacity {} would do, which is proven to be the minimum",
            solution.placement.footprint
        ),
        (true, false) => format!(
            "--capacity {given} is too small: no placement needs less than {min} bytes, as {why}. \
             --capacity {} would do",
            solution.placement.footprint
        ),
        (false, _) => format!(
            "no placement in {given} bytes was found, but there may be one: {min} are needed, as {why}. \
             --capacity {} would do; or try an --effort above {}",
            solution.placement.footprint, problem.effort
        ),
    })
}

/// Looks for overlaps by the times of the input, which the solver does not see: what a bug of both it and its own
/// verification would have to pass.
fn overlap_nowhere(blocks: &[PlacedBlock], bytes: u64) -> Result<(), String> {
    let mut ends: Vec<(u64, bool, usize)> = Vec::with_capacity(2 * blocks.len());
    for (number, block) in blocks.iter().enumerate() {
        ends.extend([(block.upper, false, number), (block.lower, true, number)]);
    }
    ends.sort_unstable();
    let mut live = std::collections::BTreeMap::new();
    for (_, is_birth, number) in ends {
        let PlacedBlock { id, offset, size, alignment, .. } = &blocks[number];
        if !is_birth {
            live.remove(offset);
            continue;
        }
        let end = offset.checked_add(*size).filter(|&end| end <= bytes).ok_or(format!("{id} ends outside"))?;
        if !offset.is_multiple_of((*alignment).max(1)) {
            return Err(format!("{id} is not aligned"));
        }
        let below = live.range(..end).next_back();
        if let Some((_, (_, other))) = below.filter(|&(_, &(below_end, _))| below_end > *offset) {
            return Err(format!("{id} and {other} overlap"));
        }
        live.insert(*offset, (end, id));
    }
    Ok(())
}

fn write_plan(arguments: &Plan, plan: &StaticPlan) -> Result<(), Failure> {
    let mut files = vec![plan.csv()];
    match plan.c() {
        Ok(sources) => files.extend(sources),
        Err(error @ EmitError::TooManyBlocks { .. }) => note!("no C is written: {error}"),
        Err(error) => return Err(error.into()),
    }
    let tensors = plan.tensor_offsets();
    let tensors = tensors.inspect_err(|why| note!("no offsets for TensorFlow Lite Micro are written: {why}")).ok();
    let name = format!("{}_tflm.bin", plan.name.lower());
    put(arguments, &files, tensors.map(|bytes| LinkedLibrary { name, bytes }).as_ref())
}

/// Writes the files of a plan, and says so.
fn put(arguments: &Plan, files: &[File], binary: Option<&LinkedLibrary>) -> Result<(), Failure> {
    let input = arguments.trace.canonicalize().ok();
    let names = files.iter().map(|file| &file.name).chain(binary.map(|binary| &binary.name));
    for path in names.map(|name| arguments.out.join(name)) {
        if input.is_some() && path.canonicalize().ok() == input {
            return Err(Failure::wrong_use(format!(
                "cannot write {}: it is the input; choose another --out or --name",
                path.display()
            )));
        }
    }
    let written = write(&arguments.out, files, binary);
    for path in written.map_err(|(path, error)| Failure::writing(&path, &error))? {
        note!("wrote {}", path.display());
    }
    Ok(())
}

fn answer(arguments: &Plan, problem: &Problem, solution: &Solution) -> Result<(), Failure> {
    let footprint = solution.placement.footprint;
    if arguments.format != Format::Table {
        let mut table = Table::new(&[
            "trace",
            "blocks",
            "bytes",
            "capacity",
            "peak_live",
            "proven",
            "gap",
            "is_optimal",
            "method",
            "steps",
        ]);
        let gap = footprint as f64 / solution.min.max(1) as f64 - 1.0;
        table.row([
            text(problem.name.clone()),
            integer(problem.blocks()),
            integer(footprint),
            arguments.capacity.map_or_else(crate::table::none, integer),
            bytes(heapsmith_trace::Bytes(problem.lifetimes.live())),
            integer(solution.min),
            crate::table::percent(gap),
            text(if solution.is_optimal { "yes" } else { "no" }),
            text(solution.method.to_string()),
            integer(solution.work),
        ]);
        return table.print(arguments.format);
    }
    let within = arguments
        .capacity
        .map_or_else(String::new, |capacity| format!(", {} below the capacity", thousands(capacity - footprint)));
    say!("{}", console::name(&problem.name));
    say!("plan       {} in {} bytes{within}", blocks(problem), thousands(footprint));
    say!("peak live  {} bytes", thousands(problem.lifetimes.live()));
    say!("proven     {}", proven(problem, solution, true));
    say!("found by   {}, in {} steps", solution.method, thousands(solution.work));
    say!("verified   no two blocks that live at once overlap");
    Ok(())
}
