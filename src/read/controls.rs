//! Controls: the elements that a site marked with `data-tool`, and forms with WebMCP's own `toolname`.
//!
//! Nothing is offered that is not marked. What is marked is read here once: its name, its fields, and, where several
//! elements share a name (a button in every row of a list), what tells them apart.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use crate::diagnostic::Diagnostic;
use crate::dom::{Child, Document, Element};
use crate::json;
use crate::order;
use crate::text;

/// Marked elements that are read. A list longer than this is no list an agent picks from.
pub const MAX_MARKED: usize = 400;
/// Elements of one name that an agent can choose among: they stand in the tool's definition, which costs every call.
pub const MAX_ITEMS: usize = 50;
/// Choices of a field that stand in a tool's definition; a longer list is matched when the field is filled.
pub const MAX_CHOICES: usize = 50;
/// Fields of one form that an agent can fill: with what a call needs besides, as many as a tool may take.
pub const MAX_FIELDS: usize = 37;
/// Characters of a name: with `press_` before it and a site's prefix it must stay within 64.
const MAX_NAME: usize = 40;
/// Characters of a label that tells items or choices apart.
const MAX_LABEL: usize = 40;
/// Words of a label that may describe a field; more is prose.
const MAX_LABEL_WORDS: usize = 6;
/// Ancestors that are looked through for the row that an element stands in.
const MAX_ROW_DEPTH: usize = 24;
/// Elements of a row that are looked through for what it is called.
const MAX_ROW_SIZE: usize = 200;
/// Characters of what a person is shown before a dangerous call.
const MAX_CONFIRM: usize = 300;
/// Characters of a site's own sentence that are kept.
const MAX_SENTENCE: usize = 1000;
/// Seconds that a site may let a call of its control take.
const MAX_TIMEOUT: usize = 600;

/// Where an element is: the number of its document among the page's snapshots, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The document's number.
    pub document: u32,
    /// The element's number.
    pub element: u32,
}

/// What an agent may do with a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Press it: a button, a link.
    Press,
    /// Open or close it: `details`.
    Open,
    /// Give it a value: a field outside a marked form.
    Set,
    /// Fill its fields and submit it: a form.
    Fill,
    /// A form with `toolname`, offered as the browser would.
    Declared,
}

/// A control, or several of one name.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// As marked, in `[a-z0-9_]` (`toolname`: as it stands).
    pub name: String,
    /// What an agent may do with it.
    pub way: Way,
    /// The site's own sentence about it; may be empty.
    pub description: String,
    /// The site's own two or three words for it; may be empty.
    pub title: String,
    /// What the person is asked before a call.
    pub confirm: Option<String>,
    /// A call cannot be undone or costs something.
    pub danger: bool,
    /// Milliseconds after which a call is given up.
    pub timeout: Option<usize>,
    /// A filled form is submitted.
    pub submit: bool,
    /// The elements, at least one, in document order.
    pub items: Vec<Item>,
}

/// One element of a control.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The element.
    pub place: Place,
    /// What tells it from the others of its name; empty if it is the only one.
    pub label: String,
    /// Its fields (forms and single fields).
    pub fields: Vec<Field>,
}

/// What a field takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Takes {
    /// Any text.
    Text,
    /// A number.
    Number {
        /// Only whole ones.
        whole: bool,
    },
    /// Checked or not.
    Checked,
    /// One option of a `select`.
    Option,
    /// Options of a `select multiple`.
    Options,
    /// One radio button of a group.
    Radio,
    /// Check boxes of a group.
    Boxes,
}

/// A choice of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// What an agent calls it.
    pub label: String,
    /// The option's value.
    pub value: String,
    /// The radio button or check box.
    pub place: Place,
}

/// A field of a form.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The parameter's name.
    pub name: String,
    /// What it is for, if that is known in a few plain words.
    pub description: String,
    /// What it takes.
    pub takes: Takes,
    /// The control; the first one of a group.
    pub place: Place,
    /// The choices, if there are few enough to name them.
    pub choices: Vec<Choice>,
    /// The form is not complete without a value from the agent.
    pub required: bool,
    /// Least value.
    pub minimum: Option<String>,
    /// Greatest value.
    pub maximum: Option<String>,
    /// Most characters.
    pub max_length: Option<usize>,
    /// What the text must match.
    pub pattern: Option<String>,
}

