//! The heap as a firmware system wants it: what is emitted next to the two files of C.
//!
//! ```text
//!   Request, System ──▶ c::emit ─────▶ NAME.h, NAME.c
//!                   └─▶ c/system ────▶ NAME_system.h     one heap, locked: the same for every system
//!                                      NAME_SYSTEM.c     its lock, its region, the names that the system calls
//!                                      manifests
//! ```
//!
//! A system is a row of [`System::about`], `System::titles` and `System::files`, and its templates in `c/system`. `core.c` is
//! included by every wrapper, which defines before it how to lock (`LOCK`, `UNLOCK`), where the heap is (`REGION`,
//! `REGION_BYTES`), and what becomes of a refused request (`REFUSED`) and of a broken promise (`MUST`).
//!
//! The wrappers are written from the published interfaces of their systems, and have none of their code. `tests/it/systems.rs`
//! plays those for FreeRTOS, Zephyr, ESP-IDF, CMSIS and ThreadX against stand-ins of these interfaces, and runs those for newlib and
//! picolibc in an emulator; `cargo xtask firmware` runs FreeRTOS itself.

use minijinja::context;
use serde::Serialize;

use crate::plan::Plan;
use crate::{EmitError, Extra, Figures, File, Name, Request, c};

/// A firmware system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// The kernel FreeRTOS.
    FreeRtos,
    /// The C library newlib, and its nano variant.
    Newlib,
    /// The C library picolibc.
    Picolibc,
    /// The kernel Zephyr.
    Zephyr,
    /// Espressif's framework.
    EspIdf,
    /// The kernel ThreadX.
    ThreadX,
    /// Arm's interface of kernels, CMSIS-RTOS2.
    Cmsis,
    /// Libraries of Arduino.
    Arduino,
    /// Libraries of PlatformIO.
    PlatformIo,
}

/// What the templates write of a system.
#[derive(Serialize)]
struct Titles {
    title: &'static str,
    /// Its name in the names of files.
    file: &'static str,
    /// Where the region is, in a sentence.
    r#where: &'static str,
    /// What it was tested on, in a sentence.
    tested: &'static str,
}

/// What a file is called.
#[derive(Clone, Copy)]
enum Place {
    /// As the heap, and this.
    Behind(&'static str),
    /// This.
    At(&'static str),
}

use Place::{At, Behind};

/// Where the region is, of most systems.
const VARIABLE: &str = "The region is a variable of its own, unless a macro says otherwise.";

impl System {
    /// All of them.
    pub const ALL: [System; 9] = [
        System::FreeRtos,
        System::Newlib,
        System::Picolibc,
        System::Zephyr,
        System::EspIdf,
        System::ThreadX,
        System::Cmsis,
        System::Arduino,
        System::PlatformIo,
    ];

    /// Bytes that blocks are aligned to where a system runs on a microcontroller of 32 bits.
    pub const ALIGNMENT: u32 = 8;

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            System::FreeRtos => "freertos",
            System::Newlib => "newlib",
            System::Picolibc => "picolibc",
            System::Zephyr => "zephyr",
            System::EspIdf => "esp-idf",
            System::ThreadX => "threadx",
            System::Cmsis => "cmsis",
            System::Arduino => "arduino",
            System::PlatformIo => "platformio",
        }
    }

    /// What is emitted for it, in a line of help.
    pub fn about(self) -> &'static str {
        match self {
            System::FreeRtos => "pvPortMalloc and all of its family, in place of heap_1 to heap_5",
            System::Newlib => "_malloc_r, malloc and their families, and __malloc_lock",
            System::Picolibc => "malloc and its family",
            System::Zephyr => "calls like those of k_heap, with time limits; a module with its options",
            System::EspIdf => "calls like heap_caps_malloc; a component",
            System::ThreadX => "calls like those of a byte pool",
            System::Cmsis => "the heap behind osKernelLock of CMSIS-RTOS2; a layer of a project",
            System::Arduino => "the heap with interrupts off during a call; a library",
            System::PlatformIo => "the same as a library of PlatformIO",
        }
    }

    /// The parts of the interface that its files use.
    pub fn extras(self) -> &'static [Extra] {
        match self {
            System::FreeRtos => &[Extra::Counters, Extra::Walk],
            System::EspIdf => &[Extra::Counters, Extra::Owns],
            // Their users have no place to define macros in but a file.
            System::Arduino | System::PlatformIo | System::Cmsis => &[Extra::Counters, Extra::Config],
            System::Newlib | System::Picolibc | System::Zephyr | System::ThreadX => &[Extra::Counters],
        }
    }

    /// The request with these parts, too.
    pub(crate) fn extended(self, request: &Request) -> Request {
        let mut request = request.clone();
        let missing = self.extras().iter().copied().filter(|extra| !request.extras.contains(extra)).collect::<Vec<_>>();
        request.extras.extend(missing);
        request
    }

    fn titles(self) -> Titles {
        let (title, file, r#where, tested) = match self {
            System::FreeRtos => (
                "FreeRTOS",
                "freertos",
                "The region is ucHeap, of configTOTAL_HEAP_SIZE bytes.",
                "on its kernel in an emulator",
            ),
            System::Newlib => ("newlib", "newlib", VARIABLE, "with newlib in an emulator"),
            System::Picolibc => ("picolibc", "picolibc", VARIABLE, "with picolibc in an emulator"),
            System::Zephyr => ("Zephyr", "zephyr", VARIABLE, STAND_IN),
            System::EspIdf => ("ESP-IDF", "esp_idf", VARIABLE, STAND_IN),
            System::ThreadX => ("ThreadX", "threadx", VARIABLE, STAND_IN),
            System::Cmsis => ("CMSIS-RTOS2", "cmsis", VARIABLE, STAND_IN),
            System::Arduino => ("a library of Arduino", "arduino", VARIABLE, WITHOUT_FRAMEWORK),
            System::PlatformIo => ("a library of PlatformIO", "platformio", VARIABLE, WITHOUT_FRAMEWORK),
        };
        Titles { title, file, r#where, tested }
    }

    /// Its files and their templates.
    fn files(self) -> &'static [(Place, &'static str)] {
        match self {
            System::FreeRtos => &[(Behind("_freertos.c"), "system/freertos.c")],
            System::Newlib => &[(Behind("_newlib.c"), "system/newlib.c")],
            System::Picolibc => &[(Behind("_picolibc.c"), "system/newlib.c")],
            System::Zephyr => &[
                (Behind("_zephyr.h"), "system/zephyr.h"),
                (Behind("_zephyr.c"), "system/zephyr.c"),
                (At("zephyr/module.yml"), "system/zephyr_module.yml"),
                (At("Kconfig"), "system/zephyr_kconfig"),
                (At("CMakeLists.txt"), "system/zephyr_cmake.txt"),
            ],
            System::EspIdf => &[
                (Behind("_esp_idf.h"), "system/esp_idf.h"),
                (Behind("_esp_idf.c"), "system/esp_idf.c"),
                (At("CMakeLists.txt"), "system/esp_idf_cmake.txt"),
                (At("idf_component.yml"), "system/esp_idf_component.yml"),
            ],
            System::ThreadX => {
                &[(Behind("_threadx.h"), "system/threadx.h"), (Behind("_threadx.c"), "system/threadx.c")]
            }
            System::Cmsis => {
                &[(Behind("_cmsis.c"), "system/cmsis.c"), (Behind(".clayer.yml"), "system/cmsis_layer.yml")]
            }
            System::Arduino => {
                &[(Behind("_arduino.c"), "system/plain.c"), (At("library.properties"), "system/arduino.properties")]
            }
            System::PlatformIo => {
                &[(Behind("_platformio.c"), "system/plain.c"), (At("library.json"), "system/platformio.json")]
            }
        }
    }
}

