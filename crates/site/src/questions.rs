//! Predictions, which a page judges itself, and the hints and solutions of exercises, which are
//! solved in the notebook.

use crate::rust::{escaped, highlighted};
use exercises::{Entry, Prediction};

/// A prediction as a form, whose answer the page judges.
pub fn prediction(question: &Prediction) -> String {
    let choices = question.right.choices();
    let name = escaped(question.name);
    let inputs: String = match choices {
        [] => "<label>Your answer <input type=\"text\" name=\"answer\" autocomplete=\"off\" size=\"12\"></label>".to_owned(),
        choices => {
            let one = |choice: &&str| {
                let choice = escaped(choice);
                format!("<label><input type=\"radio\" name=\"answer\" value=\"{choice}\">{choice}</label>")
            };
            choices.iter().map(one).collect()
        }
    };
    let asked = inline(question.question);
    format!(
        "<div class=\"aid\"><p><strong>What do you expect?</strong> {asked}</p>\
         <form data-predict=\"{name}\" hidden>{inputs}<button>Answer</button></form>\
         <div class=\"answer\" role=\"status\"></div>\
         <noscript><p>With JavaScript, this page judges your answer.</p></noscript></div>"
    )
}

/// An exercise's hints, one after the other, its solution, and the `places` where it can be solved.
pub fn aid(exercise: &dyn Entry, places: &str) -> String {
    let hints = exercise.hints().iter().enumerate().map(|(place, hint)| {
        let number = place + 1;
        format!(
            "<details class=\"hint\"><summary>Hint {number}</summary><p>{}</p></details>",
            inline(hint)
        )
    });
    let hints: String = hints.collect();
    let solution = match exercise.solution() {
        none if none.is_empty() => none,
        code => format!(
            "<details class=\"solution\"><summary>Solution</summary><pre class=\"code\"><code>{}</code></pre></details>",
            highlighted(&code)
        ),
    };
    format!(
        "<div class=\"aid\">{hints}{solution}\
         <p><strong>Solve it for real</strong>, with a verdict that names your mistake: {places}</p></div>"
    )
}

/// The HTML of a sentence that has code between backticks.
fn inline(text: &str) -> String {
    let pieces = text
        .split('`')
        .enumerate()
        .map(|(place, piece)| match place % 2 {
            1 => format!("<code>{}</code>", escaped(piece)),
            _ => escaped(piece),
        });
    pieces.collect()
}
