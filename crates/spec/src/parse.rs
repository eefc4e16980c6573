//! Text to spec: recursive descent. Layers and options have files here; each pool is read by its file in `pool`.
//!
//! The grammar is in the crate's documentation. The parser checks it and notes where each
//! part is. [`crate::validate`] checks whether the numbers make a heap, for specs
//! that were never text as well.

pub(crate) mod cursor;
pub(crate) mod factor;
mod freelists;
pub(crate) mod keys;
mod layers;
mod options;
mod regions;
pub(crate) mod sizes;
mod spans;

use std::str::FromStr;

use crate::ast::{Guard, Layer, Spec};
use crate::catalogue;
use crate::error::SpecError;
use crate::lexer::Kind;
use crate::pool::POOLS;
use crate::problem::Problem;
use crate::validate::{self, Place};
use cursor::{Cursor, Result};

pub(crate) use cursor::Places;

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self> {
        let (spec, places) = read(text)?;
        match validate::first_fault(&spec) {
            None => Ok(spec),
            Some(fault) => Err(fault.at(&places, text)),
        }
    }
}

/// A layer's word and how to read what follows it.
type ReadLayer = fn(&mut Cursor<'_>) -> Result<Layer>;

/// The layers. A new one is a line here, a file in `parse` and its case in print and validate. Pools are in `pool`.
const LAYERS: &[(&str, ReadLayer)] = &[
    ("regions", |cursor| regions::read(cursor).map(Layer::Regions)),
    ("freelists", |cursor| freelists::read(cursor).map(Layer::FreeLists)),
    ("spans", |cursor| spans::read(cursor).map(Layer::Spans)),
    ("guard", |cursor| layers::guard(cursor).map(Layer::Guard)),
    ("reserve", |cursor| layers::reserve(cursor).map(Layer::Reserve)),
    ("zero", |_| Ok(Layer::Zero)),
];

/// The words that may begin a heap.
pub(crate) fn heap_words() -> impl Iterator<Item = &'static str> {
    let layers = LAYERS.iter().map(|(word, _)| *word);
    layers.chain(POOLS.iter().map(|(word, _)| *word))
}

/// The reader filed under a word.
fn find<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    let (_, reader) = table.iter().find(|(known, _)| *known == word)?;
    Some(*reader)
}

/// A spec that follows the grammar, valid or not, and the places of its parts.
pub(crate) fn read(text: &str) -> Result<(Spec, Places)> {
    let mut cursor = Cursor::new(text);
    let mut layers = Vec::new();
    let pool = loop {
        let word = heap_word(&cursor, layers.len())?;
        if let Some(read) = find(LAYERS, word) {
            cursor.layer = layers.len();
            cursor.note(Place::Layer(cursor.layer));
            cursor.advance();
            layers.push(read(&mut cursor)?);
        } else if let Some(read) = find(POOLS, word) {
            cursor.advance();
            break read(&mut cursor)?;
        } else {
            return Err(cursor.error(unknown_heap(word), heap_words()));
        }
    };
    let options = options::read(&mut cursor)?;
    let alignment = options.alignment.unwrap_or(options.word.bytes());
    if options.guarded && !layers.iter().any(|layer| matches!(layer, Layer::Guard(_))) {
        // Each region has a heap with a guard.
        let outermost = layers.iter().take_while(|layer| matches!(layer, Layer::Regions(_))).count();
        layers.insert(outermost, Layer::Guard(Guard::of_full()));
        cursor.places.insert_layer(outermost, Place::Check);
    }
    let options::SpecOptions { word, threads, purge, huge, check, .. } = options;
    let spec = Spec { layers, pool, word, alignment, threads, purge, huge, check };
    Ok((spec, cursor.places))
}

/// The word that names the next layer or the pool.
fn heap_word<'text>(cursor: &Cursor<'text>, layers: usize) -> Result<&'text str> {
    match cursor.peek() {
        Kind::Word(word) => Ok(word),
        Kind::End => Err(cursor.error(Problem::NoPool(layers), heap_words())),
        _ => Err(cursor.unexpected("a layer or a pool", heap_words())),
    }
}

fn unknown_heap(word: &str) -> Problem {
    let known_as_name = catalogue::entry(word).is_some();
    let known_as_option = options::is_option(word);
    let word = word.to_owned();
    if known_as_name {
        Problem::NameInSpec(word)
    } else if known_as_option {
        Problem::OptionBeforePool(word)
    } else {
        Problem::UnknownHeap(word)
    }
}
