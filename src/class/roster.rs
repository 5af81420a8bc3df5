//! The members of the class: a table in CSV, such as the gradebook that Canvas exports, nbgrader's
//! list of students, or one name per line.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

/// Columns that may hold learners' login names, likeliest first.
const LOGINS: [&str; 8] = [
    "sis login id",
    "login",
    "username",
    "learner",
    "student_id",
    "id",
    "name",
    "student",
];

/// The first columns of a Canvas gradebook, in lower case.
const OF_CANVAS: [&str; 2] = ["student", "id"];

/// The members of a class, with whatever else the table says about them.
#[derive(Debug)]
pub struct Roster {
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
    login: usize,
}

impl Roster {
    pub fn read(file: &Path) -> Result<Roster> {
        let text = fs::read_to_string(file);
        let text = text.with_context(|| format!("cannot read the roster {}", file.display()))?;
        Roster::parse(&text).with_context(|| format!("{} is not a roster", file.display()))
    }

    fn parse(text: &str) -> Result<Roster> {
        let text = text.trim_start_matches('\u{feff}'); // Excel starts files with this
        let first = text.lines().next().unwrap_or_default();
        let is_semicolon = first.matches(';').count() > first.matches(',').count();
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .delimiter(if is_semicolon { b';' } else { b',' })
            .from_reader(text.as_bytes());
        let records: Result<Vec<csv::StringRecord>, csv::Error> = reader.records().collect();
        let records = records?.into_iter();
        let mut rows: Vec<Vec<String>> = records
            .map(|record| record.iter().map(ToOwned::to_owned).collect())
            .collect();
        rows.retain(|row| row.iter().any(|field| !field.is_empty()));
        let Some(header) = rows.first() else {
            bail!("it has no names");
        };
        let place = |name: &str| {
            header
                .iter()
                .position(|column| column.to_lowercase() == name)
        };
        let columns: Vec<usize> = LOGINS.iter().filter_map(|name| place(name)).collect();
        let is_used = |column: &&usize| {
            let mut fields = rows[1..].iter().filter_map(|row| row.get(**column));
            fields.any(|field| !field.is_empty())
        };
        let (header, login) = match columns.iter().find(is_used) {
            Some(&login) => (rows.remove(0), login),
            None if header.len() == 1 => (vec!["name".to_owned()], 0),
            None => bail!(
                "none of its columns is called {}; its first line is: {first}",
                LOGINS.join(", ")
            ),
        };
        // The second line of a Canvas gradebook has points instead of a student.
        rows.retain(|row| !row[0].contains("Points Possible"));
        rows.retain(|row| row.get(login).is_some_and(|field| !field.is_empty()));
        Ok(Roster {
            header,
            rows,
            login,
        })
    }

    /// The login name of the learner in this row.
    pub fn login<'a>(&self, row: &'a [String]) -> &'a str {
        &row[self.login]
    }

    /// A row's field in the first of these columns that exists; empty if none does.
    pub fn field<'a>(&self, row: &'a [String], columns: &[&str]) -> &'a str {
        let place = |name: &&str| {
            let mut header = self.header.iter();
            header.position(|column| column.eq_ignore_ascii_case(name))
        };
        let place = columns.iter().find_map(place);
        place
            .and_then(|place| row.get(place))
            .map_or("", String::as_str)
    }

    /// Whether it is a Canvas gradebook.
    pub fn is_of_canvas(&self) -> bool {
        let header = self.header.iter().map(|column| column.to_lowercase());
        header.take(OF_CANVAS.len()).eq(OF_CANVAS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logins(text: &str) -> Result<Vec<String>> {
        let roster = Roster::parse(text)?;
        let rows = roster.rows.iter();
        Ok(rows.map(|row| roster.login(row).to_owned()).collect())
    }

    #[test]
    fn a_roster_is_a_list_or_a_table_of_nbgrader_or_canvas() -> Result<()> {
        let canvas = "\u{feff}Student,ID,SIS User ID,SIS Login ID,Section,Essay (7)\n\
                      \"    Points Possible\",,,,,10\n\
                      \"Smith, Ann\",1,,ann@example.org,A,9\nBen,2,,ben,A,\n";
        for (text, expected) in [
            ("ann@example.org\nben\n\n", ["ann@example.org", "ben"]),
            ("name\nann@example.org\nben", ["ann@example.org", "ben"]),
            (
                "id,first_name,last_name,email\nann,Ann,Smith,a@b.c\nben,Ben,Jones,b@b.c\n",
                ["ann", "ben"],
            ),
            (
                "Username;Name\nann;\"Smith; Ann\"\nben;Ben\n",
                ["ann", "ben"],
            ),
            (canvas, ["ann@example.org", "ben"]),
            ("Student,ID,SIS Login ID\nAnn,1,\nBen,2,\n", ["1", "2"]),
        ] {
            assert_eq!(logins(text)?, expected, "{text}");
        }
        assert!(Roster::parse(canvas)?.is_of_canvas());
        Ok(())
    }

    #[test]
    fn what_is_no_roster_is_said_to_be_none() {
        for (text, says) in [
            ("", "it has no names"),
            ("a,b\n1,2\n", "none of its columns is called sis login id"),
        ] {
            let message = Roster::parse(text).expect_err("none").to_string();
            assert!(message.contains(says), "{message}");
        }
    }
}
