//! `xtask no-std`: proves that the lower crates link without the standard library.
//!
//! A program that brings its own panic handler cannot link `std`, which has one already. So a static library
//! with such a handler that uses the crates is a proof on any host; where the toolchain has a target without
//! `std`, the crates are built for it as well.

use crate::{layers, sh};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Crates without `std`, beside those of formats.
const CRATES: [&str; 4] = ["core", "scene", "quake", "rig"];
const BARE_TARGETS: &[&str] =
    &["thumbv7em-none-eabihf", "x86_64-unknown-none", "riscv32imac-unknown-none-elf"];

pub(crate) fn run(root: &Path) -> Result<(), String> {
    let dir = root.join("target/no-std");
    fs::create_dir_all(dir.join("src")).map_err(|e| e.to_string())?;
    let formats = layers::formats(root)?;
    let present = CRATES.into_iter().chain(formats.iter().map(String::as_str));
    let mut manifest = String::from(
        "[package]\nname = \"no-std-proof\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [lib]\ncrate-type = [\"staticlib\"]\n\n\
         [profile.dev]\npanic = \"abort\"\n\n[profile.release]\npanic = \"abort\"\n\n[dependencies]\n",
    );
    let mut lib = String::from(
        "#![no_std]\n\
         use core::alloc::{GlobalAlloc, Layout};\n\
         struct None;\n\
         unsafe impl GlobalAlloc for None {\n\
             unsafe fn alloc(&self, _: Layout) -> *mut u8 { core::ptr::null_mut() }\n\
             unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}\n\
         }\n\
         #[global_allocator]\nstatic ALLOCATOR: None = None;\n\
         #[panic_handler]\nfn panic(_: &core::panic::PanicInfo) -> ! { loop {} }\n",
    );
    for name in present {
        let features =
            if matches!(name, "core" | "scene" | "quake" | "rig") { "" } else { ", features = [\"scene\"]" };
        manifest.push_str(&format!(
            "meshwright-{name} = {{ path = \"../../crates/{name}\", default-features = false{features} }}\n"
        ));
        lib.push_str(&format!("extern crate meshwright_{name} as _;\n"));
    }
    fs::write(dir.join("Cargo.toml"), manifest).map_err(|e| e.to_string())?;
    fs::write(dir.join("src/lib.rs"), lib).map_err(|e| e.to_string())?;
    let _ = fs::copy(root.join("Cargo.lock"), dir.join("Cargo.lock"));
    sh::cargo(&dir, "build --target-dir ../no-std-target")?;
    for target in BARE_TARGETS {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let lib = sh::output(Command::new(rustc).args(["--print", "target-libdir", "--target", target]))?;
        if Path::new(String::from_utf8_lossy(&lib).trim()).is_dir() {
            sh::cargo(&dir, &format!("build --target {target} --target-dir ../no-std-target"))?;
        } else {
            eprintln!("{target}: not in this toolchain");
        }
    }
    Ok(())
}
