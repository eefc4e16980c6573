//! The designs that an exploration prefers.
//!
//! | | among | by |
//! |---|---|---|
//! | [`Exploration::pick`] | what serves and keeps the constraints; in a wider space what is nowhere worse than the usual pick | traces and changed copies; `bounded`: proven numbers |
//! | [`Exploration::nominal_pick`] | what serves and keeps the constraints | the traces alone |
//! | [`Exploration::usual_pick`] | the usual part of a wider space | as the pick |
//! | [`Exploration::trading_pick`] | everything, without regard to the usual pick | as the pick |

use std::cmp::Ordering;

use heapsmith_limits::any_allocator;
use heapsmith_spec::Spec;

use crate::choice::Choice;
use crate::exploration::Exploration;
use crate::objective::{Objective, Objectives};
use crate::pick::{Preference, pick};
use crate::proven::{Form, Guaranteed, Near, Price, Proven, forms_with_region, proven, proven_region};
use crate::verdict::WORTH;

impl Exploration {
    /// The design that answers the question; none if no design serves and keeps the constraints.
    pub fn picked(&self) -> Option<usize> {
        self.pick(self.question.preference)
    }

    /// The preferred design: in a space that holds the usual one, the preferred of those that are nowhere worse
    /// than the usual pick in what is chosen. So a wider space never trades what the usual one already gives.
    pub fn pick(&self, preference: Preference) -> Option<usize> {
        let Some(standard) = self.usual_pick(preference) else { return self.choose(&self.points, preference) };
        let known = &self.points[standard];
        let no_worse = |point: &Objectives| {
            self.question.goal.objectives.iter().all(|&objective| point.get(objective) <= known.get(objective))
        };
        let mut points = self.points.clone();
        points.iter_mut().for_each(|point| point.excluded |= !no_worse(point));
        self.choose(&points, preference)
    }

    /// The preferred design by the values on the traces alone, without regard to changed copies: the best of its objective,
    /// or the knee.
    pub fn nominal_pick(&self, preference: Preference) -> Option<usize> {
        pick(&self.points, preference, self.balanced(), self.work())
    }

    /// What the work of designs is ranked by: metadata accesses, or the counted cost where that was asked for, or where
    /// nothing else was and the target has caches. Accesses, where the cost of no design is known.
    pub fn work(&self) -> Objective {
        let is_known = || self.points.iter().any(|point| point.get(Objective::Cost).is_finite());
        if self.asks_for_cost() && is_known() { Objective::Cost } else { Objective::Accesses }
    }

    /// Whether the counted cost is measured of what may be picked.
    pub(crate) fn asks_for_cost(&self) -> bool {
        let goal = &self.question.goal;
        goal.asks_for(Objective::Cost) || (self.target.caches && goal.objectives == Objective::FRONT)
    }

    /// The two objectives that the balanced pick weighs.
    pub(crate) fn balanced(&self) -> [Objective; 2] {
        let work = self.work();
        self.question.goal.balanced().map(|one| if one == Objective::Accesses { work } else { one })
    }

    /// What is proven of a design for every program that is as the traces, in the memory that there is.
    pub fn proven(&self, index: usize) -> Option<Proven> {
        self.proven_without_limit(index).filter(|proven| self.has_room(proven.region))
    }

    /// The same, with the accesses that hold until a request is refused where there is not as much memory as none needs.
    pub fn proven_without_limit(&self, index: usize) -> Option<Proven> {
        self.proven_of(&self.rows[index].design.spec)
    }

    /// As [`Exploration::proven_without_limit`], of any heap.
    pub(crate) fn proven_of(&self, spec: &Spec) -> Option<Proven> {
        proven(&self.programs, spec).filter(|proven| proven.is_until_refused || self.has_room(proven.region))
    }

    /// Bytes of a region in which a design refuses no program that is as the traces; none if no number is known, or it is more
    /// than there is.
    pub fn proven_region(&self, index: usize) -> Option<u64> {
        self.region_without_limit(index).filter(|&bytes| self.has_room(bytes))
    }

    /// The same, were there memory without end.
    pub fn region_without_limit(&self, index: usize) -> Option<u64> {
        proven_region(&self.programs, &self.rows[index].design.spec)
    }