/// What a wrapper was tested on whose system is in no package.
const STAND_IN: &str = "against a stand-in of its published interface, not on the system itself";
/// The same of libraries that need nothing of their framework.
const WITHOUT_FRAMEWORK: &str = "compiled and played by itself, as it needs nothing of the framework";

impl Place {
    fn of(self, name: &str) -> String {
        match self {
            Behind(end) => format!("{name}{end}"),
            At(path) => path.to_owned(),
        }
    }
}

/// A name that no word of the wrappers begins with, and no heap has.
const NAMELESS: &str = "y_nameless";

/// The heap's own files, and those of the system, with `/` in the names of those in folders.
///
/// # Errors
///
/// See [`c::emit`].
pub fn emit(request: &Request, system: System) -> Result<Vec<File>, EmitError> {
    EmitError::verify_one_region(&request.spec)?;
    let name = request.name.lower();
    let nameless = Request { name: Name::new(NAMELESS)?, ..request.clone() };
    let sources = rendered(&nameless, system)?.into_iter().filter(|file| file.name.ends_with(".c"));
    if let Some(taken) = sources.into_iter().find_map(|file| c::taken(&file.text, name)) {
        return Err(EmitError::Taken { name: name.to_owned(), taken });
    }
    rendered(request, system)
}

/// What the region holds by default.
fn reserve_words(figures: Option<&Figures>) -> &'static str {
    match figures.is_some_and(|figures| figures.guaranteed) {
        true => "in which no program like the traces is refused",
        false => "in which what was measured is served",
    }
}

fn rendered(request: &Request, system: System) -> Result<Vec<File>, EmitError> {
    let request = system.extended(request);
    let mut files = c::emit(&request)?;
    let plan = Plan::of(&request)?;
    let values = context! {
        system => system.titles(),
        traces => system == System::FreeRtos,
        reentrant => system == System::Newlib,
        plain => matches!(system, System::Arduino | System::PlatformIo),
        header_bytes => plan.header_bytes(),
        grid => request.figures.as_ref().and_then(|figures| figures.base).unwrap_or(plan.region_alignment().into()),
        reserve => request.figures.as_ref().map(|figures| figures.reserve),
        reserve_words => reserve_words(request.figures.as_ref()),
        ..minijinja::Value::from_serialize(&plan)
    };
    let name = request.name.lower();
    if request.extras.contains(&Extra::Cpp) {
        let with = context! { shared => true, ..values.clone() };
        files.retain(|file| file.name != format!("{name}.hpp"));
        files.push(File::new(format!("{name}.hpp"), c::render("system/cpp.hpp", &with)?));
        files.push(File::new(format!("{name}_new.cpp"), c::render("system/new.cpp", &with)?));
    }
    for (place, template) in [(Behind("_system.h"), "system/system.h")].iter().chain(system.files()) {
        files.push(File::new(place.of(name), c::render(template, &values)?));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::{System, emit};
    use crate::{EmitError, Name, Request};

    #[test]
    fn a_name_that_a_wrapper_has_taken_is_refused() {
        let emitted = |name: &str, system| {
            emit(&Request::new("tlsf".parse().expect("a spec"), Name::new(name).expect("a name")), system)
        };
        for (name, system) in [("region", System::FreeRtos), ("clear", System::Newlib)] {
            assert_eq!(emitted(name, system), Err(EmitError::Taken { name: name.to_owned(), taken: name.to_owned() }));
        }
        assert!(System::ALL.into_iter().all(|system| emitted("my_heap", system).is_ok()));
    }
}
