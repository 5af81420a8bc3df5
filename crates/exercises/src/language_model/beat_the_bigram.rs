//! The project: the learner trains a model that beats counting.
//!
//! Its answer is a model rather than a function, so it is judged differently.

use crate::answers;
use crate::effort::Effort;
use crate::entry::Entry;
use crate::hints_and_solutions::Aid;
use crate::judge::digits::telling_apart;
use crate::judge::outcome::{Judged, Outcome};
use crate::language_model::LESSON;
use crate::lesson::Lesson;
use crate::output::ReturnValue;
use crate::verdict::{AfterSuccess, AnswerState, Verdict};
use attention::language_model::LanguageModel;
use attention::text::{Text, bigram_loss};
use std::time::Duration;

const CRITERIA: usize = 3;
const NAME: &str = "beat_the_bigram";
const TITLE: &str = "Challenge: beat the bigram";

/// A model with a higher loss has learned nothing: guessing evenly among 65 characters costs
/// slightly more, 4.17.
const UNTRAINED: f32 = 4.1;

const HINTS: [&str; 3] = [
    "Counting uses one character. Which kinds of `Mixing` look at more than one, and which of \
     those cannot see what they are to predict?",
    "Start small, so that you can try many things: a width of 32, one block, two heads and a \
     thousand steps of `Training` take seconds. Then change one thing at a time.",
    "`Mixing::Attention { blocks: 1, heads: 2 }` with a context of 8 and a width of 32 gets below \
     the bigram within a few thousand steps at a learning rate of 3e-3. Is there still a gap between \
     training and validation?",
];

const EXPLANATION: &str = "Two things count: a low loss on text that the model has never seen, \
and that it cannot see the characters it should predict. A bigram knows one character; \
                           attention lets a model use all that came before.";

const CELL: &str = "\
let mut project_rng = torch::Generator::manual_seed(1);
let config = Config { vocabulary: 65, context: 8, width: 32, mixing: Mixing::None };
let my_model = LanguageModel::new(config, &mut project_rng);
// Choose another model, train it with Training, then:
check::beat_the_bigram(&my_model, &corpus)";

/// The project as a member of the course.
pub(crate) static PROJECT: Project = Project;

pub(crate) struct Project;

/// The next hint for the project.
pub fn hint() -> Aid {
    Aid::hint(NAME, &HINTS)
}

/// Shows an explanation after an attempt or after the last hint, but no code: the project has many
/// solutions.
pub fn solution() -> Aid {
    Aid::solution((NAME, TITLE), HINTS.len(), EXPLANATION, Vec::new())
}

/// Judges a trained model by its loss on the validation text.
pub(crate) fn judge(model: &LanguageModel, text: &Text) -> Verdict {
    let fits = model.config().vocabulary == text.vocabulary.size();
    let loss = if fits { loss(model, text) } else { f32::NAN };
    let counted = bigram_loss(&text.train, &text.validation, 1.0);
    let digits = telling_apart(3, &[(loss.into(), counted.into())]);
    let sees_the_future = fits && sees_the_future(model);
    let mut judged = vec![
        judged("the model knows the characters of the text", fits),
        judged(
            "what comes later changes nothing before it",
            fits && !sees_the_future,
        ),
        judged(
            &format!(
                "its loss on the validation text, {loss:.digits$}, is below {counted:.digits$}, \
                 that of counting"
            ),
            loss < counted,
        ),
    ];
    if loss > UNTRAINED {
        judged
            .iter_mut()
            .for_each(|judged| judged.outcome = Outcome::NotWritten);
    }
    let diagnosis = match (fits, sees_the_future, loss < counted) {
        (false, ..) => Some("The vocabulary of the model and that of the text differ in size."),
        (_, true, _) => Some(
            "The model sees the character it is supposed to predict, so its loss can be low, but it \
             cannot write. Which mixing has no triangle?",
        ),
        (_, _, false) if loss > UNTRAINED => Some("The model has not been trained yet."),
        (_, _, false) => Some(
            "The model has learned something, but counting pairs is still better. Does it look at \
             more than one character, and was it trained for long enough?",
        ),
        _ => None,
    };
    let after = AfterSuccess {
        explanation: EXPLANATION,
        another: String::new(),
        pytorch: "In nanoGPT this is `estimate_loss` on the validation split.",
    };
    Verdict::assembled(
        (NAME, TITLE),
        judged,
        diagnosis.map(str::to_owned),
        HINTS.len(),
        after,
    )
}

fn judged(what: &str, is_right: bool) -> Judged {
    Judged {
        what: what.to_owned(),
        expected: true.output(),
        outcome: Outcome::Returned(is_right.output()),
        is_right,
    }
}

fn loss(model: &LanguageModel, text: &Text) -> f32 {
    let losses = model.losses_by_position(&text.validation);
    losses
        .ok()
        .and_then(|losses| losses.mean())
        .unwrap_or(f32::NAN)
}

/// Whether the last character changes the predictions before it.
fn sees_the_future(model: &LanguageModel) -> bool {
    let config = model.config();
    let mut tokens = vec![0; config.context];
    let before = model.logits(&tokens);
    let last = tokens.len() - 1;
    tokens[last] = config.vocabulary - 1;
    let after = model.logits(&tokens);
    let rows = || before.rows().into_iter().zip(after.rows()).take(last);
    rows().any(|(before, after)| before.iter().zip(after).any(|(a, b)| (a - b).abs() > 1e-4))
}

impl Entry for Project {
    fn name(&self) -> &'static str {
        NAME
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn lesson(&self) -> Lesson {
        LESSON
    }

    fn after(&self) -> &'static str {
        "Model 4: a transformer, after its loss on the validation text"
    }

    fn task(&self) -> &'static str {
        "Train a model of your own whose loss on the validation text is below that of counting \
         pairs, 2.482. It must not see the characters it is supposed to predict. The lesson's own \
         transformer would pass, so try with fewer than 20,000 numbers (`show_parameters` counts \
         them); that takes less than a minute. Once you are there: the lesson's transformer \
         reached 1.88. Can \
         you beat that, too?"
    }

    fn effort(&self) -> Effort {
        Effort {
            difficulty: 3,
            minutes: 30,
        }
    }

    fn cell(&self) -> String {
        CELL.to_owned()
    }

    fn hints(&self) -> &'static [&'static str] {
        &HINTS
    }

    fn solution(&self) -> String {
        String::new() // there are many
    }

    fn another(&self) -> String {
        String::new()
    }

    fn explanation(&self) -> String {
        EXPLANATION.to_owned()
    }

    fn mutants(&self) -> usize {
        0
    }

    fn longest_verdict(&self) -> Option<Duration> {
        None
    }

    /// Trusts the measurements of the learner's process: a model is not measured again.
    fn grade(&self, answer: &[u8]) -> AnswerState {
        let Ok((_, outcomes)) = answers::outcomes(answer, CRITERIA) else {
            return AnswerState::Wrong;
        };
        let is_right = |outcome: &Outcome| *outcome == Outcome::Returned(true.output());
        match outcomes.iter().all(is_right) {
            true => AnswerState::Right,
            false => AnswerState::Wrong,
        }
    }

    /// Empty: the tests of the project train a model instead.
    fn prove(&self) -> Vec<String> {
        Vec::new()
    }
}
