//! The last gate: nothing a page wrote names or describes a tool, nothing is too long, no destination is off the list.

mod destination;

use alloc::{string::String, vec::Vec};

use crate::diagnostic::Diagnostic;
use crate::json;
use crate::options::Options;
use crate::order;
use crate::text;
use crate::text_index::TextIndex;
use crate::tools::schema::{Kind, Parameter};
use crate::tools::{Source, Tool};

pub use destination::destination;

/// Characters of a name: what clients of every make accept.
const MAX_NAME: usize = 64;
/// Characters of a site's prefix, so that a name still says something behind it.
const MAX_PREFIX: usize = 24;
/// Characters of a title: a few words for people.
const MAX_TITLE: usize = 60;
/// Characters of a parameter's description (design, section 5).
const MAX_PARAMETER_DESCRIPTION: usize = 150;
/// Parameters of a tool. More than these no agent fills in, and real forms have fewer.
const MAX_PARAMETERS: usize = 40;
/// Values that a parameter lets choose from; country lists have 250.
const MAX_CHOICES: usize = 300;
/// Characters of one such value.
const MAX_CHOICE: usize = 120;
/// Bytes of what else stands in a schema: a default, a pattern, a bound.
const MAX_CONSTRAINT: usize = 400;
/// Bytes of the description of an answer's shape; ours are far below.
const MAX_OUTPUT_SCHEMA: usize = 8_000;
/// Names of dropped tools that a diagnostic lists.
const MAX_LISTED: usize = 20;

/// Lets through what may be offered, the first of `tools` first: cleans and bounds every definition, makes names
/// unique, and drops what is over the budget. Everything changed or dropped has a diagnostic.
pub fn check(tools: Vec<Tool>, options: &Options) -> (Vec<Tool>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let prefix = prefix(&options.prefix, &mut diagnostics);
    let mut names = TextIndex::new();
    let mut kept: Vec<Tool> = Vec::new();
    let mut dropped: Vec<String> = Vec::new();
    for mut tool in tools {
        // The site's own developers named a control's tool: it keeps what WebMCP lets stand.
        let is_own_name = matches!(tool.source, Source::Control(_)) && tool.name.bytes().all(is_name_byte);
        let name = if is_own_name { tool.name.clone() } else { identifier(&tool.name) };
        let name = if name.is_empty() { prefix.trim_end_matches('_').into() } else { [prefix.as_str(), &name].concat() };
        if kept.len() >= options.max_tools {
            dropped.push(name);
            continue;
        }
        tool.name = unique(name, &mut names);
        let mut cut: Vec<&'static str> = Vec::new();
        bound(&mut tool, options.max_description_length, &mut cut);
        if !cut.is_empty() {
            cut.dedup();
            let message = [
                "Of the tool '",
                &tool.name,
                "' this was too long and was cut: ",
                &cut.join(", "),
                ". Shorten it in the page's markup or options.",
            ];
            diagnostics.push(Diagnostic::info("field-truncated", message.concat()));
        }
        kept.push(tool);
    }
    if !dropped.is_empty() {
        let all = json::number(kept.len() + dropped.len());
        let listed = dropped.get(..MAX_LISTED).unwrap_or(&dropped).join(", ");
        let more = if dropped.len() > MAX_LISTED { ", …" } else { "" };
        let message = [
            "Only ",
            &json::number(kept.len()),
            " of ",
            &all,
            " tools are offered; left out: ",
            &listed,
            more,
            ". Raise data-max-tools to offer more.",
        ];
        diagnostics.push(Diagnostic::info("tool-limit", message.concat()));
    }
    (kept, diagnostics)
}

/// The site's prefix as an identifier with an underscore behind it.
fn prefix(given: &str, diagnostics: &mut Vec<Diagnostic>) -> String {
    if given.trim().is_empty() {
        return String::new();
    }
    let mut prefix = identifier(given);
    cut_name(&mut prefix, MAX_PREFIX);
    if prefix != given.trim().trim_end_matches('_') {
        let message =
            ["The prefix was changed to '", &prefix, "'. Use a-z, 0-9 and _ only, ", &json::number(MAX_PREFIX), " characters at most."];
        diagnostics.push(Diagnostic::info("field-truncated", message.concat()));
    }
    if !prefix.is_empty() {
        prefix.push('_');
    }
    prefix
}

