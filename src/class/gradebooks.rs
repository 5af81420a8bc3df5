//! The report for gradebooks: as nbgrader exports it, and as Canvas imports it.

use crate::class::report::{Learner, Report, Standing, shown};
use crate::class::roster::Roster;
use crate::course::Lesson;
use crate::results;
use anyhow::Result;

/// The columns of `nbgrader export`.
const OF_NBGRADER: [&str; 11] = [
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
];

/// The columns before the assignments in a Canvas gradebook. Canvas identifies a student by the first
/// of the ids and logins that is present.
const OF_CANVAS: [&str; 5] = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"];
/// Further columns that some Canvas exports have among these.
const OF_SOME_CANVAS: [&str; 2] = ["Integration ID", "Root Account"];

/// The table that `nbgrader export` writes: a line for each lesson and student.
pub fn nbgrader(report: &Report<'_>) -> Result<String> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(OF_NBGRADER)?;
    for lesson in graded(report) {
        for (roster, row, learner) in members(report) {
            let field = |columns: &[&str]| roster.map_or("", |roster| roster.field(row, columns));
            let late = report.count(learner, lesson, Standing::Late) as f64;
            let score = report.count(learner, lesson, Standing::Done) as f64;
            table.write_record([
                lesson.notebook().unwrap_or_else(|| lesson.lesson.clone()),
                report.due.map_or(String::new(), shown),
                results::last_change(lesson, &learner.progress).map_or(String::new(), shown),
                learner.cell(),
                field(&["last_name", "last name", "lastname"]).to_owned(),
                field(&["first_name", "first name", "firstname"]).to_owned(),
                field(&["email", "e-mail"]).to_owned(),
                format!("{:?}", score + late),
                format!("{late:?}"),
                format!("{score:?}"),
                format!("{:?}", lesson.exercises.len() as f64),
            ])?;
        }
    }
    Ok(String::from_utf8(table.into_inner()?)?)
}

/// The table that Canvas imports: a line for each student, and a column for each lesson. If the
/// roster is a gradebook exported by Canvas, its students are kept unchanged, and a lesson that is
/// already an assignment there remains that assignment.
pub fn canvas(report: &Report<'_>) -> Result<String> {
    let exported = report
        .roster
        .as_ref()
        .filter(|roster| roster.is_of_canvas());
    let known = |column: &&str| OF_CANVAS.contains(column) || OF_SOME_CANVAS.contains(column);
    let columns: Vec<&str> = match exported {
        Some(roster) => roster
            .header
            .iter()
            .map(String::as_str)
            .take_while(known)
            .collect(),
        None => OF_CANVAS.to_vec(),
    };
    let lessons: Vec<&Lesson> = graded(report).collect();
    let mut table = csv::Writer::from_writer(Vec::new());
    let titles = lessons
        .iter()
        .map(|lesson| assignment(exported, &lesson.title));
    let header = columns.iter().map(ToString::to_string).chain(titles);
    table.write_record(header)?;
    let mut points = vec![String::new(); columns.len()];
    points[0] = "    Points Possible".to_owned();
    points.extend(
        lessons
            .iter()
            .map(|lesson| lesson.exercises.len().to_string()),
    );
    table.write_record(points)?;
    for (roster, row, learner) in members(report) {
        let mut line: Vec<String> = match exported {
            Some(_) => row.iter().take(columns.len()).cloned().collect(),
            None => {
                let name = ["student", "name", "full name"];
                let name = roster.map_or("", |roster| roster.field(row, &name));
                let login = learner.cell();
                let name = if name.is_empty() { &login } else { name };
                [name, "", "", &login, ""].map(ToOwned::to_owned).to_vec()
            }
        };
        line.resize(columns.len(), String::new());
        line.extend(lessons.iter().map(|lesson| {
            let done = report.count(learner, lesson, Standing::Done);
            done.to_string()
        }));
        table.write_record(line)?;
    }
    Ok(String::from_utf8(table.into_inner()?)?)
}

/// The lessons with exercises; the others earn no points.
fn graded<'a>(report: &'a Report<'_>) -> impl Iterator<Item = &'a Lesson> {
    let lessons = report.lessons.iter().copied();
    lessons.filter(|lesson| !lesson.exercises.is_empty())
}

/// The learners to be graded: those on the roster or, if there is none, all of them.
fn members<'a>(
    report: &'a Report<'_>,
) -> impl Iterator<Item = (Option<&'a Roster>, &'a [String], &'a Learner)> {
    let roster = report.roster.as_ref();
    let all = report.learners.iter();
    let members = all.filter(move |learner| roster.is_none() || learner.row.is_some());
    members.map(move |learner| (roster, learner.row.as_deref().unwrap_or_default(), learner))
}

