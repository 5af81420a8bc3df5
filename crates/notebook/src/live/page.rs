//! Live pictures for a program without a kernel, such as a web page, which asks for each picture
//! itself.

use crate::live::control::{Control, Value};
use crate::live::forms::Forms;
use std::cell::RefCell;
use std::rc::Rc;

type DrawPage = Box<dyn Fn(&[Value]) -> Forms>;

struct DrawnOnPage {
    controls: Vec<Control>,
    draw: DrawPage,
}

thread_local! {
    static PICTURES: RefCell<Vec<Rc<DrawnOnPage>>> = const { RefCell::new(Vec::new()) };
}

/// Keeps a picture in this thread. Returns its number, as text, or why a control is refused.
#[cfg_attr(
    all(unix, not(test)),
    expect(dead_code, reason = "a kernel keeps them")
)]
pub(crate) fn register(
    controls: Vec<Control>,
    draw: impl Fn(&[Value]) -> Forms + 'static,
) -> Option<Result<String, String>> {
    Some(controls.iter().try_for_each(Control::check).map(|()| {
        let draw = Box::new(draw);
        PICTURES.with_borrow_mut(|pictures| {
            pictures.push(Rc::new(DrawnOnPage { controls, draw }));
            (pictures.len() - 1).to_string()
        })
    }))
}

fn picture(number: usize) -> Option<Rc<DrawnOnPage>> {
    PICTURES.with_borrow(|pictures| pictures.get(number).cloned())
}

/// The number of pictures, which are numbered from 0.
pub fn count() -> usize {
    PICTURES.with_borrow(Vec::len)
}

/// The controls of a picture; `None` if there is no such picture.
pub fn controls(number: usize) -> Option<Vec<Control>> {
    picture(number).map(|picture| picture.controls.clone())
}

/// Draws a picture for one value per control, each as text.
///
/// # Errors
///
/// If there is no such picture, or a control cannot take one of the values; the error says which.
pub fn draw(number: usize, texts: &[String]) -> Result<Forms, String> {
    let picture = picture(number).ok_or("there is no such picture")?;
    if texts.len() != picture.controls.len() {
        let (given, wanted) = (texts.len(), picture.controls.len());
        return Err(format!("{given} values for {wanted} controls"));
    }
    let read = |(control, text): (&Control, &String)| control.read(text);
    let values = picture.controls.iter().zip(texts).map(read);
    let values: Vec<Value> = values.collect::<Result<_, _>>()?;
    Ok((picture.draw)(&values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::ControlKind;

    #[test]
    fn each_picture_is_drawn_by_its_number() {
        let toggle = |label: &str| Control {
            label: label.to_owned(),
            kind: ControlKind::Toggle { first: true },
        };
        let picture = |name: &'static str| {
            let draw =
                move |values: &[Value]| vec![("text/plain", format!("{name} {}", values[0]))];
            register(vec![toggle(name)], draw)
        };
        assert_eq!(picture("a"), Some(Ok("0".to_owned())));
        assert_eq!(picture("b"), Some(Ok("1".to_owned())));
        assert_eq!(count(), 2);
        assert_eq!(controls(1), Some(vec![toggle("b")]));
        assert_eq!(controls(2), None);
        let drawn = draw(1, &["false".to_owned()]);
        assert_eq!(drawn, Ok(vec![("text/plain", "b false".to_owned())]));
        assert!(draw(2, &[]).is_err(), "no such picture");
        assert_eq!(draw(0, &[]), Err("0 values for 1 controls".to_owned()));
        assert!(draw(0, &["maybe".to_owned()]).is_err(), "no yes or no");
    }
}
