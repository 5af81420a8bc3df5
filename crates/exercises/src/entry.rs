//! Exercises regardless of the types of their answers, and a check of the exercises themselves.

use crate::answers;
use crate::attempt::{Answered, Attempt, Member, Whose};
use crate::effort::Effort;
use crate::judge::{compared, is_given, judged};
use crate::lesson::Lesson;
use crate::listing;
use crate::verdict::{AnswerState, Verdict};
use std::time::{Duration, Instant};

/// An exercise of a course, whatever the type of its answer.
pub trait Entry: Sync {
    /// Its name in `check::NAME`.
    fn name(&self) -> &'static str;
    /// Its title, as learners see it.
    fn title(&self) -> &'static str;
    /// The lesson that it belongs to.
    fn lesson(&self) -> Lesson;
    /// The idea in the lesson that it follows.
    fn after(&self) -> &'static str;
    /// The text of the Markdown cell above it.
    fn task(&self) -> &'static str;
    /// Its difficulty, and how long it takes.
    fn effort(&self) -> Effort;
    /// The code of the cell in which the learner writes the answer.
    fn cell(&self) -> String;
    /// Its hints, gentlest first.
    fn hints(&self) -> &'static [&'static str];
    /// The function that solves it; empty if the exercise shows none.
    fn solution(&self) -> String;
    /// A function that solves it in another way; empty if the exercise shows none.
    fn another(&self) -> String;
    /// Explains the answer, with its equivalent in PyTorch or NumPy.
    fn explanation(&self) -> String;
    /// The number of its known mistakes.
    fn mutants(&self) -> usize;
    /// How long the verdict takes on a wrong answer that matches no known mistake, so that every
    /// diagnosis is tried. `None` for an exercise that is judged differently.
    fn longest_verdict(&self) -> Option<Duration>;
    /// The state of an answer, judged only by the results that the learner's process has stored.
    fn grade(&self, answer: &[u8]) -> AnswerState;
    /// The faults of the exercise itself. There are none if its solutions pass, each known mistake
    /// gets its own sentence, and no hint contains the solution.
    fn prove(&self) -> Vec<String>;
}

impl<F: Copy + Sync> Entry for Member<F> {
    fn name(&self) -> &'static str {
        self.exercise.name
    }

    fn title(&self) -> &'static str {
        self.exercise.title
    }

    fn lesson(&self) -> Lesson {
        self.exercise.lesson
    }

    fn after(&self) -> &'static str {
        self.exercise.after
    }

    fn task(&self) -> &'static str {
        self.exercise.task
    }

    fn effort(&self) -> Effort {
        self.exercise.effort
    }

    fn cell(&self) -> String {
        listing::cell(self.exercise.source, self.exercise.name)
    }

    fn hints(&self) -> &'static [&'static str] {
        self.exercise.hints
    }

    fn solution(&self) -> String {
        listing::function(self.exercise.source, "solution", self.exercise.name)
    }

    fn another(&self) -> String {
        listing::function(self.exercise.source, "another", self.exercise.name)
    }

    fn explanation(&self) -> String {
        format!("{} {}", self.exercise.explanation, self.exercise.pytorch)
    }

    fn mutants(&self) -> usize {
        self.exercise.mutants.len()
    }

    fn longest_verdict(&self) -> Option<Duration> {
        Some(time_of_noise(&self.solved()))
    }

    fn grade(&self, answer: &[u8]) -> AnswerState {
        grade(&self.solved(), answer)
    }

    fn prove(&self) -> Vec<String> {
        faults(&self.solved())
    }
}

impl<F: Copy> Member<F> {
    /// The exercise with its own solution as the answer.
    fn solved(&self) -> Answered<'_, F> {
        Answered {
            member: self,
            answer: self.exercise.solution,
        }
    }
}

/// The state of an answer, judged only by its stored results.
fn grade(attempt: &dyn Attempt, answer: &[u8]) -> AnswerState {
    let probes = attempt.probes().len();
    let Ok((is_borrowed, outcomes)) = answers::outcomes(answer, probes) else {
        return AnswerState::Wrong;
    };
    let judged = compared(attempt, outcomes);
    if is_given(attempt, &judged) {
        return AnswerState::NotAttempted;
    }
    match Verdict::new(attempt.texts(), judged, None).state() {
        AnswerState::Right if is_borrowed => AnswerState::Wrong,
        state => state,
    }
}

/// How long it takes to judge and display a wrong answer that matches no known mistake.
fn time_of_noise(attempt: &dyn Attempt) -> Duration {
    let began = Instant::now();
    std::hint::black_box(Verdict::of_noise(attempt).html());
    began.elapsed()
}

/// Lists what is wrong with an exercise.
fn faults(attempt: &dyn Attempt) -> Vec<String> {
    let mut faults = faults_of_answers(attempt);
    faults.extend(faults_of_mutants(attempt));
    faults.extend(faults_of_texts(attempt));
    faults
}

fn faults_of_answers(attempt: &dyn Attempt) -> Vec<String> {
    let not_written = |_| panic!("not yet implemented");
    let verdicts = [
        (
            "the solution",
            Verdict::of(attempt, Whose::Solution),
            AnswerState::Right,
        ),
        (
            "the other solution",
            Verdict::of(attempt, Whose::Another),
            AnswerState::Right,
        ),
        (
            "todo!()",
            Verdict::new(attempt.texts(), judged(attempt, &not_written), None),
            AnswerState::NotAttempted,
        ),
    ];
    let wrong = verdicts
        .iter()
        .filter(|(_, verdict, state)| verdict.state() != *state);
    wrong
        .map(|(what, verdict, _)| format!("{what} gets the verdict {verdict}"))
        .collect()
}

