//! Twins: the same thing described again without an id, in another syntax or another block.

use super::groups::Groups;
use crate::read::Node;

/// Makes one of what is evidently one thing.
pub fn unite(_nodes: &[Node], _groups: &mut Groups) {}
