//! What holds for whatever was read.

use toolmark::read::{Node, Value};

fn clean(text: &str, breaks: bool, input: &str) {
    let bad = text.chars().find(|c| c.is_control() && !(breaks && matches!(c, '\n' | '\t')));
    assert_eq!(bad, None, "a control character in {text:?} of {input:?}");
}

/// Nodes point at nodes, properties have values, and no string holds a control character.
pub fn check(nodes: &[Node], input: &str) {
    for node in nodes {
        node.id.iter().chain(&node.types).for_each(|name| clean(name, false, input));
        for property in &node.properties {
            clean(&property.name, false, input);
            assert!(!property.values.is_empty(), "a property without values in {input:?}");
            for value in &property.values {
                match value {
                    Value::Text { text, .. } => clean(text, true, input),
                    Value::Number(text) | Value::Url(text) | Value::Reference(text) => clean(text, false, input),
                    Value::Node(index) => assert!((*index as usize) < nodes.len(), "a node that is not there in {input:?}"),
                    Value::Boolean(_) => {}
                }
            }
        }
    }
}
