//! The numbers of one list of free blocks, with links and without.

use heapsmith_spec::{Coalescing, List, ListOrder, Splitting};

use super::{Chain, IndexPlan};

pub(in crate::plan) fn implicit(list: &List) -> IndexPlan {
    let index = IndexPlan::fitted(list.fit);
    let extra = index.counts || index.fit == "next";
    IndexPlan {
        kind: "implicit",
        file: "index/implicit.c",
        control_words: extra.into(),
        linked: index.counts,
        absorbs: index.fit == "next",
        checks: extra,
        ..index
    }
}

pub(in crate::plan) fn explicit(list: &List) -> IndexPlan {
    let index = IndexPlan::fitted(list.fit);
    let (order, order_text) = match list.order {
        ListOrder::Lifo => ("lifo", "last in, first out"),
        ListOrder::Fifo => ("fifo", "first in, first out"),
        ListOrder::Address | ListOrder::Implicit => ("address", "in the order of addresses"),
    };
    let by_address = order == "address";
    let splits = list.factors.split != Splitting::Never;
    let merges = matches!(list.factors.coalesce, Coalescing::Immediate | Coalescing::From(_));
    let tail = order == "fifo";
    let own = 1 + u64::from(tail);
    let chain = Chain {
        tail,
        front: order == "lifo",
        after: by_address,
        back: tail,
        unlink: true,
        replace: splits || by_address && merges,
    };
    let mut invariants = vec!["5   the free blocks are on the list, each once"];
    if by_address {
        invariants.push("6   the list is in the order of addresses");
    }
    invariants.extend(&index.invariants);
    IndexPlan {
        kind: "list",
        file: "index/list.c",
        control_words: own + u64::from(index.counts || index.fit == "next"),
        linked: true,
        locates: by_address && !list.factors.tags && merges,
        checks: true,
        order,
        order_text,
        extra: 2 + own,
        invariants,
        chain: Some(chain),
        ..index
    }
}