    /// Bytes that some program which is as a trace makes *every* heap need that moves no block; none where a trace asks for nothing.
    pub fn any_allocator(&self) -> Option<u64> {
        let each = self.programs.iter().map(|programs| Some(any_allocator(programs.as_ref()?.class())));
        each.reduce(|a, b| Some(a?.max(b?)))?
    }

    /// Bytes that a region may have: as on the target, and as is asked for; none where nothing limits them.
    pub fn room(&self) -> Option<u64> {
        self.target.max_region.into_iter().chain(self.asked_region()).min()
    }

    fn has_room(&self, bytes: u64) -> bool {
        self.room().is_none_or(|room| bytes <= room)
    }

    /// The heap nearest to design `index` in memory and work of those that have a proven region, up to a quarter above it in
    /// either: another design, or a form of the same, where that was measured; of several that are as near, that with the
    /// least work.
    ///
    /// Cost: that of [`proven_region`](Self::proven_region) for every nearer design.
    pub fn nearest_with_region(&self, index: usize) -> Option<Guaranteed> {
        enum Candidate {
            Design(usize),
            Form(Form, Box<Spec>, u64),
        }
        let price = |values: &Objectives| Price::next_to(&self.points[index], values);
        let compared = (0..self.points.len()).filter(|&other| self.points[other].is_compared());
        let designs = compared.map(|other| (price(&self.points[other]), Candidate::Design(other)));
        let forms = self.forms_with_region(index).into_iter().filter_map(|(form, spec, region)| {
            let (_, values) = self.promised(&spec)?;
            Some((price(&values), Candidate::Form(form, Box::new(spec), region)))
        });
        // Of forms that cost as good as nothing the smallest region.
        let mut forms: Vec<(Price, Candidate)> = forms.collect();
        let region = |candidate: &Candidate| match candidate {
            Candidate::Form(.., region) => *region,
            Candidate::Design(_) => u64::MAX,
        };
        let cheap = forms.iter().filter(|(price, _)| price.beyond() == 0.0);
        if let Some(min) = cheap.map(|(_, form)| region(form)).min() {
            forms.retain(|(_, form)| region(form) == min);
        }
        let mut near: Vec<(Price, Candidate)> = designs.chain(forms).collect();
        near.retain(|(price, _)| price.beyond() <= 0.25);
        near.sort_by(|(a, _), (b, _)| a.beyond().total_cmp(&b.beyond()).then(a.work.total_cmp(&b.work)));
        near.into_iter().find_map(|(price, candidate)| match candidate {
            Candidate::Design(other) => {
                let (region, design) = (self.proven_region(other)?, &self.rows[other].design);
                Some(Guaranteed { heap: Near::Design(design.number), spec: design.spec.clone(), region, price })
            }
            Candidate::Form(form, spec, region) => {
                Some(Guaranteed { heap: Near::Form(form), spec: *spec, region, price })
            }
        })
    }

    /// Forms of a design without a proven region that have one, and that region.
    pub(crate) fn forms_with_region(&self, index: usize) -> Vec<(Form, Spec, u64)> {
        let mut forms = forms_with_region(&self.programs, &self.rows[index].design.spec);
        forms.retain(|&(_, _, bytes)| self.has_room(bytes));
        forms
    }

    /// Whether `bounded` has a pick whose proof is of the memory that there is: cheaper than to find it, as the first design that
    /// has one will do.
    pub fn has_bounded(&self) -> bool {
        self.with_bounds(&self.points).any(|(proven, _)| self.has_room(proven.region))
    }

    /// The preferred of the designs that these values do not exclude.
    fn choose(&self, points: &[Objectives], preference: Preference) -> Option<usize> {
        if preference == Preference::Bounded {
            return self.bounded(points);
        }
        let points = &self.serving_again(points);
        if self.question.robust {
            Choice { exploration: self, points, preference, work: self.work() }.make()
        } else {
            pick(points, preference, self.balanced(), self.work())
        }
    }