/// Reads the marked elements of all documents: those with `data-tool` if `marks` says so, forms with `toolname` if
/// `declared` does (where the browser knows WebMCP itself, they are the browser's).
pub fn read(documents: &[Document], marks: bool, declared: bool) -> (Vec<Control>, Vec<Diagnostic>) {
    let mut reader = Reader { controls: Vec::new(), diagnostics: Vec::new(), marks, declared, marked: 0 };
    for (number, document) in documents.iter().enumerate() {
        reader.document(document, number as u32);
    }
    let Reader { mut controls, mut diagnostics, .. } = reader;
    for control in &mut controls {
        tell_apart(control, documents, &mut diagnostics);
        if control.description.is_empty() {
            let message = [
                "data-tool=\"",
                &control.name,
                "\" has no data-tool-description; an agent has only the name to go by. Say in a sentence what it does.",
            ];
            diagnostics.push(Diagnostic::warn("control-no-description", message.concat()));
        }
    }
    (controls, diagnostics)
}

struct Reader {
    controls: Vec<Control>,
    diagnostics: Vec<Diagnostic>,
    marks: bool,
    declared: bool,
    marked: usize,
}

impl Reader {
    fn warn(&mut self, code: &'static str, message: &[&str]) {
        self.diagnostics.push(Diagnostic::warn(code, message.concat()));
    }

    fn document(&mut self, document: &Document, number: u32) {
        let mut owned = None;
        let mut visitors = 0;
        for element in document.elements() {
            if element.index() < visitors {
                continue;
            }
            let editable = element.attribute("contenteditable").is_some_and(|value| !value.eq_ignore_ascii_case("false"));
            if element.has("data-tool-off") || editable {
                // What visitors write is not the site's to mark.
                visitors = element.end();
                continue;
            }
            let toolname = element.attribute("toolname").filter(|_| element.name() == "form");
            let Some(name) = toolname.or(element.attribute("data-tool").filter(|_| self.marks)) else {
                continue;
            };
            if self.marked == MAX_MARKED {
                self.warn(
                    "control-limit",
                    &["More than ", &json::number(MAX_MARKED), " elements carry data-tool; the rest are not offered. Mark fewer."],
                );
                return;
            }
            self.marked += 1;
            let owned = owned.get_or_insert_with(|| Owned::read(document));
            if toolname.is_some() {
                self.declared(element, name, number, owned);
            } else {
                self.marked(element, name, number, owned);
            }
        }
    }

