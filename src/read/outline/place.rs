//! Which part of the page an element belongs to: the content, what lies beside it, what surrounds it.

use super::Landmark;
use super::walk::Walk;
use crate::dom::Element;
use crate::text::{has, is_block};

impl Walk<'_> {
    /// Where an element belongs that does not stand in the reading order of the content.
    pub(super) fn defer(&self, element: Element<'_>) -> Option<Landmark> {
        let (at, end, name) = (element.index(), element.end(), element.name());
        let page = &self.page;
        if !(is_block(name) || has(name, b'-')) || at <= page.root.0 && end >= page.root.1 {
            return None;
        }
        let inside = page.exact && at > page.root.0 && end <= page.root.1;
        let holds_title = page.title >= at && page.title < end;
        let sectioned = at < self.sectioning;
        let mut found = None;
        match (element.attribute("role").unwrap_or(""), name) {
            ("navigation" | "menubar" | "menu", _) | ("" | "list", "nav") => found = Some(Landmark::Navigation),
            ("contentinfo", _) => found = Some(Landmark::Footer),
            ("", "footer") if !sectioned => found = Some(Landmark::Footer),
            ("banner" | "search", _) | (_, "search") => found = Some(Landmark::Banner),
            ("", "header") if !sectioned => found = Some(Landmark::Banner),
            ("dialog" | "alertdialog", _) | (_, "dialog") => found = Some(Landmark::Dialog),
            ("complementary", _) | (_, "aside") if !inside => found = Some(Landmark::Complementary),
            _ => {}
        }
        let small = page.bytes(element) as u64 * 10 < page.total as u64 * 4;
        if found.is_none() && small {
            let names = Names::of(element);
            found = if names.cookie {
                Some(Landmark::Dialog)
            } else if names.menu && page.is_menu(element) {
                Some(Landmark::Navigation)
            } else if names.header && !inside && end <= page.start {
                Some(Landmark::Banner)
            } else if names.footer && !inside && !sectioned {
                Some(Landmark::Footer)
            } else if names.sidebar && !inside {
                Some(Landmark::Complementary)
            } else if end <= page.start && page.bytes(element) >= 40 && page.is_menu(element) {
                Some(Landmark::Navigation)
            } else {
                None
            };
        }
        if found.is_none() && page.exact && !inside && self.landmark == Landmark::Main {
            found = Some(Landmark::Complementary);
        }
        // In its own part a thing is not beside itself, and what the page is about is never put aside.
        found.filter(|landmark| !holds_title && *landmark != self.landmark)
    }
}

/// What class and id say an element is for.
struct Names {
    cookie: bool,
    menu: bool,
    header: bool,
    footer: bool,
    sidebar: bool,
}

impl Names {
    fn of(element: Element<'_>) -> Names {
        let mut names = Names { cookie: false, menu: false, header: false, footer: false, sidebar: false };
        let mut about_cookies = false;
        let mut notice = false;
        for (_, value) in element.attributes().filter(|(name, _)| matches!(*name, "class" | "id")) {
            for word in value.split(|character: char| !character.is_ascii_alphanumeric()) {
                let is = |list: &[&str]| list.iter().any(|entry| word.eq_ignore_ascii_case(entry));
                about_cookies |= is(&["cookie", "cookies"]);
                notice |= is(&[
                    "banner",
                    "bar",
                    "notice",
                    "notification",
                    "popup",
                    "modal",
                    "overlay",
                    "law",
                    "message",
                    "policy",
                    "wall",
                    "alert",
                    "info",
                ]);
                names.cookie |= is(&[
                    "consent",
                    "gdpr",
                    "onetrust",
                    "didomi",
                    "usercentrics",
                    "cookiebanner",
                    "cookiebar",
                    "cookieconsent",
                    "CybotCookiebotDialog",
                    "cmp",
                ]);
                names.menu |= is(&[
                    "nav",
                    "navbar",
                    "navigation",
                    "menu",
                    "menubar",
                    "topnav",
                    "topbar",
                    "breadcrumb",
                    "breadcrumbs",
                    "pagination",
                    "pager",
                ]);
                names.header |= is(&["header", "masthead", "topbar", "banner", "promo", "skip"]);
                names.footer |= is(&["footer", "colophon", "bottombar"]);
                names.sidebar |= is(&["sidebar", "aside"]);
            }
        }
        names.cookie |= about_cookies && notice;
        names
    }
}
