//! Simulates a country's health care: patients go from hospital to hospital.
//!
//! ```text
//!             village                 every village has a hospital and, above the lowest
//!           ╱  ╱  ╲  ╲                level, four villages below it
//!    village …        village
//!
//!   patient ─► waiting ─► assess ─┬─► inside ─► healed
//!      (staff is free)            └─► up: to the village above
//! ```
//!
//! What is allocated when:
//!
//! | block | size | from | to |
//! |---|---|---|---|
//! | village | four villages, parent, staff, heads of its four lists, label, seed | start | end |
//! | patient | visits, time, time left, home: 24 (16) | falls ill, in a village of the lowest level | healed |
//! | place in a list | next, previous, patient: 24 (12) | the patient joins the list | leaves it |
//!
//! Sizes in brackets are with pointers of 4. In a step of time, each village first takes
//! whom the villages below sent up, then looks after those inside (10 steps), in assessment
//! (3 steps; then one in ten is sent up, the others stay, and at the top everybody does), and
//! in the waiting list (whom staff is free for goes to assessment); and in a third of the steps
//! somebody falls ill. A village of level n has 2^(n - 1) people of staff, the lowest being
//! level 1. Who comes is more than the lowest level can look after, so waiting lists grow, and
//! most of the work is to walk through them. The times and shares are this workload's own: the descriptions name the
//! stations, not their durations.
//!
//! Source: G. Lomow, J. Cleary, B. Unger, D. West, "A performance study of Time Warp", SCS
//! Multiconference on Distributed Simulation (1988), the Colombian health care simulation;
//! Olden (see [`super`]), program health, which Li, Mohanty and Kavi run with 5 levels and 500
//! steps.

use std::collections::VecDeque;

use super::structure::{Field, size};
use super::{FREE, POINTER, pointer};
use crate::error::LoadError;
use crate::program::Recorder;
use crate::settings::Settings;
use crate::tape::{Block, Site, Tape};
use crate::workload::{NOTHING, Parameter, Run, SEED, Workload};
use heapsmith_trace::Draws;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "health",
    about: "simulates hospitals that patients wait in, are assessed in, and are sent on from",
    source: "Lomow, Cleary, Unger, West: A performance study of Time Warp, SCS Multiconference (1988); \
             Rogers, Carlisle, Reppy, Hendren: Olden, ACM TOPLAS 17 (1995), program health",
    input: NOTHING,
    parameters: &[
        Parameter { name: "levels", default: "4", about: "levels of villages; 5 in Li, Mohanty, Kavi (2006)" },
        Parameter { name: "steps", default: "500", about: "steps of time that are simulated" },
        SEED,
        POINTER,
        FREE,
    ],
    formats: &[],
    run: Run::Alone(run),
};

/// Steps that an assessment takes.
const ASSESSMENT: u64 = 3;
/// Steps that a treatment takes.
const TREATMENT: u64 = 10;
/// How many of those assessed are sent up.
const SENT_UP: f64 = 0.1;
/// How often somebody falls ill in a village of the lowest level.
const ILL: f64 = 1.0 / 3.0;

fn run<'s>(settings: &mut Settings, tape: Tape<'s>) -> Result<Tape<'s>, LoadError> {
    let levels = settings.number("levels", 1, 8, "levels from 1 to 8")?;
    let steps = settings.number("steps", 1, 100_000, "steps from 1 to 100000")?;
    let draws = Draws::new(settings.seed()?);
    let sizes = Sizes::of(pointer(settings)?);
    let frees = settings.switch(FREE.name)?;
    let mut country = Country::new(Recorder::with_work(tape), sizes, draws);
    let mut top = country.build(levels);
    country.program.mark("villages built");
    for _ in 0..steps {
        if country.program.is_full() {
            break;
        }
        // At the top everybody stays, so nobody comes up from there.
        country.step(&mut top, true);
    }
    country.program.mark(&format!("{} fell ill, {} healed", country.ill, country.healed));
    if frees {
        country.free(top);
    }
    Ok(country.program.end())
}

#[derive(Debug, Clone, Copy)]
struct Sizes {
    village: u64,
    patient: u64,
    place: u64,
}

impl Sizes {
    fn of(pointer: u64) -> Sizes {
        use Field::{Int, Pointer};
        // Villages below and above; staff, free staff, label, seed; first and last of four lists.
        let village = [[Pointer; 5].as_slice(), &[Int; 4], &[Pointer; 8]].concat();
        Sizes {
            village: size(pointer, &village),
            patient: size(pointer, &[Int, Int, Int, Pointer]),
            place: size(pointer, &[Pointer; 3]),
        }
    }
}

struct Patient {
    block: Block,
    left: u64,
}

/// A place in a list with who is in it.
struct Place {
    block: Block,
    patient: Patient,
}

type List = VecDeque<Place>;

struct Village {
    block: Block,
    below: Vec<Village>,
    free_staff: u64,
    waiting: List,
    assess: List,
    inside: List,
    up: List,
}

struct Country<'s> {
    program: Recorder<'s>,
    village_site: Site,
    patient_site: Site,
    place_site: Site,
    sizes: Sizes,
    draws: Draws,
    ill: u64,
    healed: u64,
}