    fn marked(&mut self, element: Element<'_>, marked: &str, document: u32, owned: &Owned<'_>) {
        let Some(name) = name(marked) else {
            let shown = label(marked);
            self.warn(
                "control-bad-name",
                &[
                    "data-tool=\"",
                    &shown,
                    "\" is not a name for a tool. Use a short name such as add_to_cart (letters, digits, underscores; 40 at most).",
                ],
            );
            return;
        };
        let Some(way) = way(element) else {
            self.warn(
                "control-unsupported",
                &[
                    "data-tool=\"",
                    &name,
                    "\" is on <",
                    &label(element.name()),
                    ">, which cannot be pressed or filled. Put it on a button, link, form, field or details.",
                ],
            );
            return;
        };
        let place = Place { document, element: element.index() };
        let fields = match way {
            Way::Fill => self.fields(element, document, owned),
            Way::Set => {
                if is_secret(element) {
                    self.warn(
                        "control-unsupported",
                        &[
                            "data-tool=\"",
                            &name,
                            "\" is on a password, payment, file or hidden field; such fields are never filled. Take the mark off.",
                        ],
                    );
                    return;
                }
                let mut field = self.field(element, document, owned);
                field.name = element.attribute("data-tool-param").and_then(identifier).unwrap_or_else(|| "value".into());
                // A value is what such a call is for.
                field.required = true;
                alloc::vec![field]
            }
            _ => Vec::new(),
        };
        let item = Item { place, label: String::new(), fields };
        if let Some(known) = self.controls.iter_mut().find(|control| control.name == name && control.way != Way::Declared) {
            if known.way == way {
                known.items.push(item);
                known.danger |= is_on(element, "data-tool-danger");
                if known.confirm.is_none() {
                    known.confirm = sentence(element, "data-tool-confirm", MAX_CONFIRM);
                }
                for text in ["data-tool-description", "data-tool-title"] {
                    let kept = if text == "data-tool-title" { &mut known.title } else { &mut known.description };
                    if kept.is_empty() {
                        *kept = sentence(element, text, usize::MAX).unwrap_or_default();
                    }
                }
            } else {
                self.warn(
                    "control-duplicate",
                    &[
                        "data-tool=\"",
                        &name,
                        "\" is on elements of different kinds; only the first kind is offered. Give the others a name of their own.",
                    ],
                );
            }
            return;
        }
        let timeout = element.attribute("data-tool-timeout").map(str::trim);
        let seconds = timeout.and_then(|timeout| timeout.parse().ok()).filter(|seconds| (1..=MAX_TIMEOUT).contains(seconds));
        if timeout.is_some() && seconds.is_none() {
            self.warn(
                "control-bad-timeout",
                &["data-tool-timeout of \"", &name, "\" is not a number of seconds from 1 to 600; 30 is taken."],
            );
        }
        self.controls.push(Control {
            way,
            description: sentence(element, "data-tool-description", usize::MAX).unwrap_or_default(),
            title: sentence(element, "data-tool-title", MAX_LABEL).unwrap_or_default(),
            confirm: sentence(element, "data-tool-confirm", MAX_CONFIRM),
            danger: is_on(element, "data-tool-danger"),
            timeout: seconds.map(|seconds| seconds * 1000),
            submit: !is_off(element, "data-tool-submit"),
            items: alloc::vec![item],
            name,
        });
    }

    /// A form with `toolname`, as Chromium reads it: name and description, or nothing.
    fn declared(&mut self, form: Element<'_>, name: &str, document: u32, owned: &Owned<'_>) {
        if form.has("data-tool") {
            let message = "A form has both toolname and data-tool; it is offered by its toolname. Take one of them off.";
            self.diagnostics.push(Diagnostic::info("control-native-form", message));
        }
        let Some(description) = sentence(form, "tooldescription", usize::MAX).filter(|_| self.declared) else {
            return;
        };
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        // Chromium takes 128 characters; clients of agents take 64.
        if name.is_empty()
            || name.len() > 64
            || !name.bytes().all(plain)
            || self.controls.iter().any(|control| control.way == Way::Declared && control.name == name)
        {
            self.warn(
                "control-bad-name",
                &["toolname=\"", &label(name), "\" is not a name for a tool, or is taken. Use letters, digits, underscores; 64 at most."],
            );
            return;
        }
        let place = Place { document, element: form.index() };
        let fields = self.fields(form, document, owned);
        self.controls.push(Control {
            name: name.into(),
            way: Way::Declared,
            description,
            title: sentence(form, "tooltitle", MAX_LABEL).unwrap_or_default(),
            confirm: None,
            danger: false,
            timeout: None,
            submit: form.has("toolautosubmit"),
            items: alloc::vec![Item { place, label: String::new(), fields }],
        });
    }

