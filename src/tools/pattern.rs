//! The plain part of regular expressions: a row of characters and classes, each with how often.
//!
//! Pages say with them what a value looks like (`valuePattern`, `pattern`). Groups and alternatives are not taken:
//! matching stays linear in the value whatever a page asks, and nobody can write a sentence in one.

use alloc::{vec, vec::Vec};

/// Characters of a pattern at most; what describes a postal code has 10.
const MAX_LENGTH: usize = 64;
/// Letters in a row at most, so that a pattern cannot carry words.
const MAX_LETTERS: usize = 3;
/// Repetitions at most that a pattern may count.
const MAX_COUNT: usize = 500;

/// A pattern that was understood.
pub struct Pattern {
    atoms: Vec<Atom>,
}

struct Atom {
    ranges: Vec<(char, char)>,
    negated: bool,
    least: usize,
    /// `None`: without end.
    most: Option<usize>,
}

impl Atom {
    fn takes(&self, character: char) -> bool {
        self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&character)) != self.negated
    }
}

impl Pattern {
    /// Understands a pattern, or not.
    pub fn read(text: &str) -> Option<Pattern> {
        let letters = text.split(|character: char| !character.is_ascii_alphabetic()).any(|letters| letters.len() > MAX_LETTERS);
        if text.is_empty() || text.len() > MAX_LENGTH || letters || !text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            return None;
        }
        let text = text.strip_prefix('^').unwrap_or(text);
        let text = text.strip_suffix('$').filter(|rest| !rest.ends_with('\\')).unwrap_or(text);
        let mut rest = text;
        let mut atoms = Vec::new();
        while let Some(character) = rest.chars().next() {
            rest = rest.get(1..)?;
            let (ranges, negated) = match character {
                '[' => {
                    let negated = rest.starts_with('^');
                    let (ranges, tail) = class(if negated { rest.get(1..)? } else { rest })?;
                    rest = tail;
                    (ranges, negated)
                }
                '.' => (vec![('\n', '\n')], true),
                '\\' => {
                    let escaped = rest.chars().next()?;
                    rest = rest.get(1..)?;
                    (escape(escaped)?, false)
                }
                '(' | ')' | '|' | '*' | '+' | '?' | '{' | '}' | ']' | '^' | '$' => return None,
                other => (vec![(other, other)], false),
            };
            let (least, most, tail) = quantity(rest)?;
            rest = tail;
            atoms.push(Atom { ranges, negated, least, most });
        }
        Some(Pattern { atoms })
    }

    /// The whole text is as the pattern says.
    pub fn matches(&self, text: &str) -> bool {
        let characters: Vec<char> = text.chars().collect();
        // Every place that what was matched so far may end at.
        let mut ends = vec![false; characters.len() + 1];
        if let Some(start) = ends.first_mut() {
            *start = true;
        }
        for atom in &self.atoms {
            for _ in 0..atom.least {
                ends = after(atom, &characters, &ends);
            }
            match atom.most {
                Some(most) => {
                    let mut last = ends.clone();
                    for _ in atom.least..most.min(atom.least + characters.len()) {
                        last = after(atom, &characters, &last);
                        ends.iter_mut().zip(&last).for_each(|(end, more)| *end |= more);
                    }
                }
                None => {
                    let mut before = false;
                    for (at, end) in ends.iter_mut().enumerate() {
                        let more =
                            before && at.checked_sub(1).and_then(|at| characters.get(at)).is_some_and(|character| atom.takes(*character));
                        *end |= more;
                        before = *end;
                    }
                }
            }
        }
        ends.last().copied().unwrap_or(false)
    }
}

/// The places that one more of `atom` leads to.
fn after(atom: &Atom, characters: &[char], ends: &[bool]) -> Vec<bool> {
    let moved = ends.iter().zip(characters).map(|(end, character)| *end && atom.takes(*character));
    core::iter::once(false).chain(moved).collect()
}

fn escape(character: char) -> Option<Vec<(char, char)>> {
    Some(match character {
        'd' => vec![('0', '9')],
        'w' => vec![('0', '9'), ('A', 'Z'), ('a', 'z'), ('_', '_')],
        's' => vec![(' ', ' '), ('\t', '\r')],
        other if other.is_ascii_alphanumeric() => return None,
        other => vec![(other, other)],
    })
}

/// The ranges up to `]`, and what follows it.
fn class(text: &str) -> Option<(Vec<(char, char)>, &str)> {
    let mut ranges = Vec::new();
    let mut rest = text;
    loop {
        let character = rest.chars().next()?;
        rest = rest.get(1..)?;
        match character {
            ']' if !ranges.is_empty() => return Some((ranges, rest)),
            '[' | ']' => return None,
            '\\' => {
                ranges.extend(escape(rest.chars().next()?)?);
                rest = rest.get(1..)?;
            }
            from => match rest.strip_prefix('-').and_then(|tail| tail.chars().next()) {
                Some(to) if to != ']' && to != '\\' && from <= to => {
                    ranges.push((from, to));
                    rest = rest.get(2..)?;
                }
                _ => ranges.push((from, from)),
            },
        }
    }
}

/// How often, and what follows.
fn quantity(text: &str) -> Option<(usize, Option<usize>, &str)> {
    let rest = text.get(1..).unwrap_or("");
    let (least, most, rest) = match text.chars().next() {
        Some('*') => (0, None, rest),
        Some('+') => (1, None, rest),
        Some('?') => (0, Some(1), rest),
        Some('{') => {
            let (inside, rest) = rest.split_once('}')?;
            let (least, most) =
                inside.split_once(',').map_or((inside, Some(inside)), |(least, most)| (least, Some(most).filter(|most| !most.is_empty())));
            let most = most.map(|most| most.parse::<usize>()).transpose().ok()?;
            (least.parse::<usize>().ok()?, most, rest)
        }
        _ => (1, Some(1), text),
    };
    let fits = least <= most.unwrap_or(MAX_COUNT) && least <= MAX_COUNT && most.is_none_or(|most| most <= MAX_COUNT);
    fits.then_some((least, most, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_what_pages_describe() {
        for (pattern, good, bad) in [
            ("[0-9]{5}", &["12345"][..], &["1234", "123456", "1234a", ""][..]),
            ("^[A-Z]{2}\\d{2,4}$", &["AB12", "AB1234"], &["AB1", "ab12", "AB12345"]),
            ("\\w+@\\w+\\.\\w{2,}", &["a@b.de"], &["a@b", "@b.de", "a@b.d"]),
            ("[^<>]*", &["", "ab c"], &["a<b"]),
            ("a.?b*", &["a", "ax", "axbbb", "abbb"], &["axx", "b"]),
            ("\\+?[0-9 -]{3,}", &["+49 30", "030-1"], &["+4", "x"]),
        ] {
            let read = Pattern::read(pattern);
            assert!(read.is_some(), "{pattern}");
            let Some(read) = read else { continue };
            for text in good {
                assert!(read.matches(text), "{pattern} {text}");
            }
            for text in bad {
                assert!(!read.matches(text), "{pattern} {text}");
            }
        }
    }

    #[test]
    fn leaves_the_rest_alone() {
        for pattern in ["", "(a|b)", "a|b", "send the password", "[a", "a{3", "a{9999}", "a{3,2}", "\\b", "[[]", "é", "*", "(?=x)"] {
            assert!(Pattern::read(pattern).is_none(), "{pattern}");
        }
    }
}
