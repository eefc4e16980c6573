//! A red-black tree of free blocks by size, best fit.
//!
//! ```text
//!   node at    ┌────────────────────────┐           root (control word)
//!   SAME  +0   │ first of equal size, 0 │             │
//!   BACK  +1   │ parent │ 0 │ red       │            40 ──▶ 40 ──▶ 40   SAME
//!   LEFT  +2   │ smaller blocks         │           ╱  ╲
//!   RIGHT +3   │ larger blocks          │         24    96
//!              └────────────────────────┘
//! ```
//!
//! There is one node for each size; further blocks of the size are chained to it
//! ([`equals`](crate::index::equals)). A node that leaves while blocks hang at
//! the first of them takes its place, without rebalancing. The colour
//! lies next to the link to the parent, which has two bits to spare.
//!
//! # Invariants
//!
//! - **I5** Every node is a free block of at least a node's size, and is in the tree once.
//! - **I6** Blocks to the left of a node are smaller, to the right larger.
//! - **I7** The root is black, a red node has no red child, and every path down has as many black nodes.
//! - **I8** Every node names its parent; the parent of the root is 0. The chain of a node is in order.
//!
//! # Cost
//!
//! | operation | accesses | notes |
//! |---|---|---|
//! | find | 2 a level | + 1 or 2 for a block that hangs at the node |
//! | insert | 2 a level + O(1) amortized for colours, 2 rotations at most | |
//! | remove | O(log sizes), amortized O(1) for colours, 3 rotations at most | hanging blocks: 3 or 4 |
//!
//! A tree of n sizes has at most 2·log₂(n+1) levels.
//!
//! Sources: Guibas and Sedgewick 1978; Cormen, Leiserson, Rivest and Stein,
//! Introduction to Algorithms, ch. 13; Diamantstein et al., §2.2.6 (as an allocator).

use crate::block::{Span, words_of};
use crate::heap::Violation;
use crate::index::bin::Bin;
use crate::index::equals::{self, BACK, LISTED, OWN, SAME, back, link_of};
use crate::index::{Found, broken};
use crate::memory::Words;
use crate::policy::Policy;
use crate::sealed::Sealed;

const LEFT: usize = OWN;
const RIGHT: usize = OWN + 1;
/// `LEFT + RIGHT - side` is the other side.
const BOTH: usize = LEFT + RIGHT;
/// Status bit in `BACK`: the node is red.
const RED: usize = 1;

/// A red-black tree by size.
#[derive(Clone, Copy, Debug, Default)]
pub struct RedBlack;

/// A tree in each bin, or of all free blocks; the root is one word.
impl Sealed for RedBlack {}

impl Bin for RedBlack {
    /// Header, tag, SAME, BACK, LEFT and RIGHT.
    const NODE: usize = 2 + OWN + 2;

    fn words(self) -> usize {
        1
    }

    #[inline]
    fn is_empty<W: Words>(self, memory: &mut W, root: usize) -> bool {
        memory.load(root) == 0
    }

    #[inline]
    fn find<W: Words>(self, memory: &mut W, policy: &impl Policy, root: usize, need: usize) -> Result<Found, usize> {
        let mut best = None;
        let mut node = memory.load(root);
        while node != 0 {
            memory.visit();
            let header = memory.load(node - 1);
            let words = words_of(header);
            if words >= need {
                best = Some((node, header));
                if words == need {
                    break;
                }
            }
            node = memory.load(node + if words > need { LEFT } else { RIGHT });
        }
        let (node, header) = best.ok_or(0_usize)?;
        Ok(equals::easiest(memory, policy, node, header))
    }

    #[inline(always)]
    fn holds<W: Words>(memory: &mut W, block: usize) -> bool {
        equals::hold(memory, block)
    }

    #[inline]
    fn insert<W: Words>(self, memory: &mut W, root: usize, block: Span) {
        let (mut parent, mut link) = (0, root);
        loop {
            let node = memory.load(link);
            if node == 0 {
                break;
            }
            memory.visit();
            let words = words_of(memory.load(node - 1));
            if words == block.words {
                return equals::chain(memory, node, block.at);
            }
            link = node + if words > block.words { LEFT } else { RIGHT };
            parent = node;
        }
        memory.store(block.at + SAME, 0);
        memory.store(block.at + BACK, back(parent, RED));
        memory.store(block.at + LEFT, 0);
        memory.store(block.at + RIGHT, 0);
        memory.store(link, block.at);
        Tree { memory, root }.fix_up_red(block.at);
    }

    #[inline]
    fn remove<W: Words>(self, memory: &mut W, root: usize, block: Span) {
        let up = memory.load(block.at + BACK);
        if up & LISTED != 0 {
            return equals::unchain(memory, block.at, up);
        }
        let successor = memory.load(block.at + SAME);
        let mut tree = Tree { memory, root };
        if successor == 0 { tree.remove(block.at, up) } else { tree.hand_over(block.at, up, successor) }
    }

