// The inspector's command line before the companion: another client than the SDK's own in the other tests, as people try servers with it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test, { before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BINARY, ENV, httpPort, shop, site, start } from './support.mjs';

const CLI = path.join(path.dirname(fileURLToPath(import.meta.url)), '../node_modules/@modelcontextprotocol/inspector-cli/build/cli.js');

/** Asks a server for one thing; what it answers. */
function inspect(target, method, ...more) {
  return new Promise((resolve, reject) => {
    // It looks for its own package.json from the folder it is started in.
    execFile(process.execPath, [CLI, '--cli', ...target, '--method', method, ...more], { cwd: path.dirname(CLI), env: { ...process.env, ...ENV } }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${method}: ${stderr || stdout}`));
      else resolve(JSON.parse(stdout));
    });
  });
}

let origin;
/** How each way is reached, as the arguments before the method. */
const ways = {};
before(async () => {
  ({ origin } = await site((url, _, origin) => (url.pathname === '/' ? { body: shop(origin) } : undefined)));
  ways.stdio = [path.resolve(BINARY), 'serve', `${origin}/`, '--allow-private', '--quiet'];
  const child = start(['serve', `${origin}/`, '--allow-private', '--http=0']);
  const port = await httpPort(child);
  const token = fs.readFileSync(path.join(ENV.TOOLMARK_HOME, 'token'), 'utf8').trim();
  ways.http = [`http://127.0.0.1:${port}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${token}`];
});

for (const way of ['stdio', 'http']) {
  test(`the inspector's command line over ${way}`, async (t) => {
    const ask = (...words) => inspect(ways[way], ...words);
    await t.test('tools/list', async () => {
      const { tools } = await ask('tools/list');
      assert.ok(['get_product', 'search_web_site', 'query_page'].every((name) => tools.some((tool) => tool.name === name)), JSON.stringify(tools));
    });
    await t.test('tools/call', async () => {
      const product = await ask('tools/call', '--tool-name', 'get_product');
      assert.equal(product.structuredContent.name, 'Rain jacket');
      const section = await ask('tools/call', '--tool-name', 'read_page_section', '--tool-arg', 'section=care');
      assert.match(section.structuredContent.text, /Wash the jacket cold/);
      const error = await ask('tools/call', '--tool-name', 'read_page_section', '--tool-arg', 'section=none');
      assert.equal(error.isError, true);
      assert.equal(JSON.parse(error.content[0].text).error.code, 'not_found');
    });
    await t.test('resources/list and resources/read', async () => {
      const { resources } = await ask('resources/list');
      const uri = `page://${new URL(origin).hostname}/section/care`;
      assert.ok(resources.some((resource) => resource.uri === uri), JSON.stringify(resources));
      assert.match((await ask('resources/read', '--uri', uri)).contents[0].text, /Wash the jacket cold/);
      assert.equal((await ask('resources/templates/list')).resourceTemplates.length, 2);
      await assert.rejects(ask('resources/read', '--uri', `${uri}-not`), /no resource/);
    });
    await t.test('prompts/list', async () => {
      assert.deepEqual((await ask('prompts/list')).prompts, []);
    });
  });
}

test('without the token the inspector is turned away', async () => {
  await assert.rejects(inspect(ways.http.slice(0, 3), 'tools/list'), /401|[Uu]nauthorized|token/);
});
