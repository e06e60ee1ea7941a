// Every command that the documents show is run by a test, or the documents say that none runs it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const text = (file) => fs.readFileSync(path.join(ROOT, file), 'utf8');
const inFolder = (folder, kind) => fs.readdirSync(path.join(ROOT, folder)).filter((file) => kind.test(file)).map((file) => path.join(folder, file));
const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...inFolder('docs', /\.md$/), ...inFolder('docs/platforms', /\.md$/)];

/** Command → the file that runs it in `npm test`, and what stands there. */
const RUN = [
  [/^npm test$/, '.ci/run', /^npm test$/m],
  [/^npm start$/, 'tests/e2e/readme.test.mjs', /\['build\.sh', 'start', /],
  [/^npm start -- --once$/, 'tests/e2e/readme.test.mjs', /await start\(\)/],
  [/^npm start -- page\.html$/, 'tests/e2e/readme.test.mjs', /'page\.html'\)/],
  [/^npm start -- saved-page\.html$/, 'tests/e2e/readme.test.mjs', /'saved-page\.html'/],
  [/^npm start -- https:\/\/example\.com\/$/, 'tests/e2e/readme.test.mjs', /`\$\{server\.origin\}\/shop\/event\.html`/],
  [/^npm --silent start -- --once --json \| jq \.$/, 'tests/e2e/readme.test.mjs', /\['--silent', 'start', '--', '--once', '--json'/],
  [/^npm run size$/, 'tests/all.sh', /^size$/m],
  [/^cargo test --no-default-features( --test hostile_pages)?$/, 'tests/all.sh', /^cargo test --no-default-features$/m],
  [/^node --test tests\/js\/$/, 'tests/all.sh', /^node --test tests\/js\/$/m],
  [/^node --test --test-concurrency=1 tests\/e2e\/$/, 'tests/all.sh', /^node --test --test-concurrency=1 tests\/e2e\/$/m],
  [/^cargo rustc --crate-type cdylib$/, 'build.sh', /^ *cargo rustc .*--crate-type cdylib /m],
  [/^printf .* xargs .*toolmark crawl/, 'companion/tests/crawl.test.mjs', /# one for each core/],
  [/^npm run conformance$/, 'companion/tests/conformance.test.mjs', /'conformance\.mjs'/],
  [/^npm run soak /, 'tests/e2e/soak.test.mjs', /await soak\(/],
];
/** What a document says of a command that no test runs, in the same paragraph, row or line of shell. */
const MARK = /\bby hand\b|\bnot run by a test\b|\bnot tested\b/i;
const COMMAND = /^(?:[A-Z_]+=\S* )*(?:npm|npx|cargo|node|bash|sh|cd|git|curl|rustup|wasm-pack|docker|apt-get|target\/\S+|\.ci\/run|toolmark(?= (?!is )[a-z<]))(?: |$)/;

/** All commands of a document: `{command, around}`. */
function commands(document) {
  const found = [];
  const blocks = [];
  const rest = text(document).replace(/^```(\w*)\n([^]*?)^```$/gm, (_, language, code) => {
    if (/^(?:sh|bash|shell|console)$/.test(language)) blocks.push(code);
    return '';
  });
  for (const line of blocks.join('').split('\n')) {
    const command = line.replace(/(?:^|\s+)#.*$/, '').trim();
    if (command) found.push({ command, around: line });
  }
  for (const paragraph of rest.split(/\n\s*\n/)) {
    // What a table's head says holds for its rows.
    const [head, ...rows] = paragraph.trim().split('\n');
    for (const part of head.startsWith('|') ? rows.map((row) => `${head}\n${row}`) : [paragraph]) {
      for (const [, code] of part.matchAll(/`([^`]+)`/g)) {
        const command = code.replace(/\s+/g, ' ').replace(/\\\|/g, '|').trim();
        if (COMMAND.test(command)) found.push({ command, around: part });
      }
    }
  }
  return found;
}

/** The companion's own commands: run by its tests, whatever the page. */
const companion = inFolder('companion/tests', /\.test\.mjs$/).map(text).join('\n');
const byCompanion = (command) => {
  const [, sub] = command.match(/^(?:target\/native\/)?toolmark ([a-z]+)/) ?? [];
  return sub !== undefined && companion.includes(`'${sub}'`);
};
/** The command without what it is given: `npm run bench`. */
const head = (command) => command.match(/^npm run [\w:]+|^cargo [a-z]+|^\S+(?: \S+)?/)[0];
const marked = commands('CONTRIBUTING.md').filter(({ around }) => MARK.test(around)).map(({ command }) => head(command)).filter((one) => one.startsWith('npm run '));

for (const document of DOCUMENTS) {
  const all = commands(document);
  if (!all.length) continue;
  test(`${document}: its ${all.length} commands are run by a test, or said to be run by hand`, () => {
    for (const { command, around } of all) {
      const run = RUN.some(([pattern]) => pattern.test(command)) || byCompanion(command);
      assert.ok(run || MARK.test(around) || marked.includes(head(command)), `${document}: no test runs '${command}'. Run it in one and name it in RUN, or write "not run by a test" beside it.`);
    }
  });
}

test('what is said to run a command does', () => {
  const shown = DOCUMENTS.flatMap(commands).map(({ command }) => command);
  assert.ok(shown.length > 30, shown.join('\n'));
  for (const [pattern, file, there] of RUN) {
    assert.ok(shown.some((command) => pattern.test(command)), `no document shows ${pattern}`);
    assert.match(text(file), there, file);
  }
});

test('recipes name platforms that are tried', () => {
  const tried = [...text('tests/platforms/run.mjs').split('const PLATFORMS = {')[1].matchAll(/^ {2}(?:async )?'?([\w-]+)'?\(\) \{/gm)].map((match) => match[1]);
  const named = DOCUMENTS.flatMap((document) => [...text(document).matchAll(/npm run test:platforms -- ([\w -]+)`/g)].flatMap((match) => match[1].split(' ')));
  assert.ok(named.length > 8);
  for (const name of named) assert.ok(tried.includes(name), `no platform ${name}`);
});
