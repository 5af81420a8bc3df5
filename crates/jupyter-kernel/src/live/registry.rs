//! All live pictures of a kernel, and the socket on which cells register them.

use crate::live::picture::Picture;
use crate::locked::locked;
use notebook::evaluator::Remote;
use notebook::live::{Control, wire};
use std::collections::VecDeque;
use std::fs;
use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// How many pictures are kept; beyond that, each new one displaces the oldest.
const MOST_PICTURES: usize = 100;
/// Maximum number of controls of a picture.
const MOST_CONTROLS: usize = 20;
/// How long a registration may take.
const LONGEST_REGISTRATION: Duration = Duration::from_secs(2);
/// How long an interrupted picture has to stop by itself.
const GRACE: Duration = Duration::from_millis(1500);
/// How often to check whether it has stopped.
const TICK: Duration = Duration::from_millis(20);
const DID_NOT_STOP: &str = "the closure of this picture did not stop, so the process that runs \
    the cells was ended: all variables are lost";

/// Keeps track of the live pictures; clones share them.
#[derive(Clone, Default)]
pub struct PictureRegistry(Arc<Mutex<Registered>>);

#[derive(Default)]
struct Registered {
    /// The pictures, from the oldest to the newest.
    pictures: VecDeque<Arc<Picture>>,
    /// The front end's id for the running cell, if it sends one.
    cell: Option<String>,
}

