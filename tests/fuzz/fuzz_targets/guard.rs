//! Definitions made of a text's lines, through the last gate; and each line as a destination.
#![no_main]

#[path = "../../support/mod.rs"]
mod support;

use libfuzzer_sys::fuzz_target;
use toolmark::guard;
use toolmark::json::Writer;
use toolmark::options::Options;
use toolmark::tools::page::PageTool;
use toolmark::tools::schema::{Kind, Parameter};
use toolmark::tools::{Annotations, Source, Tool};

const PAGE: &str = "https://shop.example.com/p/1";

fuzz_target!(|text: &str| {
    let lines: Vec<&str> = text.split('\n').collect();
    let line = |at: usize| String::from(lines.get(at % lines.len()).copied().unwrap_or(""));
    let options = Options { prefix: line(1), max_tools: 8, ..Options::default() };
    let tools: Vec<Tool> = (0..lines.len().min(12))
        .map(|at| Tool {
            name: line(at),
            title: line(at + 1),
            description: line(at + 2),
            parameters: (0..at)
                .map(|of| {
                    let kind = if of % 2 == 0 { Kind::Text } else { Kind::Choice(vec![line(of), line(of + 1)]) };
                    Parameter { required: of % 3 == 0, ..Parameter::new(format!("p{of}"), kind, line(at + of)) }
                })
                .collect(),
            output_schema: None,
            annotations: Annotations::default(),
            source: Source::Page(PageTool::Outline),
        })
        .collect();
    let (checked, said) = guard::check(tools, &options);
    assert!(checked.len() <= options.max_tools);
    let mut names: Vec<&str> = checked.iter().map(|tool| tool.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), checked.len(), "names are unique");
    for tool in &checked {
        assert!(!tool.name.is_empty() && tool.name.len() <= 64 && tool.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'), "{:?}", tool.name);
        assert!(tool.title.chars().count() <= 60 && tool.description.chars().count() <= options.max_description_length);
        let mut out = Writer::new();
        tool.write(&mut out);
        let definition = serde_json::from_str(&out.into_string()).expect("a definition is JSON");
        support::trust::strings(&definition, &mut |said| assert_eq!(support::trust::unseen(said), None, "{said:?}"));
    }
    said.iter().for_each(|said| assert!(!said.message.is_empty()));
    // A second pass finds nothing left to change, but the underscore of a prefix with no name behind it.
    let mut checked = checked;
    checked.iter_mut().for_each(|tool| tool.name.truncate(tool.name.trim_end_matches('_').len()));
    let again = guard::check(checked.clone(), &Options { prefix: String::new(), ..options.clone() }).0;
    assert_eq!(again, checked);
    for line in &lines {
        if guard::destination(line, PAGE, &[]).is_ok() {
            let url = url::Url::parse(line).expect("what is let through is a URL");
            assert_eq!((url.scheme(), url.host_str(), url.port(), url.username(), url.password()), ("https", Some("shop.example.com"), None, "", None), "{line:?}");
        }
    }
});
