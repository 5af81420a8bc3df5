//! How long a cell took.

use std::time::Duration;

/// The line below a timed cell. `compiled` is the part of the time that rustc took, if the cell has
/// code.
pub fn line(total: Duration, compiled: Option<Duration>) -> String {
    match compiled {
        Some(compiled) => {
            let ran = total.saturating_sub(compiled);
            format!("Compiled in {}, ran in {}\n", text(compiled), text(ran))
        }
        None => format!("Took {}\n", text(total)),
    }
}

/// A duration, with about three significant digits.
fn text(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        60.0.. => format!(
            "{:.0} min {:.0} s",
            (seconds / 60.0).floor(),
            seconds % 60.0
        ),
        1.0.. => format!("{seconds:.2} s"),
        0.01.. => format!("{:.0} ms", seconds * 1e3),
        _ => format!("{:.1} ms", seconds * 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiling_and_running_are_told_apart() {
        let ms = Duration::from_millis;
        assert_eq!(
            line(ms(1_734), Some(ms(214))),
            "Compiled in 214 ms, ran in 1.52 s\n"
        );
        assert_eq!(
            line(ms(214), Some(ms(300))),
            "Compiled in 300 ms, ran in 0.0 ms\n"
        );
        assert_eq!(line(ms(3), None), "Took 3.0 ms\n");
        assert_eq!(line(ms(61_200), None), "Took 1 min 1 s\n");
    }
}
