// Faults put into a browser: each thing of it that the script touches is missing, throws or gives nonsense.
// What that is, is not written down anywhere: a page in which every function and property of the browser reports who
// calls it is lived through once, so that what the script newly uses is broken newly.
import http from 'node:http';
import { browser, html, ld, product, shipped, tag } from '../e2e/support.mjs';

/** Milliseconds after which something is thought never to come. Ten times what a loaded machine takes. */
const PATIENCE_MS = 120_000;

/** Milliseconds after which a call is left alone: one that waits for a clock that stands still, or a cancelling that is not heard. */
const CALL_MS = 15_000;
/** Milliseconds after which the script looks at a changed page by itself, idle time included. */
const QUIET_MS = 500;

/** What goes wrong with a function, a constructor, a property. */
export const KINDS = {
  call: ['missing', 'throws', 'nothing', 'junk'],
  async: ['missing', 'throws', 'rejects', 'nothing', 'junk'],
  new: ['missing', 'throws', 'empty'],
  get: ['missing', 'throws', 'junk', 'empty'],
};

const BODY = `<main><h1 id="bag">Bag</h1><p>A bag of leather for every day, with a long strap.</p><h2 id="care">Care</h2><p>Wipe it with a dry cloth.</p>
<div itemscope itemtype="https://schema.org/Event" itemref="more"><b itemprop="name">Fair</b><time itemprop="startDate" datetime="2027-01-01">then</time></div><i id="more" itemprop="description">All bags.</i>
<div vocab="https://schema.org/" typeof="Person"><b property="name">Ada</b></div>
<noscript><div itemscope itemtype="https://schema.org/Recipe"><b itemprop="name">Soup</b></div></noscript>
<div id="host"></div><odd-thing></odd-thing><iframe srcdoc="&lt;p&gt;Framed"></iframe><details><summary>More</summary><p>Hidden words.</p></details>
<div style="position:absolute;left:-9999px" class="aside">Skip to content</div>
<form role="search" action="/s"><input type="search" name="q"></form>
<button id="add" data-tool="add" data-tool-description="Adds the bag.">Add</button><output role="status" id="count">0</output>
<button data-tool="buy" data-tool-description="Buys the bag." data-tool-danger>Buy</button>
<form id="note" data-tool="note" data-tool-description="Leaves a note." onsubmit="return false"><input name="text" required><select name="size"><option>S<option>L</select><input type="password" name="p"><button>Send</button></form></main>`;

/** The page that lives; `first` is script that runs before all else. */
const page = (first) =>
  html(`${BODY}<script>document.getElementById('host').attachShadow({ mode: 'open' }).innerHTML = '<p itemscope itemtype="https://schema.org/Offer"><b itemprop="name">Deep</b></p>'; window.kept = (${keep})(); ${first}</script>${tag()}`, `${ld(product())}${ld({ '@context': 'https://schema.org', '@type': 'WebSite', name: 'Shop' })}`);

/** What the test itself needs of the browser, taken before anything is broken. */
function keep() {
  const text = document.querySelector('script[type="application/ld+json"]').firstChild;
  const { set } = Object.getOwnPropertyDescriptor(CharacterData.prototype, 'data');
  const after = setTimeout;
  const Controller = AbortController;
  const { abort } = Controller.prototype;
  const { get: signal } = Object.getOwnPropertyDescriptor(Controller.prototype, 'signal');
  return {
    price: (price) => Reflect.apply(set, text, [`{"@context":"https://schema.org","@type":"Product","name":"Bag","sku":"K1","offers":{"@type":"Offer","price":"${price}","priceCurrency":"EUR"}}`]),
    pause: (ms) => new Promise((resolve) => after(resolve, ms)),
    abort: () => {
      const controller = new Controller();
      return { signal: Reflect.apply(signal, controller, []), abort: () => Reflect.apply(abort, controller, []) };
    },
    push: history.pushState,
    go: (to) => history.pushState({}, '', to),
    own: [Error, JSON.stringify],
  };
}

