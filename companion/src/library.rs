//! Mapped pages share parts that only one thread may touch: they live in a thread of their own and are asked there.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;

use tokio::sync::oneshot;

use crate::page::Page;

/// Pages that were only asked about are kept up to this many; those that are served stay.
const MAX_VISITED: usize = 32;

/// One mapped page.
pub struct Entry {
    /// The page.
    pub page: Page,
    /// The text it was made of, to tell whether it changed.
    pub digest: u64,
    /// It is served and stays.
    pub pinned: bool,
    used: u64,
}

/// The pages of the thread, by the address that was asked for.
#[derive(Default)]
pub struct Shelf {
    entries: HashMap<String, Entry>,
    clock: u64,
}

impl Shelf {
    /// The page that was asked for under this address.
    pub fn get(&mut self, key: &str) -> Option<&Entry> {
        self.clock += 1;
        let entry = self.entries.get_mut(key)?;
        entry.used = self.clock;
        Some(entry)
    }

    /// Puts a page in, and visited ones out that nobody asked about for longest.
    pub fn put(&mut self, key: &str, page: Page, digest: u64, pinned: bool) {
        self.clock += 1;
        self.entries.insert(key.to_owned(), Entry { page, digest, pinned, used: self.clock });
        while self.entries.values().filter(|entry| !entry.pinned).count() > MAX_VISITED {
            let oldest = self.entries.iter().filter(|(_, entry)| !entry.pinned).min_by_key(|(_, entry)| entry.used);
            let Some(key) = oldest.map(|(key, _)| key.clone()) else { break };
            self.entries.remove(&key);
        }
    }
}

type Job = Box<dyn FnOnce(&mut Shelf) + Send>;

/// The way to the thread.
#[derive(Clone)]
pub struct Library {
    jobs: mpsc::Sender<Job>,
}

impl Library {
    /// Starts the thread; it ends with the last handle.
    pub fn new() -> Library {
        let (jobs, queue) = mpsc::channel::<Job>();
        // The parser needs little stack; the core is not recursive on page-sized input.
        std::thread::spawn(move || {
            let mut shelf = Shelf::default();
            for job in queue {
                // A page that breaks the core costs one call.
                let _ = catch_unwind(AssertUnwindSafe(|| job(&mut shelf)));
            }
        });
        Library { jobs }
    }

    /// Does something there; nothing comes back if it broke.
    pub async fn with<T: Send + 'static>(&self, job: impl FnOnce(&mut Shelf) -> T + Send + 'static) -> Option<T> {
        let (answer, result) = oneshot::channel();
        let job: Job = Box::new(move |shelf| {
            let _ = answer.send(job(shelf));
        });
        self.jobs.send(job).ok()?;
        result.await.ok()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::page::Choices;

    #[tokio::test]
    async fn what_breaks_costs_one_call() {
        let library = Library::new();
        assert_eq!(library.with(|_| -> u8 { panic!("on purpose") }).await, None);
        assert_eq!(library.with(|_| 1).await, Some(1));
    }

    #[test]
    fn visited_pages_go_and_served_ones_stay() {
        let mut shelf = Shelf::default();
        let page = || Page::new("<p>a", "https://a.example/", &Choices::default());
        shelf.put("served", page(), 0, true);
        for number in 0..MAX_VISITED + 5 {
            shelf.put(&number.to_string(), page(), 0, false);
        }
        assert!(shelf.get("served").is_some() && shelf.get("4").is_none() && shelf.get("5").is_some());
    }
}
