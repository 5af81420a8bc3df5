//! The cargo workspace in which cells are compiled.
//!
//! Set-up (`set_up`) compiles the helper crate once, in a template (`template`), whose files
//! are written from the configuration (`manifest`, `helper_manifest`), for one compiler
//! (`toolchain`) and with type inference's own copy of the standard library (`rust_sources`).
//! Each kernel then has a copy of it (`cell_workspace`), which evcxr and cargo find through
//! the environment (`environment`; the user's own code has `of_user`), and a stand-in for cargo (`cargo_shim`); nobody else can
//! read what is written there (`private`). It goes with the kernel, also when a signal ends
//! that (`ending`), which waits for the threads that still write into it (`writers`), together with
//! every process that cells have started (`orphans`), for which somebody stands by who survives a
//! kernel that is killed (`guardian`); or it is swept away later (`sweep`) from where all of them lie
//! (`temporary`).

pub mod cargo_shim;
pub mod cell_workspace;
pub mod ending;
pub mod environment;
mod files;
pub mod fingerprint;
#[cfg(target_os = "linux")]
pub mod guardian;
mod helper_manifest;
mod manifest;
pub mod of_user;
mod orphans;
pub mod private;
mod rust_homes;
pub mod rust_sources;
pub mod set_up;
mod signatures;
pub mod sweep;
pub mod template;
pub mod temporary;
pub mod toolchain;
pub mod writers;
