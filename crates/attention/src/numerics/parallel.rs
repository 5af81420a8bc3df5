//! Work shared between the caller and the threads of rayon's pool.

use std::sync::Mutex;

/// Calls `work` for every item, on as many threads as the pool has; items are started in order. The
/// caller is one of the threads: it starts while the others are still waking up, and a single item
/// wakes none of them. Each thread reuses the state made by `init`.
pub(crate) fn for_each_with<T: Send, S>(
    items: Vec<T>,
    init: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) + Sync,
) {
    let threads = rayon::current_num_threads().min(items.len());
    let items = Mutex::new(items.into_iter());
    let next = || items.lock().expect("taking one cannot fail").next();
    let take_turns = || {
        let mut kept = None;
        while let Some(item) = next() {
            work(kept.get_or_insert_with(&init), item);
        }
    };
    rayon::in_place_scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|_| take_turns());
        }
        take_turns();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_worked_on_once() {
        let mut counts = vec![0; 1000];
        for_each_with(counts.iter_mut().collect(), || (), |(), count| *count += 1);
        assert_eq!(counts, vec![1; 1000]);
        for_each_with(Vec::<()>::new(), || (), |(), ()| panic!("there is none"));
    }

    #[test]
    fn a_panic_of_one_item_reaches_the_caller() {
        let work = || for_each_with(vec![1, 2, 3], || (), |(), item| assert_ne!(item, 2));
        assert!(std::panic::catch_unwind(work).is_err());
    }
}
