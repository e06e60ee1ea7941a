// A site's own tools: checked, confirmed, remembered, cleaned; and what a site allows.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { answer, call, launch, open, page as html, serve } from './controls/browser.mjs';

let site;
before(async () => {
  site = await serve();
  site.pages.set('/own.html', html('<p>Own tools</p>'));
  site.pages.set('/allow.html', html('<button data-tool="go" data-tool-description="Goes on.">Go</button><script>window.pressed = 0; document.querySelector("button").onclick = () => { window.pressed += 1; };</script>', 'data-page="off" data-watch="off"'));
});
after(() => site.close());

for (const mode of ['native', 'polyfill']) {
  describe(mode, () => {
    let browser;
    before(async () => {
      browser = await launch(mode);
    });
    after(() => browser.close());

    test('input is checked against the schema, results are objects, exceptions are told', async () => {
      const page = await open(browser, `${site.url}/own.html`);
      await page.evaluate(async () => {
        const inputSchema = { type: 'object', properties: { sku: { type: 'string', pattern: '^[A-Z]+$' }, lines: { type: 'array', items: { type: 'object', properties: { count: { type: 'integer', minimum: 1 } } } } }, required: ['sku'], additionalProperties: false };
        window.seen = [];
        toolmark.defineTool({ name: 'reserve', description: 'Reserves.', inputSchema, execute: (input) => { window.seen.push(input); return { text: 'ok\u200b\u0007', n: 12 }; } });
        toolmark.defineTool({ name: 'list', description: 'Lists.', execute: async () => ['a', 1n] });
        toolmark.defineTool({ name: 'nothing', description: 'x', execute: () => {} });
        toolmark.defineTool({ name: 'fails', description: 'x', execute: () => { throw new Error('no stock\u202e'); } });
        toolmark.defineTool({ name: 'circle', description: 'x', execute: () => { const a = {}; a.a = a; return a; } });
        window.undo = toolmark.defineTool({ name: 'huge', description: 'x', execute: () => Array.from({ length: 9000 }, () => 'word '.repeat(9)) });
        await (await toolmark.ready).refresh();
      });
      const broken = async (input) => {
        const { error } = await call(page, 'reserve', input);
        return [error.code, error.path, error.rule];
      };
      assert.deepEqual(await broken({ sku: 'a' }), ['invalid_parameter', 'sku', 'pattern']);
      assert.deepEqual(await broken({ sku: 'A', lines: [{ count: 1 }, { count: 0 }] }), ['invalid_parameter', 'lines[1].count', 'minimum']);
      assert.deepEqual(await broken({ sku: 'A', x: 1 }), ['invalid_parameter', 'x', 'additionalProperties']);
      assert.deepEqual(await broken({}), ['missing_parameter', 'sku', 'required']);
      assert.deepEqual(await call(page, 'reserve', { sku: 'A' }), { text: 'ok', n: 12 });
      assert.deepEqual(await page.evaluate(() => window.seen), [{ sku: 'A' }]);
      assert.deepEqual(await call(page, 'list'), { result: ['a', '1'] });
      assert.deepEqual(await call(page, 'nothing'), { ok: true });
      assert.deepEqual((await call(page, 'fails')).error, { code: 'internal', message: 'The tool failed: no stock' });
      assert.equal((await call(page, 'circle')).error.code, 'internal');
      const huge = await call(page, 'huge');
      assert.equal(huge.truncated, true);
      assert.ok(JSON.stringify(huge).length <= 32_000);
      await page.evaluate(async () => {
        window.undo();
        await (await toolmark.ready).refresh();
      });
      assert.equal((await call(page, 'huge')).error.code, 'no such tool');
      assert.match(await page.evaluate(() => {
        try {
          toolmark.defineTool({ name: 'ref', description: 'x', inputSchema: { $ref: '#/x' }, execute() {} });
          return '';
        } catch (error) {
          return error.message;
        }
      }), /\$ref/);
      await page.close();
    });

    test('confirmation, idempotency and timeout are options', async () => {
      const page = await open(browser, `${site.url}/own.html`);
      await page.evaluate(async () => {
        window.runs = 0;
        toolmark.defineTool({ name: 'pay', title: 'Pay', description: 'Pays.', inputSchema: { type: 'object', properties: { amount: { type: 'number' } }, additionalProperties: false }, confirm: 'Pay now?', danger: true, idempotent: true, execute: (input) => ({ runs: ++window.runs, input }) });
        toolmark.defineTool({ name: 'slow', description: 'x', timeoutMs: 300, execute: (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => { window.told = true; resolve(); })) });
        await (await toolmark.ready).refresh();
      });
      const declined = call(page, 'pay', { amount: 5 });
      await answer(page, 'Enter');
      assert.equal((await declined).error.code, 'confirmation_declined');
      const paid = call(page, 'pay', { amount: 5, request_id: 'p1' });
      await answer(page, 'allow');
      assert.deepEqual(await paid, { runs: 1, input: { amount: 5 } });
      assert.deepEqual(await call(page, 'pay', { amount: 5, request_id: 'p1' }), { runs: 1, input: { amount: 5 } });
      assert.equal((await call(page, 'pay', { amount: 6, request_id: 'p1' })).error.code, 'invalid_parameter');
      const { error } = await call(page, 'slow');
      assert.deepEqual([error.code, error.begun, await page.evaluate(() => window.told)], ['timeout', true, true]);
      const manifest = await page.evaluate(async () => (await toolmark.ready).manifest().tools.map(({ name, danger, confirm, annotations }) => [name, danger, confirm, annotations.consequentialHint]));
      assert.deepEqual(manifest.sort(), [['pay', true, true, true], ['slow', false, false, undefined]].map((one) => one.map((value) => value)));
      await page.close();
    });

    test('the site refuses calls in its own words', async () => {
      const page = await browser.newPage();
      await page.goto(`${site.url}/allow.html`);
      await page.evaluate(async () => {
        (await toolmark.ready).stop();
        window.say = 'Log in first.';
        await toolmark.start({ page: false, allow: async (tool, input) => tool.name !== 'press_go' || (input.request_id ? true : window.say) });
      });
      assert.deepEqual((await call(page, 'press_go')).error, { code: 'not_allowed', message: 'Log in first.' });
      await page.evaluate(() => { window.say = false; });
      assert.equal((await call(page, 'press_go')).error.code, 'not_allowed');
      assert.equal(await page.evaluate(() => window.pressed), 0);
      assert.equal((await call(page, 'press_go', { request_id: 'x' })).did, 'pressed');
      await page.close();
    });
  });
}
