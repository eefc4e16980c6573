//! Several regions in C: the heap of one of them, and what routes requests and blocks before it.
//!
//! ```text
//!   NAME_region.h, NAME_region.c    the heap that is in each region, as it is emitted for one (the parent module)
//!   NAME.h, NAME.c                  an array of these: a base and a length each (templates in c/regions)
//! ```
//!
//! So what is said, tested and linted of a heap in one region holds for each of several. Regions are distinguished by address, as
//! `heapsmith::Regions` does, and may have other sizes than those that were explored.

use heapsmith_spec::Regions;
use serde::Serialize;

use crate::literal::{lines, unsigned};
use crate::plan::{Bounds, Plan};
use crate::{EmitError, Extra, Figures, File, Name, Request};

/// Parts of the interface that several regions have together.
const EXTRAS: &[Extra] = &[Extra::Owns, Extra::Calloc, Extra::Walk, Extra::Trim, Extra::OutOfMemory];

/// What the templates write.
#[derive(Clone, Debug, Serialize)]
struct RegionsPlan {
    name: String,
    n: String,
    #[serde(rename = "N")]
    upper: String,
    /// The heap of a region.
    part: String,
    #[serde(rename = "PART")]
    part_upper: String,
    version: &'static str,
    spec_lines: Vec<String>,
    figures: Option<Figures>,
    promise: Bounds,
    word: u32,
    promised: u32,
    tells: bool,
    reserves: bool,
    extras: Vec<Extra>,
    regions: Vec<RegionPlan>,
}

/// One region.
#[derive(Clone, Debug, Serialize)]
struct RegionPlan {
    name: String,
    upper: String,
    size: u64,
    cost: u32,
    up_to: Option<u64>,
    /// The largest request that begins in it, as a constant.
    limit: String,
}

/// The headers and sources of a heap in `regions`.
pub(crate) fn emit(request: &Request, regions: &Regions) -> Result<Vec<File>, EmitError> {
    Extra::verify_of_regions(&request.extras, EXTRAS)?;
    let part = part(request)?;
    let mut files = super::emit(&part)?;
    let plan = plan(request, &part, regions)?;
    let nameless = Request { name: Name::new(super::NAMELESS)?, ..request.clone() };
    let source = super::render("regions/heap.c", &self::plan(&nameless, &self::part(&nameless)?, regions)?)?;
    let name = request.name.lower();
    if let Some(taken) = super::taken(&source, name) {
        return Err(EmitError::Taken { name: name.to_owned(), taken });
    }
    for (end, template) in [(".h", "regions/heap.h"), (".c", "regions/heap.c")] {
        files.push(File::new(format!("{name}{end}"), super::render(template, &plan)?));
    }
    Ok(files)
}

/// The heap of one region, which has a name of its own.
fn part(request: &Request) -> Result<Request, EmitError> {
    let name = Name::new(&format!("{}_region", request.name.lower()))?;
    // What was measured is of all regions.
    let figures = request.figures.clone().map(|figures| Figures {
        lines: vec![format!("all regions together: see {}.h", request.name.lower())],
        ..figures
    });
    let extras = request.extras.iter().copied().filter(|extra| part_has(*extra)).collect();
    Ok(Request { spec: request.spec.in_one_region(), name, figures, extras })
}

/// Whether the heap of a region has the part too, or all regions have it by themselves.
fn part_has(extra: Extra) -> bool {
    !matches!(extra, Extra::Calloc | Extra::OutOfMemory)
}

fn plan(request: &Request, part: &Request, regions: &Regions) -> Result<RegionsPlan, EmitError> {
    let of_part = Plan::of(part)?;
    let each = regions.regions.iter().map(|region| {
        let limit = match region.up_to {
            None => "SIZE_MAX".to_owned(),
            Some(bytes) if bytes <= u32::MAX.into() => unsigned(bytes),
            Some(bytes) => {
                return Err(EmitError::NotYet { part: format!("up-to={bytes}, above 4 GiB,"), language: "C" });
            }
        };
        let (name, upper) = (region.name.clone(), region.name.to_uppercase());
        Ok(RegionPlan { name, upper, size: region.size, cost: region.cost, up_to: region.up_to, limit })
    });
    Ok(RegionsPlan {
        name: request.name.lower().to_owned(),
        n: request.name.lower().to_owned(),
        upper: request.name.upper(),
        part: part.name.lower().to_owned(),
        part_upper: part.name.upper(),
        version: env!("CARGO_PKG_VERSION"),
        spec_lines: lines(&request.spec.to_string(), 88),
        figures: request.figures.clone(),
        promise: Bounds::of(&request.spec),
        word: request.spec.word.bytes(),
        promised: of_part.promised(),
        tells: of_part.tells(),
        reserves: of_part.reserves(),
        extras: request.extras.clone(),
        regions: each.collect::<Result<_, EmitError>>()?,
    })
}
