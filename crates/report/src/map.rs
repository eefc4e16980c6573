//! Maps of heaps: time × address, a rectangle for each block, the free memory below the footprint between them.
//!
//! ```text
//!   BlockLives ──whole────▶ every block: begin, end, offset, bytes   as base64 of 32-bit words ─┐
//!             └─sampled()─▶ a grid: runs of size classes by row      as text ───────────────────┴─map.js─▶ canvas
//! ```
//!
//! The page of an exploration has sampled maps: a cell shows what covers its middle. Bytes of a map on a page are at most a few
//! for each cell. The page of `replay --map` has every block, in 22 bytes.

use heapsmith_replay::{BlockLife, BlockLives};
use serde_json::{Value, json};

use crate::document::Page;
use crate::figure::inert;
use crate::html::{code, escape, section};
use crate::number::thousands;

/// Cells of a sampled map.
const COLUMNS: usize = 480;
const ROWS: usize = 240;

/// A heap with its blocks.
#[derive(Debug, Clone)]
pub struct Mapped {
    /// What it is called.
    pub name: String,
    /// Its spec.
    pub spec: String,
    /// Its blocks on the trace.
    pub blocks: BlockLives,
}

/// The page of whole maps, as the text of an HTML file.
pub fn maps(trace: &str, heaps: &[Mapped]) -> String {
    let blocks: u64 = heaps.iter().map(|heap| heap.blocks.lives.len() as u64).sum();
    let body = format!("<p>{} blocks. {HOW}</p>\n{}", thousands(blocks), figure(heaps, &|heap, _| whole(heap)));
    let sections = [section("map", "Heap map", &body)];
    let title = format!("Heap map of {trace}");
    let header = format!("<p class=\"kicker\">heapsmith replay --map</p>\n<h1>{}</h1>\n", escape(trace));
    Page { title: &title, header, answer: String::new(), sections: &sections }.html()
}

/// How a map is read.
const HOW: &str = "To the right: time, in events. Up: addresses. A block is as wide as its life and as high as its bytes; its colour \
                   is its size. Shaded: free memory below the footprint. Drag to zoom into all maps; double-click to show all.";

/// Sampled maps, as a part of a page.
pub fn sampled(heaps: &[Mapped]) -> String {
    format!(
        "<p>{HOW} Of each cell of {COLUMNS} × {ROWS} its middle is shown; <code>heapsmith replay --map FILE</code> draws every \
         block.</p>\n{}",
        figure(heaps, &grid)
    )
}

fn figure(heaps: &[Mapped], data: &dyn Fn(&Mapped, u64) -> Value) -> String {
    let top = heaps.iter().map(|heap| heap.blocks.peak().0).max().unwrap_or(0).max(1);
    let one = |heap: &Mapped| {
        let description = format!(
            "Map of {}: {} blocks over {} events, footprint at most {}",
            heap.name,
            thousands(heap.blocks.lives.len() as u64),
            thousands(heap.blocks.events),
            heap.blocks.peak()
        );
        let spec = if heap.spec == heap.name { String::new() } else { format!("<br>{}", code(&heap.spec)) };
        format!(
            "<figure class=\"map\"><div class=\"canvas\"><canvas role=\"img\" aria-label=\"{}\"></canvas></div>\n\
             <p class=\"ends note\"></p>\n\
             <figcaption><strong>{}</strong>, footprint at most {}{spec}</figcaption>\n\
             <script type=\"application/json\">{}</script></figure>\n",
            escape(&description),
            escape(&heap.name),
            heap.blocks.peak(),
            inert(&data(heap, top).to_string()),
        )
    };
    let maps: String = heaps.iter().map(one).collect();
    format!("<ul class=\"legend classes\" aria-label=\"Bytes of a block\"></ul>\n<div class=\"maps\">\n{maps}</div>\n")
}

/// What both forms have: the ends of the axes, and the footprint.
fn frame(heap: &Mapped, top: u64, footprint: &[(u64, u64)]) -> Value {
    json!({ "events": heap.blocks.events, "top": top, "footprint": footprint })
}

/// Every block, in order of begin, each as four words.
fn whole(heap: &Mapped) -> Value {
    let footprint: Vec<(u64, u64)> = heap.blocks.footprint.iter().map(|&(event, bytes)| (event, bytes.0)).collect();
    let top = heap.blocks.peak().0.max(1);
    // Bytes that a word counts, so that every address has one.
    let unit = (top >> 32) + 1;
    let words = heap.blocks.lives.iter().flat_map(|life| [life.begin, life.end, life.offset / unit, life.block / unit]);
    let bytes: Vec<u8> = words.flat_map(|word| (word as u32).to_le_bytes()).collect();
    let mut value = frame(heap, top, &footprint);
    value["unit"] = json!(unit);
    value["blocks"] = json!(base64(&bytes));
    value
}

