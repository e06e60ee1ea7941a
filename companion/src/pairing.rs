//! Pairing: six digits that the person reads in the terminal and types in the page prove that it is the page they mean.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::home;

/// How long a code counts, and how long an origin whose code is spent waits for another one.
pub const VALID: Duration = Duration::from_secs(120);
/// How long an origin whose question the person closed does not ask again: they would be asked on every page.
const CLOSED: Duration = Duration::from_secs(600);
/// Wrong tries for one code.
pub const TRIES: u32 = 5;
/// Wrong tries of all origins together: whoever has many origins guesses no better than 20 in a million.
const ALL_TRIES: u32 = 20;
/// Origins that are asked for at once: a person reads no more.
const OPEN: usize = 8;

struct Code {
    digits: String,
    until: Instant,
    left: u32,
    /// Why it counts no more, where none are left.
    spent: &'static str,
}

impl Code {
    fn counts(&self, now: Instant) -> bool {
        self.until > now && self.left > 0
    }
}

/// What becomes of an origin that is not known.
#[derive(Debug, PartialEq)]
pub enum Asked {
    /// The person has to be shown this code.
    Show(String),
    /// They were shown one, and it counts still.
    Shown,
    /// No code now, and why.
    Not(&'static str),
}

/// What a typed code came to.
#[derive(Debug, PartialEq)]
pub enum Typed {
    /// It was the one.
    Right,
    /// It was not; so many tries are left.
    Wrong(u32),
    /// There is no code that counts.
    Over,
}

/// The codes that count.
#[derive(Default)]
pub struct Pairing {
    open: HashMap<String, Code>,
    wrong: u32,
}

impl Pairing {
    /// An origin asks to be paired.
    pub fn ask(&mut self, origin: &str, now: Instant) -> Asked {
        self.open.retain(|_, code| code.until > now);
        match self.open.get(origin) {
            Some(code) if code.left > 0 => return Asked::Shown,
            Some(code) => return Asked::Not(code.spent),
            None => {}
        }
        if self.wrong >= ALL_TRIES {
            return Asked::Not("Codes were typed wrong too often. Start the relay again, or use 'toolmark grants set'.");
        }
        if self.open.values().filter(|code| code.counts(now)).count() >= OPEN {
            return Asked::Not("Too many origins ask to be paired. Wait two minutes, or use 'toolmark grants set'.");
        }
        let Some(digits) = digits() else { return Asked::Not("This machine gives no random numbers. Use 'toolmark grants set'.") };
        self.open.insert(
            origin.to_owned(),
            Code {
                digits: digits.clone(),
                until: now + VALID,
                left: TRIES,
                spent: "The code was typed wrong too often. Wait two minutes.",
            },
        );
        Asked::Show(digits)
    }

    /// The person closed the question of an origin.
    pub fn close(&mut self, origin: &str, now: Instant) {
        if let Some(code) = self.open.get_mut(origin).filter(|code| code.counts(now)) {
            (code.left, code.until, code.spent) = (0, now + CLOSED, "The question was closed. It is not asked again for ten minutes.");
        }
    }

    /// The person has a code at their terminal; whose it is. They mean no origin that was not asked for.
    pub fn entered(&mut self, known: impl Fn(&str) -> bool, now: Instant) -> Option<String> {
        if self.wrong >= ALL_TRIES {
            return None;
        }
        let found = self.open.iter().find(|(_, code)| code.counts(now) && known(&code.digits)).map(|(origin, _)| origin.clone());
        match &found {
            Some(origin) => drop(self.open.remove(origin)),
            None => self.wrong += 1,
        }
        found
    }

