//! Why crates are unavailable: cargo's messages, made helpful for a learner.

use std::fmt;
use std::io;

/// Why crates could not be compiled or added. Crates that were there before are unaffected.
#[derive(Debug)]
pub enum Trouble {
    /// It was stopped.
    Stopped,
    /// A crate is not on this machine.
    Unreachable {
        /// Whether cargo was not allowed to download it, rather than unable to.
        is_offline: bool,
        /// Cargo's message.
        reason: String,
    },
    /// Cargo cannot write to its download cache; its message.
    Unwritable(String),
    /// A crate is not among those installed for all users; cargo's message.
    NotInstalled(String),
    /// The request cannot be met; a sentence for the learner.
    Refused(String),
    /// A fault of the machine.
    Failed(io::Error),
}

impl fmt::Display for Trouble {
    fn fmt(&self, text: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Trouble::Stopped => text.write_str("interrupted"),
            Trouble::Unreachable {
                is_offline: true,
                reason,
            } => write!(
                text,
                "a crate that this cell needs is not on this machine, and cells are compiled \
                 offline: put `:offline 0` on a line above the `:dep`, and run the cell again. \
                 Cargo then downloads it.\n\nCargo says: {}",
                reason.lines().next().unwrap_or_default()
            ),
            Trouble::Unreachable { reason, .. } => write!(
                text,
                "a crate that this cell needs could not be downloaded. Connect to the network, \
                 and run the cell again.\n\nCargo says: {reason}"
            ),
            Trouble::Unwritable(reason) => write!(
                text,
                "a crate that this cell needs could not be stored: cargo may not write to its \
                 folder, `~/.cargo` or the one in `CARGO_HOME`.\n\nCargo says: {reason}"
            ),
            Trouble::NotInstalled(reason) => write!(
                text,
                "a crate that this cell needs is not part of this installation, to which cells \
                 cannot add any. To use crates from crates.io, work in a copy of the project of \
                 your own. A crate that you have written works here, too, by its path: `:dep mine \
                 = {{ path = \"../mine\" }}`.\n\nCargo says: {}",
                reason.lines().next().unwrap_or_default()
            ),
            Trouble::Refused(sentence) => text.write_str(sentence),
            Trouble::Failed(error) => error.fmt(text),
        }
    }
}

impl std::error::Error for Trouble {
    /// The cause of a fault of the machine; the fault's own message is already shown in full.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Trouble::Failed(error) => error.source(),
            _ => None,
        }
    }
}

impl Trouble {
    /// The same error in an installation, where neither settings nor a network would help.
    #[must_use]
    pub fn in_installation(self) -> Trouble {
        match self {
            Trouble::Unreachable { reason, .. } | Trouble::Unwritable(reason) => {
                Trouble::NotInstalled(reason)
            }
            other => other,
        }
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        match error.kind() {
            io::ErrorKind::Interrupted => Trouble::Stopped,
            _ => Trouble::Failed(error),
        }
    }
}

/// The generated package that depends on the crates. Messages to learners must not mention it.
pub const PROJECT: &str = "notebook-crates";

/// The start of cargo's error lines.
const ERROR: &str = "error: ";
/// Parts of cargo's messages when it must not use the network.
const OFFLINE: [&str; 2] = ["--offline", "offline mode"];
/// Parts of cargo's messages when the network is unreachable.
const NO_NETWORK: [&str; 4] = [
    "failed to download from",
    "Could not resolve host",
    "Could not connect",
    "spurious network error",
];
/// Part of the paths in cargo's download cache.
const KEPT: &str = "/registry/";
/// Parts of cargo's messages when nothing can be written there.
const UNWRITABLE: [&str; 2] = ["(os error 13)", "(os error 30)"];
/// Beginnings of lines that do not help a learner.
const NEEDLESS: [&str; 4] = [
    "location searched: crates.io index",
    "As a reminder,",
    "versions that meet the requirements",
    "failed to select a version for",
];

/// Interprets the output of a cargo run that failed.
pub fn refusal(said: &str) -> Trouble {
    let error = error_alone(said);
    let reason = reason(error);
    if error.contains(KEPT) && UNWRITABLE.iter().any(|words| error.contains(words)) {
        return Trouble::Unwritable(reason);
    }
    let says = |words: &[&str]| words.iter().any(|words| said.contains(words));
    let is_offline = says(&OFFLINE);
    match is_offline || says(&NO_NETWORK) {
        true => Trouble::Unreachable { is_offline, reason },
        false => Trouble::Refused(format!(
            "this crate is not available as the `:dep` line says.\n\nCargo says: {reason}"
        )),
    }
}

/// The error in cargo's output, without the warnings and progress before it.
fn error_alone(said: &str) -> &str {
    let mut errors = said.match_indices(ERROR).map(|(place, _)| place);
    let error = errors.find(|place| *place == 0 || said[..*place].ends_with('\n'));
    error.map_or(said, |place| &said[place + ERROR.len()..])
}