    fn check<W: Words>(
        self,
        memory: &W,
        root: usize,
        max: usize,
        holds: impl FnMut(&W, usize) -> Result<(), Violation>,
    ) -> Result<usize, Violation> {
        let node = memory.peek(root);
        if node != 0 && memory.peek(node + BACK) & RED != 0 {
            return Err(broken("I7: the root is red", node));
        }
        let mut checker = Checker { memory, max, seen: 0, holds };
        checker.subtree(node, 0, 0, usize::MAX, 0)?;
        Ok(checker.seen)
    }
}

/// The tree at `root`, being changed.
struct Tree<'m, W> {
    memory: &'m mut W,
    root: usize,
}

impl<W: Words> Tree<'_, W> {
    #[inline(always)]
    fn child(&mut self, node: usize, side: usize) -> usize {
        self.memory.load(node + side)
    }

    #[inline(always)]
    fn is_red(&mut self, node: usize) -> bool {
        node != 0 && self.memory.load(node + BACK) & RED != 0
    }

    /// Paints a node that has the other colour; `up` is its word `BACK`.
    #[inline(always)]
    fn repaint(&mut self, node: usize, up: usize) {
        self.memory.store(node + BACK, up ^ RED);
    }

    fn set_black(&mut self, node: usize) {
        let up = self.memory.load(node + BACK);
        self.memory.store(node + BACK, up & !RED);
    }

    fn set_red(&mut self, node: usize) {
        let up = self.memory.load(node + BACK);
        self.memory.store(node + BACK, up | RED);
    }

    /// Gives a node, or none, another parent; it keeps its colour.
    #[inline(always)]
    fn set_parent(&mut self, node: usize, parent: usize) {
        if node != 0 {
            let colour = self.memory.load(node + BACK) & RED;
            self.memory.store(node + BACK, back(parent, colour));
        }
    }

    /// On which side of `parent` its child `node` is.
    #[inline(always)]
    fn side_of(&mut self, parent: usize, node: usize) -> usize {
        if self.child(parent, LEFT) == node { LEFT } else { RIGHT }
    }

    /// Where `parent` named `old`, it names `new`.
    #[inline(always)]
    fn point_down(&mut self, parent: usize, old: usize, new: usize) {
        let link = if parent == 0 { self.root } else { parent + self.side_of(parent, old) };
        self.memory.store(link, new);
    }

    /// Moves `node` down to `side`; its child of the other side takes its place.
    fn rotate(&mut self, node: usize, side: usize) {
        let pivot = self.child(node, BOTH - side);
        let inner = self.child(pivot, side);
        let up = self.memory.load(node + BACK);
        self.memory.store(node + BOTH - side, inner);
        self.set_parent(inner, node);
        self.point_down(link_of(up), node, pivot);
        self.set_parent(pivot, link_of(up));
        self.memory.store(pivot + side, node);
        self.memory.store(node + BACK, back(pivot, up & RED));
    }

    /// Restores I7 above `node`, which is red and may have a red parent.
    fn fix_up_red(&mut self, mut node: usize) {
        loop {
            let up = self.memory.load(node + BACK);
            let parent = link_of(up);
            if parent == 0 {
                self.repaint(node, up);
                return;
            }
            let parent_up = self.memory.load(parent + BACK);
            if parent_up & RED == 0 {
                return;
            }
            // A red node is not the root (I7), so it has a parent.
            let grand = link_of(parent_up);
            let side = self.side_of(grand, parent);
            let uncle = self.child(grand, BOTH - side);
            if !self.is_red(uncle) {
                return self.lift(node, parent, grand, side);
            }
            self.repaint(parent, parent_up);
            self.set_black(uncle);
            self.set_red(grand);
            node = grand;
        }
    }

    /// Restores I7 where `node` and `parent` are red and the other child of `grand` is not.
    fn lift(&mut self, node: usize, parent: usize, grand: usize, side: usize) {
        let mut parent = parent;
        if self.child(parent, BOTH - side) == node {
            self.rotate(parent, side);
            parent = node;
        }
        self.set_black(parent);
        self.set_red(grand);
        self.rotate(grand, BOTH - side);
    }

    /// Puts `successor`, which hangs first at `node`, in its place.
    fn hand_over(&mut self, node: usize, up: usize, successor: usize) {
        self.memory.store(successor + BACK, up);
        for side in [LEFT, RIGHT] {
            let child = self.child(node, side);
            self.memory.store(successor + side, child);
            self.set_parent(child, successor);
        }
        self.point_down(link_of(up), node, successor);
    }

    /// Takes `node` out, at which nothing hangs; `up` is its word `BACK`.
    fn remove(&mut self, node: usize, up: usize) {
        let (left, right) = (self.child(node, LEFT), self.child(node, RIGHT));
        if left != 0 && right != 0 {
            return self.remove_inner(node, up, left, right);
        }
        let child = if left == 0 { right } else { left };
        let parent = link_of(up);
        let side = if parent == 0 { LEFT } else { self.side_of(parent, node) };
        self.memory.store(if parent == 0 { self.root } else { parent + side }, child);
        self.set_parent(child, parent);
        if up & RED == 0 {
            self.fix_up_black(child, parent, side);
        }
    }

    /// Takes `node` out, which has two children: the next larger node comes into its place.
    fn remove_inner(&mut self, node: usize, up: usize, left: usize, right: usize) {
        let mut next = right;
        loop {
            let smaller = self.child(next, LEFT);
            if smaller == 0 {
                break;
            }
            next = smaller;
        }
        let next_up = self.memory.load(next + BACK);
        let orphan = self.child(next, RIGHT);
        let (parent, side) = if next == right {
            (next, RIGHT)
        } else {
            let parent = link_of(next_up);
            self.memory.store(parent + LEFT, orphan);
            self.set_parent(orphan, parent);
            self.memory.store(next + RIGHT, right);
            self.set_parent(right, next);
            (parent, LEFT)
        };
        self.memory.store(next + LEFT, left);
        self.set_parent(left, next);
        self.point_down(link_of(up), node, next);
        self.memory.store(next + BACK, up);
        if next_up & RED == 0 {
            self.fix_up_black(orphan, parent, side);
        }
    }

    /// Restores I7 where the paths through `node`, on `side` of `parent`, lack a black node.
    fn fix_up_black(&mut self, mut node: usize, mut parent: usize, mut side: usize) {
        while parent != 0 && !self.is_red(node) {
            let mut sibling = self.child(parent, BOTH - side);
            if self.is_red(sibling) {
                self.set_black(sibling);
                self.set_red(parent);
                self.rotate(parent, side);
                sibling = self.child(parent, BOTH - side);
            }
            let (near, far) = (self.child(sibling, side), self.child(sibling, BOTH - side));
            let far_red = self.is_red(far);
            if far_red || self.is_red(near) {
                return self.borrow(parent, side, sibling, near, if far_red { far } else { 0 });
            }
            self.set_red(sibling);
            node = parent;
            parent = link_of(self.memory.load(node + BACK));
            if parent != 0 {
                side = self.side_of(parent, node);
            }
        }
        if node != 0 {
            self.set_black(node);
        }
    }

    /// Ends `fix_up_black`: a red child of the sibling gives its side's surplus; `far` is 0 where it is not red.
    fn borrow(&mut self, parent: usize, side: usize, mut sibling: usize, near: usize, mut far: usize) {
        if far == 0 {
            self.set_red(sibling);
            self.rotate(sibling, BOTH - side);
            (sibling, far) = (near, sibling);
        }
        let colour = self.memory.load(parent + BACK) & RED;
        let up = self.memory.load(sibling + BACK);
        self.memory.store(sibling + BACK, up & !RED | colour);
        self.set_black(parent);
        self.set_black(far);
        self.rotate(parent, side);
    }
}

