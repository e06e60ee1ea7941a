//! One table: for each kind of thing, what an agent is told by default, what on request, and in which order.
