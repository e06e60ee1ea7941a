//! What tools are called by clients. A name that was given once leads to the same tool of the same origin for as long
//! as the program runs: no other origin can come to stand behind it.

use std::collections::{HashMap, HashSet};

use super::face::OWN;
use crate::serve::{as_name, unique};

/// Names that are remembered. A page can make up new ones without end.
const MAX_REMEMBERED: usize = 20_000;

/// A page's name for its tool as every client takes it.
fn plain(tool: &str) -> String {
    let name: String = tool.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    if name.trim_matches('_').is_empty() { "tool".to_owned() } else { name }
}

/// Whose tool: its origin, and the name that its pages have for it.
pub type Owner = (String, String);

/// The names given so far.
#[derive(Default)]
pub struct Names {
    owners: HashMap<String, Owner>,
    /// By owner: the name in lists now.
    listed: HashMap<Owner, String>,
    /// Plain names that several origins have: each of them is preceded by the host, and stays so.
    contested: HashSet<String>,
}

impl Names {
    /// The names of these, in their order.
    pub fn assign(&mut self, owners: &[Owner]) -> Vec<String> {
        let mut wanted: HashMap<String, &Owner> = HashMap::new();
        for owner in owners {
            let plain = plain(&owner.1);
            let known = self.owners.get(&plain).or(wanted.get(&plain).copied());
            if OWN.contains(&plain.as_str()) || known.is_some_and(|known| known != owner) {
                self.contested.insert(plain);
            } else {
                wanted.insert(plain, owner);
            }
        }
        let names = owners.iter().map(|owner| self.name(owner)).collect();
        self.forget(owners);
        names
    }

    fn name(&mut self, owner: &Owner) -> String {
        let plain = plain(&owner.1);
        let contested = self.contested.contains(&plain);
        if let Some(name) = self.listed.get(owner).filter(|name| !contested || **name != plain) {
            return name.clone();
        }
        let wanted = if contested { format!("{}_{plain}", as_name(&crate::page::host(&owner.0))) } else { plain };
        let name = unique(&wanted, &|name| OWN.contains(&name) || self.owners.get(name).is_some_and(|known| known != owner));
        self.owners.insert(name.clone(), owner.clone());
        self.listed.insert(owner.clone(), name.clone());
        name
    }

    /// Who stands behind a name, listed now or before.
    pub fn owner(&self, name: &str) -> Option<&Owner> {
        self.owners.get(name)
    }

    /// Gives up names of tools that are not there, of the origin that has most: nobody else's are lost by what it does.
    fn forget(&mut self, present: &[Owner]) {
        if self.owners.len() <= MAX_REMEMBERED {
            return;
        }
        let present: HashSet<&Owner> = present.iter().collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for (origin, _) in self.owners.values().filter(|owner| !present.contains(owner)) {
            *counts.entry(origin).or_default() += 1;
        }
        let Some(most) = counts.into_iter().max_by_key(|(_, count)| *count).map(|(origin, _)| origin.to_owned()) else { return };
        self.owners.retain(|_, owner| owner.0 != most || present.contains(owner));
        self.listed.retain(|owner, _| owner.0 != most || present.contains(owner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(origin: &str, tool: &str) -> Owner {
        (origin.to_owned(), tool.to_owned())
    }

    #[test]
    fn a_name_never_leads_to_another_origin() {
        let mut names = Names::default();
        let (a, b) = (owner("https://a.example", "echo"), owner("https://b.example", "echo"));
        assert_eq!(names.assign(std::slice::from_ref(&a)), ["echo"]);
        assert_eq!(names.assign(&[a.clone(), b.clone()]), ["a_example_echo", "b_example_echo"]);
        // The old name still leads where it led.
        assert_eq!(names.owner("echo"), Some(&a));
        assert_eq!(names.assign(std::slice::from_ref(&b)), ["b_example_echo"]);
        assert_eq!(names.owner("echo"), Some(&a));
        assert_eq!(names.assign(&[a, b]), ["a_example_echo", "b_example_echo"]);
    }

    #[test]
    fn one_that_comes_when_the_first_is_gone_does_not_inherit() {
        let mut names = Names::default();
        names.assign(&[owner("https://a.example", "pay")]);
        assert_eq!(names.assign(&[owner("https://evil.example", "pay")]), ["evil_example_pay"]);
    }

    #[test]
    fn our_own_names_and_made_up_ones_are_not_taken() {
        let mut names = Names::default();
        let own = owner("https://a.example", "list_page_tools");
        assert_eq!(names.assign(&[own]), ["a_example_list_page_tools"]);
        // A page that calls its tool as another's would be called.
        let (made_up, real) = (owner("https://x.example", "b_example_pay"), owner("https://b.example", "pay"));
        names.assign(&[made_up, owner("https://a.example", "pay")]);
        assert_eq!(names.assign(&[real]), ["b_example_pay_2"]);
    }

    #[test]
    fn two_names_of_one_page_that_look_alike_are_told_apart() {
        let mut names = Names::default();
        let given = names.assign(&[owner("https://a.example", "a.b"), owner("https://a.example", "a:b")]);
        assert_eq!(given.iter().collect::<HashSet<_>>().len(), 2, "{given:?}");
    }

    #[test]
    fn an_origin_without_end_loses_its_own_names_only() {
        let mut names = Names::default();
        names.assign(&[owner("https://a.example", "pay")]);
        for round in 0..25 {
            let many: Vec<Owner> = (0..1_000).map(|number| owner("https://evil.example", &format!("t{round}_{number}"))).collect();
            names.assign(&many);
        }
        assert!(names.owners.len() <= MAX_REMEMBERED && names.owner("pay").is_some());
    }
}
