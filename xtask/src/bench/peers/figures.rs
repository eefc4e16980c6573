//! What is compared of one heap or peer on one trace.

use serde_json::Value;

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
