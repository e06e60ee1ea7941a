//! Tools for the elements that the site marked: what they take, what a call comes to, what its answer looks like.
//!
//! A call becomes a plan, JSON that says which elements get what. `js/act.js` carries it out on the live page as a
//! person would, and reports back what it saw; [`answer`] makes that fit to be read.

use alloc::{rc::Rc, string::String, vec::Vec};

use super::schema::{Kind, Parameter};
use super::{Annotations, Source, Tool};
use crate::call::{self, Outcome};
use crate::diagnostic::Diagnostic;
use crate::dom::Document;
use crate::json::{self, Json, Writer};
use crate::options::Options;
use crate::read::controls::{self as marks, Choice, Field, Item, Place, Takes, Way};
use crate::text;

/// Milliseconds that a call may take, the person's confirmation not counted.
const TIMEOUT: usize = 30_000;
/// Milliseconds that a form with `toolname` waits for the person to submit it; browsers wait without end.
const SUBMIT_TIMEOUT: usize = 300_000;
/// Characters of a call's `request_id`.
const MAX_REQUEST_ID: usize = 100;
/// Characters of a value that the person is shown before confirming.
const MAX_SHOWN: usize = 200;

/// What a control's tool answers from: the page's controls, and which of them it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// All controls of the page.
    pub all: Rc<Vec<marks::Control>>,
    /// The number of this one; none for the tool that tells their state.
    pub which: Option<usize>,
}

impl Control {
    fn marked(&self) -> Option<&marks::Control> {
        self.which.and_then(|which| self.all.get(which))
    }

    /// A call is confirmed by the person first.
    pub fn is_confirmed(&self) -> bool {
        self.marked().is_some_and(|control| control.danger || control.confirm.is_some())
    }

    /// A call cannot be undone or costs something: the site said so.
    pub fn is_dangerous(&self) -> bool {
        self.marked().is_some_and(|control| control.danger)
    }
}

/// A tool for each control, and one that tells the state of all.
pub fn build(documents: &[Document], options: &Options) -> (Vec<Tool>, Vec<Diagnostic>) {
    let (controls, diagnostics) = marks::read(documents, options.controls, options.declared_forms);
    let all = Rc::new(controls);
    let mut tools: Vec<Tool> =
        all.iter().enumerate().map(|(which, control)| tool(control, Control { all: all.clone(), which: Some(which) }, options)).collect();
    if all.iter().any(|control| control.way != Way::Declared) {
        tools.push(Tool {
            name: "get_page_controls".into(),
            title: "Page controls".into(),
            description:
                "State of what this site lets an agent press and fill: visible, enabled, text, value, and what each still needs to work. \
                          Use it before a press_ or fill_ tool, or after one that was refused."
                    .into(),
            parameters: Vec::new(),
            output_schema: None,
            annotations: Annotations { read_only: true, untrusted: true, consequential: false },
            source: Source::Control(Control { all, which: None }),
        });
    }
    (tools, diagnostics)
}

fn tool(control: &marks::Control, source: Control, options: &Options) -> Tool {
    let verb = match control.way {
        Way::Press | Way::Open => "press_",
        Way::Set | Way::Fill => "fill_",
        Way::Declared => "",
    };
    let default = match control.way {
        Way::Press => "Presses what this site marked under that name.",
        Way::Open => "Opens or closes a part of the page.",
        Way::Set => "Gives a field of the page a value.",
        Way::Fill | Way::Declared => "Fills a form of the page.",
    };
    let mut more = String::new();
    if control.way == Way::Fill {
        more.push_str(if control.submit { " Fills the form and submits it." } else { " Fills the form without submitting it." });
    }
    if source.is_confirmed() {
        more.push_str(" The person is asked to confirm.");
    }
    let own = if control.description.is_empty() { default } else { &control.description };
    let room = options.max_description_length.saturating_sub(more.len() + 1);
    let mut description = marks::cut(own, room);
    if !description.ends_with(['.', '!', '?', '…', '。']) {
        description.push('.');
    }
    description.push_str(&more);
    let mut title = control.title.clone();
    if title.is_empty() {
        title = text::replace(&control.name, "_", " ");
        if let Some(first) = title.get_mut(..1) {
            first.make_ascii_uppercase();
        }
    }
    Tool {
        name: [verb, &control.name].concat(),
        title,
        description,
        parameters: parameters(control),
        output_schema: None,
        annotations: Annotations { read_only: false, untrusted: true, consequential: source.is_confirmed() },
        source: Source::Control(source),
    }
}

