//! The texts of `c/system`.

use crate::Template;

/// Templates of the systems.
pub const TEMPLATES: &[Template] = &[
    template!("system/system.h"),
    template!("system/core.c"),
    template!("system/aligned.c"),
    template!("system/region.c"),
    template!("system/options.c"),
    template!("system/told.c"),
    template!("system/clear.c"),
    template!("system/interrupts.c"),
    template!("system/freertos.c"),
    template!("system/newlib.c"),
    template!("system/plain.c"),
    template!("system/cmsis.c"),
    template!("system/threadx.h"),
    template!("system/threadx.c"),
    template!("system/esp_idf.h"),
    template!("system/esp_idf.c"),
    template!("system/zephyr.h"),
    template!("system/zephyr.c"),
    template!("system/zephyr_module.yml"),
    template!("system/zephyr_kconfig"),
    template!("system/zephyr_cmake.txt"),
    template!("system/esp_idf_cmake.txt"),
    template!("system/esp_idf_component.yml"),
    template!("system/arduino.properties"),
    template!("system/platformio.json"),
    template!("system/cmsis_layer.yml"),
    template!("system/cpp.hpp"),
    template!("system/new.cpp"),
];