    /// Somebody typed a code in a page of an origin.
    pub fn typed(&mut self, origin: &str, digits: &str, now: Instant) -> Typed {
        let Some(code) = self.open.get_mut(origin).filter(|code| code.counts(now)) else { return Typed::Over };
        if home::same(digits.trim(), &code.digits) {
            self.open.remove(origin);
            return Typed::Right;
        }
        code.left -= 1;
        self.wrong += 1;
        if self.wrong >= ALL_TRIES {
            code.left = 0;
        }
        if code.left == 0 { Typed::Over } else { Typed::Wrong(code.left) }
    }
}

/// Six digits, all equally likely.
fn digits() -> Option<String> {
    let mut bytes = [0u8; 8];
    getrandom::fill(&mut bytes).ok()?;
    Some(format!("{:06}", u64::from_le_bytes(bytes) % 1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(asked: Asked) -> String {
        match asked {
            Asked::Show(digits) => digits,
            other => format!("{other:?}"),
        }
    }

    /// Another code than this one.
    fn wrong(digits: &str) -> String {
        digits.chars().map(|digit| if digit == '9' { '0' } else { '9' }).collect()
    }

    #[test]
    fn a_code_counts_once_for_its_origin_and_two_minutes() {
        let (mut pairing, now) = (Pairing::default(), Instant::now());
        let digits = code(pairing.ask("https://a.example", now));
        assert!(digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_digit()), "{digits}");
        assert_eq!(pairing.ask("https://a.example", now), Asked::Shown);
        assert_eq!(pairing.typed("https://b.example", &digits, now), Typed::Over);
        assert_eq!(pairing.typed("https://a.example", &digits, now + VALID), Typed::Over);
        assert_eq!(pairing.typed("https://a.example", &digits, now), Typed::Right);
        assert_eq!(pairing.typed("https://a.example", &digits, now), Typed::Over);
    }

    #[test]
    fn guessing_ends() {
        let (mut pairing, now) = (Pairing::default(), Instant::now());
        let digits = code(pairing.ask("https://a.example", now));
        for left in (1..TRIES).rev() {
            assert_eq!(pairing.typed("https://a.example", &wrong(&digits), now), Typed::Wrong(left));
        }
        assert_eq!(pairing.typed("https://a.example", &wrong(&digits), now), Typed::Over);
        assert_eq!(pairing.typed("https://a.example", &digits, now), Typed::Over);
        assert!(matches!(pairing.ask("https://a.example", now), Asked::Not(_)));
        // Other origins of the same guesser: until there were too many of them.
        let mut guesses = TRIES;
        for n in 0.. {
            let origin = format!("https://{n}.example");
            let Asked::Show(digits) = pairing.ask(&origin, now) else { break };
            while pairing.typed(&origin, &wrong(&digits), now) != Typed::Over {
                guesses += 1;
            }
            guesses += 1;
        }
        assert_eq!(guesses, ALL_TRIES);
        assert!(matches!(pairing.ask("https://late.example", now + VALID), Asked::Not(_)));
    }

    #[test]
    fn a_question_that_was_closed_is_not_asked_on_every_page() {
        let (mut pairing, now) = (Pairing::default(), Instant::now());
        let digits = code(pairing.ask("https://a.example", now));
        pairing.close("https://a.example", now);
        assert_eq!(pairing.typed("https://a.example", &digits, now), Typed::Over);
        assert!(matches!(pairing.ask("https://a.example", now + VALID), Asked::Not(_)));
        // It takes nobody's place, and is over some time.
        let shown = (0..OPEN).filter(|n| matches!(pairing.ask(&format!("https://{n}.example"), now), Asked::Show(_))).count();
        assert_eq!(shown, OPEN);
        assert!(matches!(pairing.ask("https://a.example", now + CLOSED), Asked::Show(_)));
    }

    #[test]
    fn a_person_is_shown_few_codes_at_once() {
        let (mut pairing, now) = (Pairing::default(), Instant::now());
        let shown = (0..50).filter(|n| matches!(pairing.ask(&format!("https://{n}.example"), now), Asked::Show(_))).count();
        assert_eq!(shown, OPEN);
        assert!(matches!(pairing.ask("https://late.example", now + VALID), Asked::Show(_)));
    }
}
