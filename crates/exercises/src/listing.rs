//! The source code of functions, from the file of their exercise.

/// The code of the function `name` in `source`, under the name that learners use; empty if there is
/// none.
pub(crate) fn function(source: &str, name: &str, exercise: &str) -> String {
    let begin = format!("\nfn {name}(");
    let Some(start) = source.find(&begin) else {
        return String::new();
    };
    let text = &source[start + 1..];
    let end = text.find("\n}\n").map_or(text.len(), |end| end + 2);
    text[..end].replacen(&format!("fn {name}("), &format!("fn my_{exercise}("), 1)
}

/// The cell in which the learner writes the function.
pub(crate) fn cell(source: &str, exercise: &str) -> String {
    let given = function(source, "given", exercise);
    let function = match given.is_empty() {
        true => {
            let solution = function(source, "solution", exercise);
            let end = solution.find(" {\n").unwrap_or(solution.len());
            format!("{} {{\n    todo!()\n}}", &solution[..end])
        }
        false => given,
    };
    format!("{function}\ncheck::{exercise}(my_{exercise})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cell_has_the_declaration_and_nothing_of_the_solution() {
        let source = "use a;\n\nfn solution(\n    a: f32,\n) -> f32 {\n    if a > 0.0 {\n        a\n    } else {\n        0.0\n    }\n}\n\nfn another(a: f32) -> f32 {\n    a.max(0.0)\n}\n";
        assert_eq!(
            cell(source, "relu"),
            "fn my_relu(\n    a: f32,\n) -> f32 {\n    todo!()\n}\ncheck::relu(my_relu)"
        );
        let another = "fn my_relu(a: f32) -> f32 {\n    a.max(0.0)\n}";
        assert_eq!(function(source, "another", "relu"), another);
    }
}