impl PictureRegistry {
    /// Starts to listen for registrations on a Unix socket at `path`.
    pub fn open(path: &Path) -> io::Result<PictureRegistry> {
        let _ = fs::remove_file(path); // `bind` fails if the file exists
        let listener = UnixListener::bind(path)?;
        let registry = PictureRegistry::default();
        let of_thread = registry.clone();
        thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                let registry = of_thread.clone();
                thread::spawn(move || {
                    let _ = registry.serve(stream); // on failure the cell shows a static picture
                });
            }
        });
        Ok(registry)
    }

    /// Registers a picture and serves it until it is gone.
    fn serve(&self, stream: UnixStream) -> io::Result<()> {
        let invalid = || io::Error::from(io::ErrorKind::InvalidData);
        stream.set_read_timeout(Some(LONGEST_REGISTRATION))?;
        let texts = wire::read(&mut &stream)?;
        let [id, count] = <[String; 2]>::try_from(texts).map_err(|_| invalid())?;
        let count = count.parse().ok().filter(|count| *count <= MOST_CONTROLS);
        let mut controls = Vec::new();
        for _ in 0..count.ok_or_else(invalid)? {
            let texts = wire::read(&mut &stream)?;
            controls.push(Control::from_texts(&texts).ok_or_else(invalid)?);
        }
        stream.set_read_timeout(None)?;
        let answer = stream.try_clone()?;
        let cell = locked(&self.0).cell.clone();
        let picture = Arc::new(Picture::new(id, cell, controls, stream)?);
        self.add(Arc::clone(&picture));
        wire::write(&mut &answer, &[wire::READY])?;
        picture.listen();
        let mut state = locked(&self.0);
        state.pictures.retain(|one| !Arc::ptr_eq(one, &picture));
        Ok(())
    }

    fn add(&self, picture: Arc<Picture>) {
        let mut state = locked(&self.0);
        if state.pictures.len() == MOST_PICTURES
            && let Some(oldest) = state.pictures.pop_front()
        {
            oldest.forget();
        }
        state.pictures.push_back(picture);
    }

    /// Marks a cell as the running one and forgets the pictures it showed in an earlier run.
    pub fn begin_cell(&self, cell: Option<&str>) {
        let mut state = locked(&self.0);
        state.cell = cell.map(str::to_owned);
        if cell.is_some() {
            state.pictures.retain(|picture| {
                let is_old = picture.cell.as_deref() == cell;
                if is_old {
                    picture.forget();
                }
                !is_old
            });
        }
    }

    /// The picture with this id.
    pub fn picture(&self, id: &str) -> Option<Arc<Picture>> {
        let state = locked(&self.0);
        state.pictures.iter().find(|one| one.id == id).cloned()
    }

    /// Asks the pictures that are being drawn to stop, and kills their process if they do not.
    pub fn interrupt(&self, remote: Arc<dyn Remote>) {
        let drawing: Vec<Arc<Picture>> = {
            let state = locked(&self.0);
            let drawing = state.pictures.iter().filter(|one| one.is_drawing());
            drawing.cloned().collect()
        };
        if drawing.is_empty() {
            return;
        }
        thread::spawn(move || {
            // A closure may stop as soon as it is asked to, so mark its picture first.
            drawing.iter().for_each(|picture| picture.stop());
            remote.interrupt_rest(true);
            let asked = Instant::now();
            let is_drawing = || drawing.iter().any(|picture| picture.is_stopping());
            while is_drawing() && asked.elapsed() < GRACE {
                thread::sleep(TICK);
            }
            if is_drawing() {
                drawing
                    .iter()
                    .for_each(|picture| picture.fail(DID_NOT_STOP));
                remote.kill();
            }
            remote.interrupt_rest(false);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::picture::DrawOutcome;
    use notebook::evaluator::{Completeness, Completions, Description, StaleCell};
    use std::sync::mpsc::{Sender, channel};

    fn registry() -> io::Result<(tempfile::TempDir, PictureRegistry)> {
        let folder = tempfile::tempdir()?;
        let registry = PictureRegistry::open(&folder.path().join("live"))?;
        Ok((folder, registry))
    }

    /// Simulates a session whose closures stop as soon as they are asked to.
    struct StopsAtOnce {
        process: UnixStream,
        asked: Sender<bool>,
    }

    impl Remote for StopsAtOnce {
        fn begin(&self) {}
        fn end(&self) {}
        fn interrupt(&self) -> bool {
            false
        }
        fn is_stopping(&self) -> bool {
            false
        }
        fn interrupt_rest(&self, should_stop: bool) {
            if should_stop {
                let answer = [wire::PICTURE, "text/html", "half"];
                wire::write(&mut &self.process, &answer).expect("it is read");
                // Long enough for the picture to take the answer.
                thread::sleep(5 * TICK);
            }
            self.asked.send(should_stop).expect("it is waited for");
        }
        fn kill(&self) {
            panic!("it has stopped");
        }
        fn shut_down(&self) {}
        fn complete(&self, _code: &str, _place: usize) -> Option<Completions> {
            None
        }
        fn describe(&self, _code: &str, _place: usize) -> Option<Description> {
            None
        }
        fn completeness(&self, _code: &str) -> Option<Completeness> {
            None
        }
        fn stale_cells(&self, _order: &[String]) -> Vec<StaleCell> {
            Vec::new()
        }
    }

    #[test]
    fn a_drawing_that_stops_as_soon_as_it_is_asked_to_is_no_picture() -> io::Result<()> {
        let (folder, registry) = registry()?;
        let process = register(&folder, "p")?;
        let picture = registry.picture("p").expect("it is registered");
        let (sender, drawn) = channel();
        let answered = Box::new(move |outcome| sender.send(outcome).expect("it is waited for"));
        picture.draw(Vec::new(), answered);
        let (asked, requests) = channel();
        registry.interrupt(Arc::new(StopsAtOnce { process, asked }));
        assert_eq!(requests.iter().collect::<Vec<_>>(), [true, false]);
        let outcome = drawn.recv();
        assert!(
            matches!(&outcome, Ok(DrawOutcome::Failed(why)) if why.starts_with("stopped;")),
            "{outcome:?}"
        );
        Ok(())
    }

    /// Registers a picture without controls, as the process that runs the cells would.
    fn register(folder: &tempfile::TempDir, id: &str) -> io::Result<UnixStream> {
        let mut stream = UnixStream::connect(folder.path().join("live"))?;
        wire::write(&mut stream, &[id, "0"])?;
        assert_eq!(wire::read(&mut stream)?, [wire::READY]);
        Ok(stream)
    }

    #[test]
    fn a_cell_that_runs_again_and_a_hundred_others_forget_a_picture() -> io::Result<()> {
        let (folder, registry) = registry()?;
        registry.begin_cell(Some("a"));
        let mut of_a = register(&folder, "of a")?;
        registry.begin_cell(Some("b"));
        let mut first = register(&folder, "0")?;
        assert!(registry.picture("of a").is_some() && registry.picture("none").is_none());
        registry.begin_cell(Some("a"));
        assert!(registry.picture("of a").is_none());
        assert!(wire::read(&mut of_a).is_err(), "its thread may end");
        registry.begin_cell(None);
        let others: Result<Vec<_>, _> = (1..=MOST_PICTURES)
            .map(|number| register(&folder, &number.to_string()))
            .collect();
        assert!(registry.picture("0").is_none() && registry.picture("1").is_some());
        assert!(wire::read(&mut first).is_err(), "its thread may end");
        drop(others);
        Ok(())
    }

    #[test]
    fn what_is_no_picture_is_not_registered() -> io::Result<()> {
        let (folder, _registry) = registry()?;
        for texts in [&["x"][..], &["x", "21"], &["x", "-1"], &["x", "1"]] {
            let mut stream = UnixStream::connect(folder.path().join("live"))?;
            wire::write(&mut stream, texts)?;
            // Fails if the connection is already closed.
            let _ = wire::write(&mut stream, &["dial", "x"]);
            assert!(wire::read(&mut stream).is_err(), "{texts:?}");
        }
        Ok(())
    }
}
