//! A page's own search form, where nothing else says how to search.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use super::actions::{self, Action, Found, Input, MAX_STRANGERS, MAX_VALUE};
use super::pattern::Pattern;
use super::schema::{self, Kind, Parameter};
use crate::dom::{Document, Element};
use crate::guard;
use crate::options::Options;
use crate::order;
use crate::text::{self, among};
use crate::url_template::{MAX_VARIABLES, Template};

/// Forms that are looked at; search forms stand at the top of a page or near it.
const MAX_FORMS: usize = 50;
/// Controls of one form that are looked at, and labels of a page.
const MAX_CONTROLS: usize = 200;
/// Choices of one parameter; longer lists cost an agent more than they tell.
const MAX_CHOICES: usize = 50;

/// The page's search form as an action; nothing if it has none, or leaves it to the browser (`toolname`).
///
/// # Errors
/// Why the only form that looks like a search is none that may be offered.
pub(super) fn search(document: &Document, options: &Options) -> Result<Option<Found>, String> {
    let elements = || document.elements().filter(|element| element.is_html());
    let labels: Vec<(&str, String)> = elements()
        .filter(|element| element.name() == "label")
        .filter_map(|element| element.attribute("for").map(|control| (control, text::of(element))))
        .take(MAX_CONTROLS)
        .collect();
    // Controls may stand outside their form and name it.
    let strays: Vec<Element<'_>> = elements().filter(|element| element.has("form")).take(MAX_CONTROLS).collect();
    let mut best: Option<(usize, Found)> = None;
    let mut refused = None;
    for form in elements().filter(|element| element.name() == "form" && !element.has("toolname")).take(MAX_FORMS) {
        let form = Form::new(form, &labels, &strays);
        let score = form.score();
        if score < SEARCH || best.as_ref().is_some_and(|(known, _)| *known >= score) {
            continue;
        }
        match form.offer(document, options) {
            Ok(found) => best = Some((score, found)),
            Err(reason) => refused = Some(reason),
        }
    }
    match (best, refused) {
        (Some((_, found)), _) => Ok(Some(found)),
        (None, Some(reason)) => Err(reason.into()),
        (None, None) => Ok(None),
    }
}

/// The score from which a form counts as a search.
const SEARCH: usize = 2;

struct Form<'d, 'l> {
    element: Element<'d>,
    controls: Vec<Element<'d>>,
    labels: &'l [(&'d str, String)],
}

