//! The inputs of tools: one description that becomes the JSON Schema an agent reads and the check that a call must pass.

use alloc::{string::String, vec::Vec};

use crate::json::Writer;

/// What a parameter takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A string.
    Text,
    /// A string, one of these.
    Choice(Vec<String>),
    /// An array of these strings, each at most once.
    Choices(Vec<String>),
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A boolean.
    Boolean,
}

/// One named input.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// A short identifier of ours, or a plain one of the page's.
    pub name: String,
    /// At most 150 characters, our own words.
    pub description: String,
    /// What it takes.
    pub kind: Kind,
    /// A call without it is refused.
    pub required: bool,
    /// Least value of a number (digits as written).
    pub minimum: Option<String>,
    /// Greatest value of a number (digits as written).
    pub maximum: Option<String>,
    /// Most characters of a string.
    pub max_length: Option<usize>,
    /// What is taken where the call gives nothing, as JSON text.
    pub default: Option<String>,
}

impl Parameter {
    /// An optional parameter.
    pub fn new(name: impl Into<String>, kind: Kind, description: impl Into<String>) -> Self {
        Parameter {
            name: name.into(),
            description: description.into(),
            kind,
            required: false,
            minimum: None,
            maximum: None,
            max_length: None,
            default: None,
        }
    }
}

/// Appends the JSON Schema of a closed object with these parameters (plain subset: no `$ref`, no `format`).
pub fn write(parameters: &[Parameter], out: &mut Writer) {
    out.object(|out| {
        out.field("type").string("object");
        out.field("properties").object(|out| {
            for parameter in parameters {
                out.field(&parameter.name);
                write_parameter(parameter, out);
            }
        });
        if parameters.iter().any(|parameter| parameter.required) {
            out.field("required").array(|out| {
                parameters.iter().filter(|parameter| parameter.required).for_each(|parameter| out.string(&parameter.name));
            });
        }
        out.field("additionalProperties").bool(false);
    });
}

fn write_parameter(parameter: &Parameter, out: &mut Writer) {
    out.object(|out| {
        let choices = |choices: &[String], out: &mut Writer| {
            out.field("enum").array(|out| choices.iter().for_each(|choice| out.string(choice)));
        };
        match &parameter.kind {
            Kind::Text => out.field("type").string("string"),
            Kind::Choice(values) => {
                out.field("type").string("string");
                choices(values, out);
            }
            Kind::Choices(values) => {
                out.field("type").string("array");
                out.field("items").object(|out| {
                    out.field("type").string("string");
                    choices(values, out);
                });
            }
            Kind::Integer => out.field("type").string("integer"),
            Kind::Number => out.field("type").string("number"),
            Kind::Boolean => out.field("type").string("boolean"),
        }
        if !parameter.description.is_empty() {
            out.field("description").string(&parameter.description);
        }
        if let Some(minimum) = &parameter.minimum {
            out.field("minimum").raw(minimum);
        }
        if let Some(maximum) = &parameter.maximum {
            out.field("maximum").raw(maximum);
        }
        if let Some(length) = parameter.max_length {
            out.field("maxLength").number(length);
        }
        if let Some(default) = &parameter.default {
            out.field("default").raw(default);
        }
    });
}
