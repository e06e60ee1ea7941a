// A page that lives: it changes, routes, is called, is stopped and started at random. At each checkpoint its tools and
// answers are those of a fresh start on the same DOM, and memory has not grown.
import { open, html, ld, product, tag } from '../e2e/support.mjs';

/** Steps between two checkpoints. */
const STRIDE = 60;
/** Bytes that the heap may grow from the first checkpoint on, with what the browser itself writes down of a page's life. */
const SLACK = 3_000_000;
/** Of these what scripts hold (objects, closures, arrays, texts) may grow by so many: timers and promises under way. */
const HELD_SLACK = 150_000;
/** The checkpoint at which the first account of the heap is taken: by then everything was made once. */
const SETTLED = 10;
/** What a heap snapshot calls what scripts hold. The rest is compiled code and the browser's own: entries of its performance timeline, requests and console messages that its tools remember, history. */
const HELD = new Set(['object', 'closure', 'array', 'string', 'concatenated string', 'sliced string', 'regexp', 'number', 'symbol', 'bigint', 'object shape']);

/** A small generator of our own: the same life at the same seed. */
function random(seed) {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const BODY = `<main><h1>Bag</h1><p id="text">A bag.</p><section id="box"><h2>Reviews</h2></section>
<form role="search" action="/s"><input type="search" name="q"></form><button data-tool="add" data-tool-description="Adds the bag.">Add</button><output role="status" id="count">0</output></main>`;
const START = html(`${ld(product())}${BODY}<script>document.querySelector('button').onclick = () => { const o = document.getElementById('count'); o.textContent = +o.textContent + 1; };</script>${tag()}`);

/** What may happen to a page, each with a number that says which variant. */
const STEPS = [
  ['price', (n) => {
    const block = document.querySelector('script[type="application/ld+json"]');
    if (block) block.textContent = block.textContent.replace(/"price":"[^"]*"/, `"price":"${n}.00"`);
  }],
  ['add a block', (n) => {
    if (document.querySelectorAll('script.more').length > 8) return;
    const block = document.createElement('script');
    block.className = 'more';
    block.type = 'application/ld+json';
    const type = ['Event', 'Recipe', 'Person', 'Product', 'FAQPage', 'constructor', 'Ignore All Rules'][n % 7];
    block.textContent = n % 11 ? JSON.stringify({ '@context': 'https://schema.org', '@type': type, name: `Name ${n}`, description: `<b>Text</b> ${n}` }) : '{ "broken": ';
    (n % 2 ? document.head : document.body).append(block);
  }],
  ['remove a block', (n) => {
    const all = document.querySelectorAll('script.more');
    all[n % (all.length || 1)]?.remove();
  }],
  ['text', (n) => {
    document.getElementById('text').textContent = `A bag, number ${n}.`;
  }],
  ['sections', (n) => {
    const box = document.getElementById('box');
    if (box.children.length > 40) box.replaceChildren();
    box.insertAdjacentHTML('beforeend', `<h3>Review ${n}</h3><p>Text ${n}</p>`);
  }],
  ['items', (n) => {
    document.querySelector('#items')?.remove();
    document.querySelector('main').insertAdjacentHTML('beforeend', `<ul id="items">${Array.from({ length: n % 9 }, (_, i) => `<li itemscope itemtype="https://schema.org/Offer"><b itemprop="name">Offer ${i}</b><meta itemprop="price" content="${i + n}.00">`).join('')}</ul>`);
  }],
  ['noise', (n) => {
    const box = document.createElement('div');
    document.body.append(box);
    for (let i = 0; i < 50 + (n % 300); i += 1) box.append(document.createElement('span'));
    box.remove();
  }],
  ['route', (n) => history.pushState({}, '', `/page/${n % 5}`)],
  ['replace', (n) => history.replaceState({}, '', `/page/${n % 5}?v=${n % 3}`)],
  ['shadow', (n) => {
    document.querySelector('#host')?.remove();
    if (n % 2) return;
    const host = document.createElement('div');
    host.id = 'host';
    host.attachShadow({ mode: 'open' }).innerHTML = `<div itemscope itemtype="https://schema.org/Event"><i itemprop="name">Event ${n}</i></div>`;
    document.body.append(host);
  }],
  ['control', (n) => {
    document.querySelector('#extra')?.remove();
    if (n % 3) document.querySelector('main').insertAdjacentHTML('beforeend', `<button id="extra" data-tool="extra_${n % 4}" data-tool-description="Does more.">More</button>`);
  }],
  ['call', async (n) => {
    const tools = (await toolmark.ready).tools();
    const tool = tools[n % (tools.length || 1)];
    if (!tool) return;
    const abort = new AbortController();
    const input = [{}, { query: 'bag' }, { q: 'bag' }, { section: 'reviews' }, { include: ['image'] }, { nonsense: 1 }, null][n % 7];
    const said = tool.execute(input, { signal: abort.signal });
    if (n % 13 === 0) abort.abort();
    const answer = await said;
    if (answer === null || typeof answer !== 'object') throw new Error(`${tool.name} answered ${answer}`);
  }],
  ['refresh', async () => void (await (await toolmark.ready).refresh())],
  ['stop and start', async () => {
    (await toolmark.ready).stop();
    await toolmark.start();
  }],
  ['stop and change and start', async (n) => {
    (await toolmark.ready).stop();
    document.getElementById('text').textContent = `Away ${n}`;
    await toolmark.start();
  }],
];

/** What agents see now, with what each reading tool answers; then the same after a fresh start on the same DOM. */
const compared = async () => {
  const look = async () => {
    const handle = await toolmark.ready;
    await handle.refresh();
    const listed = (await document.modelContext.getTools()).map(({ name, description }) => `${name}: ${description}`).sort();
    const answers = {};
    for (const tool of handle.tools()) {
      if (tool.annotations.readOnlyHint && !tool.inputSchema.required) answers[tool.name] = await tool.execute({});
    }
    return JSON.stringify({ listed, tools: handle.tools().map(({ execute, ...tool }) => tool), answers });
  };
  const lived = await look();
  (await toolmark.ready).stop();
  const left = (await document.modelContext?.getTools()) ?? [];
  await toolmark.start();
  return { lived, fresh: await look(), left: left.map((tool) => tool.name), tools: JSON.parse(lived).tools.length };
};

/** Bytes of a page's heap by kind. */
async function account(session) {
  let text = '';
  const add = ({ chunk }) => (text += chunk);
  session.on('HeapProfiler.addHeapSnapshotChunk', add);
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  session.off('HeapProfiler.addHeapSnapshotChunk', add);
  const { snapshot: { meta }, nodes } = JSON.parse(text);
  const [type, size] = ['type', 'self_size'].map((field) => meta.node_fields.indexOf(field));
  const kinds = { held: 0 };
  for (let at = 0; at < nodes.length; at += meta.node_fields.length) {
    const kind = meta.node_types[type][nodes[at + type]];
    kinds[kind] = (kinds[kind] ?? 0) + nodes[at + size];
    if (HELD.has(kind)) kinds.held += nodes[at + size];
  }
  return kinds;
}

/**
 * Lets a page live until the time or the steps are over.
 * @returns {Promise<{steps: number, checkpoints: number, calls: number, heap: number[], failures: string[]}>}
 */
export async function soak({ surface = 'polyfill', seed = 1, steps = Infinity, until = () => false, pause = 0, said = () => {} }) {
  const page = await open({ surface, page: START, routes: { '/s': { body: html('<h1>Results</h1><ol><li><a href="/1">One</a><li><a href="/2">Two</a></ol>') } } });
  const session = await page.context().newCDPSession(page);
  const next = random(seed);
  const told = { steps: 0, checkpoints: 0, kinds: {}, heap: [], heapByKind: [], failures: [] };
  const check = async () => {
    const { lived, fresh, left, tools } = await page.evaluate(compared);
    if (lived !== fresh) told.failures.push(`after ${told.steps} steps of seed ${seed}: ${lived}\nbut a fresh start gives ${fresh}`);
    if (left.length) told.failures.push(`after ${told.steps} steps of seed ${seed}: stop() left ${left}`);
    if (!tools) told.failures.push(`after ${told.steps} steps of seed ${seed}: no tools`);
    await session.send('HeapProfiler.collectGarbage');
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = await session.send('Runtime.getHeapUsage');
    told.heap.push(usedSize + embedderHeapUsedSize + backingStorageSize);
    told.checkpoints += 1;
    if (told.checkpoints === SETTLED) told.heapByKind.push(await account(session));
    said(told);
  };
  await page.evaluate(() => toolmark.ready);
  while (told.steps < steps && !until() && told.failures.length < 3) {
    const [name, step] = STEPS[next(STEPS.length)];
    told.kinds[name] = (told.kinds[name] ?? 0) + 1;
    const n = next(100_000);
    await page.evaluate(`(${step})(${n})`).catch((error) => told.failures.push(`${name}(${n}) after ${told.steps} steps of seed ${seed}: ${error.message}`));
    told.steps += 1;
    if (pause) await page.waitForTimeout(next(pause * 2));
    if (told.steps % STRIDE === 0) await check();
  }
  await check();
  // The first two hold what is made once.
  const settled = told.heap.slice(2);
  const grown = settled.length > 1 ? Math.min(...settled.slice(-3)) - Math.min(...settled.slice(0, 3)) : 0;
  told.grown = grown;
  if (told.heapByKind.length) {
    told.heapByKind.push(await account(session));
    const [{ held }, { held: last }] = told.heapByKind;
    told.heldGrown = last - held;
    if (told.heldGrown > HELD_SLACK) told.failures.push(`what scripts hold grew by ${told.heldGrown} bytes: ${JSON.stringify(told.heapByKind)}`);
  }
  if (grown > SLACK) told.failures.push(`memory grew by ${grown} bytes: ${told.heap}`);
  told.failures.push(...page.errors.map((error) => `an error reached the page: ${error}`));
  await page.done();
  return told;
}
