// The playground: what is pasted becomes a page in which no script runs, and Toolmark reads that.
import { start } from '/dist/toolmark.mjs';
import { isQuiet, open, told, tokens } from '/dist/toolmark.inspect.js';
import { marked, placeOf } from './places.js';
import { samples } from './samples.js';

/** Milliseconds without a key before what was typed is read. A page that takes long to read is waited for twice as long as that, up to MAX_QUIET_MS. */
const QUIET_MS = 250;
const MAX_QUIET_MS = 3000;
/** Milliseconds that a place stays marked. */
const MARK_MS = 4000;
/** Characters of a fragment at most: longer addresses get lost in mails and chats. */
const MAX_FRAGMENT = 30_000;
/** Where pasted markup is thought to come from: what its relative addresses are relative to. */
const BASE = 'https://shop.example/';
/** The page in the frame: no script, no request, whatever the markup says. The frame's sandbox says the same once more. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

const [select, source, status, costs, preview, place, link] =
  ['sample', 'source', 'status', 'costs', 'preview', 'tools', 'link'].map((id) => document.getElementById(id));
/** Where a document keeps what runs in it (js/start.js). */
const RUNNING = Symbol.for('toolmark.running');
let panel;
let handle;
let round = 0;
let timer;
let took = 0;

const isJson = (text) => /^\s*[[{]/.test(text);

/** A pasted text as an inert document: a page, or JSON-LD alone. */
function parse(text) {
  if (!isJson(text)) return new DOMParser().parseFromString(text, 'text/html');
  const page = new DOMParser().parseFromString('<title>JSON-LD</title>', 'text/html');
  const script = page.createElement('script');
  script.type = 'application/ld+json';
  // Text that would end the element when it is parsed again.
  script.textContent = text.replace(/<(?=[/!])/g, '\\u003c');
  page.head.append(script);
  return page;
}

/** The same as it is shown: without what loads or redirects. */
function harmless(text) {
  const page = parse(text);
  for (const element of page.querySelectorAll('meta[http-equiv], base, iframe, frame, object, embed')) element.remove();
  for (const script of page.querySelectorAll('script')) if (!/ld\+json/i.test(script.type)) script.remove();
  const policy = page.createElement('meta');
  policy.httpEquiv = 'Content-Security-Policy';
  policy.content = POLICY;
  // Links open in a new window, which the sandbox forbids.
  const base = page.createElement('base');
  base.target = '_blank';
  page.head.prepend(policy, base);
  return page;
}

/** The page, rendered, so that what is visible can be told from what is not. */
async function render(text) {
  const page = harmless(text);
  const frame = document.createElement('iframe');
  frame.title = 'The page';
  frame.setAttribute('sandbox', 'allow-same-origin');
  frame.srcdoc = `<!doctype html>${page.documentElement.outerHTML}`;
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  preview.replaceChildren(frame);
  await loaded;
  return frame.contentDocument;
}

async function look() {
  const mine = (round += 1);
  const before = performance.now();
  const text = source.value;
  status.textContent = 'Reading…';
  handle?.stop();
  handle = undefined;
  const page = await render(text);
  if (mine !== round) return;
  const surface = { registerTool: async () => {} };
  const fetchImpl = () => Promise.reject(new Error('the playground sends nothing'));
  const started = await start({ document: page, modelContext: surface, watch: false, baseUrl: BASE, fetchImpl });
  if (mine !== round) return void started.stop();
  handle = started;
  await page[RUNNING].inspect((session) => {
    if (panel) panel.use(session);
    else panel = open(session, { place, answers: true, locate });
    // It stays when this page goes.
    return { show() {}, close() {} };
  });
  if (mine !== round) return;
  await count(page, text, mine);
  took = performance.now() - before;
}

// ---------------------------------------------------------------- places

const elementsOf = (page) => [...page.querySelectorAll('*')].filter((one) => !one.matches('template[shadowrootmode]'));

/** From where to where the source holds an element of the page. */
function inSource(element) {
  const text = source.value;
  if (isJson(text)) return [0, text.length];
  while (element.getRootNode().host) element = element.getRootNode().host;
  // The same page once more, each element with its place; what browsers make of broken markup may differ by then.
  const twin = elementsOf(harmless(marked(text)))[elementsOf(element.ownerDocument).indexOf(element)];
  return twin?.localName === element.localName ? placeOf(text, twin) : undefined;
}

/** Selects an element in the source and marks it in the page. */
function locate(element) {
  const page = element.ownerDocument.defaultView;
  page.scrollTo({ top: page.scrollY + element.getBoundingClientRect().top - page.innerHeight / 3 });
  element.animate({ outline: ['3px solid #d9480f', '3px solid #d9480f'], background: ['#ff922b80', '#ff922b00'] }, MARK_MS);
  const place = inSource(element);
  if (!place) return;
  // Browsers scroll to where the selection is when the field gets the focus.
  source.blur();
  source.setSelectionRange(place[0], place[0]);
  source.focus();
  source.setSelectionRange(...place);
}

/** What the page costs as it stands, and as tools. */
async function count(page, text, mine) {
  const { tools, diagnostics } = { tools: handle.tools(), diagnostics: handle.diagnostics() };
  const answers = await Promise.all(tools.filter(isQuiet).map((tool) => tool.execute({})));
  if (mine !== round) return;
  const said = answers.map((answer) => tokens(JSON.stringify(answer)));
  const sum = (list) => list.reduce((all, one) => all + one, 0);
  const rows = [
    ['The HTML as pasted', tokens(text)],
    ["The page's visible text", tokens(page.body?.innerText ?? '')],
    ['Listing the tools', sum(tools.map((tool) => tokens(told(tool))))],
    [`Answers without input (${answers.length} tools)`, sum(said)],
  ];
  costs.tBodies[0].replaceChildren(...rows.map(([name, value]) => {
    const row = document.createElement('tr');
    const head = document.createElement('th');
    head.scope = 'row';
    head.textContent = name;
    row.append(head);
    row.insertCell().textContent = value.toLocaleString('en');
    return row;
  }));
  const problems = diagnostics.filter((one) => one.level !== 'info').length;
  const number = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;
  status.textContent = `${number(tools.length, 'tool')}, ${number(diagnostics.length, 'diagnostic')}${problems ? ` (${problems} to mend)` : ''}.`;
}

// ---------------------------------------------------------------- links

const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

async function pack(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
  let letters = '';
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

async function unpack(fragment) {
  const letters = atob(fragment.replace(/-/g, '+').replace(/_/g, '/'));
  return new TextDecoder().decode(await through(Uint8Array.from(letters, (letter) => letter.charCodeAt(0)), new DecompressionStream('deflate-raw')));
}

link.addEventListener('click', async () => {
  const sample = samples.find(({ html }) => html === source.value);
  const fragment = sample ? `sample=${sample.id}` : `page=${await pack(source.value)}`;
  if (fragment.length > MAX_FRAGMENT) {
    status.textContent = 'This is too long for a link: take out what does not matter.';
    return;
  }
  history.replaceState(null, '', `#${fragment}`);
  try {
    await navigator.clipboard.writeText(location.href);
    status.textContent = 'The link is in your clipboard.';
  } catch {
    status.textContent = 'The link is in the address bar.';
  }
});

async function fromAddress() {
  const [kind, value] = location.hash.slice(1).split('=');
  if (kind === 'page' && value) {
    try {
      return await unpack(value);
    } catch {
      status.textContent = 'The link is damaged; here is a sample.';
    }
  }
  return (samples.find(({ id }) => kind === 'sample' && id === value) ?? samples[0]).html;
}

async function take() {
  source.value = await fromAddress();
  select.value = samples.find(({ html }) => html === source.value)?.id ?? '';
  await look();
}

select.append(new Option('your own', ''), ...samples.map(({ id, title }) => new Option(title, id)));
select.addEventListener('change', () => {
  const sample = samples.find(({ id }) => id === select.value);
  if (!sample) return;
  source.value = sample.html;
  history.replaceState(null, '', `#sample=${sample.id}`);
  void look();
});
source.addEventListener('input', () => {
  select.value = '';
  clearTimeout(timer);
  timer = setTimeout(look, Math.min(Math.max(QUIET_MS, 2 * took), MAX_QUIET_MS));
});
addEventListener('hashchange', take);
void take();
