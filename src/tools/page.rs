//! The three tools that every page has: its outline, a section, a search.

/// Which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageTool {
    /// `get_page_outline`
    Outline,
    /// `read_page_section`
    Section,
    /// `search_page`
    Search,
}
