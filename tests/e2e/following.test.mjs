// Ways in which sites change pages, and what they may have done to the browser before.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { build } from 'esbuild';
import { browser, FEATURES, followed, html, ld, look, open, ORIGIN, product, ROOT, run, shipped, SURFACES, tag } from './support.mjs';

const OFF = 'data-page="off"';
const main = (name) => `<main><div itemscope itemtype="https://schema.org/Product"><b itemprop="name">${name}</b></div></main>`;
const entities = (page) => page.evaluate(async () => JSON.stringify((await window.toolmark.ready).entities()));
/** As browsers without the Navigation API. */
const noNavigation = () => Object.defineProperty(window, 'navigation', { value: undefined });

/** What navigates without a load → what it does. Each shows a product named NEW at /new. */
const NAVIGATIONS = {
  'Turbo: a new body, then the route': (next) => {
    const body = document.createElement('body');
    body.innerHTML = next;
    document.body.replaceWith(body);
    history.pushState({}, '', '/new');
  },
  'htmx: a fragment swapped in, then the route': (next) => {
    document.querySelector('main').outerHTML = next;
    history.pushState({ htmx: true }, '', '/new');
  },
  'Astro: a view transition': (next) => {
    const swap = () => {
      history.pushState({}, '', '/new');
      document.querySelector('main').outerHTML = next;
    };
    if (document.startViewTransition) document.startViewTransition(swap);
    else swap();
  },
  'SvelteKit: the route first, markup half a second later': (next) => {
    history.pushState({}, '', '/new');
    setTimeout(() => (document.querySelector('main').outerHTML = next), 500);
  },
  'React and Vue: texts in place': () => {
    history.pushState({}, '', '/new');
    document.querySelector('[itemprop=name]').firstChild.data = 'NEW';
  },
  'a hash, and markup for it': (next) => {
    location.hash = '#new';
    addEventListener('hashchange', () => (document.querySelector('main').outerHTML = next), { once: true });
  },
};
for (const [surface, api, init] of SURFACES.flatMap((surface) => [[surface, 'Navigation API'], [surface, 'History', noNavigation]])) {
  for (const [what, navigate] of Object.entries(NAVIGATIONS)) {
    test(`${surface}, ${api}, ${what}`, async () => {
      const page = await open({ surface, page: html(main('OLD') + tag(OFF)), init });
      assert.match(await entities((await look(page), page)), /OLD/);
      await page.evaluate(navigate, main('NEW'));
      await followed(page, 'NEW');
      assert.doesNotMatch(await entities(page), /OLD/);
      assert.deepEqual(page.errors, []);
      await page.done();
    });
  }
}

const APPS = {
  react: `import {createElement as h, useState} from 'react'; import {createRoot} from 'react-dom/client';
    function App() { const [name, set] = useState('OLD'); window.go = () => { history.pushState({}, '', '/new'); set('NEW'); };
      return h('main', {itemScope: true, itemType: 'https://schema.org/Product'}, h('b', {itemProp: 'name'}, name)); }
    createRoot(document.getElementById('app')).render(h(App));`,
  vue: `import {createApp, h, ref} from 'vue';
    const name = ref('OLD'); window.go = () => { history.pushState({}, '', '/new'); name.value = 'NEW'; };
    createApp({render: () => h('main', {itemscope: '', itemtype: 'https://schema.org/Product'}, [h('b', {itemprop: 'name'}, name.value)])}).mount('#app');`,
};
for (const [surface, name, source] of SURFACES.flatMap((surface) => Object.entries(APPS).map((app) => [surface, ...app]))) {
  test(`${surface}: an application in ${name}, rendered after the tag and again`, async () => {
    const { outputFiles } = await build({
      stdin: { contents: source, resolveDir: ROOT }, bundle: true, write: false, format: 'iife', logLevel: 'silent', define: { 'process.env.NODE_ENV': '"production"' },
    });
    const page = await open({
      surface,
      page: html('<div id="app"></div><script src="/app.js"></script>', tag(OFF)),
      routes: { '/app.js': { body: outputFiles[0].text, contentType: 'text/javascript' } },
    });
    await look(page);
    await followed(page, 'OLD');
    await page.evaluate(() => window.go());
    await followed(page, 'NEW');
    await page.done();
  });
}