    fn fields(&mut self, form: Element<'_>, document: u32, owned: &Owned<'_>) -> Vec<Field> {
        let id = form.attribute("id").filter(|id| !id.is_empty());
        let inside = form.descendants().filter(|field| is_field(*field) && field.attribute("form").is_none_or(|owner| id == Some(owner)));
        let outside = owned.elsewhere.iter().copied();
        let outside =
            outside.filter(|field| id.is_some() && field.attribute("form") == id && !(form.index()..form.end()).contains(&field.index()));
        let mut fields: Vec<Field> = Vec::new();
        // Groups of radio buttons and check boxes: their `name`, and which field they became.
        let mut groups: Vec<(&str, &str, usize)> = Vec::new();
        let mut secret = false;
        for element in inside.chain(outside) {
            if is_off(element, "data-tool-param") || element.has("readonly") || (is_button(element) && element.name() == "input") {
                continue;
            }
            if is_secret(element) {
                secret |= !kind_of(element).eq_ignore_ascii_case("hidden");
                continue;
            }
            let kind = kind_of(element);
            let grouped = element.name() == "input" && (kind.eq_ignore_ascii_case("radio") || kind.eq_ignore_ascii_case("checkbox"));
            let group = element.attribute("name").filter(|name| grouped && !name.is_empty());
            if let Some(name) = group {
                let known = groups.iter().find(|(other, of, _)| *other == name && of.eq_ignore_ascii_case(kind)).map(|group| group.2);
                if let Some(field) = known.and_then(|known| fields.get_mut(known)) {
                    if field.choices.len() < MAX_CHOICES {
                        field.choices.push(member(element, document, owned));
                    }
                    field.required |= element.has("required") && field.takes == Takes::Radio;
                    continue;
                }
            }
            if fields.len() == MAX_FIELDS {
                let message =
                    ["A form has more than ", &json::number(MAX_FIELDS), " fields; the rest cannot be filled by an agent."].concat();
                self.diagnostics.push(Diagnostic::info("control-limit", message));
                break;
            }
            if let Some(name) = group {
                groups.push((name, kind, fields.len()));
            }
            let mut field = self.field(element, document, owned);
            if fields.iter().any(|other| other.name == field.name) || field.name.is_empty() {
                let base = if field.name.is_empty() { "field".to_owned() } else { core::mem::take(&mut field.name) };
                field.name = [&base, "_", &json::number(fields.len() + 1)].concat();
            }
            fields.push(field);
        }
        for field in &mut fields {
            settle(field);
        }
        if secret {
            let message = "A marked form has password, payment or file fields; an agent neither fills nor sees them, the person does.";
            self.diagnostics.push(Diagnostic::info("control-field-skipped", message));
        }
        fields
    }

    fn field(&mut self, element: Element<'_>, document: u32, owned: &Owned<'_>) -> Field {
        let place = Place { document, element: element.index() };
        let kind = kind_of(element);
        let is = |name: &str| element.name() == "input" && kind.eq_ignore_ascii_case(name);
        let mut field = Field {
            name: String::new(),
            description: String::new(),
            takes: Takes::Text,
            place,
            choices: Vec::new(),
            required: element.has("required"),
            minimum: None,
            maximum: None,
            max_length: None,
            pattern: None,
        };
        let mut form = "";
        if element.name() == "select" {
            field.takes = if element.has("multiple") { Takes::Options } else { Takes::Option };
            field.choices = options(element, document);
            let first = element.descendants().find(|option| option.name() == "option");
            let empty = first.is_some_and(|option| option.attribute("value").is_some_and(|value| value.trim().is_empty()));
            let chosen = element.descendants().any(|option| option.has("selected") && option.attribute("value") != Some(""));
            field.required &= (empty || field.takes == Takes::Options) && !chosen;
        } else if is("number") || is("range") {
            let number = |name: &str| element.attribute(name).map(str::trim).filter(|digits| is_number(digits)).map(String::from);
            (field.minimum, field.maximum) = (number("min"), number("max"));
            let step = element.attribute("step").map_or("1", str::trim);
            let point = |digits: &Option<String>| digits.as_deref().is_some_and(|digits| text::has(digits, b'.'));
            let whole = step.bytes().all(|byte| byte.is_ascii_digit()) && !point(&field.minimum);
            field.takes = Takes::Number { whole };
            if is("range") {
                field.required = false;
            }
        } else if is("checkbox") {
            field.takes = Takes::Checked;
            field.choices.push(member(element, document, owned));
            // Terms to agree to: the form is not complete until the box is checked.
            field.required &= !element.has("checked");
        } else if is("radio") {
            field.takes = Takes::Radio;
            field.choices.push(member(element, document, owned));
        } else {
            let written = ["date", "time", "datetime-local", "month", "week", "color"].into_iter().zip([
                "YYYY-MM-DD",
                "HH:MM",
                "YYYY-MM-DDTHH:MM",
                "YYYY-MM",
                "YYYY-Www",
                "#rrggbb",
            ]);
            form = written.filter(|(name, _)| is(name)).map(|(_, form)| form).next().unwrap_or("");
            field.max_length = element.attribute("maxlength").and_then(|length| length.trim().parse().ok()).filter(|length| *length > 0);
            let pattern =
                element.attribute("pattern").filter(|pattern| is_pattern(pattern) && element.name() == "input" && form.is_empty());
            field.pattern = pattern.map(String::from);
        }
        let valued = element.name() == "input" && !matches!(field.takes, Takes::Checked | Takes::Radio);
        field.required &= !(valued && element.attribute("value").is_some_and(|value| !value.is_empty()));
        let named = ["data-tool-param", "name", "id"].into_iter().find_map(|name| element.attribute(name).and_then(identifier));
        field.name = named.unwrap_or_default();
        let group = field.takes == Takes::Radio;
        let own = sentence(element, "data-tool-param-description", 150).or_else(|| sentence(element, "toolparamdescription", 150));
        field.description = own.unwrap_or_else(|| plain(&if group { legend(element) } else { owned.label(element) }));
        if !form.is_empty() {
            let space = if field.description.is_empty() { "" } else { ", " };
            field.description = [&field.description, space, form].concat();
        }
        field
    }
}

