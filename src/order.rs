//! Sorting by one piece of machine code: the standard library's sorts are compiled anew for each type, five kilobytes
//! a time, and nothing here sorts more than a few thousand things.

use alloc::vec::Vec;

/// Sorts; equal items keep their order.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, &|one, other| one < other);
}

/// Sorts by a key; items of equal keys keep their order.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, &|one, other| key(one) < key(other));
}

/// Sorts by a strict order; items of which neither is before the other keep their order.
pub fn sort_by<T>(items: &mut [T], before: &dyn Fn(&T, &T) -> bool) {
    let order = permutation(items.len(), &|one, other| match (items.get(one), items.get(other)) {
        (Some(one), Some(other)) => before(one, other),
        _ => false,
    });
    apply(items, order);
}

/// Of `count` things those whose name an earlier one has, each with the first of that name, in order. Sorting is what
/// keeps this from growing with the square of their number; few are compared one by one.
pub fn repeated<'n>(count: usize, name: &dyn Fn(usize) -> &'n str) -> Vec<(usize, usize)> {
    const FEW: usize = 16;
    if count <= FEW && (1..count).all(|one| (0..one).all(|other| name(one) != name(other))) {
        return Vec::new();
    }
    let order = permutation(count, &|one, other| name(one) < name(other));
    let mut found = Vec::new();
    let mut first = usize::MAX;
    for index in order {
        let index = index as usize;
        if first < count && name(first) == name(index) {
            found.push((index, first));
        } else {
            first = index;
        }
    }
    sort(&mut found);
    found
}

/// The places of `count` items in sorted order (bottom-up merge sort, stable).
#[inline(never)]
fn permutation(count: usize, before: &dyn Fn(usize, usize) -> bool) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    // Most lists come sorted.
    if (1..count).all(|place| !before(place, place - 1)) {
        return order;
    }
    let mut merged: Vec<u32> = Vec::with_capacity(count);
    let mut width = 1;
    while width < count {
        merged.clear();
        for runs in order.chunks(2 * width) {
            let (mut left, mut right) = runs.split_at(width.min(runs.len()));
            while let (Some((one, rest)), Some((other, others))) = (left.split_first(), right.split_first()) {
                if before(*other as usize, *one as usize) {
                    merged.push(*other);
                    right = others;
                } else {
                    merged.push(*one);
                    left = rest;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        core::mem::swap(&mut order, &mut merged);
        width *= 2;
    }
    order
}

/// Moves each item to its place, cycle by cycle.
fn apply<T>(items: &mut [T], mut order: Vec<u32>) {
    for start in 0..order.len() {
        let mut place = start;
        while let Some(from) = order.get_mut(place).map(|from| core::mem::replace(from, place as u32) as usize) {
            if from == start || from == place {
                break;
            }
            items.swap(place, from);
            place = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_as_the_standard_library_does() {
        let mut seed = 7u32;
        for count in [0, 1, 2, 3, 17, 100, 1000] {
            let mut items: Vec<(u32, usize)> = (0..count)
                .map(|place| {
                    seed = seed.wrapping_mul(1_103_515_245).wrapping_add(12_345);
                    ((seed >> 16) % 50, place)
                })
                .collect();
            let mut expected = items.clone();
            expected.sort_by_key(|(key, _)| *key);
            sort_by_key(&mut items, |(key, _)| *key);
            assert_eq!(items, expected);
        }
    }
}
