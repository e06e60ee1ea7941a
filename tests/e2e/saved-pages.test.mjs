// Real pages with their own scripts running, with the tag and without: the DOM is the same, and the console has no new
// error. Pages and scripts are not part of the project: without the folder beside it there is nothing to do here.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { browser, ROOT } from './support.mjs';

const shared = process.env.TOOLMARK_SHARED ?? path.join(ROOT, '..', 'shared');
const folder = path.join(shared, 'pages');
/** Pages that are tried, spread over the folder; TOOLMARK_SAVED_PAGES for more. */
const SAMPLE = Number(process.env.TOOLMARK_SAVED_PAGES ?? 24);
/** Milliseconds in which a page's scripts do what they do at the start. */
const SETTLE_MS = 1200;

/** The same chance and the same day for each visit. */
function steady() {
  let state = 1;
  Math.random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const then = 1_790_000_000_000;
  const Real = Date;
  window.Date = class extends Real {
    constructor(...input) {
      super(...(input.length ? input : [then]));
    }
    static now() {
      return then;
    }
  };
}

const manifest = path.join(folder, 'manifest.jsonl');
if (!fs.existsSync(manifest)) {
  test('real pages', { skip: 'no folder of saved pages beside the project' }, () => {});
} else {
  const all = fs.readFileSync(manifest, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
  const step = Math.max(1, Math.floor(all.length / SAMPLE));
  const pages = all.filter((_, at) => at % step === 0).slice(0, SAMPLE);
  const script = fs.readFileSync(path.join(ROOT, 'dist', 'toolmark.all.js'), 'utf8');
  let context;
  const told = { same: 0, unsteady: 0, tools: 0 };
  before(async () => {
    context = await (await browser('polyfill')).newContext();
  });
  after(async () => {
    await context.close();
    console.log(`# ${told.same} pages compared, ${told.tools} of them with tools; ${told.unsteady} differ from visit to visit without the tag`);
    assert.ok(told.same > pages.length / 2 && told.tools > 0, 'too few pages can be compared');
  });

  /** What a page is after its scripts ran; with the tag before all of them, where they would feel it most. */
  const visit = async ({ file, url }, withTag) => {
    const page = await context.newPage();
    const errors = [];
    page.on('pageerror', (error) => errors.push(`uncaught: ${error.message}`));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.addInitScript(steady);
    // As text, not as an element: the DOM is compared.
    if (withTag) await page.addInitScript(script);
    // By https, where the browser would go anyway.
    const address = new URL(url.startsWith('http') ? url.replace(/^http:/, 'https:') : 'https://page.example/').href;
    await page.route('**/*', (route) => {
      const request = route.request();
      if (request.isNavigationRequest() && request.frame() === page.mainFrame() && request.url().split('#')[0] === address.split('#')[0]) {
        return route.fulfill({ contentType: 'text/html; charset=utf-8', body: fs.readFileSync(path.join(folder, 'html', path.basename(file))) });
      }
      // Nothing else of the web is there; the site's own index neither.
      return route.abort();
    });
    try {
      await page.goto(address, { waitUntil: 'load', timeout: 60_000 });
      await page.waitForTimeout(SETTLE_MS);
      const seen = await page.evaluate(async () => {
        const handle = await window.toolmark?.ready;
        const tools = handle?.tools() ?? [];
        // Called as well: that reads the page in every way.
        for (const tool of tools) if (tool.annotations.readOnlyHint && !tool.inputSchema.required) await tool.execute({});
        return { html: document.documentElement.outerHTML, tools: tools.length };
      });
      return { ...seen, errors: [...new Set(errors)].sort() };
    } finally {
      await page.close();
    }
  };

  for (const one of pages) {
    test(`saved page ${one.id}`, async () => {
      const first = await visit(one, false);
      const withTag = await visit(one, true);
      const again = await visit(one, false);
      let added = withTag.errors.filter((error) => !first.errors.includes(error) && !again.errors.includes(error));
      for (let visits = 0; added.length && visits < 2; visits += 1) {
        // Some pages complain now and then: what comes of the tag comes every time, and never without it.
        const [other, bare] = [await visit(one, true), await visit(one, false)];
        added = added.filter((error) => other.errors.includes(error) && !bare.errors.includes(error));
      }
      assert.deepEqual(added, []);
      if (first.html !== again.html) {
        told.unsteady += 1;
        return;
      }
      told.same += 1;
      told.tools += withTag.tools > 0;
      if (withTag.html !== first.html) {
        let at = 0;
        while (withTag.html[at] === first.html[at]) at += 1;
        assert.fail(`the DOM differs: …${first.html.slice(at - 60, at + 200)}… became …${withTag.html.slice(at - 60, at + 200)}…`);
      }
    });
  }
}
