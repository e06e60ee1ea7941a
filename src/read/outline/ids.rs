//! The ids of sections: readable, unique, the same after a rebuild.

use alloc::{string::String, vec::Vec};

use super::{Outline, Span};
use crate::{order, search, text};

/// An id that says something and will be the same tomorrow: words, not what a framework counted up.
pub(super) fn is_readable(id: &str) -> bool {
    let digits = |part: &str| part.bytes().filter(u8::is_ascii_digit).count();
    let letter = |character: &char| text::is_word(*character) && !character.is_ascii_digit();
    id.chars().next().is_some_and(|first| letter(&first))
        && id.len() <= 64
        && id.chars().all(|character| text::is_word(character) || matches!(character, '-' | '_' | '.'))
        && digits(id) <= 4
        && digits(id) * 2 < id.len()
        && id.chars().filter(letter).count() >= 3
}

/// Gives every section its id: an element's own, else its heading's words; of several alike, those after the first
/// take their section's name in front, then a number.
pub(super) fn name(out: &mut Outline, own_ids: &[Span]) {
    let mut ids: Vec<String> = Vec::with_capacity(out.sections.len());
    for (section, own_id) in out.sections.iter().zip(own_ids) {
        let own = own_id.of(&out.strings);
        ids.push(if own.is_empty() {
            slug(if ids.is_empty() && section.level == 0 { section.landmark.heading() } else { out.heading(section) })
        } else {
            own.into()
        });
    }
    let bases = ids.clone();
    // Each round renames what is not unique; names made in one round may meet others in the next.
    for round in 0..4 {
        let mut order: Vec<u32> = (0..ids.len() as u32).collect();
        let key = |at: &u32| ids.get(*at as usize).map_or("", String::as_str);
        order::sort_by(&mut order, &|a, b| (key(a).cmp(key(b)).then(a.cmp(b))).is_lt());
        let mut renamed: Vec<(u32, String)> = Vec::new();
        let (mut first, mut count) = (u32::MAX, 1);
        for at in order.iter().copied() {
            if first == u32::MAX || key(&first) != key(&at) {
                (first, count) = (at, 1);
                continue;
            }
            count += 1;
            let parent = out.sections.get(at as usize).and_then(|section| section.parent).and_then(|parent| bases.get(parent as usize));
            renamed.push((
                at,
                match parent.filter(|_| round == 0) {
                    Some(parent) => [parent, "-", key(&at)].concat(),
                    None => [key(&at), "-", &crate::json::number(count)].concat(),
                },
            ));
        }
        if renamed.is_empty() {
            break;
        }
        for (at, id) in renamed {
            if let Some(slot) = ids.get_mut(at as usize) {
                *slot = id;
            }
        }
    }
    for ((section, id), own_id) in out.sections.iter_mut().zip(ids).zip(own_ids) {
        section.is_anchor = id == own_id.of(&out.strings);
        section.id = id;
    }
}

/// Words as an id: `research-interests`.
fn slug(heading: &str) -> String {
    let (mut out, mut full) = (String::new(), false);
    search::words(heading, false, &mut |word, _, _| {
        full |= !out.is_empty() && text::length(&out) + text::length(word) >= 40;
        if full {
            return;
        }
        if !out.is_empty() {
            out.push('-');
        }
        out.extend(word.chars().take(40));
    });
    if out.is_empty() { "section".into() } else { out }
}