/// A group is complete: one check box is a yes or no, several are choices.
fn settle(field: &mut Field) {
    match field.takes {
        Takes::Checked if field.choices.len() > 1 => {
            field.takes = Takes::Boxes;
            field.required = false;
            // The label of the first box describes that box.
            field.description = String::new();
        }
        Takes::Checked => field.choices.clear(),
        _ => {}
    }
    let mut labels: Vec<String> = field.choices.iter().map(|choice| choice.label.clone()).collect();
    number_twins(&mut labels);
    for (choice, label) in field.choices.iter_mut().zip(labels) {
        choice.label = label;
    }
}

/// What a document's fields may be tied to from elsewhere.
struct Owned<'d> {
    /// `label for`: the id and the text, sorted by id.
    labels: Vec<(&'d str, Element<'d>)>,
    /// Fields with a `form` attribute.
    elsewhere: Vec<Element<'d>>,
}

impl<'d> Owned<'d> {
    fn read(document: &'d Document) -> Self {
        let mut labels = Vec::new();
        let mut elsewhere = Vec::new();
        for element in document.elements() {
            match element.attribute("for") {
                Some(id) if element.name() == "label" => labels.push((id, element)),
                _ if is_field(element) && element.has("form") && elsewhere.len() < MAX_MARKED => elsewhere.push(element),
                _ => {}
            }
        }
        order::sort_by_key(&mut labels, |(id, _)| *id);
        Owned { labels, elsewhere }
    }

    /// What a field is called.
    fn label(&self, field: Element<'_>) -> String {
        if let Some(label) = field.attribute("aria-label") {
            return text::collapse(label);
        }
        let by_id = field.attribute("id").and_then(|id| {
            let at = self.labels.binary_search_by_key(&id, |(other, _)| *other).ok()?;
            self.labels.get(at).map(|(_, label)| words(*label))
        });
        let around = || field.ancestors().take(MAX_ROW_DEPTH).find(|around| around.name() == "label").map(words);
        by_id.or_else(around).unwrap_or_default()
    }
}

/// A label's own words: not those of the fields inside it.
fn words(label: Element<'_>) -> String {
    let mut out = String::new();
    for child in label.child_nodes() {
        match child {
            Child::Text(data) => out.push_str(data),
            Child::Element(child) if is_field(child) || child.descendants().take(MAX_ROW_SIZE).any(is_field) => out.push(' '),
            Child::Element(child) => {
                out.push_str(&text::of(child));
                out.push(' ');
            }
        }
    }
    text::collapse(&out)
}

