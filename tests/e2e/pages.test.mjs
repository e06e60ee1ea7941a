// Every folder of tests/pages through the real tag: in the browser as natively (tests/pages.rs).
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { open, ROOT, tag } from './support.mjs';

const folder = path.join(ROOT, 'tests', 'pages');
const read = (file) => (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined);
const isWithin = (expected, actual) =>
  expected !== null && typeof expected === 'object' && !Array.isArray(expected)
    ? actual !== null && typeof actual === 'object' && Object.entries(expected).every(([key, value]) => isWithin(value, actual[key]))
    : JSON.stringify(expected) === JSON.stringify(actual);

const cases = fs.readdirSync(folder).filter((name) => fs.statSync(path.join(folder, name)).isDirectory());
const wanted = process.env.TOOLMARK_CASE;
console.log(`# ${cases.length} page cases`);
for (const name of cases.filter((one) => !wanted || one === wanted)) {
  test(`page: ${name}`, async () => {
    const at = (file) => path.join(folder, name, file);
    const xhtml = fs.existsSync(at('page.xhtml'));
    const { url = 'https://shop.example/page', ...options } = read(at('options.json')) ?? {};
    // start() takes an object; Rust takes its text.
    if (options.profiles) options.profiles = JSON.parse(options.profiles);
    const expected = read(at('expected.json'));
    const { origin } = new URL(url);
    const fetched = [];
    const page = await open({
      page: fs.readFileSync(at(xhtml ? 'page.xhtml' : 'page.html'), 'utf8'), url, origin, type: xhtml ? 'application/xhtml+xml' : undefined,
      routes: { '/toolmark-test': { body: tag() } },
    });
    // As text: the protocol between here and there loses a property called __proto__.
    const found = JSON.parse(await page.evaluate(async ([options, calls, names]) => {
      const { start } = await import(new URL('/dist/toolmark.mjs', location.href).href);
      const handle = await start({ page: false, watch: false, fetchImpl: async (address) => (String(address).includes('/.well-known/') ? new Response('', { status: 404 }) : new Response(JSON.stringify({ fetched: String(address) }), { headers: { 'content-type': 'application/json' } })), ...options });
      const tools = handle.tools();
      const ask = (name, input) => tools.find((tool) => tool.name === name)?.execute(input);
      const answers = {};
      for (const name of names) answers[name] = await ask(name, {});
      const results = [];
      for (const { tool, input } of calls) results.push(await ask(tool, input));
      return JSON.stringify({ tools: tools.map(({ execute, ...tool }) => tool), answers, results, codes: handle.diagnostics().map((one) => one.code).sort() });
    }, [options, read(at('calls.json')) ?? [], Object.keys(expected.answers ?? {})]));
    assert.deepEqual(found.tools.map((tool) => tool.name), expected.tools.map((tool) => tool.name));
    expected.tools.forEach((tool, i) => assert.ok(isWithin(tool, found.tools[i]), `${JSON.stringify(tool)} is not within ${JSON.stringify(found.tools[i])}`));
    assert.deepEqual(found.answers, expected.answers ?? {});
    if (expected.diagnostics) assert.deepEqual(found.codes, expected.diagnostics);
    for (const [i, call] of (read(at('calls.json')) ?? []).entries()) {
      // A tool that is not there cannot be called through the handle.
      if (!call.answer?.fetch && found.tools.some((tool) => tool.name === call.tool) && call.answer !== undefined) assert.deepEqual(found.results[i], call.answer);
    }
    assert.deepEqual([page.errors, fetched], [[], []]);
    await page.done();
  });
}