/// The column of a lesson. Canvas identifies an assignment by the number after its title.
fn assignment(exported: Option<&Roster>, title: &str) -> String {
    let mut header = exported.iter().flat_map(|roster| &roster.header);
    let is_it = |column: &&String| {
        let number = column
            .strip_prefix(title)
            .and_then(|rest| rest.strip_prefix(" ("));
        let number = number.and_then(|rest| rest.strip_suffix(')'));
        number.is_some_and(|digits| digits.parse::<u64>().is_ok())
    };
    header
        .find(is_it)
        .cloned()
        .unwrap_or_else(|| title.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::collect::collect;
    use crate::class::table;
    use std::fs;

    const COURSE: &str = r#"[
        { "lesson": "one", "title": "One", "exercises": [
            { "name": "a", "title": "A" }, { "name": "b", "title": "B" }], "predictions": [
            { "name": "p", "title": "P?" }] },
        { "lesson": "two", "title": "Two", "exercises": [], "predictions": [] }
    ]"#;

    /// The report on Ada, who was late with b; Ben, who has done nothing; and Eve, who is not on
    /// the roster.
    fn with_report(roster: Option<&str>, test: impl Fn(&Report<'_>)) -> Result<()> {
        let folder = tempfile::tempdir()?;
        let entry = |time: u64| {
            format!(r#"{{ "state": "right", "attempts": 1, "hints": 0, "changed": {time} }}"#)
        };
        for name in ["ada", "=eve"] {
            let text = format!(
                r#"{{ "schema": 1, "entries": {{ "a": {}, "b": {} }} }}"#,
                entry(5),
                entry(50)
            );
            fs::write(course_progress::path_of(folder.path(), name), text)?;
        }
        let file = folder.path().join("roster.csv");
        let roster = roster.map(|text| {
            fs::write(&file, text)?;
            Roster::read(&file)
        });
        let lessons: Vec<Lesson> = serde_json::from_str(COURSE)?;
        let collected = collect(&[folder.path().to_owned()], None);
        let roster = roster.transpose()?;
        let report = Report::new(lessons.iter().collect(), collected, roster, Some(20));
        test(&report);
        Ok(())
    }

    const CANVAS: &str = "Student,ID,SIS User ID,SIS Login ID,Section,One (77)\n\
                          \"    Points Possible\",,,,,2\n\
                          \"Lovelace, Ada\",11,u1,Ada,A,\nBen,12,u2,ben,A,\n";

    #[test]
    fn canvas_gets_its_own_students_and_assignments_back() -> Result<()> {
        let expected = "Student,ID,SIS User ID,SIS Login ID,Section,One (77)\n\
                        \"    Points Possible\",,,,,2\n\
                        \"Lovelace, Ada\",11,u1,Ada,A,1\nBen,12,u2,ben,A,0\n";
        // The writer only adds quotes where they are needed; a leading space does not need them.
        let expected = expected.replace("\"    Points Possible\"", "    Points Possible");
        with_report(Some(CANVAS), |report| {
            assert_eq!(canvas(report).expect("a table"), expected);
        })
    }

    #[test]
    fn without_an_export_of_canvas_students_are_known_by_their_login() -> Result<()> {
        with_report(Some("name\nada\nben\n"), |report| {
            let table = canvas(report).expect("a table");
            assert!(table.contains("ada,,,ada,,1\nben,,,ben,,0\n"), "{table}");
            assert!(!table.contains("eve"), "{table}");
        })
    }

    #[test]
    fn nbgrader_gets_a_line_for_each_lesson_and_student() -> Result<()> {
        let roster = "id,first_name,last_name,email\nada,Ada,Lovelace,ada@example.org\nben,Ben,,\n";
        with_report(Some(roster), |report| {
            let table = nbgrader(report).expect("a table");
            let lines: Vec<&str> = table.lines().collect();
            assert_eq!(lines[0], OF_NBGRADER.join(","));
            let (due, last) = (shown(20), shown(50));
            let of_ada = "ada,Lovelace,Ada,ada@example.org,2.0,1.0,1.0,2.0";
            assert_eq!(lines[1], format!("one,{due},{last},{of_ada}"));
            assert_eq!(lines[2], format!("one,{due},,ben,,Ben,,0.0,0.0,0.0,2.0"));
            assert_eq!(lines.len(), 3);
        })
    }

    #[test]
    fn a_report_says_who_is_late_who_is_idle_and_who_is_a_stranger() -> Result<()> {
        with_report(Some("name\nada\nben\n"), |report| {
            let text = table::text(report);
            for line in [
                "One: 1 a, 2 b",
                "  ada       ✓ L  1 of 2",
                "  ben       · ·  0 of 2",
                "Nothing done so far: ben",
                "Not on the roster: =eve",
            ] {
                assert!(text.contains(line), "{line}: {text}");
            }
            let csv = table::csv(report).expect("a table");
            let lines: Vec<&str> = csv.lines().collect();
            let last = shown(50);
            assert_eq!(
                lines,
                [
                    "learner,on_roster,points,of,late,predictions,predictions_right,last_change,a,b",
                    &format!("ada,yes,1,2,1,0,0,{last},1,0"),
                    "ben,yes,0,2,0,0,0,,,",
                    &format!("'=eve,no,1,2,1,0,0,{last},1,0"),
                ]
            );
        })
    }

    #[test]
    fn a_strangers_name_is_no_formula_in_any_table() -> Result<()> {
        with_report(None, |report| {
            let tables = [nbgrader(report), canvas(report), table::csv(report)];
            for table in tables.map(|table| table.expect("a table")) {
                assert_eq!(
                    table.matches("=eve").count(),
                    table.matches("'=eve").count()
                );
                assert!(table.contains("'=eve"), "{table}");
            }
        })
    }
}
