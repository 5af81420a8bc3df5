//! The site's first page.

use crate::lesson::Lesson;
use crate::rust::escaped;
use anyhow::{Context, Result};

/// The first page as HTML. `readme` is the text of the project's README, whose table says what each
/// lesson teaches.
pub fn index(lessons: &[Lesson], readme: &str) -> Result<String> {
    let first = lessons.iter().find_map(|lesson| lesson.first_live.clone());
    let cards = lessons.iter().map(|lesson| card(lesson, readme));
    Ok(format!(
        include_str!("../assets/index.html"),
        first = first.unwrap_or_default(),
        cards = cards.collect::<Result<String>>()?,
        exercises = exercises::exercises().len(),
    ))
}

fn card(lesson: &Lesson, readme: &str) -> Result<String> {
    let name = &lesson.name;
    let row = readme
        .lines()
        .find(|line| line.starts_with(&format!("| [{name}]")));
    let row = row.with_context(|| format!("README.md does not say what {name} teaches"))?;
    let mut cells = row.split('|').skip(2).map(|cell| escaped(cell.trim()));
    let [teaches, time] = [(); 2].map(|()| cells.next().unwrap_or_default());
    Ok(format!(
        "<li><a href=\"{name}.html\">{}</a><p>{teaches}</p><p class=\"time\">{time}</p>\
         <div class=\"answered\" data-answered=\"{}\"></div></li>",
        escaped(&lesson.numbered_title()),
        lesson.predictions.join(" "),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_says_what_a_lesson_teaches() -> Result<()> {
        let readme = "# a\n| [01_x](notebooks/01_x.ipynb) | a < b; c | an hour |\n";
        let card = card(&Lesson::new("01_x"), readme)?;
        assert!(
            card.contains("<p>a &lt; b; c</p><p class=\"time\">an hour</p>"),
            "{card}"
        );
        let missing = super::card(&Lesson::new("02_y"), readme);
        assert!(missing.is_err_and(|error| error.to_string().contains("02_y")));
        Ok(())
    }
}