/// A grid: for each row, from the lowest address, letters of size classes with how many cells they fill.
fn grid(heap: &Mapped, top: u64) -> Value {
    let blocks = &heap.blocks;
    let moment = |column: usize| (column as u64 * 2 + 1) * blocks.events / (2 * COLUMNS as u64);
    let middle = |row: usize| (row as u64 * 2 + 1) * top / (2 * ROWS as u64);
    let mut cells = vec![b'.'; COLUMNS * ROWS];
    for life in &blocks.lives {
        for column in
            covered(life.begin, life.end, blocks.events, COLUMNS).filter(|&column| life_is_at(life, moment(column)))
        {
            for row in covered(life.offset, life.offset + life.block, top, ROWS) {
                if (life.offset..life.offset + life.block).contains(&middle(row)) {
                    cells[row * COLUMNS + column] = class(life.block);
                }
            }
        }
    }
    let rows: Vec<String> = cells.chunks(COLUMNS).map(runs).collect();
    let mut footprint = Vec::with_capacity(COLUMNS);
    let mut changes = blocks.footprint.iter().peekable();
    let mut now = 0;
    for column in 0..COLUMNS {
        while let Some((_, bytes)) = changes.next_if(|(event, _)| *event <= moment(column)) {
            now = bytes.0;
        }
        footprint.push((column as u64 * blocks.events / COLUMNS as u64, now));
    }
    footprint.dedup_by_key(|&mut (_, bytes)| bytes);
    let mut value = frame(heap, top, &footprint);
    value["columns"] = json!(COLUMNS);
    value["rows"] = json!(rows);
    value
}

fn life_is_at(life: &BlockLife, moment: u64) -> bool {
    (life.begin..life.end).contains(&moment)
}

/// The cells that a stretch of `0..of` may reach, of `cells`.
fn covered(from: u64, to: u64, of: u64, cells: usize) -> std::ops::Range<usize> {
    let of = u128::from(of.max(1));
    let place = |at: u64| (u128::from(at) * cells as u128 / of) as usize;
    place(from)..(place(to) + 1).min(cells)
}

/// The class of a size, a letter for each power of two.
fn class(bytes: u64) -> u8 {
    b'a' + (bytes.max(1).ilog2() as u8).min(25)
}

/// `a3.2b`: three of a, two of nothing, one of b.
fn runs(cells: &[u8]) -> String {
    let mut text = String::new();
    for run in cells.chunk_by(|a, b| a == b) {
        text.push(run[0].into());
        if run.len() > 1 {
            text.push_str(&run.len().to_string());
        }
    }
    text
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits =
            three.iter().enumerate().fold(0_u32, |bits, (place, &byte)| bits | u32::from(byte) << (16 - 8 * place));
        for digit in 0..4 {
            let is_filled = digit <= three.len();
            text.push(if is_filled { DIGITS[(bits >> (18 - 6 * digit)) as usize & 63].into() } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use heapsmith_trace::Bytes;

    use super::*;

    fn heap() -> Mapped {
        let life = |begin, end, offset, block| BlockLife { begin, end, offset, block, requested: block };
        let lives = vec![life(0, 480, 0, 480), life(0, 1, 480, 480), life(240, 480, 480, 480)];
        let footprint = vec![(0, Bytes(960)), (1, Bytes(480)), (240, Bytes(960))];
        Mapped { name: "a <heap>".into(), spec: "list".into(), blocks: BlockLives { lives, footprint, events: 480 } }
    }

    #[test]
    fn a_grid_shows_what_covers_the_middle_of_a_cell() {
        let grid = grid(&heap(), 960);
        let rows = grid["rows"].as_array().expect("rows");
        assert_eq!(rows.len(), ROWS);
        assert_eq!(
            (&rows[0], &rows[ROWS - 1]),
            (&json!("i480"), &json!("i.239i240")),
            "the second block lives for one event"
        );
        assert_eq!(grid["footprint"], json!([[0, 960], [1, 480], [240, 960]]));
    }

    #[test]
    fn a_whole_map_has_every_block() {
        let page = maps("a <trace>", &[heap(), heap()]);
        assert!(page.contains("a &lt;heap&gt;") && !page.contains("a <heap>") && !page.contains("a <trace>"));
        let words = [[0, 480, 0, 480], [0, 1, 480, 480], [240, 480, 480, 480]];
        let bytes: Vec<u8> = words.as_flattened().iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
        assert_eq!(whole(&heap())["blocks"].as_str(), Some(base64(&bytes).as_str()));
        assert_eq!((base64(b"Man"), base64(b"Ma"), base64(b"M")), ("TWFu".into(), "TWE=".into(), "TQ==".into()));
    }
}