/// The last cause, or else the error's lines about the crate.
fn reason(error: &str) -> String {
    if let Some((_, cause)) = error.rsplit_once("Caused by:\n") {
        return cause.trim().to_owned();
    }
    let error = error.replace(
        &format!("package `{PROJECT}` depends on"),
        "the cell asks for",
    );
    let (first, rest) = error.split_once('\n').unwrap_or((&error, ""));
    let helpful = rest.lines().map(str::trim).filter(|line| {
        let is_needless = NEEDLESS.iter().any(|words| line.starts_with(words));
        !line.is_empty() && !is_needless && !line.contains(PROJECT)
    });
    let lines: Vec<&str> = [first].into_iter().chain(helpful).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error;

    #[test]
    fn a_crate_that_cannot_be_fetched_says_how_to_go_online() {
        for said in [
            "warning: unused\n\nerror: no matching package named `pcg` found\nlocation searched: \
             crates.io index\nAs a reminder, you're using offline mode (--offline) which can",
            "error: failed to download `pcg v0.3.1`\n\nCaused by:\n  attempting to make an HTTP \
             request for `pcg`, but --offline was specified",
        ] {
            let message = refusal(said).to_string();
            assert!(message.contains("put `:offline 0` on a line"), "{message}");
            assert!(
                message
                    .lines()
                    .last()
                    .is_some_and(|line| line.contains("`pcg`")),
                "{message}"
            );
        }
    }

    #[test]
    fn in_an_installation_nothing_is_advised_that_cannot_work() {
        for said in [
            "error: no matching package named `roman` found\nlocation searched: crates.io index\n\
             As a reminder, you're using offline mode (--offline) which can",
            "  Downloaded roman v0.1.6\nerror: failed to create directory \
             `/opt/a/registry/cache/index.crates.io-1949cf8c6b5b557f`\n\nCaused by:\n  \
             Permission denied (os error 13)",
            "error: download of config.json failed\n\nCaused by:\n  [7] Could not connect",
        ] {
            let message = refusal(said).in_installation().to_string();
            assert!(
                message.contains("a copy of the project of your own"),
                "{message}"
            );
            assert!(message.contains("{ path = \"../mine\" }"), "{message}");
            let advice = [
                ":offline",
                "onnect to the network",
                "as the `:dep` line says",
            ];
            assert!(
                !advice.iter().any(|advice| message.contains(advice)),
                "{message}"
            );
        }
        let wrong = "error: failed to read `/a/Cargo.toml`\n\nCaused by:\n  No such file";
        let same = refusal(wrong).in_installation().to_string();
        assert_eq!(same, refusal(wrong).to_string());
    }

    #[test]
    fn cargo_speaks_of_the_crate_and_not_of_the_project() {
        for (said, expected) in [
            (
                "    Updating crates.io index\nerror: no matching package named `pcg` found\n\
                 location searched: crates.io index\nrequired by package `notebook-crates v0.0.0 (/a)`",
                "no matching package named `pcg` found",
            ),
            (
                "error: failed to select a version for `itoa`.\n    ... required by package \
                 `notebook-crates v0.0.0 (/a)`\nversions that meet the requirements `^1` are: 1.0.1\n\n\
                 package `notebook-crates` depends on `itoa` with feature `nope` but `itoa` does not \
                 have that feature.\n\n\nfailed to select a version for `itoa` which could resolve \
                 this conflict",
                "failed to select a version for `itoa`.\nthe cell asks for `itoa` with feature \
                 `nope` but `itoa` does not have that feature.",
            ),
            (
                "error: failed to get `a` as a dependency of package `notebook-crates v0.0.0 (/a)`\n\n\
                 Caused by:\n  download of config.json failed\n\nCaused by:\n  [7] Could not connect",
                "[7] Could not connect",
            ),
        ] {
            let message = refusal(said).to_string();
            let (_, reason) = message.split_once("Cargo says: ").expect("a reason");
            assert_eq!(reason, expected);
        }
    }

    #[test]
    fn what_was_stopped_is_no_failure() {
        let stopped = io::Error::from(io::ErrorKind::Interrupted);
        assert!(matches!(stopped.into(), Trouble::Stopped));
        assert!(matches!(
            io::Error::other("full").into(),
            Trouble::Failed(_)
        ));
    }

    #[test]
    fn a_fault_says_its_message_once_and_keeps_its_cause() {
        #[derive(Debug)]
        struct Full(fmt::Error);

        impl fmt::Display for Full {
            fn fmt(&self, text: &mut fmt::Formatter) -> fmt::Result {
                text.write_str("full")
            }
        }

        impl Error for Full {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(&self.0)
            }
        }

        let fault = Trouble::from(io::Error::other(Full(fmt::Error)));
        assert_eq!(fault.to_string(), "full");
        assert!(fault.source().is_some_and(|cause| cause.is::<fmt::Error>()));
        assert!(Trouble::Stopped.source().is_none());
    }
}
