//! Scratch.

fn main() {
    let mut a = std::env::args().skip(1);
    let (name, spec, dir) = (a.next().unwrap(), a.next().unwrap(), a.next().unwrap());
    let request = heapsmith_emit::Request {
        spec: heapsmith_spec::resolve(&spec).unwrap(),
        name: heapsmith_emit::Name::new(&name).unwrap(),
        figures: None,
    };
    for f in heapsmith_emit::c::emit(&request).unwrap() {
        std::fs::write(format!("{dir}/{}", f.name), f.text).unwrap();
    }
}
