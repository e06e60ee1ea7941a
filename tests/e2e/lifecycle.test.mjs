import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { transform } from 'esbuild';
import { followed, html, ld, look, open, product, ROOT, run, SURFACES, tag } from './support.mjs';

const OFF = 'data-page="off"';
const micro = '<div itemscope itemtype="https://schema.org/Product"><span itemprop="name">Bag</span><div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span itemprop="price">10.00</span></div></div>';

for (const surface of SURFACES) {
  test(`${surface}: a page's markup becomes tools that answer`, async () => {
    const page = await open({ surface, page: html(ld(product()) + tag(OFF)) });
    const { tools, listed, codes } = await look(page);
    assert.deepEqual(listed, tools);
    assert.deepEqual(tools, ['get_product']);
    assert.deepEqual(codes, []);
    assert.match(JSON.stringify(await run(page, 'get_product')), /10\.00/);
    assert.deepEqual(page.errors, []);
    await page.done();
  });

  test(`${surface}: changes of the data register nothing, a changed definition registers one`, async () => {
    const page = await open({ surface, page: html(ld(product()) + ld({ '@context': 'https://schema.org', '@type': 'Event', name: 'Fair', startDate: '2027-01-01' }) + tag(OFF)) });
    await page.evaluate(async () => {
      await window.toolmark.ready;
      window.registered = [];
      const own = document.modelContext.registerTool.bind(document.modelContext);
      document.modelContext.registerTool = (tool, ...rest) => {
        window.registered.push(tool.name);
        return own(tool, ...rest);
      };
      const script = document.querySelector('script[type="application/ld+json"]');
      script.textContent = script.textContent.replace('10.00', '99.00');
    });
    await followed(page, '99.00');
    assert.deepEqual(await page.evaluate(() => window.registered), []);
    const change = await page.evaluate(async () => {
      document.querySelector('script[type="application/ld+json"]').remove();
      return (await window.toolmark.ready).refresh();
    });
    assert.deepEqual([change.added, change.removed], [[], ['get_product']]);
    assert.deepEqual(await page.evaluate(() => window.registered), change.changed);
    await page.done();
  });

  test(`${surface}: stop() leaves no trace, start() works again`, async () => {
    const page = await open({
      surface,
      page: html(ld(product()) + tag(OFF)),
      init: () => {
        window.before = {
          push: history.pushState, keys: Object.keys(window), context: 'modelContext' in document, alias: 'modelContext' in navigator,
          classes: ['ModelContext', 'ToolActivatedEvent'].map((name) => name in window), head: () => document.head.innerHTML,
        };
      },
    });
    const found = await page.evaluate(async () => {
      const handle = await window.toolmark.ready;
      const html = document.documentElement.outerHTML;
      handle.stop();
      const traces = {
        push: history.pushState === window.before.push,
        keys: Object.keys(window).filter((key) => !window.before.keys.includes(key) && key !== 'before'),
        context: 'modelContext' in document, alias: 'modelContext' in navigator, classes: ['ModelContext', 'ToolActivatedEvent'].map((name) => name in window),
        tools: handle.tools(), html: html === document.documentElement.outerHTML,
        symbols: Object.getOwnPropertySymbols(document).map(String),
      };
      const again = await window.toolmark.start({ page: false });
      const names = again.tools().map((tool) => tool.name);
      const text = JSON.stringify(await again.tools()[0].execute({}));
      const listed = (await document.modelContext.getTools()).map((tool) => tool.name);
      again.stop();
      return { traces, before: window.before, names, text, listed, refresh: await handle.refresh() };
    });
    const { traces, before } = found;
    assert.equal(traces.push, true);
    assert.deepEqual([traces.keys, traces.tools, traces.symbols], [[], [], []]);
    assert.deepEqual([traces.context, traces.alias, traces.classes], [before.context, before.alias, before.classes]);
    assert.equal(traces.html, true);
    assert.deepEqual(found.names, ['get_product']);
    assert.deepEqual(found.listed, ['get_product']);
    assert.match(found.text, /10\.00/);
    assert.deepEqual(found.refresh, { added: [], removed: [], kept: [], changed: [] });
    await page.done();
  });

  test(`${surface}: two tags, tag and module, are one`, async () => {
    const page = await open({ surface, page: html(ld(product()) + tag(OFF) + tag()) });
    await page.evaluate(async () => {
      const module = await import('/dist/toolmark.mjs');
      const [one, two] = [await window.toolmark.ready, await module.start()];
      window.same = one === two;
    });
    const { listed, codes } = await look(page);
    assert.equal(await page.evaluate(() => window.same), true);
    assert.deepEqual(listed, ['get_product']);
    assert.deepEqual(codes, ['started-twice']);
    assert.equal(page.warnings.filter((text) => text.includes('started again')).length, 1);
    await page.done();
  });
}

