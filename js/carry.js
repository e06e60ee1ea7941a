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

const failure = (code, message, hint) => ({ error: { code, message, hint } });

/**
 * Carries a session's tools until they are stopped.
 * @param {object} session the running one (js/start.js)
 * @param {string} url of the relay
 * @returns {() => void} stops it
 */
export function carry(session, url) {
  const { document, view } = session;
  const { origin, pathname } = view.location;
  const tabId = view.crypto.randomUUID();
  /** callId → what ends the call. */
  const calls = new Map();
  let wait = FIRST_MS;
  let [socket, timer, greeted, told, over, surface] = [];

  /** Notes of a kind: the newest, or none. */
  const forget = (code, message) => {
    session.noted = session.noted.filter((one) => one.code !== code || one.message === message);
  };
  const note = (level, code, message) => {
    forget(code, message);
    session.note(level, code, message);
  };
  const send = (message) => {
    if (socket?.readyState === 1) socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  };

  /** Tools of others in this page: the site's own, which it registered without us. */
  async function others(names) {
    const on = session.surface();
    if (on !== surface) {
      surface?.removeEventListener?.('toolchange', changed);
      surface = on;
      surface?.addEventListener?.('toolchange', changed);
    }
    if (typeof surface?.getTools !== 'function') return [];
    const tools = await surface.getTools().catch(() => []);
    return tools.filter((tool) => !names.includes(tool.name) && (tool.window ?? view) === view && (tool.origin ?? origin) === origin);
  }

  async function tools() {
    const own = session.tools();
    const foreign = await others(own.map((tool) => tool.name));
    return [...own, ...foreign.map((tool) => ({ ...plain(tool), execute: (input, context) => run(tool, input, context) }))];
  }

  /** A tool of the browser has its members on its prototype. */
  const plain = ({ name, title, description, inputSchema, annotations }) => ({ name, title, description, inputSchema, annotations });

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

  /** Tells what there is, if that is news. */
  async function list(type) {
    const list = (await tools()).map((tool) => ({ ...plain(tool), outputSchema: tool.outputSchema }));
    const text = JSON.stringify(list);
    if (over || !greeted || text === told) return;
    told = text;
    send(`{"type":"${type}","tools":${text}}`);
  }

  let queued = false;
  function changed() {
    if (queued || !greeted) return;
    queued = true;
    queueMicrotask(() => {
      queued = false;
      void list('tools/changed');
    });
  }

  async function invoke({ callId, toolName, args }) {
    const controller = new AbortController();
    calls.set(callId, controller);
    let result;
    try {
      const tool = (await tools()).find((tool) => tool.name === toolName);
      result = tool
        ? await tool.execute(args ?? {}, { signal: controller.signal })
        : failure('not_found', `The page has no tool '${toolName}' now.`, 'List the tools again.');
    } catch (error) {
      result = failure('tool_failed', `The tool failed: ${error?.message ?? error}.`, 'Try other input, or use the page itself.');
    }
    calls.delete(callId);
    const reply = (result) => JSON.stringify({ type: 'result', callId, result });
    let text;
    try {
      text = reply(result);
    } catch {
      text = reply(failure('internal', 'The tool answered with something that is no JSON.', "Report it to the page's owner."));
    }
    // No character has more than three bytes for each of its units.
    const bytes = text.length * 3 > MAX_MESSAGE ? new TextEncoder().encode(text).length : 0;
    send(bytes > MAX_MESSAGE ? reply(failure('too_large', `The answer has ${bytes} bytes; ${MAX_MESSAGE} can be carried.`, 'Ask for less.')) : text);
  }

  /** The person types what the relay's terminal shows; only where they see who asks. */
  function pair(again = '') {
    const where = `${url} does not know ${origin} yet.`;
    note('warn', 'relay-pairing', `The relay at ${where} Load the page again and type the six digits that the relay shows in its terminal, or run: toolmark grants set ${origin} read`);
    const ask = () => {
      if (document.visibilityState !== 'visible') return;
      document.removeEventListener('visibilitychange', ask);
      if (over || !greeted) return;
      const code = view.prompt?.(`${again}The relay at ${where} To let your agent use this page, type the six digits that the relay shows in its terminal.`);
      if (code?.trim()) send({ type: 'pairing/code', code: code.trim() });
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
    switch (message?.type) {
      case 'server-hello':
        greeted = true;
        told = undefined;
        forget('relay-unreachable');
        send({ type: 'hello', version: 1, client: 'toolmark', tabId, origin, url: origin + pathname, title: document.title });
        break;
      case 'hello/accepted':
        wait = FIRST_MS;
        void list('tools/list');
        break;
      case 'hello/rejected':
        note('warn', 'relay-refused', `The relay at ${url} takes no tools of this page: ${message.message}`);
        stop();
        break;
      case 'pairing/required':
        pair();
        break;
      case 'pairing/wrong':
        pair(`That was another code (${message.left} tries left). `);
        break;
      case 'pairing/closed':
        note('warn', 'relay-pairing', `The relay at ${url} does not know ${origin}, and cannot be told now: ${message.message} Or run: toolmark grants set ${origin} read`);
        break;
      case 'pairing/accepted':
        forget('relay-pairing');
        break;
      case 'ping':
        send({ type: 'pong' });
        break;
      case 'invoke':
        void invoke(message);
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
      note('warn', 'relay-unreachable', `No relay answers at ${url}. Start it (toolmark relay); let the page's policy have that address in connect-src; and allow the page, where the browser asks, to reach this machine. It is tried again.`);
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
    document.removeEventListener('toolmark:change', changed);
    surface?.removeEventListener?.('toolchange', changed);
    for (const call of calls.values()) call.abort();
    socket?.close();
  }

  document.addEventListener('toolmark:change', changed);
  open();
  return stop;
}
