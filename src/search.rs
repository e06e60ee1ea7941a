//! Finding passages of a text: words folded to what people type, and a ranker over them.
//!
//! The ranker is one function with values in and values out: [`rank`]. Nothing is indexed beforehand; a query reads
//! the text once.

use alloc::{string::String, vec::Vec};

use crate::{order, text};

/// Words of a query that count; a question has a dozen, a pasted page has thousands.
const MAX_TERMS: usize = 24;

/// What is searched: a piece of text, what its headings say, and how much a match in it counts.
pub struct Passage<'t> {
    /// The text.
    pub text: &'t str,
    /// The section whose headings count for it.
    pub section: u32,
    /// Percent: 100 for content, less for what surrounds it.
    pub weight: u32,
}

/// A heading and the section around it: sections in order, each after the one that it lies in.
pub struct Heading<'t> {
    /// The words.
    pub text: &'t str,
    /// The section around.
    pub parent: Option<u32>,
}

/// A passage that matches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Its number.
    pub passage: u32,
    /// How well; only comparable within one query.
    pub score: f32,
}

/// A query, folded.
pub struct Query {
    /// The words that are looked for, each once.
    terms: Vec<String>,
    /// Every word in order, for the exact phrase.
    phrase: Vec<String>,
}

impl Query {
    /// Reads a query: words or a question.
    pub fn new(query: &str) -> Self {
        let mut phrase: Vec<String> = Vec::new();
        words(query, true, &mut |word, _, _| {
            if phrase.len() < MAX_TERMS {
                phrase.push(word.into());
            }
        });
        let mut terms: Vec<String> = Vec::new();
        for word in phrase.iter().filter(|word| !is_filler(word)) {
            if !terms.contains(word) {
                terms.push(word.clone());
            }
        }
        if terms.is_empty() {
            terms = phrase.clone();
            terms.dedup();
        }
        Query { terms, phrase }
    }

    /// The query has no word at all.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Which terms a text has, as bits.
    pub fn found_in(&self, text: &str) -> u32 {
        let mut found = 0;
        words(text, true, &mut |word, _, _| {
            for (at, term) in self.terms.iter().enumerate() {
                found |= u32::from(likeness(term, word) > 0) << at;
            }
        });
        found
    }

    /// The share of words that the query and a heading have in common, in percent of the longer of both.
    pub fn overlap(&self, heading: &str) -> usize {
        let common = self.found_in(heading).count_ones() as usize;
        if common == 0 {
            return 0;
        }
        common * 100 / self.terms.len().max(Query::new(heading).terms.len()).max(1)
    }

    /// Where the first match in a text begins.
    pub fn first_in(&self, text: &str) -> usize {
        let mut first = None;
        words(text, true, &mut |word, from, _| {
            if first.is_none() && self.terms.iter().any(|term| likeness(term, word) > 0) {
                first = Some(from);
            }
        });
        first.unwrap_or(0)
    }
}

/// An exact match of a term counts this much, one that only begins alike less.
const EXACT: u32 = 4;
const ALIKE: u32 = 2;

