//! What cargo says of a crate that a cell asks for and that it cannot have: in place of how cargo
//! is called the line that helps, and no warnings before the error.

use crate::evaluation::failure::Failure;

/// How cargo says that it may not ask a registry.
const OFFLINE: [&str; 2] = ["--offline", "offline mode"];
/// How an error of cargo's begins.
const ERROR: &str = "error: ";

/// The failure that cargo's text means, if it is that the crate is not on this machine and cargo
/// may not fetch it.
pub fn failure(said: &str) -> Option<Failure> {
    if !OFFLINE.iter().any(|words| said.contains(words)) {
        return None;
    }
    let reason = error_alone(said).lines().next().unwrap_or_default();
    let message = format!(
        "a crate that this cell needs is not on this machine, and cells are compiled offline: \
         put `:offline 0` on a line above the `:dep`, and run the cell again. Cargo then downloads \
         it.\n\nCargo says: {reason}"
    );
    Some(Failure::new("CompileError", message))
}

/// The error in a text of cargo's, without the warnings and the progress before it, which are about
/// the kernel's own workspace.
pub fn error_alone(said: &str) -> &str {
    let mut errors = said.match_indices(ERROR).map(|(place, _)| place);
    let error = errors.find(|place| *place == 0 || said[..*place].ends_with('\n'));
    error.map_or(said, |place| &said[place + ERROR.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    const WARNED: &str = "warning: path override for crate `toy` has altered the original list\n\
        of dependencies\n\nerror: no matching package named `pcg` found\nlocation searched: \
        crates.io index\nAs a reminder, you're using offline mode (--offline) which can";

    #[test]
    fn a_crate_that_cannot_be_fetched_says_how_to_go_online() {
        for said in [
            WARNED,
            "error: failed to download `pcg v0.3.1`\n\nCaused by:\n  attempting to make an HTTP \
             request, but --offline was specified",
        ] {
            let message = failure(said).expect("it is offline").message;
            assert!(message.contains("put `:offline 0` on a line"), "{message}");
            assert!(!message.contains("--offline"), "{message}");
            let reason = message.lines().last().unwrap_or_default();
            assert!(
                reason.ends_with("`pcg` found") || reason.ends_with("`pcg v0.3.1`"),
                "{reason}"
            );
        }
        assert_eq!(
            failure("error: no matching package named `pcg` found"),
            None
        );
    }

    #[test]
    fn what_stands_before_the_error_is_left_out() {
        assert!(error_alone(WARNED).starts_with("no matching package"));
        let progress = "    Updating crates.io index\nerror: no\nerror: b";
        assert_eq!(error_alone(progress), "no\nerror: b");
        for other in ["an error: no", "warning: alone", ""] {
            assert_eq!(error_alone(other), other);
        }
    }
}
