// The inspector's looks. `!important` in here beats every rule of the page, whatever that says.
export const STYLE = `
:host { all: initial !important; position: fixed !important; z-index: 2147483647 !important; inset: auto 0 0 auto !important; display: block !important; visibility: visible !important; opacity: 1 !important; pointer-events: auto !important; color-scheme: light dark !important; direction: ltr !important; unicode-bidi: isolate !important; }
:host(.placed) { position: static !important; z-index: auto !important; height: 100% !important; }
@media print { :host { display: none !important; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
.all {
  --back: #fff; --soft: #f1f3f5; --line: #c3c9d0; --text: #1b1f24; --dim: #555d66; --link: #0b57d0; --on: #fff; --good: #14602f; --warn: #7a4300; --bad: #a4000f;
  font: 14px/1.45 system-ui, sans-serif; color: var(--text);
}
@media (prefers-color-scheme: dark) {
  .all { --back: #1b1e22; --soft: #282c32; --line: #555c66; --text: #eceff3; --dim: #b3bac4; --link: #a8c7fa; --on: #10131a; --good: #7ee2a0; --warn: #ffc078; --bad: #ffb3b3; }
}
button, input, select, textarea { font: inherit; color: var(--text); background: var(--back); border: 1px solid var(--line); border-radius: 6px; padding: 4px 8px; }
button { cursor: pointer; background: var(--soft); min-height: 28px; }
button[aria-disabled=true] { opacity: .6; cursor: default; }
button.primary { background: var(--link); border-color: var(--link); color: var(--on); font-weight: 600; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 1px; }
.pill { position: fixed; bottom: 12px; right: 12px; border-radius: 999px; padding: 8px 14px; background: var(--text); color: var(--back); border: 1px solid var(--back); font-weight: 600; box-shadow: 0 2px 12px #0005; }
.panel { position: fixed; bottom: 12px; right: 12px; width: min(440px, calc(100vw - 24px)); height: min(620px, calc(100vh - 24px)); display: flex; flex-direction: column; background: var(--back); border: 1px solid var(--line); border-radius: 12px; box-shadow: 0 8px 40px #0006; overflow: hidden; }
.start .panel, .start .pill { right: auto; left: 12px; }
.all.placed { height: 100%; }
.placed .panel { position: static; width: 100%; height: 100%; box-shadow: none; }
@media (max-width: 600px) {
  .panel, .start .panel { right: 0; left: 0; bottom: 0; width: 100vw; height: min(62vh, 520px); border-radius: 12px 12px 0 0; }
  .all.placed .panel { width: 100%; height: 100%; border-radius: 12px; }
}
header { display: flex; align-items: center; gap: 8px; padding: 8px 12px; border-bottom: 1px solid var(--line); }
h2 { font: 600 15px/1.3 system-ui, sans-serif; margin: 0; flex: 1; }
[role=tablist] { display: flex; gap: 2px; padding: 6px 8px 0; border-bottom: 1px solid var(--line); overflow-x: auto; overflow-y: hidden; flex: none; }
[role=tab] { border: 0; border-bottom: 3px solid transparent; border-radius: 6px 6px 0 0; background: none; padding: 6px 8px; white-space: nowrap; }
[role=tab][aria-selected=true] { border-bottom-color: var(--link); color: var(--link); font-weight: 600; }
[role=tabpanel] { flex: 1; overflow: auto; padding: 10px 12px 16px; overflow-wrap: anywhere; }
[role=tab]:focus-visible, [role=tabpanel]:focus-visible, pre:focus-visible { outline-offset: -3px; }
.plain { list-style: none; margin: 0; padding: 0; }
.plain > li { margin: 0 0 4px; }
.plain .plain { padding-left: 14px; border-left: 1px solid var(--line); margin-left: 4px; }
details { border-radius: 6px; }
ul.plain > li > details > summary { padding: 4px 6px; border-radius: 6px; cursor: pointer; }
summary:hover { background: var(--soft); }
.name { font-weight: 600; }
code, pre { font: 13px/1.45 ui-monospace, monospace; }
pre { white-space: pre-wrap; overflow: auto; max-height: 300px; margin: 4px 0 0; padding: 8px; background: var(--soft); border: 1px solid var(--line); border-radius: 6px; text-align: start; }
.tag { margin-left: 8px; padding: 0 6px; border: 1px solid var(--line); border-radius: 999px; font-size: 12px; color: var(--dim); white-space: nowrap; }
.cost { float: right; color: var(--dim); font-size: 12px; line-height: 20px; }
.note, .hint, .property { color: var(--dim); }
.hint { margin: 2px 0 0; font-size: 12px; }
.note { margin: 4px 0 6px; }
.type { font-weight: 600; }
p { margin: 6px 0; }
form { margin: 8px 0; }
.field { margin: 0 0 8px; padding: 0; border: 0; min-width: 0; }
.field > label { display: block; margin-bottom: 2px; }
.field.check > label, .choice > label { display: inline; margin-left: 4px; }
.field > input:not([type=checkbox]), .field > select, .field > textarea { width: 100%; }
.choice { display: inline-block; margin: 0 12px 2px 0; }
legend { padding: 0; }
.buttons { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
.level { font-weight: 600; }
.info { color: var(--good); } .warn { color: var(--warn); } .error { color: var(--bad); }
.answer.failed > .note { color: var(--bad); }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; color: var(--dim); margin-bottom: 4px; }
th, td { text-align: left; padding: 3px 6px 3px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 12px; margin: 0; }
dt { color: var(--dim); } dd { margin: 0; }
.mark { position: fixed; z-index: -1; pointer-events: none; border: 3px solid #d9480f; border-radius: 4px; background: #ff922b40; box-shadow: 0 0 0 2px #fff; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.more { margin-top: 6px; }
@media (forced-colors: active) { [role=tab][aria-selected=true] { border-bottom-color: Highlight; } .mark { border-color: Highlight; } }
`;
