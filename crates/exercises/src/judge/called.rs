//! Calls a function and treats a panic as an outcome.

use crate::judge::outcome::Outcome;
use crate::output::Output;
use std::any::Any;
use std::panic::{self, AssertUnwindSafe};

pub(crate) fn called(call: &dyn Fn() -> Output) -> Outcome {
    match panic::catch_unwind(AssertUnwindSafe(call)) {
        Ok(output) => Outcome::Returned(output),
        Err(panic) => Outcome::of_panic(message(&*panic)),
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a message")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::panic_any;

    #[test]
    fn a_panic_is_an_outcome() {
        let panicked = |message: &str| Outcome::Panicked(message.to_owned());
        assert_eq!(called(&|| panic!("one text")), panicked("one text"));
        assert_eq!(
            called(&|| panic!("a number: {}", 3)),
            panicked("a number: 3")
        );
        assert_eq!(called(&|| panic_any(3)), panicked("without a message"));
        assert_eq!(
            called(&|| Output(Vec::new())),
            Outcome::Returned(Output(Vec::new()))
        );
    }
}