/// What a group of radio buttons is called.
fn legend(element: Element<'_>) -> String {
    let group = element
        .ancestors()
        .take(MAX_ROW_DEPTH)
        .find(|around| around.name() == "fieldset" || around.attribute("role") == Some("radiogroup"));
    let legend = group.and_then(|group| group.children().find(|child| child.name() == "legend"));
    match (legend, group) {
        (Some(legend), _) => text::of(legend),
        (None, Some(group)) => text::collapse(group.attribute("aria-label").unwrap_or("")),
        _ => String::new(),
    }
}

/// A radio button or check box as a choice of its group.
fn member(element: Element<'_>, document: u32, owned: &Owned<'_>) -> Choice {
    let value = element.attribute("value").unwrap_or("on");
    let mut name = label(&owned.label(element));
    if name.is_empty() {
        name = label(value);
    }
    Choice { label: name, value: value.into(), place: Place { document, element: element.index() } }
}

/// The options of a `select`, or none if there are too many to name.
fn options(select: Element<'_>, document: u32) -> Vec<Choice> {
    let mut choices = Vec::new();
    let mut labels = Vec::new();
    for option in select.descendants().filter(|option| option.name() == "option" && !option.has("disabled")) {
        let shown = option.attribute("label").map_or_else(|| text::of(option), text::collapse);
        let value = option.attribute("value").map_or_else(|| shown.clone(), String::from);
        if value.trim().is_empty() {
            continue;
        }
        if choices.len() == MAX_CHOICES {
            return Vec::new();
        }
        let shown = label(&shown);
        labels.push(if shown.is_empty() { label(&value) } else { shown });
        choices.push(Choice { label: String::new(), value, place: Place { document, element: option.index() } });
    }
    number_twins(&mut labels);
    for (choice, label) in choices.iter_mut().zip(labels) {
        choice.label = label;
    }
    choices
}

/// Gives each item of a control a label of its own.
fn tell_apart(control: &mut Control, documents: &[Document], diagnostics: &mut Vec<Diagnostic>) {
    if control.items.len() < 2 {
        return;
    }
    if control.items.len() > MAX_ITEMS {
        let (all, most) = (json::number(control.items.len()), json::number(MAX_ITEMS));
        let message = ["data-tool=\"", &control.name, "\" is on ", &all, " elements; only the first ", &most, " are offered."].concat();
        diagnostics.push(Diagnostic::info("control-limit", message));
        control.items.truncate(MAX_ITEMS);
    }
    let places: Vec<Place> = control.items.iter().map(|item| item.place).collect();
    let mut own = Vec::new();
    let mut rows = Vec::new();
    for (at, place) in places.iter().enumerate() {
        let element = documents.get(place.document as usize).and_then(|document| document.element(place.element));
        let neighbour = |at: usize| places.get(at).filter(|other| other.document == place.document).map(|other| other.element);
        let neighbours = [at.checked_sub(1).and_then(neighbour), neighbour(at + 1)];
        own.push(element.map(own_label).unwrap_or_default());
        rows.push(element.map(|element| row_label(element, neighbours)).unwrap_or_default());
    }
    // A row says what it is about; the same button in every row says nothing.
    let distinct = |labels: &[String]| {
        labels.iter().enumerate().all(|(at, label)| !label.is_empty() && !labels.iter().take(at).any(|other| other == label))
    };
    let mut labels = if !distinct(&rows) && distinct(&own) { own } else { rows };
    number_twins(&mut labels);
    for (item, label) in control.items.iter_mut().zip(labels) {
        item.label = label;
    }
}

/// What an element calls itself.
fn own_label(element: Element<'_>) -> String {
    let around = || element.ancestors().take(MAX_ROW_DEPTH).find(|around| around.name() == "label").map(words);
    let own = || {
        element
            .attribute("aria-label")
            .map(text::collapse)
            .unwrap_or_else(|| if is_field(element) { String::new() } else { text::of(element) })
    };
    let own = [around().unwrap_or_default(), own(), element.attribute("value").unwrap_or("").into()];
    own.iter().map(|text| label(text)).find(|label| !label.is_empty()).unwrap_or_default()
}