    /// Values that also exclude heaps that never join free neighbours, and so may refuse for ever what they served before;
    /// not where every heap that may be picked is one.
    fn serving_again(&self, points: &[Objectives]) -> Vec<Objectives> {
        let may_starve = |index: usize| self.rows[index].design.spec.may_starve();
        let is_candidate =
            |index: usize| !self.question.robust || self.robust.is_empty() || self.robust.held(index).is_some();
        let mut points = points.to_vec();
        let joins = |index: usize| points[index].is_compared() && is_candidate(index) && !may_starve(index);
        if (0..points.len()).any(joins) {
            points.iter_mut().enumerate().for_each(|(index, point)| point.excluded |= may_starve(index));
        }
        points
    }

    /// The design with the cheapest operation that is proven to be the most expensive one, of those that have a bound; of
    /// those that are as cheap within what is worth a change ([`WORTH`]) that with the smallest proven region, then the best on the
    /// traces. Bounds of memory that there is come first: else that of the operation holds until a request is refused.
    fn bounded(&self, points: &[Objectives]) -> Option<usize> {
        self.preferred_by_proof(points, 1).first().copied()
    }

    /// Those that [`bounded`](Self::bounded) prefers, this many at most.
    pub(crate) fn preferred_by_proof(&self, points: &[Objectives], count: usize) -> Vec<usize> {
        let mut proven: Vec<(Proven, usize)> = self.with_bounds(points).collect();
        proven.sort_by(|one, other| self.by_proof(points, one, other));
        if let Some(&(cheapest, _)) = proven.first() {
            let is_near = |(proven, _): &(Proven, usize)| {
                proven.accesses as f64 * (1.0 - WORTH) <= cheapest.accesses as f64
                    && self.has_room(proven.region) == self.has_room(cheapest.region)
            };
            let near = proven.iter().take_while(|one| is_near(one)).count();
            proven[..near].sort_by_key(|(proven, _)| proven.region);
        }
        proven.into_iter().take(count).map(|(_, index)| index).collect()
    }

    fn by_proof(&self, points: &[Objectives], (one, a): &(Proven, usize), (other, b): &(Proven, usize)) -> Ordering {
        use Objective::{Accesses, Fragmentation, MaxOp};
        let counted =
            [MaxOp, Fragmentation, Accesses].map(|each| points[*a].get(each).total_cmp(&points[*b].get(each)));
        let beyond = |proven: &Proven| !self.has_room(proven.region);
        let proven = beyond(one).cmp(&beyond(other)).then(one.cmp(other));
        counted.into_iter().fold(proven, Ordering::then)
    }

    /// The designs that have a bound, of those that these values do not exclude; every heap once.
    fn with_bounds(&self, points: &[Objectives]) -> impl Iterator<Item = (Proven, usize)> {
        let is_first = move |index: &usize| self.rows[*index].design.number == self.rows[*index].design.same_as;
        let compared = (0..points.len()).filter(move |&index| points[index].is_compared()).filter(is_first);
        compared.filter_map(move |index| Some((self.proven_without_limit(index)?, index)))
    }

    /// The preferred design of the usual space, where it is a part of a wider one.
    pub fn usual_pick(&self, preference: Preference) -> Option<usize> {
        self.choose(&self.usual_alone(self.points.clone())?, preference)
    }

    /// The preferred design of the usual space by these values, and by the knee over two objectives; its work is that of
    /// accesses.
    pub(crate) fn usual_pick_of(
        &self,
        points: Vec<Objectives>,
        preference: Preference,
        both: [Objective; 2],
    ) -> Option<usize> {
        pick(&self.usual_alone(points)?, preference, both, Objective::Accesses)
    }

    /// Values that exclude what is not of the usual space; none where that is not a part of a wider one.
    pub(crate) fn usual_alone(&self, mut points: Vec<Objectives>) -> Option<Vec<Objectives>> {
        if !self.families.are_wider(self.target) {
            return None;
        }
        for (point, row) in points.iter_mut().zip(&self.rows) {
            point.excluded |= !self.families.is_usual(&row.design, self.target);
        }
        Some(points)
    }

    /// The preferred design without regard to the usual pick, where that is another one: it trades.
    pub fn trading_pick(&self, preference: Preference) -> Option<usize> {
        let trading = self.choose(&self.points, preference)?;
        let same = |other: usize| self.rows[other].measures == self.rows[trading].measures;
        self.pick(preference).is_some_and(|pick| !same(pick)).then_some(trading)
    }
}
