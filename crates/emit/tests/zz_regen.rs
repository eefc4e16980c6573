use heapsmith_emit::{Figures, Name, Request, c, rust};
#[test]
fn regen() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let old = std::fs::read_to_string(root.join("firmware/packet_heap.h")).unwrap();
    let at = old.lines().position(|line| line.contains("Measured on ")).unwrap();
    let lines: Vec<_> = old.lines().skip(at + 1).take_while(|line| line.len() > 3).map(|line| line[7..].to_owned()).collect();
    let traces = old.lines().nth(at).unwrap().split("Measured on ").nth(1).unwrap().trim_end_matches(':').to_owned();
    let packet = Some(Figures { traces, lines });
    for (dir, spec, name, is_c, figures) in [
        ("firmware", "freelists(54,66,74,78,94,337,347,370,376,378,386,394,441,939,1309,1514) list(order=address, fit=first, split>=66, coalesce=immediate)", "packet_heap", true, packet),
        ("server", "tlsf(second-level=4, largest=65536) word=8", "store_heap", true, None),
        ("global", "tlsf word=8", "word_heap", false, None),
    ] {
        let request = Request { spec: spec.parse().unwrap(), name: Name::new(name).unwrap(), figures };
        let files = if is_c { c::emit(&request) } else { rust::emit(&request) }.unwrap();
        for file in files {
            std::fs::write(root.join(dir).join(file.name), file.text).unwrap();
        }
    }
}
