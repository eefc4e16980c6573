//! Small programs that build structures of pointers and walk through them.
//!
//! ```text
//!   algorithm ──► nodes, as C structures ──► Program ──► trace
//!             └─► words read and written ──► its clock
//! ```
//!
//! Each is the real algorithm: it computes its result, and what it allocates on the way is
//! the trace. Written anew from the published descriptions of the programs, which are of the
//! Olden suite: A. Rogers, M. Carlisle, J. Reppy, L. Hendren, "Supporting dynamic data
//! structures on distributed-memory machines", ACM TOPLAS 17 (1995), and M. Carlisle, "Olden:
//! Parallelizing programs with dynamic data structures on distributed-memory machines", PhD
//! thesis, Princeton 1996.
//!
//! Sizes are those of C structures with pointers of `pointer` bytes. With 8 they are the mean
//! sizes that Li, Mohanty and Kavi report (Table III): 24 for treeadd, bisort and health,
//! 40 for a vertex of voronoi, 48 for perimeter.
//!
//! The Olden programs exit with their structures live; `free=yes` frees them in the order in
//! which a program would that walks through each structure once.

mod bisort;
mod health;
mod perimeter;
mod structure;
mod treeadd;
mod voronoi;

pub(crate) use bisort::WORKLOAD as BISORT;
pub(crate) use health::WORKLOAD as HEALTH;
pub(crate) use perimeter::WORKLOAD as PERIMETER;
pub(crate) use treeadd::WORKLOAD as TREEADD;
pub(crate) use voronoi::WORKLOAD as VORONOI;

use crate::error::LoadError;
use crate::settings::Settings;
use crate::workload::Parameter;

/// The parameter for the target's pointers.
const POINTER: Parameter =
    Parameter { name: "pointer", default: "8", about: "bytes of a pointer: 8, or 4 for a target of 32 bits" };

/// The parameter for what happens at the end.
const FREE: Parameter =
    Parameter { name: "free", default: "no", about: "yes frees everything at the end; the originals exit instead" };

/// Bytes of a pointer.
fn pointer(settings: &Settings) -> Result<u64, LoadError> {
    match settings.text(POINTER.name) {
        "4" => Ok(4),
        "8" => Ok(8),
        _ => Err(settings.bad(POINTER.name, "4 or 8")),
    }
}