/** What a page does, and an agent is told without asking for it. */
const CHANGES = {
  'a product in a wrapper': [html('<div id="app"></div>'), () => {
    const main = document.createElement('main');
    main.innerHTML = '<div><script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"NEW"}<\/script></div>';
    document.getElementById('app').append(main);
  }],
  'a text node': [html(micro), () => (document.querySelector('[itemprop=price]').firstChild.nodeValue = 'NEW')],
  textContent: [html(micro), () => (document.querySelector('[itemprop=price]').textContent = 'NEW')],
  'an attribute': [html('<div itemscope itemtype="https://schema.org/Product"><meta itemprop="name" content="OLD"></div>'), () => document.querySelector('meta[itemprop]').setAttribute('content', 'NEW')],
  'a mark': [html('<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Bag</b><i>NEW</i></div>'), () => document.querySelector('i').setAttribute('itemprop', 'description')],
  'the text of a block': [html(ld(product())), () => (document.querySelector('script[type="application/ld+json"]').firstChild.data = '{"@context":"https://schema.org","@type":"Product","name":"NEW"}')],
  'a type that makes a block': [html('<script type="text/plain">{"@context":"https://schema.org","@type":"Product","name":"NEW"}</script>'), () => (document.querySelector('script').type = 'application/ld+json')],
  'the whole body': [html(ld(product())), () => {
    history.pushState({}, '', '/p2');
    const body = document.createElement('body');
    body.innerHTML = '<main><script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"NEW"}<\/script></main>';
    document.body.replaceWith(body);
  }],
  '<base>': [html(ld(product({ url: 'x' }))), () => {
    const base = document.createElement('base');
    base.href = 'https://shop.example/NEW/';
    document.head.append(base);
  }],
  'RDFa vocab': [html('<div><p typeof="Product"><b property="name">NEW</b></p></div>'), () => document.querySelector('div').setAttribute('vocab', 'https://schema.org/')],
  'an open shadow root': [html('<x-card></x-card>'), () => {
    customElements.define('x-card', class extends HTMLElement {
      constructor() {
        super();
        this.attachShadow({ mode: 'open' }).innerHTML = '<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">NEW</b></div>';
      }
    });
    document.body.append(document.createElement('x-card'));
  }],
  'a srcdoc frame': [html('<p>'), () => {
    const frame = document.createElement('iframe');
    frame.srcdoc = '<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">NEW</b></div>';
    document.body.append(frame);
  }],
};
for (const [what, [body, change]] of Object.entries(CHANGES)) {
  test(`followed: ${what}`, async () => {
    const page = await open({ page: body.replace('</body>', `${tag(OFF)}</body>`) });
    await look(page);
    await page.evaluate(change);
    await followed(page, 'NEW');
    assert.deepEqual(page.errors, []);
    await page.done();
  });
}

test('a call is answered from the page as it is, not as it was', async () => {
  const page = await open({ page: html(ld(product()) + tag(OFF)) });
  await look(page);
  const text = await page.evaluate(async () => {
    const script = document.querySelector('script[type="application/ld+json"]');
    script.textContent = script.textContent.replace('10.00', '11.00');
    return JSON.stringify(await (await window.toolmark.ready).tools()[0].execute({}));
  });
  assert.match(text, /11\.00/);
  await page.done();
});

test('data-watch="off": nothing is followed, refresh() sees what changed', async () => {
  const page = await open({ page: html(ld(product()) + tag(`${OFF} data-watch="off"`)) });
  await look(page);
  const [before, after, change] = await page.evaluate(async () => {
    const handle = await window.toolmark.ready;
    const script = document.querySelector('script[type="application/ld+json"]');
    script.textContent = script.textContent.replace('10.00', '11.00');
    await new Promise((resolve) => setTimeout(resolve, 900));
    const before = JSON.stringify(await handle.tools()[0].execute({}));
    const change = await handle.refresh();
    return [before, JSON.stringify(await handle.tools()[0].execute({})), change];
  });
  assert.match(before, /10\.00/);
  assert.match(after, /11\.00/);
  assert.deepEqual(change.kept, ['get_product']);
  await page.done();
});

