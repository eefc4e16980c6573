//! C11, freestanding: the templates in `c/` with the numbers of a [`Plan`].

mod regions;

use std::collections::HashSet;
use std::sync::OnceLock;

use minijinja::{Environment, Error, State, UndefinedBehavior, context};
use serde::Serialize;

use crate::plan::{self, Plan};
use crate::{EmitError, Extra, File, Name, Request, Template, system_templates};

/// The templates that several families of pools share.
const TEMPLATES: &[Template] = &[
    template!("heap.h"),
    template!("heap.c"),
    template!("zeros.c"),
    template!("memory.c"),
    template!("block.c"),
    template!("sizes.c"),
    template!("pool/pool.c"),
    template!("pool/coalesce.c"),
    template!("pool/allocate.c"),
    template!("pool/aligned.c"),
    template!("tell.c"),
    template!("heap_errors.c"),
    template!("in_place.c"),
    template!("pool/checked.c"),
    template!("pool/holds.c"),
    template!("pool/reallocate.c"),
    template!("pool/heap.c"),
    template!("pool/check.c"),
    template!("move.c"),
    template!("index/chain.c"),
    template!("index/small.c"),
    template!("index/small_check.c"),
    template!("index/equals.c"),
    template!("index/red_black.c"),
    template!("index/red_black_check.c"),
    template!("index/skip_list.c"),
    template!("index/skip_list_check.c"),
    template!("index/by_size.c"),
    template!("header.c"),
    template!("promise.txt"),
    template!("config.h"),
    template!("block_bytes.c"),
    template!("walk.c"),
    template!("trim.c"),
    template!("layer/counters.c"),
    template!("layer/reserve.c"),
    template!("layer/zero.c"),
    template!("layer/guard.c"),
    template!("layer/freelists.c"),
    template!("layer/spans.c"),
    template!("layer/spans/check.c"),
    template!("layer/spans/walk.c"),
    template!("regions/heap.h"),
    template!("regions/heap.c"),
    template!("evidence/states.c"),
    template!("evidence/fuzz.c"),
    template!("evidence/proof.c"),
    template!("evidence/run.sh"),
    template!("evidence/materials.json"),
    template!("evidence/README.md"),
];

/// The header and the source of a heap.
pub fn emit(request: &Request) -> Result<Vec<File>, EmitError> {
    if let Some(regions) = request.spec.regions() {
        return regions::emit(request, regions);
    }
    emit_planned(request, &Plan::of(request)?)
}

/// The header and the source of a heap with this plan.
pub(crate) fn emit_planned(request: &Request, plan: &Plan) -> Result<Vec<File>, EmitError> {
    let name = request.name.lower();
    let nameless = Request { name: Name::new(NAMELESS)?, ..request.clone() };
    if let Some(taken) = taken(&render("heap.c", &Plan::of(&nameless)?)?, name) {
        return Err(EmitError::Taken { name: name.to_owned(), taken });
    }
    let file = |end: &str, template: &str| render(template, plan).map(|text| File::new(format!("{name}{end}"), text));
    let mut files = vec![file(".h", "heap.h")?, file(".c", "heap.c")?];
    if request.extras.contains(&Extra::Config) {
        files.push(File { is_kept: true, ..file("_config.h", "config.h")? });
    }
    if request.extras.contains(&Extra::Cpp) {
        let values = context! { shared => false, ..minijinja::Value::from_serialize(plan) };
        files.push(File::new(format!("{name}.hpp"), render("system/cpp.hpp", &values)?));
    }
    Ok(files)
}

/// A template with the numbers of a plan, or of what has them.
pub(crate) fn render(template: &str, plan: &impl Serialize) -> Result<String, EmitError> {
    Ok(with_single_blank_lines(&environment()?.get_template(template)?.render(plan)?))
}

/// A name that no word of the templates begins with.
pub(crate) const NAMELESS: &str = "x_nameless";