impl<'d, 'l> Form<'d, 'l> {
    fn new(element: Element<'d>, labels: &'l [(&'d str, String)], strays: &[Element<'d>]) -> Self {
        let id = element.attribute("id").filter(|id| !id.is_empty());
        let is_control = |control: &Element<'d>| matches!(control.name(), "input" | "select" | "textarea" | "button") && control.is_html();
        let mut controls: Vec<Element<'d>> =
            element.descendants().filter(is_control).filter(|control| !control.has("form")).take(MAX_CONTROLS).collect();
        controls.extend(strays.iter().filter(|stray| id.is_some() && stray.attribute("form") == id).filter(|stray| is_control(stray)));
        controls.retain(|control| {
            let mut around = control.ancestors().skip(1).take_while(|around| *around != element);
            !control.has("disabled") && !around.any(|around| around.name() == "fieldset" && around.has("disabled"))
        });
        order::sort_by_key(&mut controls, |control| control.index());
        Form { element, controls, labels }
    }

    /// How much the form looks like a search: by role, type, name or label.
    fn score(&self) -> usize {
        let by_role = self.element.ancestors().any(|around| {
            around.name() == "search" && around.is_html()
                || around.attribute("role").is_some_and(|role| role.trim().eq_ignore_ascii_case("search"))
        });
        let query = self.query();
        let by_type = query.is_some_and(|query| kind(query) == "search");
        let by_name = query.is_some_and(|query| is_search_name(query.attribute("name").unwrap_or("")));
        let by_label =
            query.is_some_and(|query| says_search(&self.label(query))) || self.element.attribute("aria-label").is_some_and(says_search);
        [(by_role, 4), (by_type, 4), (by_name, 2), (by_label, 2)].iter().filter(|(is, _)| *is).map(|(_, score)| score).sum()
    }

    /// The control that takes the search words.
    fn query(&self) -> Option<Element<'d>> {
        let texts = || {
            self.controls
                .iter()
                .copied()
                .filter(|control| is_text(*control) && control.attribute("name").is_some_and(|name| !name.is_empty()))
        };
        let by = |test: &dyn Fn(&Element<'d>) -> bool| texts().find(|control| test(control));
        by(&|control| kind(*control) == "search")
            .or_else(|| by(&|control| is_search_name(control.attribute("name").unwrap_or(""))))
            .or_else(|| texts().next())
    }

    /// What a person is told about a control.
    fn label(&self, control: Element<'d>) -> String {
        let own =
            || control.attribute("id").and_then(|id| self.labels.iter().find(|(named, _)| *named == id)).map(|(_, text)| text.clone());
        let around =
            || control.ancestors().take_while(|around| *around != self.element).find(|around| around.name() == "label").map(text::of);
        let said = |name: &str| control.attribute(name).map(str::to_owned);
        let filled = |text: &String| !text.trim().is_empty();
        said("aria-label")
            .filter(filled)
            .or_else(own)
            .filter(filled)
            .or_else(around)
            .filter(filled)
            .or_else(|| said("placeholder"))
            .unwrap_or_default()
    }

    fn offer(&self, document: &Document, options: &Options) -> Result<Found, &'static str> {
        let method = self.element.attribute("method").unwrap_or("").trim();
        if method.eq_ignore_ascii_case("post") || method.eq_ignore_ascii_case("dialog") {
            return Err("it is not sent with GET, so it may change something");
        }
        let action = self.element.attribute("action").unwrap_or("").trim();
        let action = if action.is_empty() { document.url.clone() } else { document.resolve(action).ok_or("its action is no address")? };
        guard::destination(&action, &document.url, &options.allowed_hosts).map_err(|_| {
            "its action leads where this page may not send requests: another origin that the page's tag does not allow (data-allow-hosts), or one that is not https"
        })?;
        let secret = |control: &Element<'d>| {
            matches!(kind(*control), "password" | "file")
                || control.tokens("autocomplete").any(|token| token.starts_with("cc-") || token.ends_with("-password"))
        };
        if self.controls.iter().any(secret) {
            return Err("it asks for a password, a payment or a file");
        }
        let query = self.query().ok_or("it has no text field with a name")?;
        let mut filling = Filling::default();
        let mut groups: Vec<&str> = Vec::new();
        let mut submitted = false;
        for control in &self.controls {
            let Some(name) = control.attribute("name").filter(|name| !name.is_empty() && *name != "_charset_") else { continue };
            let value = control.attribute("value");
            match kind(*control) {
                "hidden" => filling.fixed(name, value.unwrap_or("")),
                // A form that is sent with the enter key is sent with its first button.
                "submit" if !submitted => {
                    submitted = true;
                    filling.fixed(name, value.unwrap_or(""));
                }
                "submit" | "image" | "button" | "reset" => {}
                "checkbox" => {
                    let sent = value.unwrap_or("on");
                    let default = control.has("checked").then(|| sent.to_owned());
                    filling.ask(name, &self.label(*control), Ask { checked: Some(sent.to_owned()), default, ..Ask::new(Kind::Boolean) });
                }
                "radio" => {
                    if groups.contains(&name) {
                        continue;
                    }
                    groups.push(name);
                    let group = || self.controls.iter().filter(|other| kind(**other) == "radio" && other.attribute("name") == Some(name));
                    let values = group().map(|other| (other.attribute("value").unwrap_or("on").to_owned(), other.has("checked")));
                    filling.choose(name, "", values, control.has("required"));
                }
                "select" => {
                    let options = control.descendants().filter(|option| option.name() == "option" && !option.has("disabled"));
                    let mut values: Vec<(String, bool)> = options
                        .map(|option| (option.attribute("value").map_or_else(|| text::of(option), str::to_owned), option.has("selected")))
                        .collect();
                    // A closed list always has a choice.
                    if !control.has("multiple") && !values.iter().any(|(_, selected)| *selected) {
                        values.iter_mut().take(1).for_each(|(_, selected)| *selected = true);
                    }
                    filling.choose(name, &self.label(*control), values.into_iter(), control.has("required"));
                }
                kind => {
                    let number =
                        |name: &str| control.attribute(name).map(str::trim).filter(|value| schema::is_number(value)).map(str::to_owned);
                    let is_query = *control == query;
                    let mut ask = Ask::new(if matches!(kind, "number" | "range") { Kind::Number } else { Kind::Text });
                    ask.required = is_query || control.has("required");
                    if ask.kind == Kind::Number {
                        (ask.minimum, ask.maximum) = (number("min"), number("max"));
                    } else {
                        ask.max_length =
                            control.attribute("maxlength").and_then(|length| length.trim().parse().ok()).filter(|length| *length > 0);
                        ask.pattern = control.attribute("pattern").filter(|pattern| Pattern::read(pattern).is_some()).map(str::to_owned);
                    }
                    if !is_query {
                        ask.default = value.filter(|value| !value.is_empty()).map(str::to_owned);
                    }
                    let about = match kind {
                        _ if is_query => "What to search for.",
                        "date" => "Date (YYYY-MM-DD).",
                        "month" => "Month (YYYY-MM).",
                        "time" => "Time (HH:MM).",
                        _ => "",
                    };
                    ask.about = about;
                    filling.ask(name, &self.label(*control), ask);
                }
            }
        }
        Ok(filling.into_found(&action))
    }
}

