//! What is compared of one heap or peer on one trace.

use serde_json::Value;
use statrs::statistics::{Data, OrderStatistics};

/// Its figures.
#[derive(Clone, Debug)]
pub struct Figures {
    pub heap: String,
    pub ns_per_op: f64,
    /// Each round, in order.
    pub rounds: Vec<f64>,
    pub touched_page_overhead: f64,
    /// To the byte; peers have none.
    pub fragmentation: Option<f64>,
    pub refused: u64,
    pub events: u64,
}

impl Figures {
    /// Of a row that `replay --format json` printed.
    pub fn of(row: &Value) -> Result<Figures, String> {
        let number = |key: &str| row[key].as_f64().ok_or_else(|| format!("no {key} in {row}"));
        let rounds = row["ns_per_op_rounds"].as_array().ok_or("no rounds")?;
        Ok(Figures {
            heap: row["heap"].as_str().ok_or("no heap")?.to_owned(),
            ns_per_op: number("ns_per_op")?,
            rounds: rounds.iter().filter_map(Value::as_f64).collect(),
            touched_page_overhead: number("touched_page_overhead")?,
            fragmentation: row["fragmentation"].as_f64(),
            refused: number("refused")? as u64,
            events: number("events_replayed")? as u64,
        })
    }

    /// Its name without the prefix of peers.
    pub fn name(&self) -> &str {
        self.heap.strip_prefix("peer:").unwrap_or(&self.heap)
    }
}

/// The rows that several processes printed of the same heaps, as one: the first's, with the first `rounds` rounds of each process,
/// and the medians of those.
pub fn pooled(processes: Vec<Vec<Value>>, rounds: usize) -> Vec<Value> {
    let numbers = |row: &Value, key: &str| -> Vec<f64> {
        row[key].as_array().into_iter().flatten().filter_map(Value::as_f64).take(rounds).collect()
    };
    let mut rows = processes.first().cloned().unwrap_or_default();
    for (place, row) in rows.iter_mut().enumerate() {
        let all: Vec<f64> = processes.iter().flat_map(|rows| numbers(&rows[place], "ns_per_op_rounds")).collect();
        let nulls: Vec<f64> = processes.iter().filter_map(|rows| rows[place]["null_ns_per_op"].as_f64()).collect();
        row["ns_per_op"] = median(&all).into();
        row["null_ns_per_op"] = median(&nulls).into();
        row["ns_per_op_rounds"] = all.into();
    }
    rows
}

fn median(values: &[f64]) -> f64 {
    Data::new(values.to_vec()).median()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rounds_of_several_processes_are_pooled_heap_by_heap() {
        let process = |rounds: &[f64], null_allocator: f64| {
            let row = |heap: &str, more: f64| {
                let rounds: Vec<f64> = rounds.iter().map(|round| round + more).collect();
                json!({"heap": heap, "ns_per_op": 0.0, "null_ns_per_op": null_allocator, "ns_per_op_rounds": rounds})
            };
            vec![row("a", 0.0), row("b", 10.0)]
        };
        // The second process took another round of what disagreed: that is no round of all.
        let rows = pooled(vec![process(&[1.0, 3.0], 0.5), process(&[5.0, 2.0, 9.0], 0.7)], 2);
        assert_eq!(rows[0]["ns_per_op_rounds"], json!([1.0, 3.0, 5.0, 2.0]));
        assert_eq!((rows[0]["ns_per_op"].as_f64(), rows[1]["ns_per_op"].as_f64()), (Some(2.5), Some(12.5)));
        assert_eq!(rows[1]["null_ns_per_op"].as_f64(), Some(0.6));
        assert_eq!(rows[1]["heap"], "b");
    }
}