/** What is called, besides the product's tool. */
const CALLS = {
  search_web_site: { q: 'bag' },
  get_page_outline: {},
  read_page_section: { section: 'care' },
  search_page: { query: 'cloth' },
  get_event: {},
  get_page_controls: {},
  press_add: {},
  press_buy: {},
  fill_note: { text: 'Hello', size: 'L' },
};
/** What the answers hold. */
const FACTS = {
  get_product: /"77\.00"/,
  search_web_site: /One[^]*Two/,
  get_page_outline: /"Care"/,
  read_page_section: /dry cloth/,
  search_page: /dry cloth/,
  get_event: /Fair[^]*2027-01-01/,
  get_page_controls: /press_add[^]*press_buy[^]*fill_note/,
  press_add: /pressed/,
  press_buy: /^error (cancelled|confirmation_declined)/,
  fill_note: /submitted/,
  mine: /yes/,
};
/** What time hangs on: where it is broken, an action may never be over. */
const CLOCKS = /setTimeout|setInterval|Performance\.|Date\.now|performance$|EventTarget\.|MessagePort|AbortSignal|AbortController/;

/** A life: start, all tools, changes of the page, stop, start. What it gives must hold whatever is broken. */
async function live(inputs) {
  const { kept } = window;
  const [, text] = kept.own;
  const told = { wrong: [] };
  const attempt = async (what, run) => {
    try {
      return await run();
    } catch (error) {
      told.wrong.push(`${what}: ${error?.stack ?? error}`);
      return undefined;
    }
  };
  if (!window.toolmark) return { wrong: ['there is no window.toolmark'] };
  const handle = await attempt('ready', () => window.toolmark.ready);
  if (!handle) return told;
  const calls = {};
  const call = async (name, input) => {
    const answer = await attempt(`${name}()`, async () => {
      const tool = handle.tools().find((tool) => tool.name === name);
      if (!tool) return { error: { code: 'no such tool' } };
      const controller = kept.abort();
      const said = tool.execute(input, { signal: controller.signal });
      // Nobody is there to be asked, and no machine is so slow that the rest takes as long.
      if (/^(press_buy|fill_note)$/.test(name)) void kept.pause(name === 'press_buy' ? 300 : 3000).then(() => controller.abort());
      return Promise.race([said, kept.pause(inputs.patience).then(() => ({ error: { code: 'pending' } }))]);
    });
    if (answer === null || typeof answer !== 'object') told.wrong.push(`${name}() answers with ${String(answer)}`);
    return (calls[name] = answer?.error ? `error ${answer.error.code}` : text(answer));
  };
  const seen = async (what) => {
    told.tools = await attempt('tools()', () => handle.tools().map((tool) => tool.name).sort());
    told[what] = await call('get_product', {});
  };
  await seen('first');
  for (const [name, input] of Object.entries(inputs.calls)) await call(name, input);
  await attempt('the page itself', () => kept.price('99.00'));
  told.second = await call('get_product', {});
  await attempt('pushState by the page', () => {
    try {
      return kept.go(`${location.search}#there`);
    } catch (error) {
      // A broken pushState is the page's own trouble; one that we broke is ours.
      if (error?.message !== 'injected' && /dist\/toolmark\./.test(error?.stack)) throw error;
    }
  });
  await attempt('defineTool', () => window.toolmark.defineTool({ name: 'mine', description: 'Mine.', execute: () => 'yes' }));
  await attempt('refresh()', () => handle.refresh());
  await call('mine', {});
  await attempt('the page itself, left alone', () => kept.price('77.00'));
  await kept.pause(inputs.quiet);
  told.third = await call('get_product', {});
  for (const method of ['diagnostics', 'entities', 'calls', 'manifest', 'refresh']) told[method] = await attempt(`${method}()`, () => handle[method]());
  await attempt('stop()', () => handle.stop());
  told.calls = calls;
  const again = await attempt('start() again', () => window.toolmark.start());
  told.again = await attempt('diagnostics() again', () => again.diagnostics());
  await attempt('stop() again', () => again.stop());
  return told;
}