test('a text that was moved into markup after it changed outside is followed', async () => {
  const page = await open({ page: html(`${main('OLD')}<p>x</p>${tag(OFF)}`) });
  await look(page);
  await page.evaluate(async () => {
    const text = document.querySelector('p').firstChild;
    // Dismissed twice, the second time because of the first.
    for (const data of ['a', 'b']) {
      text.data = data;
      await null;
    }
    document.querySelector('b').replaceChildren(text);
  });
  await followed(page, '["b"]');
  await page.evaluate(() => (document.querySelector('b').firstChild.data = 'NEW'));
  await followed(page, 'NEW');
  await page.done();
});

test('markup that was taken out and emptied before the page was looked at is gone', async () => {
  const page = await open({ page: html(`<div id="around">${main('OLD')}</div>${tag(OFF)}`) });
  assert.match(await entities((await look(page), page)), /OLD/);
  const kept = await page.evaluate(async () => {
    const around = document.querySelector('#around');
    around.remove();
    // In a task of its own: the observer has told of the first by then.
    await new Promise((resolve) => setTimeout(resolve));
    around.replaceChildren();
    const handle = await window.toolmark.ready;
    await handle.refresh();
    return handle.tools().map((tool) => tool.name);
  });
  assert.deepEqual(kept, []);
  await page.done();
});

for (const worker of ['', 'data-worker="off"']) {
  test(`a call while the page is read in slices is answered from what it shows${worker && ', without a worker'}`, async () => {
    const item = (n) => `<article itemscope itemtype="https://schema.org/Product"><h2 itemprop="name">Bag ${n}</h2><p itemprop="description">Words${'<i></i>'.repeat(60)}</p></article>`;
    const page = await open({ page: html(Array.from({ length: 200 }, (_, n) => item(n)).join('') + tag(`${OFF} ${worker}`)) });
    const { read, answer } = await page.evaluate(async () => {
      const handle = await window.toolmark.ready;
      // Each look at the clock finds that a slice is over, and reading stops there until we let it go on.
      let time = performance.now();
      performance.now = () => (time += 50);
      let slice;
      const stopped = new Promise((resolve) => {
        window.scheduler.yield = () => new Promise((go) => {
          slice = go;
          resolve();
        });
      });
      document.querySelector('h2').textContent = 'NEW';
      // Not inside of markup: all is read again.
      document.body.append(document.querySelector('article:nth-of-type(2)'));
      const looked = handle.refresh();
      const read = await Promise.race([stopped.then(() => 'in slices'), looked.then(() => 'at once')]);
      const called = handle.tools()[0].execute({});
      delete window.scheduler.yield;
      delete performance.now;
      // A call that waits for nothing would be answered in the meantime.
      await Promise.race([called, new Promise((resolve) => setTimeout(resolve, 500))]);
      slice?.();
      return { read, answer: JSON.stringify(await called) };
    });
    assert.equal(read, 'in slices');
    assert.match(answer, /NEW/);
    await page.done();
  });
}

test('frozen and resumed', async () => {
  const page = await open({ page: html(main('OLD') + tag(OFF)) });
  await look(page);
  const session = await page.context().newCDPSession(page);
  // Changed at the last moment: what was to be looked at is still to be looked at afterwards.
  await page.evaluate(() => void (document.querySelector('b').textContent = 'NEW'));
  await session.send('Page.setWebLifecycleState', { state: 'frozen' });
  await new Promise((resolve) => setTimeout(resolve, 500));
  await session.send('Page.setWebLifecycleState', { state: 'active' });
  await followed(page, 'NEW');
  await page.done();
});

