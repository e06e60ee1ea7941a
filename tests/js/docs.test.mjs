// What the documents say of names, options and files is what the code has.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { document as recorded, table as figures } from '../security/record.mjs';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const text = (file) => fs.readFileSync(path.join(ROOT, file), 'utf8');
/** The rows of the table under a heading, as cells. */
const table = (markdown, heading) => {
  const part = markdown.split(/^## /m).find((one) => one.startsWith(`${heading}\n`));
  return part.split('\n').filter((line) => line.startsWith('| `')).map((line) => line.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim()));
};
const name = (cell) => cell.match(/`([A-Za-z]+)/)[1];
const block = (source, from) => source.slice(source.indexOf(from), source.indexOf('\n};', source.indexOf(from)));
/** The members of an interface of the types. */
const members = (types, of) => [...types.slice(types.indexOf(`interface ${of} {`)).split('\n}')[0].matchAll(/^ {2}([a-zA-Z]+)[?(:]/gm)].map((match) => match[1]);

const api = text('docs/api.md');
const types = text('js/toolmark.d.ts');

test('options: document, types and code name the same', () => {
  const code = [...block(text('js/options.js'), 'const OPTIONS = {').matchAll(/^ {2}([a-zA-Z]+): \[/gm)].map((match) => match[1]).sort();
  assert.ok(code.length > 20);
  assert.deepEqual(table(api, 'Options').map(([cell]) => name(cell)).sort(), code);
  assert.deepEqual(members(types, 'Options').sort(), code);
});

test('defaults: as the code has them', () => {
  const defaults = Object.fromEntries(table(api, 'Options').map(([option, , value]) => [name(option), value.replace(/[`,]/g, '')]));
  const rust = text('src/options.rs');
  const constant = (of) => rust.match(new RegExp(`const ${of}: usize = ([\\d_]+);`))[1].replace(/_/g, '');
  assert.deepEqual(
    [defaults.maxTools, defaults.maxPayloadBytes, defaults.maxDepth, defaults.maxDescriptionLength],
    ['MAX_TOOLS', 'MAX_PAYLOAD_BYTES', 'MAX_DEPTH', 'MAX_DESCRIPTION_LENGTH'].map(constant),
  );
  assert.equal(defaults.debounceMs, text('js/watch.js').match(/DEBOUNCE_MS = (\d+)/)[1]);
});

test('exports: document, types and code name the same', () => {
  const code = text('js/index.js').match(/export \{ ([^}]+) \}/)[1].split(', ').sort();
  assert.deepEqual(table(api, 'The tag and the module').map(([cell]) => name(cell)).sort(), code);
  assert.deepEqual([...types.matchAll(/^export (?:const|function) ([a-zA-Z]+)/gm)].map((match) => match[1]).sort(), code);
  const tag = text('js/toolmark.js').match(/const api = \{ ([^}]+) \}/)[1].split(', ');
  assert.deepEqual([...tag, 'ready'].sort(), code);
});

test('the handle: document, types and code name the same', () => {
  const code = [...text('js/start.js').match(/this\.handle = \{([^]*?)\n {4}\};/)[1].matchAll(/^ {6}([a-z]+): \(/gm)].map((match) => match[1]).sort();
  assert.ok(code.length > 5);
  assert.deepEqual(table(api, 'The handle').map(([cell]) => name(cell)).sort(), code);
  assert.deepEqual(members(types, 'Handle').sort(), code);
});

test('error codes: document and types name the same', () => {
  const typed = types.match(/code:\n([^;]+);/)[1].match(/'[a-z_]+'/g).map((code) => code.slice(1, -1)).sort();
  assert.deepEqual(api.split('## Errors are answers')[1].match(/`[a-z_]+`/g).map((code) => code.slice(1, -1)).sort(), typed);
});

/** Every file that a document names exists, and so does what its links point to. */
const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...['', 'platforms/'].flatMap((folder) => fs.readdirSync(path.join(ROOT, 'docs', folder)).filter((file) => file.endsWith('.md')).map((file) => `docs/${folder}${file}`))];
for (const document of DOCUMENTS) {
  test(`${document}: what it names is there`, () => {
    const words = text(document);
    const links = [...words.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => path.join(path.dirname(document), match[1]));
    const places = [...words.matchAll(/`((?:src|js|tests|www|docs|companion)\/[\w./-]*[\w/])`/g)].map((match) => match[1]).filter((place) => !document.startsWith('docs/platforms/') && !/</.test(place));
    const scripts = Object.keys(JSON.parse(text('package.json')).scripts);
    for (const place of [...links, ...places]) assert.ok(fs.existsSync(path.join(ROOT, place)), `${document} names ${place}, which is not there`);
    for (const [, script] of words.matchAll(/npm (?:--silent )?run ([a-z:-]+)/g)) assert.ok(scripts.includes(script), `${document} names npm run ${script}, which is not there`);
  });
}