fn faults_of_mutants(attempt: &dyn Attempt) -> Vec<String> {
    let fault = |(index, says): (usize, &str)| {
        let verdict = Verdict::of(attempt, Whose::Mutant(index));
        let is_told = verdict.diagnosis() == Some(says) && !verdict.is_right();
        let number = index + 1;
        (!is_told).then(|| format!("mutant {number}, \"{says}\", gets the verdict {verdict}"))
    };
    let mutants = attempt.mutants();
    mutants.into_iter().enumerate().filter_map(fault).collect()
}

fn faults_of_texts(attempt: &dyn Attempt) -> Vec<String> {
    let mut faults = Vec::new();
    let (texts, mutants) = (attempt.texts(), attempt.mutants());
    let solution = listing::function(texts.source, "solution", texts.name);
    let another = listing::function(texts.source, "another", texts.name);
    if solution.is_empty() || another.is_empty() {
        faults.push("its file has no function `solution`, or no `another`".to_owned());
    }
    if texts.hints.len() < 3 {
        faults.push("it has fewer than three hints".to_owned());
    }
    if attempt.probes().len() < 3 || mutants.is_empty() {
        faults.push("it has fewer than three probes, or no mutant".to_owned());
    }
    let (last, hints) = texts.hints.split_last().unwrap_or((&"", &[]));
    let early = hints.iter().chain(&mutants);
    for text in early.filter(|text| tells_a_line(text, &solution)) {
        faults.push(format!("\"{text}\" has a line of the solution"));
    }
    if dense(last).contains(&dense(body(&solution))) {
        faults.push("the last hint is the solution".to_owned());
    }
    faults
}

/// Whether `text` contains a whole line of a function's body. Short lines do not count, because
/// they occur everywhere.
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

/// The text without white space.
fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exercise::{Exercise, Mutant, Probe, ReturnValue};

    type Number = fn(usize, usize) -> usize;

    const SOURCE: &str = "\nfn solution(a: usize, b: usize) -> usize {\n    a.pow(2) + b.pow(2)\n}\n\
                          \nfn another(a: usize, b: usize) -> usize {\n    a * a + b * b\n}\n";

    fn squares() -> Exercise<Number> {
        Exercise {
            name: "squares",
            title: "Squares",
            lesson: crate::coding_attention::LESSON,
            after: "",
            task: "",
            effort: Effort {
                difficulty: 1,
                minutes: 1,
            },
            without: &[],
            source: SOURCE,
            solution: |a, b| a.pow(2) + b.pow(2),
            another: |a, b| a * a + b * b,
            probes: &[
                Probe {
                    what: "1 and 1",
                    run: |f| f(1, 1).output(),
                },
                Probe {
                    what: "2 and 0",
                    run: |f| f(2, 0).output(),
                },
                Probe {
                    what: "3 and 5",
                    run: |f| f(3, 5).output(),
                },
            ],
            mutants: &[Mutant {
                code: |a, b| a + b,
                says: "Nothing is squared.",
            }],
            hints: &["Square.", "Twice.", "Add up."],
            explanation: "",
            pytorch: "",
        }
    }

    fn prove(exercise: Exercise<Number>) -> Vec<String> {
        let member = Member {
            exercise: Box::leak(Box::new(exercise)),
            changed: crate::changed_function!(usize, usize => usize),
        };
        member.prove()
    }

    #[test]
    fn what_is_wrong_with_an_exercise_is_a_fault_of_it() {
        assert_eq!(prove(squares()), [""; 0]);
        let wrong: [(&str, Exercise<Number>); 5] = [
            (
                "the other solution gets",
                Exercise {
                    another: |a, b| a * b,
                    ..squares()
                },
            ),
            (
                "mutant 1, \"Right.\", gets",
                Exercise {
                    mutants: &[Mutant {
                        code: |a, b| b * b + a * a,
                        says: "Right.",
                    }],
                    ..squares()
                },
            ),
            (
                "mutant 2, \"The same.\", gets",
                Exercise {
                    mutants: &[
                        Mutant {
                            code: |a, b| a + b,
                            says: "Nothing is squared.",
                        },
                        Mutant {
                            code: |a, b| b + a,
                            says: "The same.",
                        },
                    ],
                    ..squares()
                },
            ),
            (
                "has a line of the solution",
                Exercise {
                    hints: &["Write a.pow(2) + b.pow(2).", "Twice.", "Add up."],
                    ..squares()
                },
            ),
            (
                "fewer than three hints",
                Exercise {
                    hints: &["Square."],
                    ..squares()
                },
            ),
        ];
        for (fault, exercise) in wrong {
            let faults = prove(exercise);
            assert!(
                faults.iter().any(|one| one.contains(fault)),
                "{fault}: {faults:?}"
            );
        }
    }

    #[test]
    fn a_line_of_the_solution_is_found_in_other_spacing() {
        let function = "fn my_sum(a: &Array1<f32>) -> f32 {\n    a.iter().copied().sum()\n}";
        assert!(tells_a_line("write `a.iter() .copied().sum()`", function));
        assert!(!tells_a_line("the method `sum` of an iterator", function));
    }
}
