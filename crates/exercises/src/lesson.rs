//! The name and the title of a lesson.

/// A lesson of a course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// Its name in files; the name of its notebook is the same, or ends with it.
    pub name: &'static str,
    /// Its title, as learners see it.
    pub title: &'static str,
}
