// Registration by difference: what is the same stays registered, whatever happens to the data behind it.
// Of a surface only registerTool() is relied on, and it may throw, reject, answer late or never.

/** Milliseconds that a surface may take to say whether it took a tool; then it is thought to have. */
const PATIENCE_MS = 500;
const NAME_LENGTH = 64;

/** What an agent is told; a change of it makes a new registration. */
const told = ({ name, title, description, inputSchema, outputSchema, annotations }) => ({
  name, title, description, inputSchema, ...(outputSchema && { outputSchema }), annotations,
});

/**
 * @param {object} o
 * @param {string[]} [o.exposedTo] passed on to registerTool()
 * @param {(name: string, input: unknown, context?: {signal?: AbortSignal}) => Promise<object>} o.call
 */
export function createRegistry({ exposedTo, call }) {
  /** name of a definition → {key, name (as registered), controller, failed} */
  let entries = new Map();
  let surface;
  const problems = new Map();
  let asking = false;

  const note = (name, level, code, message) => problems.set(name, { level, code, message });

  /** Asks the surface to take a tool; resolves to the error if it does not. */
  async function ask(entry, definition) {
    const { controller } = entry;
    const execute = (input, context) => call(definition.name, input, context);
    const options = { signal: controller.signal, ...(exposedTo && { exposedTo }) };
    try {
      asking = true;
      const asked = surface.registerTool({ ...told(definition), name: entry.name, execute }, options);
      asking = false;
      const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
      // A refusal that comes later than anybody waits for must not surface as an unhandled rejection in the page.
      const answer = Promise.resolve(asked).then(() => undefined, (error) => error ?? new Error('refused'));
      return await Promise.race([answer, late]);
    } catch (error) {
      return error ?? new Error('refused');
    } finally {
      asking = false;
    }
  }

  async function register(entry, definition) {
    const { signal } = entry.controller;
    const error = await ask(entry, definition);
    if (!error || signal.aborted) return;
    if (/^(NotAllowed|Security)Error$/.test(error.name)) {
      entry.failed = true;
      const way = error.name === 'SecurityError'
        ? 'Leave out the header Origin-Agent-Cluster: ?0 and document.domain, and expose tools to secure origins only.'
        : "Allow it: Permissions-Policy: tools=(self), and allow=\"tools\" on the iframe.";
      note('', 'warn', 'register-failed', `The browser lets this page register no tools (${error.message}). ${way}`);
      return;
    }
    entry.name = `page_${definition.name}`.slice(0, NAME_LENGTH);
    const second = await ask(entry, definition);
    if (signal.aborted) return;
    if (!second) {
      renamed(entry, definition);
    } else {
      entry.failed = true;
      entry.name = definition.name;
      note(definition.name, 'warn', 'register-failed', `'${definition.name}' could not be registered: ${error.message ?? error}.`);
    }
  }

  function renamed(entry, definition) {
    note(definition.name, 'warn', 'tool-renamed', `'${definition.name}' is registered already, by this page or another script; ours is offered as '${entry.name}'. data-prefix keeps names apart.`);
  }

  return {
    /** Makes the surface offer these definitions, in this order. */
    async sync(on, definitions) {
      const moved = on !== surface;
      const old = entries;
      const change = { added: [], removed: [], kept: [], changed: [] };
      entries = new Map();
      const fresh = [];
      const gone = [];
      for (const definition of definitions) {
        const key = JSON.stringify(told(definition));
        const known = old.get(definition.name);
        old.delete(definition.name);
        if (known && known.key === key) change.kept.push(definition.name);
        else change[known ? 'changed' : 'added'].push(definition.name);
        if (known && known.key === key && !moved) {
          entries.set(definition.name, known);
          continue;
        }
        if (known) gone.push(known);
        const entry = { key, definition, name: definition.name, controller: new AbortController(), failed: false };
        entries.set(definition.name, entry);
        fresh.push([entry, definition]);
      }
      change.removed.push(...old.keys());
      // All that goes goes first: its names are free at once.
      for (const entry of [...old.values(), ...gone]) entry.controller.abort();
      problems.delete('');
      for (const name of problems.keys()) if (!entries.has(name) || fresh.some(([entry]) => entry === entries.get(name))) problems.delete(name);
      surface = on;
      if (on) await Promise.all(fresh.map(([entry, definition]) => register(entry, definition)));
      return change;
    },
    /** The page wants a name that one of ours has: ours makes room and is offered under another one. */
    yields(name) {
      const entry = asking ? undefined : [...entries.values()].find((one) => one.name === name && !one.failed);
      if (!entry || name !== entry.definition.name) return false;
      entry.controller.abort();
      entry.controller = new AbortController();
      entry.name = `page_${name}`.slice(0, NAME_LENGTH);
      void ask(entry, entry.definition).then((error) => {
        if (error) entry.failed = true;
        else renamed(entry, entry.definition);
      });
      return true;
    },
    /** The name under which a definition is offered. */
    nameOf: (name) => entries.get(name)?.name ?? name,
    problems: () => [...problems.values()],
    stop() {
      for (const entry of entries.values()) entry.controller.abort();
      entries = new Map();
      problems.clear();
      surface = undefined;
    },
  };
}
