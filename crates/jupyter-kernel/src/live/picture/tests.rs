use super::*;
use notebook::live::{ControlKind, Number};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

/// A picture with one slider, and the other end of its connection.
fn picture() -> (Arc<Picture>, UnixStream) {
    let (kernel, process) = UnixStream::pair().expect("a pair");
    let kind = ControlKind::Slider {
        from: Number::Fraction(0.0),
        to: Number::Fraction(9.0),
        step: Number::Fraction(1.0),
        first: Number::Fraction(0.0),
    };
    let label = "n".to_owned();
    let controls = vec![Control { label, kind }];
    let picture = Picture::new("p".to_owned(), None, controls, kernel).expect("a picture");
    let picture = Arc::new(picture);
    let listening = Arc::clone(&picture);
    std::thread::spawn(move || listening.listen());
    (picture, process)
}

fn draw(picture: &Picture, number: f64) -> Receiver<DrawOutcome> {
    let (sender, answer) = channel();
    let answered = Box::new(move |answer| sender.send(answer).expect("it is waited for"));
    picture.draw(vec![Value::Number(Number::Fraction(number))], answered);
    answer
}

#[test]
fn of_the_values_that_wait_only_the_newest_is_drawn() -> io::Result<()> {
    let (picture, mut process) = picture();
    let answers = [1.0, 2.0, 3.0].map(|number| draw(&picture, number));
    assert_eq!(answers[1].recv(), Ok(DrawOutcome::Overtaken));
    for (number, answer) in [("1", &answers[0]), ("3", &answers[2])] {
        assert_eq!(wire::read(&mut process)?, [number]);
        assert!(answer.try_recv().is_err(), "it is being drawn");
        wire::write(
            &mut process,
            &[wire::PICTURE, "text/plain", "-", HTML, number],
        )?;
        assert_eq!(answer.recv(), Ok(DrawOutcome::Picture(number.to_owned())));
    }
    assert_eq!(picture.values(), [Value::Number(Number::Fraction(3.0))]);
    let expected = [
        ("text/plain", "-"),
        (HTML, "<div data-notebook-live=\"p\">3</div>"),
    ];
    let expected = expected.map(|(mime, content)| (mime.to_owned(), content.to_owned()));
    assert_eq!(picture.shown(), expected);
    Ok(())
}

#[test]
fn a_picture_that_is_gone_says_so_to_watchers_and_to_those_that_wait() {
    let (picture, process) = picture();
    let (sender, gone) = channel();
    for comm in ["one", "other"] {
        let sender = sender.clone();
        let gone = move || sender.send(comm).expect("it is waited for");
        picture.watch(comm, Box::new(gone));
    }
    picture.unwatch("other");
    let answer = draw(&picture, 1.0);
    drop(process);
    assert_eq!(answer.recv(), Ok(DrawOutcome::Gone));
    assert_eq!(gone.recv(), Ok("one"));
    let later = draw(&picture, 2.0).recv();
    assert_eq!(later, Ok(DrawOutcome::Gone));
    picture.watch("late", Box::new(move || drop(sender)));
    assert!(gone.recv().is_err(), "the late one is told at once");
}

#[test]
fn what_was_stopped_says_so_and_the_next_value_is_drawn() -> io::Result<()> {
    let (picture, mut process) = picture();
    for is_stopped in [true, false] {
        let answer = draw(&picture, 1.0);
        wire::read(&mut process)?;
        if is_stopped {
            picture.stop();
        }
        wire::write(&mut process, &[wire::PICTURE, HTML, "half"])?;
        let expected = match is_stopped {
            true => DrawOutcome::Failed(STOPPED.to_owned()),
            false => DrawOutcome::Picture("half".to_owned()),
        };
        assert_eq!(answer.recv(), Ok(expected));
    }
    Ok(())
}