/// What one control asks for.
struct Ask {
    kind: Kind,
    about: &'static str,
    required: bool,
    checked: Option<String>,
    default: Option<String>,
    minimum: Option<String>,
    maximum: Option<String>,
    max_length: Option<usize>,
    pattern: Option<String>,
}

impl Ask {
    fn new(kind: Kind) -> Self {
        Ask {
            kind,
            about: "",
            required: false,
            checked: None,
            default: None,
            minimum: None,
            maximum: None,
            max_length: None,
            pattern: None,
        }
    }
}

/// The form's data set as a template: what is fixed, what is asked.
#[derive(Default)]
struct Filling {
    /// Name of each control, and its value where it is fixed.
    controls: Vec<(String, Option<String>)>,
    inputs: Vec<Input>,
    parameters: Vec<Parameter>,
}

impl Filling {
    fn fixed(&mut self, name: &str, value: &str) {
        self.controls.push((name.to_owned(), Some(value.to_owned())));
    }

    fn ask(&mut self, name: &str, label: &str, ask: Ask) {
        if self.parameters.len() >= MAX_VARIABLES {
            if let Some(default) = &ask.default {
                self.fixed(name, default);
            }
            return;
        }
        let at = self.inputs.len();
        // Labels are the page's words: one that is a plain name may name, no other text may.
        let label = label.trim_matches(|character: char| !text::is_word(character));
        let plain = schema::is_plain_name(&text::replace(label, " ", "_"));
        let own = if plain && !schema::is_plain_name(name) { text::replace(label, " ", "_").to_ascii_lowercase() } else { name.to_owned() };
        let own = actions::parameter_name(&own, at, &self.parameters);
        let mut parameter = actions::parameter(own, ask.kind, ask.about, at);
        if plain && ask.about.is_empty() {
            parameter.description = [label, "."].concat();
        }
        parameter.required = ask.required && ask.default.is_none();
        (parameter.minimum, parameter.maximum, parameter.pattern) = (ask.minimum, ask.maximum, ask.pattern);
        if parameter.kind == Kind::Text {
            parameter.max_length = Some(ask.max_length.unwrap_or(MAX_VALUE).min(MAX_VALUE));
        }
        self.inputs.push(Input { parameter: Some(parameter.name.clone()), default: ask.default, checked: ask.checked });
        self.parameters.push(parameter);
        self.controls.push((name.to_owned(), None));
    }

