//! Tools for the elements that the site marked with `data-tool`.

/// A marked control.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {}