fn parameters(control: &marks::Control) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    if control.items.len() > 1 {
        let labels = control.items.iter().map(|item| item.label.clone()).collect();
        parameters.push(Parameter { required: true, ..Parameter::new("item", Kind::Choice(labels), "Which of them.") });
    }
    if control.way == Way::Open {
        parameters.push(Parameter::new("open", Kind::Boolean, "True to open, false to close; left out, it changes."));
    }
    for (at, item) in control.items.iter().enumerate() {
        for field in &item.fields {
            match parameters.iter_mut().find(|parameter| parameter.name == field.name) {
                // Another item's field of the same name: what it takes more is added.
                Some(known) if at > 0 => join(known, field),
                Some(_) => {}
                None => parameters.push(parameter(field, control.way, at > 0)),
            }
        }
    }
    if control.way != Way::Declared {
        let description = "Any unique text. A repeated call with it returns the first result instead of acting again.";
        parameters.push(Parameter { max_length: Some(MAX_REQUEST_ID), ..Parameter::new("request_id", Kind::Text, description) });
    }
    parameters
}

fn labels(choices: &[Choice]) -> Vec<String> {
    choices.iter().map(|choice| choice.label.clone()).collect()
}

fn parameter(field: &Field, way: Way, partly: bool) -> Parameter {
    let mut description = field.description.clone();
    let kind = match &field.takes {
        Takes::Option if field.choices.is_empty() => {
            description =
                [description.as_str(), if description.is_empty() { "" } else { ". " }, "One of the field's options, by its text."].concat();
            Kind::Text
        }
        Takes::Option | Takes::Radio => Kind::Choice(labels(&field.choices)),
        Takes::Options | Takes::Boxes => Kind::Choices(labels(&field.choices)),
        Takes::Text => Kind::Text,
        Takes::Number { whole: true } => Kind::Integer,
        Takes::Number { whole: false } => Kind::Number,
        Takes::Checked => Kind::Boolean,
    };
    // An empty text is a value too: it clears a field.
    let clears = way == Way::Set && kind == Kind::Text;
    Parameter {
        required: field.required && !partly && !clears,
        minimum: field.minimum.clone(),
        maximum: field.maximum.clone(),
        max_length: field.max_length,
        pattern: field.pattern.clone(),
        ..Parameter::new(field.name.clone(), kind, description)
    }
}

fn join(known: &mut Parameter, field: &Field) {
    if let Kind::Choice(choices) | Kind::Choices(choices) = &mut known.kind {
        for choice in &field.choices {
            if choices.len() < marks::MAX_CHOICES && !choices.contains(&choice.label) {
                choices.push(choice.label.clone());
            }
        }
    }
    if known.minimum != field.minimum {
        known.minimum = None;
    }
    if known.maximum != field.maximum {
        known.maximum = None;
    }
}