/// What the row is called that an element stands in: the largest part of the page around it that holds no other
/// element of its name.
fn row_label(element: Element<'_>, neighbours: [Option<u32>; 2]) -> String {
    let alone = |around: &Element<'_>| !neighbours.into_iter().flatten().any(|other| (around.index()..around.end()).contains(&other));
    let around: Vec<Element<'_>> =
        element.ancestors().take(MAX_ROW_DEPTH).take_while(alone).filter(|around| !matches!(around.name(), "html" | "body")).collect();
    if let Some(given) = around.iter().find_map(|around| around.attribute("data-tool-item")).map(label).filter(|given| !given.is_empty()) {
        return given;
    }
    let Some(row) = around.last().copied() else {
        return String::new();
    };
    let inside = || row.descendants().take(MAX_ROW_SIZE);
    let named = |part: Element<'_>| part.attribute("content").map_or_else(|| text::of(part), text::collapse);
    let is_heading = |part: &Element<'_>| matches!(part.name(), "h1" | "h2" | "h3" | "h4" | "h5" | "h6");
    let found = inside().find(|part| part.tokens("itemprop").any(|name| name == "name")).map(named);
    let found = found.or_else(|| inside().find(is_heading).map(text::of));
    let found = found.or_else(|| row.attribute("aria-label").map(text::collapse));
    let found = found.or_else(|| inside().find(|part| matches!(part.name(), "th" | "legend")).map(text::of));
    label(&found.unwrap_or_default())
}

/// Labels that are empty or taken get a number.
fn number_twins(labels: &mut [String]) {
    for at in 0..labels.len() {
        let (before, rest) = labels.split_at_mut(at);
        let Some(label) = rest.first_mut() else { continue };
        let mut number = at + 1;
        let base = label.clone();
        while label.is_empty() || before.contains(label) {
            *label = [base.as_str(), if base.is_empty() { "" } else { " " }, &json::number(number)].concat();
            number += 1;
        }
    }
}

/// What an agent may do with an element, if anything.
fn way(element: Element<'_>) -> Option<Way> {
    match element.name() {
        "form" => Some(Way::Fill),
        "details" => Some(Way::Open),
        "select" | "textarea" => Some(Way::Set),
        // A radio button is one of several by nature: pressing it chooses it.
        "input" if is_button(element) || kind_of(element).eq_ignore_ascii_case("radio") => Some(Way::Press),
        "input" => Some(Way::Set),
        "button" | "a" | "area" | "summary" | "label" => Some(Way::Press),
        name => {
            let role = element.attribute("role").unwrap_or("").trim();
            let pressed = [
                "button",
                "link",
                "tab",
                "menuitem",
                "menuitemcheckbox",
                "menuitemradio",
                "checkbox",
                "switch",
                "radio",
                "option",
                "treeitem",
            ];
            (text::has(name, b'-') || pressed.contains(&role)).then_some(Way::Press)
        }
    }
}

fn is_off(element: Element<'_>, attribute: &str) -> bool {
    element.attribute(attribute).is_some_and(|value| ["off", "false", "no"].iter().any(|off| value.trim().eq_ignore_ascii_case(off)))
}

fn is_on(element: Element<'_>, attribute: &str) -> bool {
    element.has(attribute) && !is_off(element, attribute)
}

fn kind_of(element: Element<'_>) -> &str {
    element.attribute("type").unwrap_or("text").trim()
}

fn is_field(element: Element<'_>) -> bool {
    matches!(element.name(), "input" | "select" | "textarea")
}

fn is_button(element: Element<'_>) -> bool {
    ["submit", "button", "reset", "image"].iter().any(|kind| kind_of(element).eq_ignore_ascii_case(kind))
}

/// Fields that only the person fills: passwords and codes, payment data, files, and what the page hides.
fn is_secret(element: Element<'_>) -> bool {
    let kind = kind_of(element);
    let secret = element.name() == "input" && ["password", "file", "hidden"].iter().any(|secret| kind.eq_ignore_ascii_case(secret));
    let asks = |token: &str| {
        let token = token.to_ascii_lowercase();
        token.ends_with("-password") || token == "one-time-code" || token.starts_with("cc-")
    };
    secret || element.tokens("autocomplete").any(asks)
}