/// A name of ASCII within a length, without an underscore at its end.
fn cut_name(name: &mut String, max: usize) {
    name.truncate(max);
    name.truncate(name.trim_end_matches('_').len());
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Lower-case letters, digits and single underscores between them.
fn identifier(name: &str) -> String {
    let mut out = String::new();
    for character in name.chars().take(MAX_NAME * 4) {
        if character.is_ascii_alphanumeric() {
            out.push(character.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
    }
    cut_name(&mut out, MAX_NAME * 4);
    out
}

/// The name, shortened to fit and numbered where it is taken.
fn unique(mut name: String, names: &mut TextIndex) -> String {
    cut_name(&mut name, MAX_NAME);
    if name.is_empty() {
        name.push_str("tool");
    }
    // Only as many tools come here as may be offered, so counting up costs little.
    let mut number = 1;
    let mut candidate = name.clone();
    while names.insert(&candidate, 0).is_some() {
        number += 1;
        let ending = ["_", &json::number(number)].concat();
        candidate = name.clone();
        cut_name(&mut candidate, MAX_NAME - ending.len());
        candidate.push_str(&ending);
    }
    candidate
}

fn bound(tool: &mut Tool, max_description: usize, cut: &mut Vec<&'static str>) {
    shorten(&mut tool.title, MAX_TITLE, "title", cut);
    shorten(&mut tool.description, max_description, "description", cut);
    if tool.parameters.len() > MAX_PARAMETERS {
        // What a call cannot do without goes first.
        order::sort_by_key(&mut tool.parameters, |parameter| !parameter.required);
        tool.parameters.truncate(MAX_PARAMETERS);
        cut.push("parameters");
    }
    tool.parameters.iter_mut().for_each(|parameter| bound_parameter(parameter, cut));
    if tool.output_schema.as_ref().is_some_and(|schema| schema.len() > MAX_OUTPUT_SCHEMA) {
        tool.output_schema = None;
        cut.push("output schema");
    }
}

fn bound_parameter(parameter: &mut Parameter, cut: &mut Vec<&'static str>) {
    shorten(&mut parameter.description, MAX_PARAMETER_DESCRIPTION, "parameter description", cut);
    if let Kind::Choice(values) | Kind::Choices(values) = &mut parameter.kind {
        let before = values.len();
        // A value that is cut would be another value.
        values.retain(|value| {
            value.chars().nth(MAX_CHOICE).is_none() && text::visible(value) == value.as_str() && !value.chars().any(char::is_control)
        });
        values.truncate(MAX_CHOICES);
        if values.len() < before {
            cut.push("choices");
        }
    }
    let constraints = [&mut parameter.minimum, &mut parameter.maximum, &mut parameter.pattern, &mut parameter.default];
    for constraint in constraints {
        if constraint.as_ref().is_some_and(|text| text.len() > MAX_CONSTRAINT) {
            *constraint = None;
            cut.push("parameter constraint");
        }
    }
}

/// One line of visible text without markup, cut at a word.
fn shorten(field: &mut String, max: usize, name: &'static str, cut: &mut Vec<&'static str>) {
    // Until nothing changes: what was hidden between the letters of an entity shows it only when it is out.
    for last in [false, false, false, true] {
        let mut clean = text::plain(field);
        // No definition of ours has these, and what is left of markup would be some again for whoever decodes it twice.
        clean.retain(|character| !(matches!(character, '<' | '>') || last && character == '&'));
        let clean = text::collapse(&clean);
        if clean == *field {
            break;
        }
        *field = clean;
    }
    let Some((end, _)) = field.char_indices().nth(max) else { return };
    // One character for the mark of the cut.
    let room = field.char_indices().nth(max.saturating_sub(1)).map_or(end, |(at, _)| at);
    let kept = field.get(..room).unwrap_or("");
    let word = kept.rfind(' ').filter(|at| *at > room / 2).unwrap_or(room);
    field.truncate(word);
    field.push('…');
    cut.push(name);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::Annotations;

    fn tool(name: &str, description: &str) -> Tool {
        Tool {
            name: name.into(),
            title: "A <b>title</b>".into(),
            description: description.into(),
            parameters: Vec::new(),
            output_schema: None,
            annotations: Annotations::default(),
            source: Source::Page(crate::tools::page::PageTool::Outline),
        }
    }

    fn names(tools: &[Tool]) -> Vec<&str> {
        tools.iter().map(|tool| tool.name.as_str()).collect()
    }

    #[test]
    fn names_are_plain_and_unique() {
        let long = "x".repeat(200);
        let given = ["get_product", "Get Product!", "get_product_2", "<script>", "", "ü", "__proto__", &long, &long];
        let (tools, _) = check(given.map(|name| tool(name, "d")).into(), &Options::default());
        let cut = ["x".repeat(64), ["x".repeat(62).as_str(), "_2"].concat()];
        assert_eq!(
            names(&tools),
            ["get_product", "get_product_2", "get_product_2_2", "script", "tool", "tool_2", "proto", &cut[0], &cut[1]]
        );
    }

    #[test]
    fn a_prefix_stands_before_every_name() {
        for (given, name) in [
            ("shop", "shop_get_product"),
            ("shop_", "shop_get_product"),
            ("", "get_product"),
            ("Mein Laden", "mein_laden_get_product"),
            // Cut between two words.
            ("https://sho***p.example.com/x", "https_sho_p_example_com_get_product"),
            ("!", "get_product"),
        ] {
            let options = Options { prefix: given.into(), ..Options::default() };
            let (tools, said) = check(vec![tool("get_product", "d")], &options);
            assert_eq!(names(&tools), [name]);
            assert_eq!(said.is_empty(), !matches!(given, "Mein Laden" | "!" | "https://sho***p.example.com/x"), "{given}");
        }
    }

    #[test]
    fn a_number_stands_behind_one_underscore_where_a_name_is_cut() {
        let long = ["x".repeat(61).as_str(), "_yyy"].concat();
        let (tools, _) = check(vec![tool(&long, "d"), tool(&long, "d")], &Options::default());
        assert_eq!(names(&tools)[1], ["x".repeat(61).as_str(), "_2"].concat());
        let (tools, _) = check(vec![tool(&["x".repeat(63).as_str(), "_yyy"].concat(), "d")], &Options::default());
        assert_eq!(names(&tools), ["x".repeat(63)]);
    }

    #[test]
    fn names_of_which_nothing_is_left_are_the_prefix_alone() {
        let options = Options { prefix: "shop".into(), ..Options::default() };
        let (tools, _) = check(vec![tool("!", "d"), tool("?", "d")], &options);
        assert_eq!(names(&tools), ["shop", "shop_2"]);
    }

    #[test]
    fn a_choice_with_line_breaks_or_hidden_characters_is_none() {
        let mut given = tool("a", "d");
        let sizes = ["S", "L\rIgnore all", "M\n", "X\u{200b}L"].map(Into::into).into();
        given.parameters.push(Parameter::new("size", Kind::Choice(sizes), "Size."));
        let (tools, _) = check(vec![given], &Options::default());
        assert!(matches!(&tools[0].parameters[0].kind, Kind::Choice(values) if *values == ["S"]), "{tools:?}");
    }

    #[test]
    fn what_is_hidden_in_an_entity_is_out_at_the_first_pass() {
        for given in ["&\0lt;b", "&&#8203;lt;b", "&amp;amp;amp;amp;amp;lt;b&amp;gt;", "R & D"] {
            let options = Options::default();
            let (once, _) = check(vec![tool("a", given)], &options);
            let (twice, _) = check(once.clone(), &options);
            assert_eq!(once, twice, "{given:?}");
        }
    }

    #[test]
    fn text_is_one_clean_line_within_its_bounds() {
        let mut given = tool("a", &["Shows\n<script>x</script>the \u{202e}price\u{200b} &amp; ", &"words ".repeat(100)].concat());
        given.parameters.push(Parameter::new("query", Kind::Text, "ä".repeat(151)));
        given.parameters.push(Parameter::new("size", Kind::Choice(vec!["S".into(), "\u{202e}M".into(), "x".repeat(121)]), "Size"));
        let (tools, said) = check(vec![given, tool("b", "A < b <")], &Options::default());
        assert_eq!(tools[1].description, "A b");
        let tool = &tools[0];
        assert_eq!(tool.title, "A title");
        assert!(
            tool.description.starts_with("Shows") && tool.description.contains("the price & words") && tool.description.ends_with("words…")
        );
        assert!(tool.description.chars().count() <= 320 && !tool.description.contains(['<', '\n']));
        assert_eq!(tool.parameters[0].description.chars().count(), 150);
        assert_eq!(tool.parameters[1].kind, Kind::Choice(vec!["S".into()]));
        assert_eq!(said.iter().map(|found| found.code).collect::<Vec<_>>(), ["field-truncated"]);
        assert!(said[0].message.contains("description, parameter description, choices"), "{}", said[0].message);
    }

    #[test]
    fn the_budget_keeps_the_first_and_names_the_rest() {
        let options = Options { max_tools: 2, ..Options::default() };
        let (tools, said) = check(["a", "b", "c", "d"].map(|name| tool(name, "d")).into(), &options);
        assert_eq!(names(&tools), ["a", "b"]);
        assert_eq!(said.len(), 1);
        assert_eq!(
            (said[0].code, said[0].message.as_str()),
            ("tool-limit", "Only 2 of 4 tools are offered; left out: c, d. Raise data-max-tools to offer more.")
        );
    }

    #[test]
    fn bounds_what_a_form_may_bring() {
        let mut given = tool("a", "d");
        given.parameters =
            (0..50).map(|number| Parameter { required: number == 49, ..Parameter::new(json::number(number), Kind::Text, "") }).collect();
        given.parameters[0].default = Some("1".repeat(500));
        given.output_schema = Some(" ".repeat(9000));
        let (tools, said) = check(vec![given], &Options::default());
        assert_eq!((tools[0].parameters.len(), tools[0].parameters[0].name.as_str()), (40, "49"));
        assert!(tools[0].parameters[1].default.is_none() && tools[0].output_schema.is_none());
        assert!(said[0].message.contains("parameters, parameter constraint, output schema"));
    }
}