/// The plan that a call comes to with this (checked) input.
///
/// `{kind, name, at, timeout, requestId?, title?, confirm?, danger?, values?, submit?, known?, open?, fields: [{name, at,
/// do, value}]}`, or for the state of all controls `{kind: "state", controls: [{tool, item?, at, fields?}]}`. A place is
/// `[document, element]`.
pub fn call(tool: &Tool, control: &Control, all: &[Tool], input: &Json<'_>) -> Outcome {
    let Some(marked) = control.marked() else {
        return Outcome::Act { plan: state(&control.all, all) };
    };
    let given = |name: &str| input.get(name).and_then(Json::as_str);
    let found = marked.items.iter().find(|item| marked.items.len() == 1 || given("item") == Some(&item.label));
    let Some(item) = found else {
        return Outcome::Answer(call::error("gone", "That item is not on the page any more.", "Call get_page_controls."));
    };
    let mut fields = Vec::new();
    for field in &item.fields {
        match input.get(&field.name) {
            None if marked.way == Way::Set => {
                let hint = ["Pass {\"", &field.name, "\": …}; an empty text clears the field."].concat();
                return Outcome::Answer(call::error("missing_parameter", &["'", &field.name, "' is required."].concat(), &hint));
            }
            None => {}
            Some(value) => {
                if let Err(message) = fill(field, value, &mut fields) {
                    return Outcome::Answer(call::error("invalid_parameter", &message, ""));
                }
            }
        }
    }
    let mut out = Writer::new();
    out.object(|out| {
        out.field("kind").string(match marked.way {
            Way::Press => "press",
            Way::Open => "open",
            Way::Set => "set",
            Way::Fill => "fill",
            Way::Declared => "declared",
        });
        out.field("name").string(&marked.name);
        out.field("at");
        write_place(item.place, out);
        let timeout = if marked.way == Way::Declared && !marked.submit { SUBMIT_TIMEOUT } else { TIMEOUT };
        out.field("timeout").number(marked.timeout.unwrap_or(timeout));
        if let Some(id) = given("request_id") {
            out.field("requestId").string(id);
        }
        if control.is_confirmed() {
            out.field("title").string(&tool.title);
            out.field("confirm").string(marked.confirm.as_deref().unwrap_or(""));
            out.field("danger").bool(marked.danger);
            out.field("values").array(|out| shown(input, out));
        }
        if matches!(marked.way, Way::Fill | Way::Declared) {
            out.field("submit").bool(marked.submit);
            out.field("known").array(|out| {
                for field in &item.fields {
                    out.array(|out| {
                        out.string(&field.name);
                        write_place(field.place, out);
                    });
                }
            });
        }
        if let Some(Json::Bool(open)) = input.get("open") {
            out.field("open").bool(*open);
        }
        out.field("fields").array(|out| fields.iter().for_each(|field| field.write(out)));
    });
    Outcome::Act { plan: out.into_string() }
}

/// What the person sees of a call's input: name and value of each parameter.
fn shown(input: &Json<'_>, out: &mut Writer) {
    let Json::Object(members) = input else { return };
    for (name, value) in members.iter().filter(|(name, _)| name != "request_id") {
        let text = match value {
            Json::String(text) => text.clone().into_owned(),
            Json::Array(items) => items.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(", "),
            other => {
                let mut out = Writer::new();
                other.write(&mut out);
                out.into_string()
            }
        };
        out.array(|out| {
            out.string(&text::replace(name, "_", " "));
            out.string(&marks::cut(&text::visible(&text), MAX_SHOWN));
        });
    }
}

/// One thing to do to one element.
struct Step<'f> {
    name: &'f str,
    place: Place,
    /// `text`, `check`, `select` or `match`.
    act: &'static str,
    /// As JSON.
    value: String,
}

impl Step<'_> {
    fn write(&self, out: &mut Writer) {
        out.object(|out| {
            out.field("name").string(self.name);
            out.field("at");
            write_place(self.place, out);
            out.field("do").string(self.act);
            out.field("value").raw(&self.value);
        });
    }
}

fn write_place(place: Place, out: &mut Writer) {
    out.array(|out| {
        out.number(place.document as usize);
        out.number(place.element as usize);
    });
}

/// The steps that give `field` this value.
fn fill<'f>(field: &'f Field, value: &Json<'_>, steps: &mut Vec<Step<'f>>) -> Result<(), String> {
    let quoted = |text: &str| {
        let mut out = Writer::new();
        out.string(text);
        out.into_string()
    };
    let mut step = |place: Place, act: &'static str, value: String| steps.push(Step { name: &field.name, place, act, value });
    let flag = |value: bool| String::from(if value { "true" } else { "false" });
    let text = match value {
        Json::String(text) | Json::Number(text) => text.as_ref(),
        _ => "",
    };
    let chosen = |choice: &Choice| {
        text == choice.label || value.as_array().is_some_and(|labels| labels.iter().any(|label| label.as_str() == Some(&choice.label)))
    };
    let missing = || {
        let known: Vec<&str> = field.choices.iter().map(|choice| choice.label.as_str()).collect();
        ["'", &field.name, "' must be one of ", &known.join(", "), " for this item."].concat()
    };
    match field.takes {
        Takes::Text | Takes::Number { .. } => step(field.place, "text", quoted(text)),
        Takes::Checked => step(field.place, "check", flag(*value == Json::Bool(true))),
        Takes::Option if field.choices.is_empty() => step(field.place, "match", quoted(text)),
        Takes::Radio => step(field.choices.iter().find(|choice| chosen(choice)).ok_or_else(missing)?.place, "check", flag(true)),
        Takes::Boxes => field.choices.iter().for_each(|choice| step(choice.place, "check", flag(chosen(choice)))),
        Takes::Option | Takes::Options => {
            let mut out = Writer::new();
            let mut count = 0;
            out.array(|out| {
                for choice in field.choices.iter().filter(|choice| chosen(choice)) {
                    out.string(&choice.value);
                    count += 1;
                }
            });
            if count == 0 && field.takes == Takes::Option {
                return Err(missing());
            }
            step(field.place, "select", out.into_string());
        }
    }
    Ok(())
}

