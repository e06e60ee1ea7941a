// `data-relay`: one WebSocket to one relay on this machine, which hands the page's tools to MCP clients (docs/companion.md).
// Of the page it uses what an agent in the browser has: its tools, and who changes them.

/** Milliseconds before the first new try; each time twice as long, up to a minute: nobody may have started the relay. */
const FIRST_MS = 500;
const MOST_MS = 60_000;
/** Close code of a relay that wants the page to connect again, and the milliseconds until then. */
const AGAIN = 1012;
const AGAIN_MS = 50;
/** Bytes of a message that the relay takes. */
const MAX_MESSAGE = 11_000_000;

/** What tells of a change: of our tools, of what the site offers beside them. */
const CHANGES = ['toolmark:change', 'toolmark:offer'];
/** Where a document keeps what its site defined (js/define-tool.js). */
const DEFINED = Symbol.for('toolmark.defined');

const failure = (code, message, hint) => ({ error: { code, message, hint } });

/** What is told of a tool, a resource, a prompt. A tool of the browser has its members on its prototype. */
const TOLD = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations', 'mimeType', 'arguments'];
const plain = (one) => Object.fromEntries(TOLD.map((member) => [member, one[member]]));

/**
 * Carries a session's tools until they are stopped.
 * @param {object} session the running one (js/start.js)
 * @param {string} url of the relay
 * @returns {() => void} stops it
 */