impl<'s> Country<'s> {
    fn new(mut program: Recorder<'s>, sizes: Sizes, draws: Draws) -> Country<'s> {
        let [village_site, patient_site, place_site] =
            ["village", "patient", "place in a list"].map(|name| program.site(name));
        Country { program, village_site, patient_site, place_site, sizes, draws, ill: 0, healed: 0 }
    }

    fn build(&mut self, level: u64) -> Village {
        let block = self.program.allocate(self.village_site, self.sizes.village);
        self.program.work(17);
        let below = if level > 1 { (0..4).map(|_| self.build(level - 1)).collect() } else { Vec::new() };
        let empty = List::default;
        let (waiting, assess, inside, up) = (empty(), empty(), empty(), empty());
        Village { block, below, free_staff: 1 << (level - 1), waiting, assess, inside, up }
    }

    /// A step of time in a village and all below it.
    fn step(&mut self, village: &mut Village, is_top: bool) {
        self.program.work(4);
        for index in 0..village.below.len() {
            self.step(&mut village.below[index], false);
        }
        for index in 0..village.below.len() {
            while let Some(patient) = self.leave(&mut village.below[index].up, 0) {
                self.join(&mut village.waiting, patient);
            }
        }
        self.treat(village);
        self.assess(village, is_top);
        self.admit(village);
        if village.below.is_empty() && self.draws.happens(ILL) {
            let block = self.program.allocate(self.patient_site, self.sizes.patient);
            self.program.work(4);
            self.ill += 1;
            self.join(&mut village.waiting, Patient { block, left: 0 });
        }
    }

    /// Whose treatment is over goes home.
    fn treat(&mut self, village: &mut Village) {
        for index in self.due(&mut village.inside) {
            if let Some(patient) = self.leave(&mut village.inside, index) {
                self.program.free(patient.block);
                self.healed += 1;
                village.free_staff += 1;
            }
        }
    }

    /// Whose assessment is over stays, or is sent up.
    fn assess(&mut self, village: &mut Village, is_top: bool) {
        for index in self.due(&mut village.assess) {
            let Some(mut patient) = self.leave(&mut village.assess, index) else {
                continue;
            };
            if !is_top && self.draws.happens(SENT_UP) {
                village.free_staff += 1;
                self.join(&mut village.up, patient);
            } else {
                patient.left = TREATMENT;
                self.join(&mut village.inside, patient);
            }
        }
    }

    /// Whom staff is free for is assessed.
    fn admit(&mut self, village: &mut Village) {
        // Everybody who waits counts the step: next, patient and time.
        self.program.work(4 * village.waiting.len() as u64);
        while village.free_staff > 0
            && let Some(mut patient) = self.leave(&mut village.waiting, 0)
        {
            village.free_staff -= 1;
            patient.left = ASSESSMENT;
            self.join(&mut village.assess, patient);
        }
    }

    /// Counts a step for everybody in a list; gives the places of whom it was the last for,
    /// the last place first.
    fn due(&mut self, list: &mut List) -> Vec<usize> {
        // Next and patient of each place, the time left read and written.
        self.program.work(4 * list.len() as u64);
        list.iter_mut().for_each(|place| place.patient.left -= 1);
        let due = list.iter().enumerate().filter(|(_, place)| place.patient.left == 0);
        let mut due: Vec<usize> = due.map(|(index, _)| index).collect();
        due.reverse();
        due
    }

    fn join(&mut self, list: &mut List, patient: Patient) {
        let block = self.program.allocate(self.place_site, self.sizes.place);
        self.program.work(6);
        list.push_back(Place { block, patient });
    }

    fn leave(&mut self, list: &mut List, index: usize) -> Option<Patient> {
        self.program.work(1);
        let place = list.remove(index)?;
        self.program.work(5);
        self.program.free(place.block);
        Some(place.patient)
    }

    fn free(&mut self, village: Village) {
        self.program.work(13);
        let Village { block, below, waiting, assess, inside, up, .. } = village;
        below.into_iter().for_each(|village| self.free(village));
        for place in [waiting, assess, inside, up].into_iter().flatten() {
            self.program.work(2);
            self.program.free(place.patient.block);
            self.program.free(place.block);
        }
        self.program.free(block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patients(village: &Village) -> u64 {
        let lists = [&village.waiting, &village.assess, &village.inside, &village.up];
        let here: usize = lists.iter().map(|list| list.len()).sum();
        here as u64 + village.below.iter().map(patients).sum::<u64>()
    }

    #[test]
    fn nobody_is_lost_and_staff_is_kept() {
        let mut country = Country::new(Recorder::unheard(), Sizes::of(8), Draws::new(5));
        let mut top = country.build(3);
        for _ in 0..400 {
            country.step(&mut top, true);
            assert_eq!(country.ill, country.healed + patients(&top));
        }
        fn staff(village: &Village, level: u64) {
            let busy = village.assess.len() + village.inside.len();
            assert_eq!(village.free_staff + busy as u64, 1 << (level - 1));
            village.below.iter().for_each(|village| staff(village, level - 1));
        }
        staff(&top, 3);
        // 16 hospitals of the lowest level, in 400 steps.
        assert!((1900..2400).contains(&country.ill), "{}", country.ill);
        // One of staff heals one in 13 steps, and 16 + 4 × 2 + 4 people work.
        assert!((400..=28 * 400 / 13).contains(&country.healed), "{}", country.healed);
    }

    #[test]
    fn objects_have_the_sizes_of_the_structures() {
        let sizes = Sizes::of(8);
        assert_eq!((sizes.village, sizes.patient, sizes.place), (120, 24, 24));
        let sizes = Sizes::of(4);
        assert_eq!((sizes.village, sizes.patient, sizes.place), (68, 16, 12));
    }
}