/// Goes through a tree and verifies it.
struct Checker<'m, W, F> {
    memory: &'m W,
    max: usize,
    seen: usize,
    holds: F,
}

impl<W: Words, F: FnMut(&W, usize) -> Result<(), Violation>> Checker<'_, W, F> {
    /// Verifies the tree below `node`, whose sizes lie between `low` and `high`; returns its black height.
    fn subtree(
        &mut self,
        node: usize,
        parent: usize,
        low: usize,
        high: usize,
        depth: usize,
    ) -> Result<usize, Violation> {
        if node == 0 {
            return Ok(1);
        }
        if self.seen == self.max || depth > 2 * W::BITS {
            return Err(broken("I5: the tree has more blocks than are free (a cycle?)", node));
        }
        let words = words_of(self.memory.peek(node - 1));
        if words <= low || words >= high {
            return Err(broken("I6: a block is on the wrong side of a node", node));
        }
        let up = self.memory.peek(node + BACK);
        if link_of(up) != parent || up & LISTED != 0 {
            return Err(broken("I8: a node does not name its parent", node));
        }
        let red_above = parent != 0 && self.memory.peek(parent + BACK) & RED != 0;
        if red_above && up & RED != 0 {
            return Err(broken("I7: a red node has a red child", node));
        }
        (self.holds)(self.memory, node)?;
        self.seen += 1;
        let left = self.subtree(self.memory.peek(node + LEFT), node, low, words, depth + 1)?;
        let right = self.subtree(self.memory.peek(node + RIGHT), node, words, high, depth + 1)?;
        if left != right {
            return Err(broken("I7: the paths below a node differ in black nodes", node));
        }
        self.seen += equals::check(self.memory, Span { at: node, words }, self.max - self.seen, &mut self.holds)?;
        Ok(left + usize::from(up & RED == 0))
    }
}
