//! The numbers of a fixed set of block sizes.

use heapsmith_spec::build::{classes_in_words, format, step_in_words};
use heapsmith_spec::{Classes, Spec};
use serde::Serialize;

use super::IndexPlan;
use crate::literal::unsigned;
use crate::plan::sizes::{Names, SizesPlan};

const NAMES: Names = Names { name: "class", what: "class", verb: "holds", none_name: "CLASSES" };

/// Classes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ClassesPlan {
    /// How many there are.
    classes: u64,
    /// Lists, with the one beyond.
    lists: u64,
    /// Words that blocks beyond are a multiple of.
    beyond: Option<String>,
    /// Which class serves a block.
    map: Option<SizesPlan>,
}

pub(in crate::plan) fn classes(classes: &Classes, spec: &Spec) -> IndexPlan {
    let rows = classes_in_words(spec, classes);
    let number = rows.len() as u64;
    let beyond = step_in_words(spec, classes).map(|words| words as u64);
    let lists = number + u64::from(beyond.is_some());
    IndexPlan {
        kind: "classes",
        file: "index/classes.c",
        control_words: lists,
        linked: true,
        by_size: true,
        checks: true,
        clears_all: true,
        rounds: true,
        finds_larger: true,
        classes: ClassesPlan {
            classes: number,
            lists,
            beyond: beyond.map(unsigned),
            map: Some(SizesPlan::of(NAMES, &rows, format(spec).granule)),
        },
        invariants: vec!["5   a block on a list is free, and of the list's size at least"],
        ..IndexPlan::default()
    }
}