/** Reports into `window.touched` what the script calls; runs in the page, before it. */
function record() {
  window.touched = {};
  const ours = () => {
    Error.stackTraceLimit = 4;
    return /\/dist\/toolmark\./.test(new Error().stack.split('\n')[4] ?? '');
  };
  const note = (kind, name) => {
    if (`${kind} ${name}` in window.touched || !ours()) return false;
    return (window.touched[`${kind} ${name}`] = kind);
  };
  const { apply, construct } = Reflect;
  const wrap = (owner, key, name) => {
    const own = Object.getOwnPropertyDescriptor(owner, key);
    if (!own?.configurable) return;
    const { value, get, set } = own;
    if (typeof value === 'function') {
      const isClass = /^[A-Z]/.test(key) && value.prototype;
      const traps = {
        apply(f, self, input) {
          const ours = note('call', name);
          const result = apply(f, self, input);
          if (ours && result instanceof Promise) window.touched[`call ${name}`] = 'async';
          return result;
        },
        construct(f, input, target) {
          note('new', name);
          return construct(f, input, target);
        },
      };
      if (!isClass) delete traps.construct;
      Object.defineProperty(owner, key, { ...own, value: new Proxy(value, traps) });
    } else if (get) {
      Object.defineProperty(owner, key, {
        ...own,
        get() {
          note('get', name);
          return apply(get, this, []);
        },
        set: set && function (value) {
          note('get', name);
          return apply(set, this, [value]);
        },
      });
    }
  };
  // The language itself is trusted, but for what a page of years ago may have replaced.
  const language = new Set(['Object', 'Function', 'Array', 'String', 'Number', 'Boolean', 'Symbol', 'Promise', 'Proxy', 'Reflect', 'RegExp', 'Error', 'Math', 'BigInt', 'Intl', 'Atomics', 'DataView', 'ArrayBuffer', 'eval', 'Iterator', 'kept', 'touched']);
  for (const key of Object.getOwnPropertyNames(window)) {
    const { value } = Object.getOwnPropertyDescriptor(window, key);
    if (language.has(key) || /(Error|Array)$/.test(key)) continue;
    const methods = typeof value === 'object' && value !== null && /^(JSON|WebAssembly|CSS)$/.test(key) ? value : undefined;
    for (const name of methods ? Object.getOwnPropertyNames(methods) : []) if (typeof methods[name] === 'function') wrap(methods, name, `${key}.${name}`);
    const builtin = /^(Map|Set|WeakMap|WeakSet|WeakRef|FinalizationRegistry)$/.test(key);
    if (typeof value === 'function' && value.prototype && !builtin) {
      for (const name of Object.getOwnPropertyNames(value.prototype)) if (name !== 'constructor') wrap(value.prototype, name, `${key}.prototype.${name}`);
      for (const name of ['timeout', 'any', 'now', 'canParse', 'parse']) if (Object.hasOwn(value, name)) wrap(value, name, `${key}.${name}`);
    }
    wrap(window, key, key);
  }
}

/** Breaks things: `[kind, name, fault]` each; runs in the page, before the script. */
function break_(faults) {
  const broken = () => {
    throw new Error('injected');
  };
  const rejects = () => {
    const rejected = Promise.reject(new Error('injected'));
    rejected.catch(() => {});
    return rejected;
  };
  for (const [kind, name, fault] of faults) {
    const steps = name.split('.');
    const key = steps.pop();
    const owner = steps.reduce((object, step) => object[step], window);
    const own = Object.getOwnPropertyDescriptor(owner, key);
    const values = { throws: function () { broken(); }, rejects, nothing() {}, junk: () => 42, empty: function () {} };
    if (fault === 'missing') {
      delete owner[key];
      if (key in owner) Object.defineProperty(owner, key, { value: undefined, configurable: true, writable: true });
    } else if (kind === 'get') {
      const value = { junk: 42, empty: {} }[fault];
      Object.defineProperty(owner, key, { configurable: true, enumerable: own.enumerable, get: fault === 'throws' ? broken : () => value, set() {} });
    } else Object.defineProperty(owner, key, { ...own, value: values[fault] });
  }
}

