// `navigator.modelContext` as the first WebMCP agents and bridges know it, over whatever surface the page has.

/**
 * @param {Window} view
 * @param {object} surface document.modelContext
 * @returns {(() => void) | undefined} undoes it; nothing where the page has such an object
 */
export function alias(view, surface) {
  const { navigator } = view;
  if (!view.isSecureContext || 'modelContext' in navigator || typeof surface.getTools !== 'function' || typeof surface.addEventListener !== 'function') return undefined;
  const object = new EventTarget();
  // As it is now: who hears whether somebody asks for tools (js/start.js) does not mean us.
  const { getTools } = surface;
  let list = [];
  const look = async () => {
    try {
      const tools = await getTools.call(surface);
      list = tools.map(({ name, title, description, inputSchema, annotations }) => ({
        name, title, description, annotations,
        inputSchema: typeof inputSchema === 'string' ? JSON.parse(inputSchema) : inputSchema ?? { type: 'object', properties: {} },
      }));
    } catch {
      list = [];
    }
    for (const type of ['toolchange', 'toolschanged']) object.dispatchEvent(new Event(type));
  };
  const pass = (name) => (...input) => surface[name](...input);
  const members = {
    registerTool: pass('registerTool'),
    getTools: pass('getTools'),
    executeTool: pass('executeTool'),
    listTools: () => list.map((tool) => ({ ...tool })),
    async callTool({ name, arguments: input = {} }, options) {
      const tool = (await surface.getTools()).find((tool) => tool.name === name);
      if (!tool) throw new TypeError(`There is no tool '${name}'.`);
      let text;
      try {
        text = await surface.executeTool(tool, input, options);
      } catch (error) {
        // Chrome up to 154 takes text only.
        if (!/Failed to parse input/.test(error?.message)) throw error;
        text = await surface.executeTool(tool, JSON.stringify(input), options);
      }
      text ??= '';
      let value;
      try {
        value = JSON.parse(text);
      } catch {
        // Plain text.
      }
      if (Array.isArray(value?.content)) return value;
      const structured = value !== null && typeof value === 'object' && !Array.isArray(value);
      return { content: [{ type: 'text', text }], ...(structured && { structuredContent: value }), ...(value?.error && { isError: true }) };
    },
  };
  for (const [name, value] of Object.entries(members)) Object.defineProperty(object, name, { value, configurable: true });
  let queued = false;
  const heard = () => {
    if (queued) return;
    queued = true;
    Promise.resolve().then(() => {
      queued = false;
      return look();
    }).catch(() => {});
  };
  surface.addEventListener('toolchange', heard);
  heard();
  try {
    Object.defineProperty(navigator, 'modelContext', { value: object, configurable: true, enumerable: true });
  } catch {
    // A navigator that is locked has no alias.
  }
  return () => {
    surface.removeEventListener('toolchange', heard);
    if (navigator.modelContext === object) delete navigator.modelContext;
  };
}
