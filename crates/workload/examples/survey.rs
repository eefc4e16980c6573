//! scratch
use heapsmith_trace::*;
fn main() {
    let mut args = std::env::args().skip(1);
    let as_ = args.next().unwrap();
    let (sets, files): (Vec<String>, Vec<String>) = args.partition(|a| a.contains('='));
    let sets: Vec<(String,String)> = sets.iter().map(|s| { let (a,b)=s.split_once('=').unwrap(); (a.into(), b.into())}).collect();
    for f in files {
        let t0 = std::time::Instant::now();
        match heapsmith_workload::load(f.as_ref(), Some(&as_), &sets) {
            Err(e) => println!("{f}: {:?} {e}", e.kind()),
            Ok(t) => {
                let el = t0.elapsed();
                let s = Statistics::of(&t).unwrap();
                let p = PackedTrace::new(&t).unwrap();
                let c = LiveCurve::of(&t, 60).unwrap();
                let m = s.requested_peak.0.max(1);
                let bars: String = c.points.iter().map(|p| ['_','▁','▂','▃','▄','▅','▆','▇','█'][(p.live.0*8/m) as usize]).collect();
                println!("{} {:?}: events {} peak {} blocks {} distinct {} top2 {:.1}% left {} fp {:016x} life p50 {} ev p99 {} ev",
                  t.name(), el, s.events, s.requested_peak, s.blocks_peak, s.distinct_sizes(), s.top_share(2)*100., s.blocks_left, p.fingerprint, s.lifetimes.events.p50, s.lifetimes.events.p99);
                println!("   {:?}", s.sizes.iter().take(6).map(|x| format!("{}:{:.1}%", x.size.0, x.share*100.)).collect::<Vec<_>>());
                println!("   {bars}  dur {} rate {:?}", s.duration, &t.origin.settings.iter().filter(|s| s.0.contains("rate")).collect::<Vec<_>>());
            }
        }
    }
}
