//! The first page.

use crate::lesson::Lesson;
use crate::links;
use crate::markdown;
use crate::rust::escaped;
use std::collections::BTreeSet;

pub fn index(lessons: &[Lesson], errata: &[Lesson]) -> String {
    let first = lessons.iter().find_map(|lesson| lesson.first_live.clone());
    let cards: String = lessons.iter().map(card).collect();
    let errata = errata.iter().map(|one| {
        format!(
            "<li><a href=\"errata_{}.html\">{}</a></li>",
            one.name,
            escaped(&one.title)
        )
    });
    format!(
        include_str!("../assets/index.html"),
        first = first.unwrap_or_default(),
        cards = cards,
        exercises = exercises::exercises().len(),
        errata = errata.collect::<String>(),
    )
}

fn card(lesson: &Lesson) -> String {
    let (text, _) = markdown::to_html(&lesson.introduction, &links::on_site, &BTreeSet::new());
    format!(
        "<li><a href=\"{}.html\">{}</a>{text}<div class=\"answered\" data-answered=\"{}\"></div></li>",
        lesson.name,
        escaped(&lesson.numbered_title()),
        lesson.predictions.join(" "),
    )
}
