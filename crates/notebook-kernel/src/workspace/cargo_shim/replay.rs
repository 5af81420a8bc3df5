//! Whether rustc can do with a cell what it did with the last one.

use crate::workspace::cargo_shim::record::{EVCXR_LIBRARY, Recorded};
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What evcxr asks of cargo.
pub const BUILD: &str = "build";
pub const CHECK: &str = "check";

/// What decides about a compilation besides files: arguments and environment. Checking and
/// building have the same.
pub fn request_fingerprint() -> u64 {
    let mut hasher = DefaultHasher::new();
    env::args_os()
        .filter(|argument| argument != BUILD && argument != CHECK)
        .for_each(|argument| argument.hash(&mut hasher));
    let mut environment: BTreeMap<_, _> = env::vars_os().collect();
    environment.remove(OsStr::new(EVCXR_LIBRARY)); // for building alone
    environment.hash(&mut hasher);
    hasher.finish()
}

/// The recorded call of rustc, if cargo would start the same one.
pub fn unchanged_record(request_fingerprint: u64) -> Option<Recorded> {
    let mut record = Recorded::read()?;
    if record.request_fingerprint != request_fingerprint {
        return None;
    }
    let looks = record.looks.unchanged(record.began)?;
    if looks != record.looks {
        record.looks = looks;
        let _ = record.save(); // the last one is true as well
    }
    Some(record)
}
