//! The page of an exploration as a reader sees it: in a browser, wide and narrow, light and dark.
//!
//! The pictures are in `target/screenshots`. The page is that of the beginning of the FTP sample; in `cargo xtask nightly
//! whole`, which has the browser, of all of it (`HEAPSMITH_WHOLE`). Those of its first screens are in the book:
//! `HEAPSMITH_WHOLE=1 HEAPSMITH_ACCEPT=1` writes them to `docs/pictures` too.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Instant;

use crate::browser::{Browser, Screen};

/// Bytes that a page may have.
const MAX: u64 = 1_500_000;
/// Bytes that a picture of the book may have, and all of them.
const MAX_PICTURE: usize = 150_000;
const MAX_PICTURES: usize = 500_000;

const WIDE: Screen = Screen { width: 1400, height: 700, dark: false };
const NARROW: Screen = Screen { width: 400, height: 800, dark: false };

/// Rows of tables that are higher than a few lines, and captions that are wider than the window.
const UNREADABLE: &str = "[...document.querySelectorAll('tbody tr, caption > *')].filter((e) => e.matches('tr') ? \
                          e.offsetHeight > 250 : e.offsetWidth > innerWidth).map((e) => e.innerText)";

/// A page, which lives as long as the tests.
fn page() -> &'static Path {
    static PAGE: OnceLock<(PathBuf, tempfile::TempDir)> = OnceLock::new();
    let (page, _) = PAGE.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/ftp.pcap.xz");
        let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
        command.arg("explore").arg(&sample).args(["--as", "drr", "--rounds", "1", "--jobs", "2", "--out", "explored"]);
        if std::env::var_os("HEAPSMITH_WHOLE").is_none() {
            command.args(["--limit", "2500"]);
        }
        let output = command.current_dir(folder.path()).output().expect("the command runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        (folder.path().join("explored/report.html"), folder)
    });
    page
}

fn target() -> PathBuf {
    let command = Path::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.ancestors().nth(2).expect("the folder of builds").to_owned()
}

fn write(folder: &Path, name: &str, picture: &[u8]) {
    std::fs::create_dir_all(folder).expect("a folder");
    std::fs::write(folder.join(name), picture).expect("a picture");
}

fn keep(name: &str, picture: &[u8]) {
    write(&target().join("screenshots"), name, picture);
    assert!(picture.starts_with(b"\x89PNG") && picture.len() > 10_000, "{name}: {} bytes", picture.len());
}

