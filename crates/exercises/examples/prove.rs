//! Tests the exercises themselves: `cargo run --release -p exercises --example prove`.

use exercises::{exercises, predictions};
use std::process::ExitCode;

fn main() -> ExitCode {
    let (mut mutants, mut is_proved) = (0, true);
    for exercise in exercises() {
        let faults = exercise.prove();
        let name = exercise.name();
        match faults.as_slice() {
            [] => println!("{name} ... ok, {} known mistakes", exercise.mutants()),
            faults => println!("{name} ... FAILED\n{}", faults.join("\n")),
        }
        mutants += exercise.mutants();
        is_proved &= faults.is_empty();
    }
    println!(
        "{} exercises, {mutants} known mistakes, {} predictions",
        exercises().len(),
        predictions().len()
    );
    ExitCode::from(if is_proved { 0 } else { 1 })
}
