// WebMCP for browsers without it, as Chromium 156 behaves wherever a page can tell.

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const HINTS = ['consequentialHint', 'debugging', 'readOnlyHint', 'untrustedContentHint'];
const FAILED = 'Tool was executed but the invocation failed. For example, the script function threw an error';
const TRANSIENT = 'The operation failed for an unknown transient reason (e.g. out of memory).';

const fail = (name, message) => new DOMException(message, name);
const need = (object, name) => {
  if (object[name] === undefined) throw new TypeError(`required member ${name} is undefined.`);
  return object[name];
};
const isObject = (value) => value !== null && /^(object|function)$/.test(typeof value);
const dictionary = (value) => {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw new TypeError('The provided value is not of type dictionary.');
  return value;
};
const signalOf = (options) => {
  const { signal } = options;
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw new TypeError("Failed to convert value to 'AbortSignal'.");
  return signal;
};

function origins(list, member) {
  if (list === undefined) return;
  if (list === null || typeof list !== 'object' || !list[Symbol.iterator]) throw new TypeError(`${member} is not a sequence.`);
  for (const entry of list) {
    let url;
    try {
      url = new URL(`${entry}`);
    } catch {
      // Refused below.
    }
    const local = url && /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
    if (!url || !(local || /^(https|wss|file|chrome-extension):$/.test(url.protocol) || url.href.startsWith('blob:https:'))) {
      throw fail('SecurityError', `Only secure origins are allowed in the ${member} list.`);
    }
  }
}

function schemaText(schema) {
  if (schema === undefined) return undefined;
  if (!isObject(schema)) throw new TypeError("Failed to convert value to 'object'.");
  const text = JSON.stringify(schema);
  if (text === undefined) throw new TypeError('invalid input schema: toJSON() returns undefined');
  return text;
}

/** Agents of the first generation parse a schema that they take for text. */
function schemaCopy(text) {
  const copy = JSON.parse(text);
  if (copy && typeof copy === 'object') Object.defineProperty(copy, 'toString', { value: () => text });
  return copy;
}

/** The argument for a tool: an object through JSON; text is what callers for Chrome 154 and older pass. */
function argument(input) {
  if (input === undefined) return {};
  if (typeof input === 'string') {
    try {
      input = JSON.parse(input);
    } catch {
      // Refused below.
    }
  }
  if (!isObject(input)) {
    throw new TypeError('invalid input object: value is not an object');
  }
  return JSON.parse(JSON.stringify(input) ?? 'null') ?? {};
}

function resultText(value) {
  if (typeof value === 'string') return value === '' ? 'Operation succeeded' : value.isWellFormed?.() === false ? null : value;
  if (typeof value === 'symbol') throw new TypeError('a symbol is no result');
  if (value !== null && typeof value === 'object') return JSON.stringify(value) ?? 'undefined';
  return typeof value === 'function' ? 'undefined' : String(value);
}

/** A task of its own, without the delay that nested timers get. */
const task = async () => {
  const { port1, port2 } = new MessageChannel();
  await new Promise((resolve) => {
    port1.onmessage = resolve;
    port2.postMessage(0);
  });
  port1.close();
};

/** In such a task; what fails there is nobody's. */
const later = (run) => void task().then(run).catch(() => {});

/**
 * Gives the document a modelContext, in a secure context that has none.
 * @param {Window} view
 * @param {(name: string) => boolean} yields asked when a page's tool wants a name that is taken: true frees it
 * @returns {(() => void) | undefined} undoes it
 */
