//! How plain a design is: of designs that do alike the plainest is taken.
//!
//! | counts | |
//! |---|---|
//! | a layer | one each |
//! | splitting | one for a threshold, one for never; one for a smallest remainder |
//! | coalescing | one for anything but joining at each free |
//! | boundary tags | one for none |
//! | the fit | one for a best fit of a part of the list, and for worst fit |
//!
//! Of designs that count alike the one with fewer free lists is plainer.

use heapsmith_spec::{Coalescing, Fit, Layer, Pool, Spec, Splitting};

/// The less, the plainer: levels off their default, then free lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Plainness {
    levels: usize,
    lists: u64,
}

impl Plainness {
    pub fn of(spec: &Spec) -> Plainness {
        let factors = spec.pool.factors().map_or(0, |factors| {
            usize::from(factors.split != Splitting::Always)
                + usize::from(factors.remainder > 0)
                + usize::from(factors.coalesce != Coalescing::Immediate)
                + usize::from(!factors.tags)
        });
        let fit = match &spec.pool {
            Pool::List(list) => usize::from(!matches!(list.fit, Fit::First | Fit::Next | Fit::BEST)),
            _ => 0,
        };
        let lists = spec.layers.iter().map(|layer| match layer {
            Layer::FreeLists(lists) => lists.sizes.iter().map(|sizes| sizes.lists()).sum(),
            _ => 0,
        });
        Plainness { levels: spec.layers.len() + factors + fit, lists: lists.sum() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_layers_and_lists_are_less_plain() {
        let plain = |spec: &str| Plainness::of(&spec.parse().expect("a spec"));
        let ascending = [
            "list(order=address, fit=first)",
            "list(order=address, fit=first, coalesce>=48)",
            "list(order=address, fit=first, split=never, coalesce>=48)",
            "freelists(16) list(order=address, fit=best(40%), split=never, coalesce>=48)",
            "freelists(16,32) list(order=address, fit=best(40%), split=never, coalesce>=48)",
        ];
        assert!(ascending.windows(2).all(|pair| plain(pair[0]) < plain(pair[1])), "{ascending:?}");
        assert_eq!(plain("list(fit=best)"), plain("list(fit=first)"));
        assert_eq!(plain("tlsf"), plain("list"));
    }
}