    /// A parameter with the values that are plain; the one that a person would send is sent by default.
    fn choose(&mut self, name: &str, label: &str, values: impl Iterator<Item = (String, bool)>, required: bool) {
        let mut choices: Vec<String> = Vec::new();
        let mut default = None;
        for (value, selected) in values {
            if selected {
                default = Some(value.clone());
            }
            if is_plain_value(&value) && choices.len() < MAX_CHOICES && !choices.contains(&value) {
                choices.push(value);
            }
        }
        // In order of the alphabet, so that words of the page's choosing make no sentence.
        if choices.iter().filter(|choice| !schema::is_known_name(choice)).count() > MAX_STRANGERS {
            order::sort_by(&mut choices, &|a, b| a < b);
        }
        let default = default.filter(|default| !default.is_empty());
        match (choices.is_empty(), default) {
            (true, Some(default)) => self.fixed(name, &default),
            (true, None) => {}
            (false, default) => self.ask(name, label, Ask { required, default, ..Ask::new(Kind::Choice(choices)) }),
        }
    }

    fn into_found(self, action: &str) -> Found {
        let controls: Vec<(&str, Option<&str>)> = self.controls.iter().map(|(name, value)| (name.as_str(), value.as_deref())).collect();
        let mut parameters = self.parameters;
        parameters.extend(actions::paging());
        Found {
            verb: "search",
            slug: "web_site".into(),
            action: Action { template: Template::of_form(action, &controls), inputs: self.inputs },
            parameters,
        }
    }
}

/// What a control is: the type of an input, else `select`, `text` for text areas, `submit` for buttons.
fn kind(control: Element<'_>) -> &'static str {
    const TYPES: &str = "text search hidden submit image button reset checkbox radio password file number range date \
        month time week email tel url color";
    let given = control.attribute("type").unwrap_or("").trim();
    match control.name() {
        "select" => "select",
        "textarea" => "text",
        name => {
            let missing = if name == "button" { "submit" } else { "text" };
            TYPES.split(' ').find(|known| known.eq_ignore_ascii_case(given)).unwrap_or(missing)
        }
    }
}

fn is_text(control: Element<'_>) -> bool {
    control.name() == "input" && matches!(kind(control), "text" | "search")
}

/// A value that may stand in a schema: an identifier of one or two words, or of more that are a plain name.
fn is_plain_value(value: &str) -> bool {
    const LENGTH: usize = 24;
    let fits = value.len() <= LENGTH && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte));
    let words = value.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).count();
    fits && (matches!(words, 1 | 2) || schema::is_plain_name(value))
}

/// Names that search fields have on the common systems.
fn is_search_name(name: &str) -> bool {
    const NAMES: &str = "q s k w wd qs kw query keyword keywords term terms suche suchbegriff recherche busca buscar";
    let lower = name.to_ascii_lowercase();
    text::contains(&lower, "search") || among(NAMES, &lower)
}

/// A label that means search, in the languages of most of the web; without the first letter where only its case differs.
fn says_search(label: &str) -> bool {
    const WORDS: &str = "search find suche recherch cherche busca pesquis cerca zoek szuka sök søk søg haku hled keres \
        caut оиск ошук 検索 搜 검색 بحث חיפוש";
    let lower = label.to_ascii_lowercase();
    WORDS.split(' ').any(|word| text::contains(&lower, word))
}