test('document.open(): what is written is followed', async () => {
  const page = await open({ page: html(main('OLD') + tag(OFF)) });
  await look(page);
  await page.evaluate((next) => {
    document.open();
    document.write(next);
    document.close();
  }, html(main('NEW')));
  await followed(page, 'NEW');
  assert.deepEqual(page.errors, []);
  await page.done();
});

for (const [what, init] of Object.entries({
  'hears nothing': () => (window.MutationObserver = class { observe() {} disconnect() {} takeRecords() {} }),
  'throws when made': () => (window.MutationObserver = class { constructor() { throw new Error('none'); } }),
  'is no constructor': () => (window.MutationObserver = {}),
})) {
  test(`a MutationObserver in the browser's place that ${what}: calls are answered from the page as it is`, async () => {
    const page = await open({ page: html(ld(product()) + tag(OFF)), init });
    await look(page);
    await page.evaluate(() => (document.querySelector('script[type*=json]').firstChild.data = '{"@context":"https://schema.org","@type":"Product","name":"NEW"}'));
    assert.match(JSON.stringify(await run(page, 'get_product')), /NEW/);
    assert.deepEqual(page.errors, []);
    await page.done();
  });
}

test('the origin trial token is there before the surface is looked for', async () => {
  const page = await open({
    page: html(ld(product()) + tag(`${OFF} data-origin-trial="TOKEN"`)),
    // A browser that has WebMCP where the token is.
    init: () => {
      window.taken = [];
      const surface = { registerTool: async (tool) => void window.taken.push(tool.name) };
      Object.defineProperty(Document.prototype, 'modelContext', { configurable: true, get: () => (document.querySelector('meta[http-equiv="origin-trial"][content="TOKEN"]') ? surface : undefined) });
    },
  });
  const { codes } = await page.evaluate(async () => ({ codes: (await window.toolmark.ready).diagnostics().map((one) => one.code) }));
  assert.deepEqual([codes, await page.evaluate(() => window.taken)], [[], ['get_product']]);
  await page.evaluate(async () => (await window.toolmark.ready).stop());
  assert.equal(await page.locator('meta[http-equiv="origin-trial"]').count(), 0);
  await page.done();
});

test('a page that was prerendered is followed when it is shown', async () => {
  const page = await open({
    page: html(ld(product()) + tag(OFF)),
    // What a prerendered document tells before it is shown.
    init: () => {
      let hidden = true;
      Object.defineProperty(document, 'prerendering', { get: () => hidden });
      window.show = () => {
        hidden = false;
        document.dispatchEvent(new Event('prerenderingchange'));
      };
    },
  });
  await page.evaluate(() => void window.toolmark.ready);
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
  // It may never be shown, and costs nothing until then.
  assert.ok(!page.requests.some((url) => url.includes('toolmark.wasm.js')));
  await page.evaluate(() => window.show());
  await look(page);
  await page.evaluate(() => {
    document.querySelector('script[type*=json]').firstChild.data = '{"@context":"https://schema.org","@type":"Product","name":"NEW"}';
  });
  await followed(page, 'NEW');
  await page.done();
});