/// What a heap's name is followed by in the names that others see.
const PUBLIC: &[&str] = &[
    "",
    "_init",
    "_allocate",
    "_allocate_aligned",
    "_allocate_urgent",
    "_reallocate",
    "_free",
    "_usable_size",
    "_check",
    "_last_error",
    "_owns",
    "_region_of",
    "_statistics_of",
    "_calloc",
    "_trim",
    "_walk",
    "_visitor",
    "_statistics",
    "_handle",
    "_reserve_handles",
    "_allocate_movable",
    "_free_movable",
    "_get",
    "_pin",
    "_unpin",
    "_max_moved",
];

/// A word of the source's own that is also one of the names that others see. `source` carries another name.
pub(crate) fn taken(source: &str, name: &str) -> Option<String> {
    let code = source.lines().map(str::trim_start).filter(|line| !line.starts_with(['*', '/']));
    let words: HashSet<&str> = code.flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_'))).collect();
    PUBLIC.iter().map(|end| format!("{name}{end}")).find(|public| words.contains(public.as_str()))
}

/// Fragments begin and end with blank lines: one of several stays.
fn with_single_blank_lines(text: &str) -> String {
    let mut lines = String::with_capacity(text.len());
    let mut blank = true;
    for line in text.lines() {
        let empty = line.trim().is_empty();
        if !(empty && blank) {
            lines.push_str(line.trim_end());
            lines.push('\n');
        }
        blank = empty;
    }
    lines
}

/// The templates, parsed once.
fn environment() -> Result<&'static Environment<'static>, EmitError> {
    static ENVIRONMENT: OnceLock<Result<Environment<'static>, EmitError>> = OnceLock::new();
    ENVIRONMENT.get_or_init(|| parsed().map_err(EmitError::from)).as_ref().map_err(EmitError::clone)
}

fn parsed() -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    // A name that is not in the plan is a mistake in a template, not an empty text.
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment.set_keep_trailing_newline(true);
    environment.add_function("insert", |state: &State<'_, '_>, block: String, words: String| {
        call(state, "index_insert", &block, &words)
    });
    for (name, check) in [("found", "sound"), ("found_rarely", "sound_by_call")] {
        environment.add_function(name, move |state: &State<'_, '_>, search: String| {
            if state.lookup("checks_links").is_some_and(|checks| checks.is_true()) {
                format!("{check}(heap, {search})")
            } else {
                search
            }
        });
    }
    environment.add_function("remove", |state: &State<'_, '_>, block: String, words: String| {
        call(state, "index_remove", &block, &words)
    });
    for (name, text) in plan::TEMPLATES.iter().copied().chain([TEMPLATES, system_templates::TEMPLATES]).flatten() {
        environment.add_template(name, text)?;
    }
    Ok(environment)
}

/// A call of a function of the index, with as much about the block as this index wants to know.
fn call(state: &State<'_, '_>, function: &str, block: &str, words: &str) -> Result<String, Error> {
    let index = state.lookup("index").unwrap_or_default();
    let kind = index.get_attr("kind")?;
    Ok(match kind.as_str() {
        Some("implicit") => format!("{function}(heap)"),
        Some("list") => format!("{function}(heap, {block})"),
        _ => format!("{function}(heap, {block}, {words})"),
    })
}

#[cfg(test)]
mod tests {
    use super::emit;
    use crate::{EmitError, Name, Request};

    #[test]
    fn a_name_that_the_source_has_taken_is_refused() {
        let emitted = |name: &str| {
            let spec = "freelists(64) list".parse().expect("a spec");
            emit(&Request::new(spec, Name::new(name).expect("a name")))
        };
        let names = [("pool", "pool_init"), ("load", "load"), ("block", "block"), ("heap", "heap")];
        for (name, taken) in names {
            assert_eq!(emitted(name), Err(EmitError::Taken { name: name.to_owned(), taken: taken.to_owned() }));
        }
        assert!(emitted("my_heap").is_ok());
    }
}
