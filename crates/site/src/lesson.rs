//! A page's contents: the cells of a lesson, or of several notebooks, in order.

use crate::change::Change;
use crate::files::Site;
use crate::links;
use crate::markdown::{self, Heading};
use crate::models::Models;
use crate::notebook::{Cell, Notebook, Output};
use crate::output;
use crate::questions;
use crate::rust::{escaped, highlighted};
use anyhow::Result;
use exercises::{Entry, Prediction};
use serde_json::{Value, json};

/// A cell that contains this call trains a model.
const TRAINS: &str = "Training::new";

/// Everything that the pages of all lessons share.
pub struct Course<'a> {
    /// For each lesson and each of its live cells: the numbers of the `cells` to run, and their
    /// `sources`.
    pub live: &'a Value,
    pub change: &'a Change,
    pub models: &'a Models,
    pub site: &'a Site,
}

pub struct Lesson {
    /// The name of its page.
    pub name: String,
    pub title: String,
    pub headings: Vec<Heading>,
    pub body: String,
    /// The HTML of its first live cell.
    pub first_live: Option<String>,
    pub predictions: Vec<&'static str>,
    /// Whether the next output would give away the answer to the last prediction.
    is_predicted: bool,
}

impl Lesson {
    /// A page without contents, whose title is its name.
    pub fn new(name: &str) -> Lesson {
        Lesson {
            title: name.to_owned(),
            name: name.to_owned(),
            headings: Vec::new(),
            body: String::new(),
            first_live: None,
            predictions: Vec::new(),
            is_predicted: false,
        }
    }

    /// Adds the cells of a notebook.
    pub fn add(&mut self, notebook: &Notebook, course: &Course) -> Result<()> {
        for cell in &notebook.cells {
            match cell {
                Cell::Text(text) => self.add_text(notebook.folder, text),
                Cell::Code {
                    id,
                    source,
                    outputs,
                } => self.add_code(notebook, id, source, outputs, course)?,
            }
        }
        Ok(())
    }

    /// The title, preceded by the number from the file's name, if it begins with one.
    pub fn numbered_title(&self) -> String {
        match self.name.split_once('_') {
            Some((number, _)) => format!("{number} {}", self.title),
            None => self.title.clone(),
        }
    }

    /// Adds Markdown whose links are relative to a folder in `notebooks`.
    pub fn add_text(&mut self, folder: &str, text: &str) {
        let taken = self.headings.iter().map(|heading| heading.id.clone());
        let link = |to: &str| links::on_site(folder, to);
        let (html, headings) = markdown::to_html(text, &link, &taken.collect());
        if let (true, Some(first)) = (self.headings.is_empty(), headings.first()) {
            self.title = first.title.clone();
        }
        self.headings.extend(headings);
        self.body += &html;
    }

    fn add_code(
        &mut self,
        notebook: &Notebook,
        id: &str,
        source: &str,
        outputs: &[Output],
        course: &Course,
    ) -> Result<()> {
        let outputs = outputs.iter().map(|one| output::to_html(one, course.site));
        let outputs = outputs.collect::<Result<String>>()?;
        let live = &course.live[&notebook.path()][id];
        let below = if live.is_object() {
            let shown = self.live_html(live, &outputs, course.models);
            self.first_live.get_or_insert_with(|| shown.clone());
            shown
        } else if let Some(question) = called(source, "predict::").and_then(prediction) {
            self.predictions.push(question.name);
            self.is_predicted = true;
            questions::prediction(question)
        } else if let Some(exercise) = called(source, "check::").and_then(exercise) {
            format!(
                "<div class=\"output\">{outputs}</div>{}",
                questions::aid(exercise, &course.change.places(&notebook.path()))
            )
        } else if outputs.is_empty() {
            String::new()
        } else if std::mem::take(&mut self.is_predicted) {
            // Folded until the prediction is made, unless a reader opens it.
            format!(
                "<details class=\"output predicted\"><summary>Show the output</summary>{outputs}</details>"
            )
        } else {
            format!("<div class=\"output\">{outputs}</div>")
        };
        // Cells of several notebooks may have the same id.
        let id = match self.name == notebook.name {
            true => id.to_owned(),
            false => format!("{}-{id}", notebook.name),
        };
        self.body += &format!(
            "<div class=\"cell\" id=\"{}\"><a class=\"change\" href=\"{}\">change it</a>\
             <pre class=\"code\" tabindex=\"0\"><code>{}</code></pre>{below}</div>\n",
            escaped(&id),
            escaped(&course.change.link(&notebook.path())),
            highlighted(source)
        );
        Ok(())
    }

    /// A live picture: its stored output, below the place for its controls.
    fn live_html(&self, live: &Value, outputs: &str, models: &Models) -> String {
        let folders = Models::needed(&live["sources"]);
        let begin = match models.megabytes(&folders) {
            Some(megabytes) => Some(format!("Load the model ({megabytes} MB)")),
            None if !folders.is_empty() => {
                return format!(
                    "<div class=\"output\">{outputs}<p class=\"aid\">This picture moves in the notebook, which loads the \
                     model <code>{}</code>.</p></div>",
                    escaped(&folders.join(", "))
                );
            }
            None if live["sources"].to_string().contains(TRAINS) => {
                Some("Train the model in this page (about 15 minutes)".to_owned())
            }
            None => None,
        };
        let slow = begin.map_or(String::new(), |label| format!(" data-slow=\"{label}\""));
        let cell = json!({ "lesson": self.name, "cells": live["cells"], "models": folders });
        format!(
            "<div class=\"output\" data-live=\"{}\"{slow}>\
             <div class=\"place\"></div><div class=\"picture\">{outputs}</div></div>",
            escaped(&cell.to_string())
        )
    }
}

/// The name after the last `predict::` or `check::` in a cell.
fn called<'a>(source: &'a str, module: &str) -> Option<&'a str> {
    let (_, name) = source.rsplit_once(module)?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
    Some(&name[..end.unwrap_or(name.len())])
}

fn exercise(name: &str) -> Option<&'static dyn Entry> {
    exercises::exercises()
        .iter()
        .copied()
        .find(|one| one.name() == name)
}

fn prediction(name: &str) -> Option<&'static Prediction> {
    exercises::predictions()
        .iter()
        .copied()
        .find(|one| one.name == name)
}
