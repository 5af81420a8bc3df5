//! The functions that the page's worker calls, for the live cells of all lessons and for judging
//! predictions.
//!
//! Requests and answers are lists of strings in one buffer, as `notebook::live::wire` writes them.
//!
//! | request | answer |
//! |---|---|
//! | `start`, a lesson, a cell and the cells before it | `started`, the picture's number, how many controls it has |
//! | `control`, a picture, the index of a control | the strings of the control |
//! | `draw`, a picture and one value for each control | `picture`, its HTML |
//! | `predict`, a name, an answer | `right`, `wrong` or `none`, and the judgement as HTML |
//!
//! Any of them may be answered with `failed` and a reason. A panic ends the program; the buffer
//! then holds the answer, and the worker starts the program again.

mod lessons;

use cell_runtime::{Ended, Store};
use exercises::AnswerState;
use notebook::live::{page, wire};
use std::cell::{Cell, RefCell};
use std::sync::Once;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// The number of pictures so far, which shows whether a cell adds one.
    static STARTED: Cell<usize> = const { Cell::new(0) };
}

type Texts = Vec<String>;

/// Makes room for a request of this length, and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        buffer.resize(length, 0);
        buffer.as_mut_ptr()
    })
}

/// Answers the request in the buffer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|panic| {
            let text = panic.payload().downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.payload().downcast_ref::<&str>().copied());
            put(&failed(text.unwrap_or("panic without a message")));
        }));
    });
    let request = BUFFER.with_borrow_mut(std::mem::take);
    let texts = wire::read(&mut request.as_slice());
    put(&match texts {
        Ok(texts) => answer_to(&texts).unwrap_or_else(|reason| failed(&reason)),
        Err(error) => failed(&error.to_string()),
    });
}

/// The address of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer_at() -> *const u8 {
    BUFFER.with_borrow(|buffer| buffer.as_ptr())
}

/// The length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer_length() -> usize {
    BUFFER.with_borrow(Vec::len)
}

fn put(texts: &[String]) {
    let mut bytes = Vec::new();
    if wire::write(&mut bytes, texts).is_err() {
        bytes.clear();
        let _ = wire::write(&mut bytes, &failed("this is too large for the page"));
    }
    BUFFER.set(bytes);
}

fn failed(reason: &str) -> Texts {
    vec![wire::FAILED.to_owned(), reason.to_owned()]
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

fn answer_to(request: &[String]) -> Result<Texts, String> {
    let texts: Vec<&str> = request.iter().map(String::as_str).collect();
    match texts.as_slice() {
        ["start", lesson, cells @ ..] => start(lesson, cells),
        ["control", picture, place] => {
            let controls = page::controls(number(picture)?).unwrap_or_default();
            let control = controls.get(number::<usize>(place)?);
            Ok(control.ok_or("there is no such control")?.to_texts())
        }
        ["draw", picture, ..] => {
            let forms = page::draw(number(picture)?, &request[2..])?;
            Ok(vec![wire::PICTURE.to_owned(), html(forms)])
        }
        ["predict", name, answer] => {
            let judged = exercises::predicted(name, answer).ok_or("there is no such question")?;
            let state = match judged.state() {
                AnswerState::NotAttempted => "none",
                AnswerState::Wrong => "wrong",
                AnswerState::Right => "right",
            };
            Ok(vec![state.to_owned(), judged.html()])
        }
        _ => Err("not a request".to_owned()),
    }
}

fn html(forms: notebook::live::Forms) -> String {
    let html = forms.into_iter().find(|(mime, _)| *mime == "text/html");
    html.map_or_else(String::new, |(_, html)| html)
}

/// Runs cells, the last of which shows a picture.
fn start(lesson: &str, cells: &[&str]) -> Result<Texts, String> {
    let mut store = Store::default();
    for cell in cells {
        let ended = lessons::run(lesson, number(cell)?, &mut store);
        match ended.ok_or("this page does not have that cell")? {
            Ok(()) => {}
            Err(Ended::Err(reason)) => return Err(reason),
            Err(Ended::Panic(panic)) => return Err(panic.message),
        }
    }
    let last = page::count().checked_sub(1);
    let picture = last.filter(|_| page::count() > STARTED.get());
    let picture = picture.ok_or("the cell shows no picture to move")?;
    STARTED.set(page::count());
    let controls = page::controls(picture).unwrap_or_default();
    let count = controls.len().to_string();
    Ok(vec!["started".to_owned(), picture.to_string(), count])
}
