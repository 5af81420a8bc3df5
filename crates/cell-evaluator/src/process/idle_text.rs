//! Text that leftover threads and processes of cells print while no cell runs.

/// Number of bytes kept at the end once there are more than twice as many.
const MOST_KEPT: usize = 1 << 16;

#[derive(Debug, Default, PartialEq)]
pub struct IdleText {
    kept: String,
    dropped: u64,
}

impl IdleText {
    pub fn push(&mut self, text: &str) {
        self.kept += text;
        if self.kept.len() > 2 * MOST_KEPT {
            let start = self.kept.ceil_char_boundary(self.kept.len() - MOST_KEPT);
            self.kept.drain(..start);
            self.dropped += start as u64;
        }
    }

    /// The text, preceded by a note if its start has been dropped.
    pub fn into_text(self) -> String {
        match self.dropped {
            0 => self.kept,
            dropped => format!(
                "[printed while no cell ran; the first {dropped} bytes are left out]\n{}",
                self.kept
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept_and_the_rest_is_counted() {
        let mut text = IdleText::default();
        text.push("all of it");
        assert_eq!(text.into_text(), "all of it");

        let mut text = IdleText::default();
        for _ in 0..1_000_000 {
            text.push("é\n");
            assert!(text.kept.len() <= 2 * MOST_KEPT + 3);
        }
        let shown = text.into_text();
        let (line, rest) = shown.split_once('\n').expect("a line");
        let dropped = 3_000_000 - rest.len();
        assert_eq!(
            line,
            format!("[printed while no cell ran; the first {dropped} bytes are left out]")
        );
        assert!(rest.len() >= MOST_KEPT && rest.ends_with("é\n"));
    }
}