/// Ranks passages, best first: those with the exact phrase lead, then BM25 with headings counted twice and a
/// passage that has more of the query's words before one that repeats some. No match, no hit.
pub fn rank(query: &Query, passages: &[Passage<'_>], headings: &[Heading<'_>]) -> Vec<Hit> {
    let terms = query.terms.len();
    if terms == 0 {
        return Vec::new();
    }
    // How often each section's heading has each term, twice over; and those around it, half as much each level up.
    let mut in_headings: Vec<u32> = alloc::vec![0; headings.len() * terms];
    for (heading, counts) in headings.iter().zip(in_headings.chunks_mut(terms)) {
        words(heading.text, true, &mut |word, _, _| {
            count(&query.terms, word, 2, counts, &mut [], 0);
        });
    }
    let mut around: Vec<u32> = Vec::with_capacity(in_headings.len());
    for heading in headings {
        for at in 0..terms {
            let of = |counts: &[u32]| heading.parent.and_then(|parent| counts.get(parent as usize * terms + at).copied()).unwrap_or(0);
            around.push((of(&in_headings) + of(&around)) / 2);
        }
    }
    let mut counts: Vec<u32> = alloc::vec![0; passages.len() * terms];
    let mut lengths: Vec<u32> = Vec::with_capacity(passages.len());
    let mut phrases: Vec<bool> = Vec::with_capacity(passages.len());
    // In how few words all of the query's words that a passage has stand together, and how many these are.
    let mut spans: Vec<(u32, u32)> = Vec::with_capacity(passages.len());
    let mut places: Vec<u32> = alloc::vec![0; terms];
    let mut frequency: Vec<u32> = alloc::vec![0; terms];
    let mut total = 0u64;
    for (passage, counts) in passages.iter().zip(counts.chunks_mut(terms)) {
        let (mut length, mut run, mut phrase) = (0u32, 0, false);
        let mut span = (0, 1);
        places.fill(0);
        words(passage.text, true, &mut |word, _, _| {
            length += 1;
            if count(&query.terms, word, 1, counts, &mut places, length) {
                let together = places.iter().filter(|place| **place > 0);
                let (found, first) = together.fold((0, length), |(found, first), place| (found + 1, first.min(*place)));
                let width = length - first + 1;
                if found > span.0 || found == span.0 && width < span.1 {
                    span = (found, width);
                }
            }
            run = match query.phrase.get(run) {
                Some(next) if next == word => run + 1,
                _ => usize::from(query.phrase.first().is_some_and(|first| first == word)),
            };
            phrase |= run >= query.phrase.len();
        });
        let section = passage.section as usize * terms;
        for (at, (count, frequency)) in counts.iter_mut().zip(frequency.iter_mut()).enumerate() {
            *count += in_headings.get(section + at).copied().unwrap_or(0);
            // What stands over many passages does not make a word common.
            *frequency += u32::from(*count > 0);
            *count += around.get(section + at).copied().unwrap_or(0).min(EXACT / 2);
        }
        total += u64::from(length);
        spans.push(span);
        lengths.push(length);
        phrases.push(phrase && query.phrase.len() > 1);
    }
    let number = passages.len() as u32;
    let average = (total as f32 / number.max(1) as f32).max(1.0);
    // Rarity of a term: log2(1 + (N - n + ½) / (n + ½)), in 256ths.
    let rarity: Vec<f32> = frequency.iter().map(|n| log2((2 * number + 2).saturating_mul(256) / (2 * n + 1)) as f32 - 2048.0).collect();
    let all: f32 = rarity.iter().sum();
    let mut hits: Vec<Hit> = Vec::new();
    for (at, ((passage, counts), (length, phrase))) in
        passages.iter().zip(counts.chunks(terms)).zip(lengths.iter().zip(&phrases)).enumerate()
    {
        let norm = 1.2 * (0.25 + 0.75 * *length as f32 / average);
        let (mut score, mut covered) = (0.0, 0.0);
        for (count, rarity) in counts.iter().zip(&rarity).filter(|(count, _)| **count > 0) {
            let often = *count as f32 / EXACT as f32;
            score += rarity * often * 2.2 / (often + norm);
            covered += rarity;
        }
        if score > 0.0 {
            score *= 0.5 + covered / all;
            let (found, width) = spans.get(at).copied().unwrap_or((0, 1));
            if found > 1 {
                score *= 1.0 + found as f32 / width as f32 * found as f32 / terms as f32;
            }
            score *= passage.weight as f32 / 100.0;
            hits.push(Hit { passage: at as u32, score: if *phrase { score + all * 8.0 } else { score } });
        }
    }
    order::sort_by(&mut hits, &|a, b| (b.score.total_cmp(&a.score)).is_lt());
    hits
}

/// Counts a word of a text for the terms that it is like, and notes the place where each was seen last.
fn count(terms: &[String], word: &str, weight: u32, counts: &mut [u32], places: &mut [u32], place: u32) -> bool {
    let mut any = false;
    for (at, (term, count)) in terms.iter().zip(counts).enumerate() {
        let likeness = likeness(term, word);
        if likeness > 0 {
            any = true;
            *count += likeness * weight;
            if let Some(last) = places.get_mut(at) {
                *last = place;
            }
        }
    }
    any
}

/// How alike a term and a word are: the same, or two forms of one (`ship`, `shipping`; `delivery`, `deliveries`).
fn likeness(term: &str, word: &str) -> u32 {
    let (a, b) = (term.as_bytes(), word.as_bytes());
    // Most pairs end here.
    if a.first() != b.first() {
        return 0;
    }
    if a == b {
        return EXACT;
    }
    let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (short, long) = if a.len() < b.len() { (a.len(), b.len()) } else { (b.len(), a.len()) };
    // One character of a script without spaces is part of the pairs that it stands in.
    if common == a.len() && term.chars().next().is_some_and(is_unspaced) {
        return ALIKE;
    }
    let alike = common >= 3 && short - common <= 1 && long - common <= 3 && common * 2 > long;
    if alike && term.bytes().all(|byte| byte >= b'a') { ALIKE } else { 0 }
}

/// log2 in 256ths, straight lines between powers of two.
fn log2(value: u32) -> u32 {
    let value = value.max(1);
    let whole = 31 - value.leading_zeros();
    let rest = ((u64::from(value) << 8) >> whole) as u32 - 256;
    whole * 256 + rest
}

/// Words that questions are made of and that find nothing.
fn is_filler(word: &str) -> bool {
    const FILLERS: &str = " a about an and any are as at be by can could did do does for from had has have he her his how i if in is it its me my of on or our \
        shall should she so than that the their them there these they this those to us was we were what when where which who whom whose why will with would you your \
        der die das den dem des ein eine einen einem einer und oder ist sind wie was wer wo wann warum welche welcher welches mit von zu im am auf fur kann man ich \
        le la les un une des du de et est sont que qui quoi quel quelle quels quelles comment ou quand pourquoi pour avec dans sur au aux je il elle \
        el los las una y es son como cuando donde por para con en del al se lo che il gli di da e per si no not ";
    word.len() <= 8 && FILLERS.split(' ').any(|filler| filler == word)
}