/** A server of the page; a real one, so that the browser caches what it compiled. */
async function serve() {
  const server = http.createServer((request, response) => {
    const url = new URL(request.url, 'http://localhost');
    const say = (type, body, more = {}) => response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, ...more }).end(body);
    if (url.pathname.startsWith('/dist/')) return say('text/javascript', shipped(url.pathname), { 'cache-control': 'max-age=3600' });
    if (url.pathname === '/s') return say('text/html', html('<h1>Results</h1><ol><li><a href="/1">One</a><li><a href="/2">Two</a></ol>'));
    if (url.pathname === '/record') return say('text/html', page(`(${break_})(${url.searchParams.get('faults')}); (${record})()`));
    if (url.pathname === '/page') return say('text/html', page(`(${break_})(${url.searchParams.get('faults')})`));
    return response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { at: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** A browser with pages that are lived through. */
export async function lab(surface, tabs = 4) {
  const server = await serve();
  const context = await (await browser(surface)).newContext();
  const free = await Promise.all(Array.from({ length: tabs }, async () => {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Runtime.enable');
    const tab = { page, session, errors: [] };
    session.on('Runtime.exceptionThrown', ({ exceptionDetails: { text, exception } }) => tab.errors.push(`${text} ${exception?.description ?? exception?.value ?? ''}`));
    return tab;
  }));
  const waiting = [];
  const take = () => (free.length ? free.pop() : new Promise((resolve) => waiting.push(resolve)));
  const give = (tab) => (waiting.length ? waiting.shift()(tab) : free.push(tab));

  /** Lives through the page at `address`: what it told, with `wrong`, whatever reached the page. */
  async function through(address, read) {
    const tab = await take();
    try {
      tab.errors.length = 0;
      await tab.page.goto(server.at + address, { waitUntil: 'load' });
      const said = tab.session.send('Runtime.evaluate', { expression: `(${live})(${JSON.stringify({ calls: CALLS, quiet: QUIET_MS, patience: CALL_MS })})`, awaitPromise: true, returnByValue: true });
      const { result, exceptionDetails } = await Promise.race([said, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS, {}).unref())]);
      const told = result?.value ?? { wrong: [exceptionDetails ? `the test's own script failed: ${exceptionDetails.exception?.description}` : 'never ends'] };
      told.wrong.push(...tab.errors.map((error) => `reached the page: ${error}`));
      if (read) told.read = (await tab.session.send('Runtime.evaluate', { expression: read, returnByValue: true })).result.value;
      return told;
    } finally {
      give(tab);
    }
  }

  return {
    /** What the script touches on this surface: `call JSON.parse`, `new Map`, `get Document.prototype.URL`, each with its sort in `KINDS`. */
    touched: async (lacking = []) => {
      const told = await through(`/record?faults=${encodeURIComponent(JSON.stringify(lacking))}`, 'window.touched');
      return { ...told, touched: Object.entries(told.read) };
    },
    sound: () => through('/page?faults=[]'),
    /** Lives through a page with faults, each `[kind, name, fault]`. */
    faulty: (faults) => through(`/page?faults=${encodeURIComponent(JSON.stringify(faults))}`),
    async close() {
      await context.close();
      server.close();
    },
  };
}

/** What older browsers do without, and the script has other ways for. */
export const OLDER = [['get', 'navigation', 'missing'], ['call', 'requestIdleCallback', 'missing'], ['call', 'Element.prototype.checkVisibility', 'missing'], ['get', 'trustedTypes', 'missing']];

/** All faults of what was touched, each with what the browser lacks besides. */
export function faultsOf(touched, older = []) {
  const known = new Set(touched.map(([one]) => one));
  const all = (list, lacking) =>
    list.flatMap(([one, told]) => {
      const [kind, name] = one.split(' ');
      return KINDS[told].map((fault) => [...lacking, [kind, name, fault]]);
    });
  return [...all(touched, []), ...all(older.filter(([one]) => !known.has(one)), OLDER)];
}

/** What is amiss with a life under faults: errors, or that it gives less and nobody says so. */
export function amiss(told, faults = []) {
  const found = [...told.wrong];
  const said = [...(told.diagnostics ?? []), ...(told.again ?? [])];
  const owned = said.some(({ level, code }) => level !== 'info' || code === 'browser-changed');
  const pending = Object.entries(told.calls ?? {}).filter(([, answer]) => answer === 'error pending').map(([name]) => name);
  if (pending.length && !owned && !faults.some(([, name]) => CLOCKS.test(name))) found.push(`${pending} never answered`);
  if (found.length || owned) return found;
  for (const [name, facts] of Object.entries(FACTS)) {
    const answer = told.calls?.[name] ?? 'nothing';
    if (!facts.test(answer) && !/^error (?!no such tool)/.test(answer)) found.push(`${name} answers ${answer} without a word`);
  }
  return found;
}
