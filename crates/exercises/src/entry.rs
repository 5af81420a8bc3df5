//! An exercise, whatever the type of its answer is; and the proof that it is right.

use crate::arguments::Function;
use crate::exercise::Exercise;
use crate::judge::{judge, judged, verdict_on_noise};
use crate::lesson::Lesson;
use crate::listing;
use crate::verdict::{State, Verdict};
use std::time::{Duration, Instant};

/// A member of the course.
pub trait Entry: Sync {
    /// Its name in `check::NAME`.
    fn name(&self) -> &'static str;
    /// Its name for people.
    fn title(&self) -> &'static str;
    /// Where it stands.
    fn lesson(&self) -> Lesson;
    /// The idea after which it stands.
    fn after(&self) -> &'static str;
    /// The text above its cell.
    fn task(&self) -> &'static str;
    /// The cell in which a learner writes the answer.
    fn cell(&self) -> String;
    /// How many known mistakes it has.
    fn mutants(&self) -> usize;
    /// How long the verdict on an answer takes that is wrong in no known way: then everything is
    /// tried to tell what was done. Nothing of an exercise whose verdict is of another kind.
    fn longest_verdict(&self) -> Option<Duration>;
    /// What is wrong with the exercise itself; nothing if its solutions pass, if each mutant
    /// fails with its own sentence, and if the hints keep the solution to themselves.
    fn prove(&self) -> Vec<String>;
}

impl<F: Function + Sync> Entry for Exercise<F> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn lesson(&self) -> Lesson {
        self.lesson
    }

    fn after(&self) -> &'static str {
        self.after
    }

    fn task(&self) -> &'static str {
        self.task
    }

    fn cell(&self) -> String {
        listing::cell(self.source, self.name)
    }

    fn mutants(&self) -> usize {
        self.mutants.len()
    }

    fn longest_verdict(&self) -> Option<Duration> {
        let began = Instant::now();
        let shown = verdict_on_noise(self).html();
        Some(began.elapsed()).filter(|_| !shown.is_empty())
    }

    fn prove(&self) -> Vec<String> {
        let mut faults = self.faults_of_answers();
        faults.extend(self.faults_of_mutants());
        faults.extend(self.faults_of_texts());
        faults
    }
}

impl<F> Exercise<F> {
    /// Whether the answer does what the given text of a *find the bug* does, the first mutant.
    pub(crate) fn is_given(&self, verdict: &Verdict) -> bool {
        let given = listing::function(self.source, "given", self.name);
        let says = self.mutants.first().map(|mutant| mutant.says);
        !given.is_empty() && verdict.diagnosis() == says
    }
}

impl<F: Function> Exercise<F> {
    fn faults_of_answers(&self) -> Vec<String> {
        let not_written = |_| panic!("not yet implemented");
        let verdicts = [
            ("the solution", judge(self, self.solution), State::Right),
            (
                "the other solution",
                judge(self, self.another),
                State::Right,
            ),
            (
                "todo!()",
                Verdict::new(self, judged(self, &not_written), None),
                State::NotAttempted,
            ),
        ];
        let wrong = verdicts
            .iter()
            .filter(|(_, verdict, state)| verdict.state() != *state);
        wrong
            .map(|(what, verdict, _)| format!("{what} gets the verdict {verdict}"))
            .collect()
    }

    fn faults_of_mutants(&self) -> Vec<String> {
        let fault = |(number, verdict, says): (usize, Verdict, &str)| match verdict.diagnosis() {
            Some(diagnosis) if diagnosis == says && !verdict.is_right() => None,
            _ => Some(format!(
                "mutant {number}, \"{says}\", gets the verdict {verdict}"
            )),
        };
        let mutants = self.mutants.iter().zip(1..);
        mutants
            .map(|(mutant, number)| (number, judge(self, mutant.code), mutant.says))
            .filter_map(fault)
            .collect()
    }

    fn faults_of_texts(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let solution = listing::function(self.source, "solution", self.name);
        let another = listing::function(self.source, "another", self.name);
        if solution.is_empty() || another.is_empty() {
            faults.push("its file has no function `solution`, or no `another`".to_owned());
        }
        if self.hints.len() < 3 {
            faults.push("it has fewer than three hints".to_owned());
        }
        if self.probes.len() < 3 || self.mutants.is_empty() {
            faults.push("it has fewer than three probes, or no mutant".to_owned());
        }
        let (last, hints) = self.hints.split_last().unwrap_or((&"", &[]));
        let early = hints
            .iter()
            .copied()
            .chain(self.mutants.iter().map(|mutant| mutant.says));
        for text in early.filter(|text| tells_a_line(text, &solution)) {
            faults.push(format!("\"{text}\" has a line of the solution"));
        }
        if dense(last).contains(&dense(body(&solution))) {
            faults.push("the last hint is the solution".to_owned());
        }
        faults
    }
}

/// Whether a text has a whole line of a function's body. Short lines are in many texts.
fn tells_a_line(text: &str, function: &str) -> bool {
    let lines = body(function)
        .lines()
        .map(dense)
        .filter(|line| line.len() > 15);
    let text = dense(text);
    lines.into_iter().any(|line| text.contains(&line))
}

fn body(function: &str) -> &str {
    let body = function
        .split_once("{\n")
        .map_or(function, |(_, body)| body);
    body.trim_end().trim_end_matches('}')
}

/// Without spaces.
fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_solution_is_found_in_other_spacing() {
        let function = "fn my_sum(a: &Array1<f32>) -> f32 {\n    a.iter().copied().sum()\n}";
        assert!(tells_a_line("write `a.iter() .copied().sum()`", function));
        assert!(!tells_a_line("the method `sum` of an iterator", function));
    }
}