/// Calls `found` with each word of a text, folded, and where it stands. In scripts without spaces each pair of
/// neighbours is a word where `pairs` asks for it, else the whole run.
pub fn words(text: &str, pairs: bool, found: &mut dyn FnMut(&str, usize, usize)) {
    let mut word = String::new();
    let (mut from, mut end) = (0, 0);
    // The last character of a run without spaces, where its word began, and whether it was part of a pair.
    let mut last: Option<(char, usize, bool)> = None;
    for (at, character) in text.char_indices() {
        // Most characters.
        if character.is_ascii_alphanumeric() && last.is_none() {
            if word.is_empty() {
                from = at;
            }
            word.push(character.to_ascii_lowercase());
            end = at + 1;
            continue;
        }
        let unspaced = pairs && is_unspaced(character);
        if !unspaced || last.is_none() {
            if let Some((single, start, false)) = last {
                word.push(single);
                found(&word, start, at);
                word.clear();
            }
            last = None;
        }
        if unspaced {
            if !word.is_empty() {
                found(&word, from, end);
                word.clear();
            }
            let paired = last.is_some();
            if let Some((first, start, _)) = last {
                word.push(first);
                word.push(character);
                found(&word, start, at + character.len_utf8());
                word.clear();
            }
            last = Some((character, at, paired));
        } else if text::is_word(character) {
            if word.is_empty() {
                from = at;
            }
            fold(character, &mut word);
            end = at + character.len_utf8();
        } else if !is_joined(character) && !word.is_empty() {
            found(&word, from, end);
            word.clear();
        }
    }
    if let Some((single, start, false)) = last {
        word.push(single);
        end = text.len();
        from = start;
    }
    if !word.is_empty() {
        found(&word, from, end);
    }
}

/// Written without spaces between words: Chinese, Japanese, Korean (whose particles cling), Thai, Lao, Khmer, Burmese.
pub fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Stands inside words without ending them: apostrophes would (`l'eau` is two words), these do not.
fn is_joined(character: char) -> bool {
    text::is_invisible(character) && character > '\u{a0}'
}

/// Base letters of U+00C0 to U+017F; `*` stands for what is not one letter.
const LATIN: &[u8] = b"aaaaaa*ceeeeiiiidnooooo*ouuuuy**aaaaaa*ceeeeiiiidnooooo*ouuuuy*yaaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii**jjkkkllllllllllnnnnnnn**oooooo**rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";
/// Base letters of U+1E00 to U+1EFF.
const LATIN_ADDITIONAL: &[u8] = b"aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmmmmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvvwwwwwwwwwwxxxxyyzzzzzzhtwy*s****aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeeeeeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy******";

/// Appends a character as people type it: lower case, no diacritics, one form of each letter.
fn fold(character: char, out: &mut String) {
    let table = |table: &[u8], first: u32| table.get((character as u32 - first) as usize).copied().unwrap_or(b'*');
    let plain = match character {
        '\0'..='\u{bf}' => character.to_ascii_lowercase(),
        'ß' | 'ẞ' => return out.push_str("ss"),
        'Æ' | 'æ' => return out.push_str("ae"),
        'Œ' | 'œ' => return out.push_str("oe"),
        'Þ' | 'þ' => return out.push_str("th"),
        'Ĳ' | 'ĳ' => return out.push_str("ij"),
        'Ŋ' | 'ŋ' => 'n',
        '\u{c0}'..='\u{17f}' => char::from(table(LATIN, 0xc0)),
        'Ơ' | 'ơ' => 'o',
        'Ư' | 'ư' => 'u',
        'Ș' | 'ș' => 's',
        'Ț' | 'ț' => 't',
        // Marks above and below letters; Hebrew and Arabic vowel points, the tatweel.
        '\u{300}'..='\u{36f}'
        | '\u{591}'..='\u{5c7}'
        | '\u{610}'..='\u{61a}'
        | '\u{640}'
        | '\u{64b}'..='\u{65f}'
        | '\u{670}'
        | '\u{6d6}'..='\u{6ed}' => return,
        'Ά' | 'ά' => 'α',
        'Έ' | 'έ' => 'ε',
        'Ή' | 'ή' => 'η',
        'Ί' | 'ί' | 'ϊ' | 'ΐ' | 'Ϊ' => 'ι',
        'Ό' | 'ό' => 'ο',
        'Ύ' | 'ύ' | 'ϋ' | 'ΰ' | 'Ϋ' => 'υ',
        'Ώ' | 'ώ' => 'ω',
        'ς' => 'σ',
        'ё' | 'Ё' => 'е',
        'أ' | 'إ' | 'آ' | 'ٱ' => 'ا',
        'ى' | 'ی' => 'ي',
        'ک' => 'ك',
        'ة' => 'ه',
        '\u{1e00}'..='\u{1eff}' => char::from(table(LATIN_ADDITIONAL, 0x1e00)),
        // Full-width forms.
        '！'..='～' => char::from_u32(character as u32 - 0xfee0).map_or(character, text::lower),
        other => text::lower(other),
    };
    out.push(if plain == '*' { character } else { plain });
}
