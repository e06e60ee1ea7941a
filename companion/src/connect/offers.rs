//! What pages offer beside tools: resources and prompts that they defined with `toolmark.defineResource` and
//! `toolmark.definePrompt`. They stand in one table of the document (js/define-tool.js), which is read from here.

use serde_json::{Value, json};

use super::cdp::{Connection, Refusal};
use crate::carry::{Failure, MAX_OFFERS, Prompt, Resource, line};

/// Characters of each text that are read of a page.
const MAX_TEXT: usize = 4_000;
/// Characters of a page's error.
const MAX_ERROR: usize = 2_000;

/// Answers when the table is not as it was (`seen`): at once, or at the event that tells of a change. It stays in the page
/// for no longer than that.
const LOOK: &str = r"(seen, most, longest) => new Promise((done) => {
  const text = (value) => (typeof value === 'string' ? value.slice(0, longest) : undefined);
  const look = () => {
    const all = [...(document[Symbol.for('toolmark.defined')] ?? [])].filter((one) => one?.kind === 'resource' || one?.kind === 'prompt');
    const key = all.map((one) => `${one.kind} ${one.name} ${one.at}`).join('\n');
    if (key === seen) return;
    document.removeEventListener('toolmark:offer', heard);
    const offers = all.slice(-most).map((one) => ({
      kind: one.kind, name: text(one.name), title: text(one.title), description: text(one.description), mimeType: text(one.mimeType), at: Number(one.at),
      arguments: Array.isArray(one.arguments) ? one.arguments.slice(0, 100).map((given) => ({ name: text(given?.name), description: text(given?.description), required: given?.required === true })) : [],
    }));
    done({ key, total: all.length, offers });
  };
  // What is taken back and defined anew in one go was never gone.
  const heard = () => setTimeout(look);
  document.addEventListener('toolmark:offer', heard);
  look();
})";

/// Calls the newest of a kind and name.
const ASK: &str = r"async (kind, name, input) => {
  const one = [...(document[Symbol.for('toolmark.defined')] ?? [])].filter((one) => one?.kind === kind && one.name === name).pop();
  return one ? { found: JSON.stringify(await one.execute(input)) ?? 'null' } : {};
}";

/// What a document offers beside tools.
#[derive(Default)]
pub struct Offers {
    /// With what moves when they are defined again.
    pub resources: Vec<(Resource, f64)>,
    pub prompts: Vec<Prompt>,
    pub notes: Vec<String>,
}

impl Offers {
    fn read(found: &Value) -> Offers {
        let mut offers = Offers::default();
        let all = found.get("offers").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        // The newest of a name is the one that counts.
        for one in all.iter().rev() {
            let at = one.get("at").and_then(Value::as_f64).unwrap_or(0.0);
            match (one.get("kind").and_then(Value::as_str), Resource::read(one), Prompt::read(one)) {
                (Some("resource"), Some(resource), _) if !offers.resources.iter().any(|(known, _)| known.name == resource.name) => {
                    offers.resources.push((resource, at));
                }
                (Some("prompt"), _, Some(prompt)) if !offers.prompts.iter().any(|known| known.name == prompt.name) => {
                    offers.prompts.push(prompt)
                }
                _ => {}
            }
        }
        offers.resources.reverse();
        offers.prompts.reverse();
        let total = found.get("total").and_then(Value::as_u64).unwrap_or(0);
        if total > all.len() as u64 {
            offers.notes.push(format!("{} of {total} resources and prompts are carried: the newest.", all.len()));
        }
        offers
    }

    /// The resources that were there before and were defined again.
    pub fn changed_since(&self, before: &Offers) -> Vec<String> {
        let is_new = |name: &str, at: f64| before.resources.iter().any(|(known, then)| known.name == name && *then != at);
        self.resources.iter().filter(|(resource, at)| is_new(&resource.name, *at)).map(|(resource, _)| resource.name.clone()).collect()
    }
}

/// Runs a function in a session's main document; its result.
async fn evaluate(connection: &Connection, session: &str, function: &str, input: &[Value]) -> Result<Value, Failure> {
    let input: Vec<String> = input.iter().map(Value::to_string).collect();
    let params = json!({ "expression": format!("({function})({})", input.join(",")), "awaitPromise": true, "returnByValue": true });
    let said = match connection.send(session, "Runtime.evaluate", params).value().await {
        Ok(said) => said,
        Err(Refusal::Lost) => return Err(Failure::new("disconnected", "The browser went away.", "Start it again.")),
        Err(Refusal::Said(said)) => return Err(Failure::new("gone", line(&said, MAX_ERROR), "The page may have been left or closed.")),
    };
    if let Some(thrown) = said.get("exceptionDetails") {
        let words = thrown.pointer("/exception/description").or_else(|| thrown.pointer("/exception/value")).or_else(|| thrown.get("text"));
        let words = words.and_then(Value::as_str).unwrap_or("it gave no reason");
        let words = words.split("\n    at ").next().unwrap_or("");
        return Err(Failure::new("tool_failed", format!("The page's function failed: {}", line(words, MAX_ERROR)), ""));
    }
    Ok(said.pointer("/result/value").cloned().unwrap_or(Value::Null))
}

/// Waits until a document's offers are not those seen; what is to be seen next, and the offers.
pub async fn next(connection: &Connection, session: &str, seen: Option<&str>) -> Option<(String, Offers)> {
    let found = evaluate(connection, session, LOOK, &[json!(seen), json!(2 * MAX_OFFERS), json!(MAX_TEXT)]).await.ok()?;
    Some((found.get("key")?.as_str()?.to_owned(), Offers::read(&found)))
}

/// What a resource or prompt of a page gives.
pub async fn ask(connection: &Connection, session: &str, kind: &str, name: &str, input: &Value) -> Result<Value, Failure> {
    let answer = evaluate(connection, session, ASK, &[json!(kind), json!(name), input.clone()]).await?;
    let Some(found) = answer.get("found").and_then(Value::as_str) else {
        return Err(Failure::new("gone", format!("The page has no {kind} '{}' any more.", line(name, 100)), "Ask for the list again."));
    };
    Ok(serde_json::from_str(found).unwrap_or_else(|_| Value::String(found.to_owned())))
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_of_a_name_counts_and_a_new_one_is_an_update() {
        let table = |at: &[(&str, &str, f64)]| {
            let offers: Vec<Value> = at.iter().map(|(kind, name, at)| json!({ "kind": kind, "name": name, "at": at })).collect();
            Offers::read(&json!({ "total": offers.len(), "offers": offers }))
        };
        let before = table(&[("resource", "cart", 1.0), ("resource", "cart", 2.0), ("prompt", "cart", 3.0), ("other", "x", 4.0)]);
        assert_eq!((before.resources.len(), before.prompts.len(), before.resources[0].1), (1, 1, 2.0));
        let after = table(&[("resource", "cart", 5.0), ("resource", "new", 6.0)]);
        assert_eq!(after.changed_since(&before), ["cart"]);
    }

    #[test]
    fn what_is_no_table_offers_nothing() {
        for found in
            [json!(null), json!({ "offers": 5 }), json!({ "offers": [1, { "kind": "resource" }, { "kind": "prompt", "name": "a b" }] })]
        {
            let offers = Offers::read(&found);
            assert!(offers.resources.is_empty() && offers.prompts.is_empty());
        }
    }
}
