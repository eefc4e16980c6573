//! `tree(red-black, fit=best, split=always)` and `skiplist(seed=1, split=always)`

use super::cursor::{Cursor, Result};
use super::keys::{self, Key, Keys, equals};
use super::technique;
use crate::ast::{SkipList, Tree};
use crate::lexer::Kind;

const TREE: &[Key<Tree>] = &[
    Key { word: "fit", forms: &["fit="], read: |cursor, tree| equals(cursor, "fit").map(|fit| tree.fit = fit) },
    Key {
        word: "split",
        forms: technique::SPLIT_FORMS,
        read: |cursor, tree| technique::split(cursor).map(|split| tree.split = split),
    },
    Key {
        word: "coalesce",
        forms: technique::COALESCE_FORMS,
        read: |cursor, tree| technique::coalesce(cursor).map(|level| tree.coalesce = level),
    },
    Key { word: "tags", forms: &["tags="], read: |cursor, tree| equals(cursor, "tags").map(|tags| tree.tags = tags) },
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
    Key {
        word: "split",
        forms: technique::SPLIT_FORMS,
        read: |cursor, list| technique::split(cursor).map(|split| list.split = split),
    },
    Key {
        word: "coalesce",
        forms: technique::COALESCE_FORMS,
        read: |cursor, list| technique::coalesce(cursor).map(|level| list.coalesce = level),
    },
    Key { word: "tags", forms: &["tags="], read: |cursor, list| equals(cursor, "tags").map(|tags| list.tags = tags) },
];

/// A tree, whose balance stands first.
pub(super) fn tree(cursor: &mut Cursor<'_>) -> Result<Tree> {
    let mut tree = Tree::default();
    if !matches!(cursor.peek(), Kind::Open) {
        return Ok(tree);
    }
    let opened = cursor.open("tree")?;
    tree.balance = cursor.keyword("tree")?;
    Keys::new("tree", TREE).rest(cursor, opened, &mut tree)?;
    Ok(tree)
}

/// A skip list.
pub(super) fn skip_list(cursor: &mut Cursor<'_>) -> Result<SkipList> {
    let mut list = SkipList::default();
    keys::optional(cursor, "skiplist", SKIP_LIST, &mut list)?;
    Ok(list)
}