export function install(view, yields = () => false) {
  const { document } = view;
  if (!view.isSecureContext || 'modelContext' in document) return undefined;
  const tools = new Map();
  let allowed = false;

  class ToolEvent extends Event {
    #name;
    constructor(type, init) {
      super(type, init);
      this.#name = String(init?.toolName ?? '');
    }
    get toolName() {
      return this.#name;
    }
  }
  class ToolActivatedEvent extends ToolEvent {}
  class ToolCancelEvent extends ToolEvent {}

  class ModelContext extends EventTarget {
    constructor() {
      if (!allowed) throw new TypeError('Illegal constructor');
      super();
    }

    async registerTool(tool, options) {
      if (!arguments.length) throw new TypeError('1 argument required, but only 0 present.');
      if (!isObject(tool)) throw new TypeError('The provided value is not of type ModelContextTool.');
      const given = tool.annotations;
      const annotations = given === undefined || given === null ? undefined : Object.fromEntries(HINTS.map((hint) => [hint, !!dictionary(given)[hint]]));
      const description = `${need(tool, 'description')}`;
      const execute = need(tool, 'execute');
      if (typeof execute !== 'function') throw new TypeError('execute is not a function.');
      const { inputSchema } = tool;
      const name = `${need(tool, 'name')}`;
      const title = tool.title === undefined ? '' : `${tool.title}`;
      if (inputSchema !== undefined && !isObject(inputSchema)) schemaText(inputSchema);
      const o = dictionary(options);
      const { exposedTo } = o;
      if (exposedTo !== undefined && (exposedTo === null || typeof exposedTo === 'string')) throw new TypeError('exposedTo is not a sequence.');
      const signal = signalOf(o);
      if (tools.has(name) && !yields(name)) throw fail('InvalidStateError', 'Duplicate tool name');
      if (!NAME.test(name)) throw fail('InvalidStateError', 'Invalid tool name');
      if (!description) throw fail('InvalidStateError', 'Description is required');
      const schema = schemaText(inputSchema);
      if (signal?.aborted) throw signal.reason;
      origins(exposedTo, 'exposedTo');
      const entry = { name, title: title.toWellFormed?.() ?? title, description, schema, annotations, execute };
      tools.set(name, entry);
      let gone;
      const aborted = new Promise((resolve) => (gone = resolve));
      signal?.addEventListener('abort', () => {
        gone();
        if (tools.get(name) !== entry) return;
        tools.delete(name);
        later(changed);
      }, { once: true });
      await Promise.race([task(), aborted]);
      if (!signal?.aborted) later(changed);
      if (signal?.aborted) throw signal.reason;
    }

    async getTools(options) {
      origins(dictionary(options).fromOrigins, 'fromOrigins');
      const { origin } = view.location;
      return [...tools.values()]
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ name, title, description, schema, annotations }) => ({
          ...(annotations && { annotations: { ...annotations } }), description,
          ...(schema !== undefined && { inputSchema: schemaCopy(schema) }),
          name, origin, title, window: view,
        }));
    }

    async executeTool(tool, input, options) {
      if (!isObject(tool)) throw new TypeError('The provided value is not of type RegisteredTool.');
      for (const member of ['description', 'name', 'origin', 'window']) need(tool, member);
      if (tool.window?.window !== tool.window || !tool.window) throw new TypeError("Failed to convert value to 'Window'.");
      const signal = signalOf(dictionary(options));
      let origin;
      try {
        ({ origin } = new URL(`${tool.origin}`));
      } catch {
        // Refused below.
      }
      if (!origin) throw fail('NotSupportedError', 'The provided origin is invalid.');
      const value = argument(input);
      if (signal?.aborted) throw signal.reason;
      const entry = tools.get(`${tool.name}`);
      if (!entry || tool.window !== view || `${tool.origin}` !== view.location.origin) throw fail('UnknownError', TRANSIENT);
      const controller = new AbortController();
      return new Promise((resolve, reject) => {
        let over = false;
        const abort = () => {
          over = true;
          resolve(task().then(() => Promise.reject(signal.reason)));
          later(() => {
            controller.abort();
            context.dispatchEvent(new ToolCancelEvent('toolcancel', { toolName: entry.name }));
          });
        };
        signal?.addEventListener('abort', abort, { once: true });
        const broken = (error) => {
          if (!over) console.error(`WebMCP tool execution failed: Uncaught ${error}`);
          reject(fail('UnknownError', FAILED));
        };
        task().then(async () => {
          if (over) return;
          try {
            const { execute } = entry;
            let result;
            try {
              result = execute(value, { signal: controller.signal });
            } finally {
              context.dispatchEvent(new ToolActivatedEvent('toolactivated', { toolName: entry.name }));
            }
            resolve(resultText(await result));
          } catch (error) {
            broken(error);
          } finally {
            signal?.removeEventListener('abort', abort);
          }
        }).catch(broken);
      });
    }
  }
  const handlers = new Map();
  for (const type of ['toolchange', 'toolactivated', 'toolcancel']) {
    Object.defineProperty(ModelContext.prototype, `on${type}`, {
      configurable: true,
      enumerable: true,
      get: () => handlers.get(type)?.handler ?? null,
      set(handler) {
        const old = handlers.get(type);
        if (old) context.removeEventListener(type, old);
        handlers.delete(type);
        if (typeof handler !== 'function') return;
        const listener = (event) => handler.call(context, event);
        listener.handler = handler;
        handlers.set(type, listener);
        context.addEventListener(type, listener);
      },
    });
  }
  Object.defineProperty(ModelContext.prototype, Symbol.toStringTag, { value: 'ModelContext', configurable: true });
  for (const member of ['registerTool', 'getTools', 'executeTool']) Object.defineProperty(ModelContext.prototype, member, { enumerable: true });
  allowed = true;
  const context = new ModelContext();
  allowed = false;
  const changed = () => context.dispatchEvent(new Event('toolchange'));

  Object.defineProperty(document, 'modelContext', { get: () => context, enumerable: true, configurable: true });
  const globals = { ModelContext, ToolActivatedEvent, ToolCancelEvent };
  // Minified, the classes would have other names.
  for (const name of Object.keys(globals)) Object.defineProperty(globals[name], 'name', { value: name });
  const placed = Object.keys(globals).filter((name) => !(name in view));
  for (const name of placed) Object.defineProperty(view, name, { value: globals[name], writable: true, configurable: true });
  return () => {
    if (document.modelContext === context) delete document.modelContext;
    for (const name of placed) if (view[name] === globals[name]) delete view[name];
  };
}
