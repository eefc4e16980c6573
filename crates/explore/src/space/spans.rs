//! What the levels of a family say of spans before its heaps.

use heapsmith_spec::{Check, Layer, Sizes, Spec, SpecError};

use super::family::Family;
use super::{Making, SpaceError, suited};

/// The levels of spans that a design has.
#[derive(Debug, Default)]
pub(super) struct SpanLevels<'a> {
    /// The level of `classes`; without it there are no spans.
    classes: Option<&'a str>,
    /// What else is said of them, as in a spec.
    keys: String,
}

impl<'a> SpanLevels<'a> {
    /// The factor that says which sizes spans serve.
    const CLASSES: &'static str = "classes";
    /// The factors that say how.
    const KEYS: [&'static str; 5] = ["span", "free", "next", "empty", "metadata"];

    /// Whether a factor of `family` is about spans: the others have no meaning without classes.
    pub fn are_said_by(family: &Family, factor: &str) -> bool {
        factor == Self::CLASSES || (Self::KEYS.contains(&factor) && family.factor(Self::CLASSES).is_some())
    }

    /// Takes down the level of a factor that is about them.
    pub fn add(&mut self, factor: &str, level: &'a str) {
        match factor {
            Self::CLASSES => self.classes = Some(level).filter(|&level| level != "off"),
            key => self.keys.push_str(&format!(", {key}={level}")),
        }
    }
}

impl Making<'_> {
    /// The heap with the spans before it that a design has. What has spans checks no headers.
    pub(super) fn with_spans(&mut self, family: &Family, heap: Spec, levels: &SpanLevels) -> Result<Spec, SpaceError> {
        let Some(classes) = levels.classes else { return Ok(heap) };
        let count = classes.strip_prefix("optimal ").map(|count| {
            count.trim().parse::<usize>().map_err(|_| SpaceError::Family {
                family: family.name.clone(),
                what: format!(
                    "has classes = {classes:?}: a level is \"off\", \"optimal 8\", or sizes as \"16..=1024 double(4)\""
                ),
            })
        });
        let count = count.transpose()?;
        let heap = Spec { check: Check::Off, ..heap };
        let sizes = count.map_or(classes.to_owned(), |_| heap.alignment.to_string());
        let text = format!("spans({sizes}{}) {heap}", levels.keys);
        let read = self.specs.read(text.clone());
        let spec = match count {
            Some(count) => read.and_then(|spec| self.with_classes(spec, count)),
            None => read,
        };
        suited(self.target, family, &text, spec.map(|spec| self.target.suited(spec)))
    }

    /// The same with those classes in its spans that waste the fewest bytes, up to one of which a span holds eight: what is
    /// larger leaves too much of its end. Without spans, where no request is as small.
    fn with_classes(&self, mut spec: Spec, count: usize) -> Result<Spec, SpecError> {
        let Some(Layer::Spans(spans)) = spec.layers.first_mut() else { return Ok(spec) };
        let classes = self.requests.classes(spec.alignment, spans.span / 8, count);
        if classes.is_empty() {
            spec.layers.remove(0);
            return Ok(spec);
        }
        spans.sizes = classes.into_iter().map(Sizes::One).collect();
        spec.validate().map(|()| spec)
    }
}