/// A control's name as part of a tool's: `add-to-cart`, `addToCart` and `press_add_to_cart` are `add_to_cart`.
fn name(marked: &str) -> Option<String> {
    let mut name = String::new();
    for character in marked.trim().chars() {
        match character {
            'a'..='z' | '0'..='9' => name.push(character),
            'A'..='Z' => {
                if name.bytes().last().is_some_and(|last| last.is_ascii_lowercase()) {
                    name.push('_');
                }
                name.push(character.to_ascii_lowercase());
            }
            '_' | '-' => name.push('_'),
            _ => return None,
        }
    }
    let name = name.strip_prefix("press_").or_else(|| name.strip_prefix("fill_")).unwrap_or(&name);
    let fits = name.len() <= MAX_NAME && name.bytes().next().is_some_and(|first| first.is_ascii_lowercase());
    fits.then(|| name.into())
}

/// A field's name as a parameter's: `shipping-address[city]` is `shipping_address_city`.
fn identifier(text: &str) -> Option<String> {
    let mut out = String::new();
    for character in text.trim().chars() {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' => out.push(character),
            '_' | '-' | '.' | '[' | ']' | ':' => {
                if !out.is_empty() && !out.ends_with('_') {
                    out.push('_');
                }
            }
            _ => return None,
        }
    }
    let out = out.trim_end_matches('_');
    // `request_id` and `item` are ours.
    let ours = ["request_id", "item"].contains(&out);
    (!ours && out.len() <= 30 && out.bytes().next().is_some_and(|first| first.is_ascii_alphabetic())).then(|| out.into())
}

/// A sentence that the site wrote for a tool, clean and on one line, cut at a word if it is longer than `most`.
fn sentence(element: Element<'_>, attribute: &str, most: usize) -> Option<String> {
    let most = most.min(MAX_SENTENCE);
    let text = text::collapse(&text::visible(element.attribute(attribute)?));
    Some(cut(&text, most)).filter(|text| !text.is_empty())
}

/// At most `most` characters, whole words where there are any.
pub fn cut(text: &str, most: usize) -> String {
    let Some((at, _)) = text.char_indices().nth(most) else {
        return text.into();
    };
    let kept = text.get(..at).unwrap_or(text);
    let at_word = kept.rfind(' ').filter(|at| *at > kept.len() / 2).and_then(|at| kept.get(..at)).unwrap_or(kept);
    at_word.trim_end().into()
}

/// Page text as a choice: short, on one line, letters, digits and plain punctuation only.
fn label(text: &str) -> String {
    let plain = |character: char| text::is_word(character) || " -_.,'’&/()+#%×°€$£²³½¼¾".chars().any(|sign| sign == character);
    let kept: String =
        text::visible(text).chars().take(MAX_LABEL * 4).map(|character| if plain(character) { character } else { ' ' }).collect();
    cut(&text::collapse(&kept), MAX_LABEL)
}

/// Page text as a description, if it is a few plain words.
fn plain(text: &str) -> String {
    let text = text.trim_end_matches([':', '*', ' ']);
    let short = label(text);
    if short == text && short.split(' ').count() <= MAX_LABEL_WORDS { short } else { String::new() }
}

fn is_number(digits: &str) -> bool {
    let digits = digits.strip_prefix('-').unwrap_or(digits);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all = |digits: &str| !digits.is_empty() && digits.len() < 20 && digits.bytes().all(|byte| byte.is_ascii_digit());
    // JSON has no leading zeros.
    all(whole) && all(fraction) && (whole == "0" || !whole.starts_with('0'))
}

/// A regular expression that is worth an agent's reading, and not prose.
fn is_pattern(pattern: &str) -> bool {
    !pattern.is_empty() && pattern.len() <= 80 && pattern.bytes().all(|byte| byte.is_ascii_graphic())
}
