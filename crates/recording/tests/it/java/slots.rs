//! The agent's numbers of the tool interface, against the JDK's own header.

use std::path::PathBuf;
use std::process::Command;

use super::INSTALL;
use heapsmith_agent::slots::{self as numbers, capability, event, function, heap, native};

/// The folder of `jvmti.h`, next to the compiler that `javac` leads to.
fn include() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let compiler = std::env::split_paths(&path).map(|folder| folder.join("javac")).find(|file| file.is_file());
    let compiler = compiler.unwrap_or_else(|| panic!("there is no javac: {INSTALL}"));
    let home = std::fs::canonicalize(compiler).expect("javac is a file");
    let include = home.ancestors().nth(2).expect("javac lies in bin").join("include");
    assert!(include.join("jvmti.h").is_file(), "{} has no jvmti.h: {INSTALL}", include.display());
    include
}

#[test]
fn every_number_is_the_one_in_the_jdks_header() {
    let functions = [
        ("Deallocate", function::DEALLOCATE),
        ("GetClassSignature", function::GET_CLASS_SIGNATURE),
        ("GetClassFields", function::GET_CLASS_FIELDS),
        ("GetFieldName", function::GET_FIELD_NAME),
        ("GetFieldModifiers", function::GET_FIELD_MODIFIERS),
        ("GetTag", function::GET_TAG),
        ("SetEventNotificationMode", function::SET_EVENT_NOTIFICATION_MODE),
        ("GetVersionNumber", function::GET_VERSION_NUMBER),
        ("SetTag", function::SET_TAG),
        ("ForceGarbageCollection", function::FORCE_GARBAGE_COLLECTION),
        ("IterateThroughHeap", function::ITERATE_THROUGH_HEAP),
        ("SetEventCallbacks", function::SET_EVENT_CALLBACKS),
        ("GetPotentialCapabilities", function::GET_POTENTIAL_CAPABILITIES),
        ("AddCapabilities", function::ADD_CAPABILITIES),
        ("SetHeapSamplingInterval", function::SET_HEAP_SAMPLING_INTERVAL),
    ];
    let natives = [
        ("GetSuperclass", native::GET_SUPERCLASS),
        ("DeleteLocalRef", native::DELETE_LOCAL_REF),
        ("GetArrayLength", native::GET_ARRAY_LENGTH),
    ];
    let capabilities = [
        ("can_tag_objects", capability::TAG_OBJECTS),
        ("can_generate_garbage_collection_events", capability::GARBAGE_COLLECTION),
        ("can_generate_object_free_events", capability::OBJECT_FREE),
        ("can_generate_sampled_object_alloc_events", capability::SAMPLED_OBJECT_ALLOC),
    ];
    let events = [
        ("VMInit", "VM_INIT", event::VM_INIT),
        ("VMDeath", "VM_DEATH", event::VM_DEATH),
        ("GarbageCollectionFinish", "GARBAGE_COLLECTION_FINISH", event::GARBAGE_COLLECTION_FINISH),
        ("ObjectFree", "OBJECT_FREE", event::OBJECT_FREE),
        ("SampledObjectAlloc", "SAMPLED_OBJECT_ALLOC", event::SAMPLED_OBJECT_ALLOC),
    ];
    let mut same = vec![
        ("JVMTI_VERSION_11".to_owned(), numbers::VERSION as usize),
        ("JVMTI_VERSION_MASK_INTERFACE_TYPE".to_owned(), numbers::INTERFACE_MASK as usize),
        ("JVMTI_VERSION_INTERFACE_JVMTI".to_owned(), numbers::INTERFACE_TOOL as usize),
        ("JVMTI_VERSION_SHIFT_MAJOR".to_owned(), numbers::MAJOR_AT as usize),
        ("JVMTI_VERSION_MASK_MAJOR >> JVMTI_VERSION_SHIFT_MAJOR".to_owned(), numbers::MAJOR_MASK as usize),
        ("offsetof(struct JNIInvokeInterface_, GetEnv) / 8".to_owned(), numbers::GET_ENV),
        ("sizeof(jvmtiCapabilities)".to_owned(), capability::BYTES),
        ("JVMTI_MIN_EVENT_TYPE_VAL".to_owned(), event::FIRST),
        ("JVMTI_HEAP_FILTER_TAGGED".to_owned(), heap::FILTER_TAGGED as usize),
        ("JVMTI_VISIT_OBJECTS".to_owned(), heap::VISIT_OBJECTS as usize),
        ("sizeof(jvmtiHeapCallbacks) / 8".to_owned(), heap::CALLBACKS),
        ("offsetof(jvmtiHeapCallbacks, heap_iteration_callback)".to_owned(), 0),
    ];
    same.extend(functions.map(|(name, slot)| (format!("offsetof(struct jvmtiInterface_1_, {name}) / 8 + 1"), slot)));
    same.extend(natives.map(|(name, slot)| (format!("offsetof(struct JNINativeInterface_, {name}) / 8"), slot)));
    same.extend(events.map(|(_, name, number)| (format!("JVMTI_EVENT_{name}"), number)));
    same.extend(
        events
            .map(|(name, _, number)| (format!("offsetof(jvmtiEventCallbacks, {name}) / 8 + {}", event::FIRST), number)),
    );
    // Newer versions add callbacks at the end; the agent passes their number to the JVM.
    let asserts = same.iter().map(|(text, number)| format!("same(\"{text}\", {text}, {number});\n"));
    let bits = capabilities.map(|(name, bit)| format!("bit({name}, {bit})\n"));
    let program = format!(
        "#include <stddef.h>\n#include <stdio.h>\n#include <string.h>\n#include <jvmti.h>\nstatic int wrong;\n\
         static void same(const char *what, long is, long ours) {{\n\
         if (is != ours) {{ printf(\"%s is %ld, not %ld\\n\", what, is, ours); wrong = 1; }} }}\n\
         #define bit(name, n) {{ jvmtiCapabilities c; unsigned char b[sizeof c] = {{0}}; memset(&c, 0, sizeof c); \
         c.name = 1; b[n / 8] = 1 << n % 8; same(#name, memcmp(b, &c, sizeof c), 0); }}\n\
         int main(void) {{\n{}{}return wrong || sizeof(jvmtiEventCallbacks) / 8 < {}; }}\n",
        asserts.collect::<String>(),
        bits.concat(),
        event::COUNT,
    );
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("numbers.c"), program).expect("a file");
    let include = include();
    let compiled = Command::new("cc")
        .args(["-Wall", "-Werror", "-o", "numbers", "numbers.c", "-I"])
        .arg(&include)
        .arg("-I")
        .arg(include.join("linux"))
        .current_dir(folder.path())
        .status();
    assert!(compiled.is_ok_and(|status| status.success()), "the header compiles: {INSTALL}");
    let output = Command::new(folder.path().join("numbers")).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
