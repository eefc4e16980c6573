//! Lines about the worst operation: in counted accesses, and in instructions of an emulated processor.

use heapsmith_emit::InstructionCounter;
use heapsmith_explore::Objective;
use heapsmith_report::thousands;
use heapsmith_spec::Spec;

use super::known::Known;
use super::lines::Lines;
use super::subject::Subject;

/// Adds them.
pub fn add(lines: &mut Lines, spec: &Spec, subject: &Subject, known: Option<&Known>) {
    let Some(known) = known else {
        lines.add("worst", "not known without a recording");
        return;
    };
    lines.add("worst", &worst(known));
    lines.add("instructions", &instructions(spec, subject));
}

/// In the region that is reserved, as in an answer of `explore`.
fn worst(known: &Known) -> String {
    let [max, p99] = [Objective::MaxOp, Objective::P99].map(|one| thousands(known.there.get(one) as u64));
    let proven = match (&known.proven, known.accesses) {
        (Some(proven), _) => format!(
            "at most {} proven for such programs in {} bytes",
            thousands(proven.accesses),
            thousands(proven.region)
        ),
        (None, Some(accesses)) => {
            format!("at most {} proven for such programs, until a request is refused", thousands(accesses))
        }
        (None, None) => "no number is proven".to_owned(),
    };
    format!(
        "{max} metadata accesses in one operation of what was recorded, p99 {p99}, in {} bytes; {proven}",
        thousands(known.reserve.0)
    )
}

fn instructions(spec: &Spec, subject: &Subject) -> String {
    let other = subject.target().filter(|target| !target.emulated);
    let other = other.map_or_else(String::new, |target| format!(" (there is no emulator for {})", target.name));
    match InstructionCounter::default().of(spec, &subject.traces) {
        Ok(Some(found)) => format!(
            "{} in the longest of the first {} operations, {:.1} on average, on an emulated Cortex-M3 with more RAM than it takes{other}. \
             Estimate, not measured: {} to {} cycles without wait states, as its Technical Reference Manual gives most \
             instructions 1 cycle, loads, stores and branches 2 or more; measure cycles on the board",
            thousands(found.max as u64),
            thousands(found.operations),
            found.mean,
            thousands(found.max as u64),
            thousands(2 * found.max as u64)
        ),
        Ok(None) => {
            "not counted: the heap cannot be emitted as C, or the emulated board's memory has no room for the trace"
                .to_owned()
        }
        Err(error) => format!("not counted: {error}"),
    }
}