/// The plan that tells the state of all controls, under the names that their tools have.
fn state(controls: &[marks::Control], tools: &[Tool]) -> String {
    let mut out = Writer::new();
    out.object(|out| {
        out.field("kind").string("state");
        out.field("controls").array(|out| {
            for tool in tools {
                let Source::Control(Control { which: Some(which), .. }) = &tool.source else { continue };
                let Some(control) = controls.get(*which) else { continue };
                control.items.iter().for_each(|item| write_item(tool, control, item, out));
            }
        });
    });
    out.into_string()
}

fn write_item(tool: &Tool, control: &marks::Control, item: &Item, out: &mut Writer) {
    out.object(|out| {
        out.field("tool").string(&tool.name);
        if !item.label.is_empty() {
            out.field("item").string(&item.label);
        }
        out.field("at");
        write_place(item.place, out);
        if matches!(control.way, Way::Fill | Way::Declared) {
            out.field("fields").array(|out| {
                for field in &item.fields {
                    out.object(|out| {
                        out.field("name").string(&field.name);
                        out.field("at");
                        write_place(field.place, out);
                        if matches!(field.takes, Takes::Radio | Takes::Boxes) {
                            // What of a group is checked is told by label.
                            out.field("of").array(|out| {
                                for choice in &field.choices {
                                    out.array(|out| {
                                        out.string(&choice.label);
                                        write_place(choice.place, out);
                                    });
                                }
                            });
                        }
                    });
                }
            });
        }
    });
}

/// Characters of one text and entries of one list, tried in turn until an answer fits.
const BOUNDS: [(usize, usize); 3] = [(4_000, 1_000), (400, 60), (80, 15)];

/// What the edge or a site's own tool reports, as an answer: an object, its texts cleaned, within `max_payload_bytes`.
pub fn answer(facts: &str, options: &Options) -> String {
    let Ok(parsed) = json::parse(facts) else {
        return call::error("internal", "The tool's result is not JSON.", "");
    };
    for (index, (characters, entries)) in BOUNDS.into_iter().enumerate() {
        let mut out = Writer::new();
        let mut clean = Clean { characters, entries, cut: false };
        match &parsed.value {
            Json::Object(_) => clean.write(&parsed.value, &mut out),
            Json::Null => out.object(|out| out.field("ok").bool(true)),
            other => out.object(|out| clean.write(other, out.field("result"))),
        }
        let mut answer = out.into_string();
        if clean.cut || index > 0 {
            // Said where it is seen even if a client cuts again.
            answer = text::replace(&["{\"truncated\":true,", answer.get(1..).unwrap_or("}")].concat(), "true,}", "true}");
        }
        if answer.len() <= options.max_payload_bytes {
            return answer;
        }
    }
    call::error("too_large", "The result is larger than an answer may be.", "Ask for less at once.")
}

struct Clean {
    characters: usize,
    entries: usize,
    cut: bool,
}

impl Clean {
    /// Not deeper than the JSON reader kept, so the recursion is bounded.
    fn write(&mut self, value: &Json<'_>, out: &mut Writer) {
        match value {
            Json::String(text) => {
                let text = text::visible(text);
                let kept = marks::cut(text.trim(), self.characters);
                self.cut |= kept.len() < text.trim().len();
                out.string(&kept);
            }
            Json::Array(items) => {
                self.cut |= items.len() > self.entries;
                out.array(|out| items.iter().take(self.entries).for_each(|item| self.write(item, out)));
            }
            Json::Object(members) => {
                self.cut |= members.len() > self.entries;
                out.object(|out| {
                    for (name, value) in members.iter().take(self.entries) {
                        let name = text::visible(name);
                        self.write(value, out.field(&name));
                    }
                });
            }
            other => other.write(out),
        }
    }
}