test('a page that never is quiet is right in the end, with bounded work', async () => {
  const page = await open({ page: html(ld(product()) + tag(OFF)) });
  await look(page);
  await page.evaluate(async () => {
    window.began = performance.now();
    window.changes = 0;
    document.addEventListener('toolmark:change', () => (window.changes += 1));
    const script = document.querySelector('script[type="application/ld+json"]');
    const text = script.textContent;
    for (let i = 0; i < 300; i += 1) {
      script.textContent = text.replace('10.00', `${i}.50`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });
  await followed(page, '299.50');
  const [changes, ms] = await page.evaluate(() => [window.changes, performance.now() - window.began]);
  // A quarter of a second lies between two looks, however long the machine takes for all this.
  assert.ok(changes >= 2 && changes <= 1 + ms / 250, `${changes} mappings in ${ms} ms`);
  assert.match(JSON.stringify(await run(page, 'get_product')), /299\.50/);
  await page.done();
});

test("others' History wrappers survive stop()", async () => {
  const page = await open({
    page: html(ld(product()) + tag(OFF)),
    // As browsers without the Navigation API.
    init: () => Object.defineProperty(window, 'navigation', { value: undefined }),
  });
  await look(page);
  const [before, calls, after] = await page.evaluate(async () => {
    const ours = history.pushState;
    let calls = 0;
    history.pushState = function (...input) {
      calls += 1;
      return ours.apply(this, input);
    };
    const theirs = history.pushState;
    history.pushState({}, '', '/two');
    (await window.toolmark.ready).stop();
    history.pushState({}, '', '/three');
    return [ours !== History.prototype.pushState, calls, history.pushState === theirs && location.pathname];
  });
  assert.deepEqual([before, calls, after], [true, 2, '/three']);
  await page.done();
});

test('bfcache, document.open() and read-only History are survived', async () => {
  const page = await open({
    page: html(ld(product()) + tag(OFF)),
    init: () => {
      Object.defineProperty(window, 'navigation', { value: undefined });
      for (const name of ['pushState', 'replaceState']) Object.defineProperty(history, name, { value: history[name], writable: false, configurable: false });
    },
  });
  assert.deepEqual((await look(page)).tools, ['get_product']);
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await page.evaluate(() => {
    document.open();
    document.write('<p>gone</p>');
    document.close();
  });
  await page.waitForTimeout(300);
  assert.deepEqual(page.errors, []);
  await page.done();
});

test('without MutationObserver a refresh() still looks', async () => {
  const page = await open({ page: html(ld(product()) + tag(OFF)), init: () => delete window.MutationObserver });
  await look(page);
  const text = await page.evaluate(async () => {
    const handle = await window.toolmark.ready;
    const script = document.querySelector('script[type="application/ld+json"]');
    script.textContent = script.textContent.replace('10.00', '12.00');
    await handle.refresh();
    return JSON.stringify(handle.entities());
  });
  assert.match(text, /12\.00/);
  await page.done();
});

test('events tell of calls and changes, and hold no arguments', async () => {
  const page = await open({ page: html(ld(product()) + tag(`${OFF} data-events="datalayer"`)) });
  await look(page);
  const [event, pushed, calls] = await page.evaluate(async () => {
    let event;
    document.addEventListener('toolmark:call', ({ detail }) => (event = detail));
    const handle = await window.toolmark.ready;
    await handle.tools()[0].execute({ include: ['secret'] });
    return [event, window.dataLayer, handle.calls()];
  });
  assert.deepEqual(event, calls[0]);
  assert.deepEqual(Object.keys(pushed[0]).sort(), ['event', 'ms', 'ok', 'tool']);
  assert.equal(pushed[0].event, 'toolmark_call');
  assert.doesNotMatch(JSON.stringify([event, pushed, calls]), /secret/);
  await page.done();
});

for (const [surface, worker] of SURFACES.flatMap((surface) => ['on', 'off'].map((worker) => [surface, worker]))) {
  test(`${surface}: a trap in the wasm costs that call only (worker ${worker})`, async () => {
    // The glue's instance is given an export that traps as a panic does, until the page says otherwise.
    const traps = () => {
      const { Instance, RuntimeError, instantiate } = WebAssembly;
      globalThis.trapping = true;
      const wrap = ({ exports }) => {
        const trapped = (...args) => {
          if (globalThis.trapping) throw new RuntimeError('unreachable');
          return exports.adapter_call(...args);
        };
        return Object.defineProperty(Object.create(Instance.prototype), 'exports', { value: { ...exports, adapter_call: trapped } });
      };
      WebAssembly.Instance = function (module, imports) {
        return wrap(new Instance(module, imports));
      };
      WebAssembly.Instance.prototype = Instance.prototype;
      WebAssembly.instantiate = async (source, imports) => {
        const made = await instantiate(source, imports);
        return made instanceof Instance ? wrap(made) : { ...made, module: made.module, instance: wrap(made.instance) };
      };
    };
    // The first worker's traps; those after it are sound.
    const init = worker === 'off' ? traps : `{
      const { Worker } = window;
      let broken = true;
      window.workers = 0;
      window.Worker = function (url) {
        window.workers += 1;
        if (!broken) return new Worker(url);
        broken = false;
        return new Worker(URL.createObjectURL(new Blob([\`(${traps})(); importScripts(\${JSON.stringify(new URL(url, document.baseURI).href)})\`])));
      };
    }`;
    const page = await open({ surface, init, page: html(ld(product()) + tag(`${OFF} data-worker="${worker}"`)) });
    const call = () => page.evaluate(async () => (await window.toolmark.ready).tools().find((tool) => tool.name === 'get_product').execute({}));
    assert.equal((await call()).error.code, 'internal');
    assert.deepEqual(page.errors, []);
    await page.evaluate(() => {
      window.trapping = false;
    });
    await page.evaluate(async () => (await window.toolmark.ready).refresh());
    assert.match(JSON.stringify(await call()), /10\.00/);
    assert.equal(await page.evaluate(() => window.workers), worker === 'on' ? 2 : undefined);
    assert.deepEqual(page.errors, []);
    await page.done();
  });
}

test('a worker that cannot be had, ends, or says nothing: the page\'s own thread does its work', async () => {
  for (const worker of [
    'undefined',
    'function () { throw new Error("none") }',
    'class extends Worker { constructor() { super("/missing.js"); } }',
    'class extends Worker { constructor() { super("data:text/javascript,throw 1"); } }',
    'class { postMessage() {} terminate() {} }',
    'class { terminate() {} }',
  ]) {
    const page = await open({ init: `window.Worker = ${worker}`, page: html(ld(product()) + tag(OFF)) });
    const answer = await page.evaluate(async () => (await window.toolmark.ready).tools().find((tool) => tool.name === 'get_product').execute({}));
    assert.match(JSON.stringify(answer), /10\.00/, worker);
    await page.done();
  }
});

test('entities, manifest and read are there at once, also where the work is done in a worker', async () => {
  const page = await open({ page: html(`<h1>Chapter</h1><p>Words of the chapter.</p>${ld(product())}${tag('')}`) });
  const seen = await page.evaluate(async () => {
    const handle = await window.toolmark.ready;
    return [JSON.stringify(handle.entities()), JSON.stringify(handle.manifest()), JSON.stringify(window.toolmark.read())];
  });
  for (const text of seen) assert.match(text, /Product|Chapter/);
  await page.done();
});

for (const [what, src, kind, charset = 'utf-8'] of [
  ['of the page\'s origin', '/dist/toolmark.js', 'https:'],
  ['of another origin', 'https://cdn.example/dist/toolmark.js', 'blob:'],
  ['of another origin, read as windows-1251', 'https://cdn.example/dist/toolmark.js', 'blob:', 'windows-1251'],
  ['of another origin, read as windows-1252', 'https://cdn.example/dist/toolmark.js', 'blob:', 'windows-1252'],
]) {
  test(`the work is done in a worker where the script is one ${what}`, async () => {
    const init = `const { Worker } = window;
      window.told = [];
      window.Worker = class extends Worker {
        constructor(url) {
          super(url);
          told.push(new URL(url).protocol);
          this.addEventListener('message', ({ data }) => data[2] && told.push(data[2].message));
        }
        terminate() {
          told.push('given up');
          super.terminate();
        }
      };`;
    const page = await open({ init, page: html(`${ld(product())}<script src="${src}" ${OFF}></script>`).replace('<meta charset="utf-8">', ''), type: `text/html; charset=${charset}` });
    assert.ok((await look(page)).listed.includes('get_product'));
    assert.match(JSON.stringify(await run(page, 'get_product')), /10\.00/);
    assert.deepEqual(await page.evaluate(() => window.told), [kind]);
    await page.done();
  });
}

test('a script that was read in an encoding which loses bytes says what to do', async () => {
  const page = await open({ page: html(`${ld(product())}<script src="https://cdn.example/dist/toolmark.all.js" ${OFF}></script>`).replace('<meta charset="utf-8">', ''), type: 'text/html; charset=windows-1257' });
  const { diagnostics } = await look(page);
  assert.deepEqual(diagnostics.map((one) => one.code), ['wasm-failed']);
  assert.match(diagnostics[0].message, /windows-1257.*charset="utf-8"/);
  assert.deepEqual(page.errors, []);
  await page.done();
});

test('markup in a shadow root that came after the first look is followed', async () => {
  const page = await open({ page: html(`${ld(product())}<div id="host"></div>${tag(OFF)}`) });
  await look(page);
  await page.evaluate(() => {
    document.getElementById('host').attachShadow({ mode: 'open' }).innerHTML = '<div itemscope itemtype="https://schema.org/Event"><b itemprop="name">OLD</b></div>';
    // Nobody tells of a shadow root; what has the whole page read again does not overlook it.
    document.body.insertAdjacentHTML('beforeend', '<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Other</b></div>');
  });
  await followed(page, 'OLD');
  await page.evaluate(() => (document.getElementById('host').shadowRoot.querySelector('b').textContent = 'NEW'));
  await followed(page, 'NEW');
  await page.done();
});

const SCRIPT = () => fs.readFileSync(path.join(ROOT, 'dist', 'toolmark.all.js'), 'utf8');
/** What optimisers of sites make of a script. */
const REWRITTEN = {
  'escapes for all that is not ASCII': (script) => script.replace(/[\x80-\xff]/g, (one) => `\\x${one.charCodeAt(0).toString(16)}`),
  'escapes of four digits': (script) => script.replace(/[\x80-\xff]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
  'single quotes': (script) => script.replace(/(\(\)=>)"(\xff[^]*)"\);/, (_, before, text) => `${before}'${text.replace(/\\"|'/g, (one) => (one === "'" ? "\\'" : '"'))}');`),
  'a minifier': async (script) => (await transform(script, { minify: true, charset: 'ascii' })).code,
};
for (const [what, rewrite] of Object.entries(REWRITTEN)) {
  test(`a script that a site's optimiser has rewritten works, in a worker: ${what}`, async () => {
    const body = await rewrite(SCRIPT());
    assert.notEqual(body, SCRIPT());
    const page = await open({
      init: 'const { Worker } = window; window.workers = 0; window.Worker = class extends Worker { constructor(...input) { super(...input); window.workers += 1; this.addEventListener("message", ({ data }) => data[2] && (window.workers = data[2].message)); } };',
      page: html(ld(product()) + '<script src="/optimised.js"></script>'),
      routes: { '/optimised.js': { contentType: 'text/javascript; charset=utf-8', body } },
    });
    const { listed } = await look(page);
    assert.ok(listed.includes('get_product'));
    assert.equal(await page.evaluate(() => window.workers), 1);
    assert.deepEqual(page.errors, []);
    await page.done();
  });
}

test('a bundle under another name is not run as a worker', async () => {
  const script = fs.readFileSync(path.join(ROOT, 'dist', 'toolmark.all.js'), 'utf8');
  const body = `globalThis.runs = (globalThis.runs ?? 0) + 1; if (!globalThis.document) fetch('/ran-as-a-worker');\n${script}`;
  const page = await open({ page: html(`${ld(product())}<script src="/my-toolmark-app.js" data-toolmark ${OFF}></script>`), routes: { '/my-toolmark-app.js': { body, contentType: 'text/javascript; charset=utf-8' } } });
  const { tools } = await look(page);
  assert.deepEqual(tools, ['get_product']);
  await page.waitForTimeout(500);
  assert.equal(page.requests.filter((url) => /ran-as|my-toolmark-app/.test(url)).length, 1);
  await page.done();
});
