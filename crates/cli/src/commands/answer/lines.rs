//! Lower bound, achieved, worst-case bound.

use heapsmith_trace::{Bytes, plural};

use super::Answer;

use crate::console::say;

impl Answer<'_> {
    /// Lower bound, achieved, worst-case bound.
    pub(super) fn reference_lines(&self) {
        let row = &self.exploration.rows[self.pick];
        for (lines, measures) in self.lines.iter().zip(self.exploration.measures_of(self.pick)) {
            let lower_bound = &lines.lower_bound;
            let beyond = |bytes: Bytes| (bytes.0 as f64 / lower_bound.live.0.max(1) as f64 - 1.0) * 100.0;
            let found = if lower_bound.is_optimal {
                "the optimal offline placement"
            } else {
                "the best offline placement found"
            };
            say!("\nBounds for {}", lines.trace);
            say!("  lower     {:>10}  peak live bytes", lower_bound.live.to_string());
            say!("            {:>10}  +{:.2}%, {found}", lower_bound.placed.to_string(), beyond(lower_bound.placed));
            let achieved = measures.footprint_peak;
            say!("  achieved  {:>10}  +{:.2}%, the pick", achieved.to_string(), beyond(achieved));
            let bound = lines.bound(&row.design.spec);
            match (bound.region, &lines.program) {
                (Some(bytes), Ok(program)) => say!(
                    "  bound     {:>10}  +{:.0}%, refuses no program with this peak, requests of {} to {}\n\
                     {:24}bytes and at most {} live\n\
                     {:24}{}\n{:24}{}",
                    Bytes(bytes).to_string(),
                    beyond(Bytes(bytes)),
                    program.min_size,
                    program.max_size,
                    "",
                    plural(program.max_blocks, "block", "blocks"),
                    "",
                    bound.formula,
                    "",
                    bound.source
                ),
                _ => say!("  bound           none  {}", bound.why_none),
            }
        }
    }
}