/** The codes of diagnostics in the code: a name with hyphens that is followed by its sentence. */
function diagnosticCodes() {
  const codes = new Set();
  const all = (folder, kind) => fs.readdirSync(path.join(ROOT, folder), { recursive: true }).filter((file) => kind.test(file)).map((file) => text(path.join(folder, file)));
  for (const rust of all('src', /\.rs$/)) {
    const code = rust.split(/^#\[cfg\(test\)\]/m)[0];
    for (const [, told, said] of code.matchAll(/"([a-z]+(?:-[a-z]+)+)",\s*(?:&?\[|format!|"[^"\n]* )|(?:Diagnostic::\w+|say|warn)\(\s*"([a-z-]+)"/g)) codes.add(told ?? said);
  }
  for (const js of all('js', /\.js$/)) {
    for (const [, noted, thrown] of js.matchAll(/note\((?:''|[^'`]*?),? ?'(?:info|warn|error)', '([a-z-]+)'|LoadError\('([a-z-]+)'/g)) codes.add(noted ?? thrown);
    for (const [, code] of js.matchAll(/\?\? '([a-z]+(?:-[a-z]+)+)'/g)) codes.add(code);
    for (const [, what] of js.matchAll(/missing\('([a-z]+)'/g)) codes.add(`${what}-missing`);
    for (const [, code] of js.matchAll(/(?:note|said)\('(relay-[a-z]+)'/g)) codes.add(code);
    for (const [, code] of js.matchAll(/code: '([a-z]+(?:-[a-z]+)+)'/g)) codes.add(code);
  }
  // An exception of read(), not a diagnostic.
  codes.delete('not-ready');
  return [...codes].sort();
}

test('the troubleshooting explains every diagnostic code, and no other', () => {
  const codes = diagnosticCodes();
  assert.ok(codes.length > 40, codes.join());
  const troubleshooting = text('docs/troubleshooting.md');
  const rows = troubleshooting.split('## Every diagnostic')[1].split('\n').filter((line) => line.startsWith('| `')).map((line) => line.split('|')[1]);
  const explained = rows.flatMap((cell) => [...cell.matchAll(/`([a-z-]+)`/g)].map((match) => match[1]));
  assert.deepEqual(explained.sort(), codes);
  const named = [...troubleshooting.matchAll(/\(`([a-z]+(?:-[a-z]+)+)`\)|[Dd]iagnostic ((?:`[a-z-]+`(?:, )?)+)/g)].flatMap(([, one, several]) => one ?? several.match(/[a-z-]+/g));
  assert.ok(named.length > 10);
  for (const code of named) assert.ok(codes.includes(code), `no diagnostic '${code}'`);
});

test('security: the figures are those of the runs, and each promise has its test', () => {
  assert.ok(recorded().includes(figures()), 'run: node tests/security/record.mjs');
  const rows = text('SECURITY.md').split('## What is defended')[1].split('## ')[0].split('\n').filter((line) => line.startsWith('| ')).slice(2);
  assert.ok(rows.length > 8);
  for (const row of rows) assert.match(row.split(' | ').at(-1), /`(companion\/)?tests\//, `no test is named: ${row}`);
});