for (const surface of SURFACES) {
  /** A server of its own: pages that are intercepted are neither kept by the browser nor prepared ahead. */
  async function visited(args, use) {
    const server = http.createServer(({ url }, response) => {
      const { pathname } = new URL(url, ORIGIN);
      response.setHeader('content-type', pathname.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8');
      if (pathname.endsWith('.js')) response.end(shipped(pathname));
      else response.end(html(`${main(url === '/next' ? 'NEXT' : 'OLD')}<a href="/next">Next</a><script>addEventListener('pageshow', (event) => (window.kept = event.persisted)); window.before = document.prerendering;</script><script src="/toolmark.js" ${OFF}></script>`));
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const page = await (await (await browser(surface, args, ['--disable-back-forward-cache'])).newContext()).newPage();
    try {
      await page.goto(`http://127.0.0.1:${server.address().port}/`);
      await look(page);
      await use(page);
    } finally {
      await page.context().close();
      server.close();
    }
  }

  test(`${surface}: a page that the browser kept is followed when the person comes back`, () => visited([], async (page) => {
    // What it was told when it was shown first.
    await page.evaluate(() => delete window.kept);
    await page.click('a');
    await page.waitForURL('**/next');
    await look(page);
    await page.evaluate(() => void setTimeout(() => history.back(), 0));
    await page.waitForFunction(() => window.kept !== undefined && location.pathname === '/');
    assert.equal(await page.evaluate(() => window.kept), true, 'the browser kept the page with the tag in it');
    await page.evaluate(() => (document.querySelector('b').textContent = 'NEW'));
    await followed(page, 'NEW');
    assert.match(JSON.stringify(await run(page, 'get_product')), /NEW/);
  }));

  // A browser that is watched prepares nothing: this one is told by its pages what to do, and tells the server.
  test(`${surface}: a page that the browser prepared ahead has its tools when it is shown`, async () => {
    const drive = async (next) => {
      const { ready } = window.toolmark;
      const ask = async () => JSON.stringify(await (await ready).tools().find((tool) => tool.name === 'get_product').execute({}));
      const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      if (!next) {
        // It ran while the page was hidden; what comes when it is shown is what an agent sees.
        if (document.prerendering) await fetch('/prepared');
        const handle = await ready;
        const first = await ask();
        document.querySelector('b').textContent = 'NEW';
        for (let round = 0; round < 200 && !JSON.stringify(handle.entities()).includes('NEW'); round += 1) await wait(100);
        const { activationStart } = performance.getEntriesByType('navigation')[0];
        await fetch('/report', { method: 'POST', body: JSON.stringify([window.before, activationStart > 0, first, JSON.stringify(handle.entities())]) });
        return;
      }
      const rules = document.createElement('script');
      rules.type = 'speculationrules';
      rules.textContent = JSON.stringify({ prerender: [{ urls: [next], eagerness: 'immediate' }] });
      document.body.append(rules);
      await fetch('/once-prepared');
      location.href = next;
    };
    let told;
    const report = new Promise((resolve) => (told = resolve));
    let ready;
    const prepared = new Promise((resolve) => (ready = resolve));
    const server = http.createServer((request, response) => {
      const { url } = request;
      const { pathname } = new URL(url, ORIGIN);
      if (url === '/report') {
        let body = '';
        request.on('data', (chunk) => (body += chunk)).on('end', () => told(JSON.parse(body)));
        response.end();
        return;
      }
      if (url === '/prepared') {
        response.end();
        ready();
        return;
      }
      if (url === '/once-prepared') return void prepared.then(() => response.end());
      response.setHeader('content-type', pathname.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8');
      if (pathname.endsWith('.js')) response.end(shipped(pathname));
      else response.end(html(`${main(url === '/next' ? 'NEXT' : 'OLD')}<script>window.before = document.prerendering;</script><script src="/toolmark.js" ${OFF}></script><script>(${drive})(${url === '/next' ? '' : "'/next'"})</script>`));
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'toolmark-'));
    const args = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', `--user-data-dir=${profile}`, FEATURES[surface], `http://127.0.0.1:${server.address().port}/`];
    const chromium = spawn(process.env.CHROMIUM || '/usr/bin/chromium', args, { stdio: 'ignore' });
    try {
      const given = await Promise.race([report, new Promise((resolve) => setTimeout(resolve, 60_000))]);
      assert.ok(given, 'for a minute no page was prepared and shown and told of it');
      const [before, activated, first, later] = given;
      assert.deepEqual([before, activated], [true, true], 'the page was prepared before it was shown');
      assert.match(first, /NEXT/);
      assert.match(later, /NEW/);
    } finally {
      const ended = new Promise((resolve) => chromium.once('exit', resolve));
      chromium.kill();
      await ended;
      server.close();
      server.closeAllConnections();
      // The browser's own processes may still write there; that must not hide what went wrong before.
      await fs.promises.rm(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 }).catch(() => {});
    }
  });
}