export function carry(session, url) {
  const { document, view } = session;
  const { origin, pathname } = view.location;
  /** callId → what ends the call. */
  const calls = new Map();
  let wait = FIRST_MS;
  let [socket, timer, greeted, told, over, surface] = [];
  /** name of a resource → when it was defined. */
  let defined = new Map();

  /** Notes of a kind: the newest, or none. */
  const forget = (code, message) => {
    session.noted = session.noted.filter((one) => one.code !== code || one.message === message);
  };
  const note = (code, message) => {
    forget(code, message);
    session.note('warn', code, message);
  };
  const send = (message) => {
    if (socket?.readyState === 1) socket.send(message);
  };
  const tell = (message) => send(JSON.stringify(message));

  /** Tools of others in this page: the site's own, which it registered without us. */
  async function others(names) {
    const on = session.surface();
    if (on !== surface) {
      surface?.removeEventListener?.('toolchange', changed);
      surface = on;
      surface?.addEventListener?.('toolchange', changed);
    }
    const all = (await surface?.getTools?.()) ?? [];
    return all.filter((tool) => !names.includes(tool.name) && (tool.window ?? view) === view);
  }

  async function tools() {
    const own = session.tools();
    // A surface of somebody else may fail.
    const foreign = await others(own.map((tool) => tool.name)).catch(() => []);
    return [...own, ...foreign.map((tool) => ({ ...plain(tool), execute: (input, context) => run(tool, input, context) }))];
  }


  async function run(tool, input, context) {
    let text;
    try {
      text = await surface.executeTool(tool, input, context);
    } catch (error) {
      // Chrome up to 154 takes text only.
      if (!/Failed to parse input/.test(error?.message)) throw error;
      text = await surface.executeTool(tool, JSON.stringify(input), context);
    }
    try {
      return JSON.parse(text);
    } catch {
      return text ?? null;
    }
  }

  /** What the site defined beside tools; of a name, the newest. */
  const offers = (kind) => new Map([...(document[DEFINED] ?? [])].filter((one) => one?.kind === kind).map((one) => [one.name, one]));
  const offered = (kind) => [...offers(kind).values()].map(plain);

  /** Tells what there is, if that is news. */
  async function list(type) {
    const text = JSON.stringify({ tools: (await tools()).map(plain), resources: offered('resource'), prompts: offered('prompt') });
    if (over || !greeted) return;
    if (text !== told) {
      told = text;
      send(`{"type":"${type}",${text.slice(1)}`);
    }
    const before = defined;
    defined = new Map([...offers('resource')].map(([name, { at }]) => [name, at]));
    for (const [name, at] of defined) if (before.has(name) && before.get(name) !== at) tell({ type: 'resource/updated', name });
  }

  let queued;
  function changed() {
    queued ??= Promise.resolve().then(() => {
      queued = undefined;
      return list('tools/changed');
    }).catch(() => {});
  }

  async function answer({ type, callId, toolName, name = toolName, args }) {
    const controller = new AbortController();
    calls.set(callId, controller);
    const reply = (result) => JSON.stringify({ type: 'result', callId, result });
    let text;
    try {
      const called = (tool) => tool.name === name;
      // Those of others have to be asked for, which in some browsers takes as long as the call.
      const asked = type === 'invoke' ? session.tools().find(called) ?? (await tools()).find(called) : offers(type.split('/')[0]).get(name);
      text = reply(asked ? await asked.execute(args ?? {}, { signal: controller.signal }) : failure('not_found', `The page has no '${name}' now.`, 'List again.'));
    } catch (error) {
      // What it answered may be no JSON, too.
      text = reply(failure('tool_failed', `${error?.message ?? error}`, 'Try other input.'));
    }
    // Another relay counts its calls anew.
    if (calls.get(callId) !== controller) return;
    calls.delete(callId);
    // Not a Blob's size: asking the browser for one takes as long as the rest of a call.
    const long = new TextEncoder().encode(text).length > MAX_MESSAGE;
    send(long ? reply(failure('too_large', `It has more than ${MAX_MESSAGE} bytes.`, 'Ask for less.')) : text);
  }

  /** The person types what the relay's terminal shows; only where they see who asks. The words are ours: nobody else's are put before them in the page's name. */
  function pair(again = '') {
    const ask = () => {
      if (document.visibilityState !== 'visible') return;
      document.removeEventListener('visibilitychange', ask);
      if (over || !greeted) return;
      const code = view.prompt?.(`${again}The relay at ${url} does not know this site yet. To let your agent use it, type the six digits in the relay's terminal.`);
      tell(code?.trim() ? { type: 'pairing/code', code } : { type: 'pairing/no' });
    };
    document.addEventListener('visibilitychange', ask);
    // Not in the middle of the page's start: a prompt stops everything.
    setTimeout(ask);
  }

  function heard(data) {
    let message;
    try {
      message = JSON.parse(data);
    } catch {
      return;
    }
    // What to do is said by the relay, which knows.
    const said = (code) => note(code, `The relay at ${url}: ${message.message}`);
    switch (message?.type) {
      case 'server-hello':
        greeted = true;
        told = undefined;
        forget('relay-unreachable');
        tell({ type: 'hello', version: 1, url: origin + pathname, title: document.title });
        break;
      case 'hello/accepted':
        wait = FIRST_MS;
        list('tools/list').catch(() => {});
        break;
      case 'hello/rejected':
        said('relay-refused');
        stop();
        break;
      case 'pairing/required':
        said('relay-pairing');
        pair();
        break;
      case 'pairing/wrong':
        pair(`Wrong code, ${message.left} tries left. `);
        break;
      case 'pairing/closed':
        said('relay-pairing');
        break;
      case 'pairing/accepted':
        forget('relay-pairing');
        break;
      case 'ping':
        tell({ type: 'pong' });
        break;
      case 'invoke':
      case 'resource/read':
      case 'prompt/get':
        void answer(message);
        break;
      case 'cancel':
        calls.get(message.callId)?.abort();
    }
  }

  function lost({ code } = {}) {
    const known = greeted;
    socket = greeted = undefined;
    for (const call of calls.values()) call.abort();
    calls.clear();
    if (over) return;
    if (!known) {
      note('relay-unreachable', `No relay answers at ${url}. Start toolmark relay; allow the address in connect-src, and the page to reach this machine.`);
    }
    // Pages that lost it together do not come back together.
    timer = setTimeout(open, code === AGAIN ? AGAIN_MS : wait * (0.8 + Math.random() * 0.4));
    wait = Math.min(wait * 2, MOST_MS);
  }

  function open() {
    try {
      socket = new view.WebSocket(url, ['webmcp.v1']);
      socket.addEventListener('message', ({ data }) => heard(data));
      socket.addEventListener('close', lost);
    } catch {
      // A page with which no browser connects.
      lost();
    }
  }

  function stop() {
    over = true;
    clearTimeout(timer);
    for (const type of CHANGES) document.removeEventListener(type, changed);
    surface?.removeEventListener?.('toolchange', changed);
    for (const call of calls.values()) call.abort();
    socket?.close();
  }

  for (const type of CHANGES) document.addEventListener(type, changed);
  open();
  return stop;
}
