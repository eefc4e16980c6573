//! What Mamagkakis et al. (2006, §5) say of network applications, and whether it holds for a
//! trace: in sentences for a terminal or a page.

use heapsmith_trace::{Form, Origin, Profile, SizeShare};

use crate::number::{percent, plural, thousands};

/// Shares that the paper gives for the two most popular sizes.
const TOP: std::ops::RangeInclusive<f64> = 0.3..=0.7;
/// Numbers of sizes that the paper gives for the requests of other sizes.
const DISTINCT: std::ops::RangeInclusive<usize> = 700..=1500;

/// The findings, a sentence each. Those of the paper are compared with network applications alone.
pub fn findings(origin: &Origin, profile: &Profile) -> Vec<String> {
    if profile.statistics.sizes.is_empty() {
        return vec!["The trace holds no request.".to_owned()];
    }
    let of_a_network = crate::is_of_a_network(origin);
    vec![popular(profile, of_a_network), distinct(profile, of_a_network), form(profile, of_a_network)]
}

fn popular(profile: &Profile, of_a_network: bool) -> String {
    let statistics = &profile.statistics;
    let top = statistics.top_share(2);
    let share = |size: &SizeShare| format!("{} ({})", plural(size.size.0, "byte", "bytes"), percent(size.share));
    if let [only] = statistics.sizes.as_slice() {
        return format!("All requests are of {}.", plural(only.size.0, "byte", "bytes"));
    }
    let named: Vec<String> = statistics.sizes.iter().take(2).map(share).collect();
    let verdict = match top {
        top if TOP.contains(&top) => "holds here",
        top if top > *TOP.end() => "does not hold here: the two make up more",
        _ => "does not hold here: the two make up less",
    };
    let compared = match of_a_network {
        true => format!(" In network applications it is 30–70% (Mamagkakis et al. 2006, §5), which {verdict}."),
        false => String::new(),
    };
    format!(
        "The two most popular sizes are {}: together {} of the requests.{compared}",
        named.join(" and "),
        percent(top)
    )
}

fn distinct(profile: &Profile, of_a_network: bool) -> String {
    let statistics = &profile.statistics;
    let (sizes, covering) = (statistics.distinct_sizes(), statistics.sizes_covering(0.99));
    let make_up = if covering == 1 { "makes up" } else { "make up" };
    let verdict = match sizes {
        sizes if DISTINCT.contains(&sizes) => "holds here",
        sizes if sizes > *DISTINCT.end() => "does not hold here: there are more",
        _ => "does not hold here: there are fewer",
    };
    let compared = match of_a_network {
        true => format!(
            " In network applications 700–1500 sizes share what the two leave, while elsewhere about 38 make up 99%; the \
             first {verdict}."
        ),
        false => String::new(),
    };
    format!(
        "{} requested; {} of them {make_up} 99% of the requests.{compared}",
        plural(sizes as u64, "distinct size is", "distinct sizes are"),
        thousands(covering as u64)
    )
}

fn form(profile: &Profile, of_a_network: bool) -> String {
    let shape = &profile.shape;
    let verdict = match shape.form {
        Form::Empty => return "Nothing is ever live.".to_owned(),
        Form::ThinSpikes => {
            "That is the form of most programs; network applications also have fat spikes, plateaus and ramps"
        }
        Form::FatSpikes | Form::Plateau | Form::Ramp => {
            "Network applications have such forms, where most others have thin spikes only"
        }
    };
    let compared = if of_a_network { format!(" {verdict} (§5).") } else { String::new() };
    format!(
        "Live bytes have the form of {}{}: on average {} of their peak is live, more than half of it in {} of the \
         trace, in {}.{compared}",
        if matches!(shape.form, Form::Plateau | Form::Ramp) { "a " } else { "" },
        shape.form,
        percent(shape.mean),
        percent(shape.above_half),
        plural(shape.spikes, "rise", "rises"),
    )
}