#[test]
fn it_draws_itself_wide_and_narrow_light_and_dark() {
    let size = std::fs::metadata(page()).expect("a page").len();
    assert!(size < MAX, "{size} bytes");
    let mut browser = Browser::start();
    let accepts = ["HEAPSMITH_ACCEPT", "HEAPSMITH_WHOLE"].iter().all(|name| std::env::var_os(name).is_some());
    let mut kept = 0;
    for (name, screen) in [
        ("page-1400-light", WIDE),
        ("page-1400-dark", Screen { dark: true, ..WIDE }),
        ("page-400-light", NARROW),
        ("page-400-dark", Screen { dark: true, ..NARROW }),
    ] {
        let begun = Instant::now();
        browser.open(page(), screen);
        let (opened, drawn) = (begun.elapsed(), browser.evaluate("performance.now()"));
        println!("{name}: {size} bytes, complete after {opened:.0?} ({drawn:.0} ms by its own clock)");
        let wider = "document.documentElement.scrollWidth > innerWidth";
        assert_eq!(browser.evaluate(wider), false, "{name} scrolls sideways");
        let unreadable = browser.evaluate(UNREADABLE);
        assert_eq!(unreadable.as_array().map(Vec::len), Some(0), "{name}: {unreadable}");
        let picture = browser.picture(false);
        keep(&format!("{name}.png"), &picture);
        assert!(picture.len() < MAX_PICTURE, "{name}: {} bytes", picture.len());
        kept += picture.len();
        if accepts {
            write(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures"), &format!("{name}.png"), &picture);
        }
        let picture = browser.picture(true);
        keep(&format!("{name}-whole.png"), &picture);
        assert_eq!(browser.evaluate("document.querySelectorAll('.plane').length >= 12"), true, "figures of {name}");
    }
    assert!(kept < MAX_PICTURES, "{kept} bytes of pictures");
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

#[test]
fn the_first_screen_draws_itself_with_everything_that_decides() {
    let mut browser = Browser::start();
    for screen in [WIDE, NARROW] {
        browser.open(page(), screen);
        // What of the answer ends below the first screen.
        let below = browser.evaluate(
            "[...document.querySelectorAll('#verdict, .tiles > div, .commands > div:not(:last-child)')]\
             .filter((e) => e.getBoundingClientRect().bottom > innerHeight).map((e) => e.textContent)",
        );
        assert_eq!(below.as_array().map(Vec::len), Some(0), "below {screen:?}: {below}");
        let text = browser.evaluate("document.getElementById('pick').innerText");
        let text = text.as_str().expect("text");
        for part in
            ["lea-2.7.2", "Today", "The pick", "Reserve", "bytes", "Most expensive operation", "emit", "--lang rust"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        let is_unproven = text.contains("no guarantee") || text.contains("time is not proven");
        assert!(is_unproven == text.contains("--prefer bounded"), "{text}");
    }
}

#[test]
fn the_star_draws_itself_on_top_and_names_the_pick() {
    let mut browser = Browser::start();
    browser.open(page(), WIDE);
    let pick = browser.evaluate("String(designs.pick)");
    let pick = pick.as_str().expect("a number").to_owned();
    for aside in [0.0, 3.0, -3.0] {
        browser.point_at("#plot-designs .mark.c-vermilion path", aside);
        let said = browser.evaluate("document.querySelector('#plot-designs .tip').innerText");
        let said = said.as_str().expect("text");
        assert!(said.contains("the pick") && said.contains(&format!("design {pick}")), "{aside} px off: {said}");
    }
    let star = browser.point_at("#plot-designs .mark.c-vermilion path", 0.0);
    browser.click(star);
    let pinned = browser.evaluate("document.getElementById('pinned').innerText");
    let pinned = pinned.as_str().expect("text");
    assert!(
        pinned.contains(&pick) && pinned.contains("heapsmith emit '") && pinned.contains("--lang rust"),
        "{pinned}"
    );
    let row = browser.evaluate("document.querySelector('#all-rows tr.pick')?.innerText ?? 'not among the first rows'");
    assert!(row.as_str().is_some_and(|row| row.contains(&pick) || row.starts_with("not")), "{row}");
}

#[test]
fn its_table_draws_itself_sorted_and_filtered() {
    let mut browser = Browser::start();
    browser.open(page(), WIDE);
    let numbers = "[...document.querySelectorAll('#all-rows tr')].map((row) => parseFloat(row.cells[3].textContent.replace(/,/g, '')))";
    browser.evaluate("document.querySelector('#all-table th[data-key=accesses]').click()");
    let sorted = browser.evaluate(numbers);
    let sorted: Vec<f64> = sorted.as_array().expect("rows").iter().filter_map(serde_json::Value::as_f64).collect();
    assert!(sorted.len() >= 50 && sorted.is_sorted(), "{sorted:?}");
    let filter =
        "const i = document.getElementById('all-filter'); i.value = 'windows-ce'; i.dispatchEvent(new Event('input'));";
    browser.evaluate(filter);
    assert_eq!(browser.evaluate("document.querySelectorAll('#all-rows tr').length"), 1);
    let open = browser.point_at("#all-rows button", 0.0);
    browser.click(open);
    let pinned = browser.evaluate("document.getElementById('pinned').innerText");
    assert!(pinned.as_str().is_some_and(|pinned| pinned.contains("windows-ce")), "{pinned}");
}

#[test]
fn axe_finds_no_serious_fault_in_what_draws_itself() {
    let script = target().join("tools/axe/node_modules/axe-core/axe.min.js");
    let script = std::fs::read_to_string(script).expect("axe-core: `cargo xtask nightly whole` installs it");
    let mut browser = Browser::start();
    for screen in [WIDE, NARROW, Screen { dark: true, ..WIDE }] {
        browser.open(page(), screen);
        browser.evaluate("keep(designs.pick)");
        browser.evaluate(&format!("{{ {script} }}; 0"));
        let faults = browser.evaluate(
            "axe.run().then(({ violations }) => violations.filter(({ impact }) => ['serious', 'critical'].includes(impact))\
             .map(({ id, nodes }) => [id, nodes.slice(0, 3).map((node) => node.html.slice(0, 200) + node.any.map((a) => a.message))]))",
        );
        assert_eq!(faults.as_array().map(Vec::len), Some(0), "{screen:?}: {faults:#}");
    }
}
