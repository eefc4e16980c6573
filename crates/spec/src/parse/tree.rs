//! `tree(red-black, fit=best, split=always)` and `skiplist(seed=1, split=always)`

use super::cursor::{Cursor, Result};
use super::factor::key;
use super::keys::{self, Key, Keys, equals};
use crate::ast::{SkipList, Tree};
use crate::lexer::Kind;

const TREE: &[Key<Tree>] = &[
    Key { word: "fit", forms: &["fit="], read: |cursor, tree| equals(cursor, "fit").map(|fit| tree.fit = fit) },
    key!(split),
    key!(coalesce),
    key!(tags),
];

const SKIP_LIST: &[Key<SkipList>] = &[
    Key {
        word: "seed",
        forms: &["seed="],
        read: |cursor, list| {
            cursor.sign(&Kind::Equals, "=")?;
            cursor.number("a number").map(|seed| list.seed = seed)
        },
    },
    key!(split),
    key!(coalesce),
    key!(tags),
];

/// A tree, whose balance stands first.
pub(super) fn tree(cursor: &mut Cursor<'_>) -> Result<Tree> {
    let mut tree = Tree::default();
    if !matches!(cursor.peek(), Kind::Open) {
        return Ok(tree);
    }
    let opened = cursor.open("tree")?;
    tree.balance = cursor.keyword("tree")?;
    Keys::new("tree", TREE).remainder(cursor, opened, &mut tree)?;
    Ok(tree)
}

/// A skip list.
pub(super) fn skip_list(cursor: &mut Cursor<'_>) -> Result<SkipList> {
    let mut list = SkipList::default();
    keys::optional(cursor, "skiplist", SKIP_LIST, &mut list)?;
    Ok(list)
}
