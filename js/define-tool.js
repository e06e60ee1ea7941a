// A site's own tools: what marking elements cannot say, a function can.
import { unknown, violation } from './check.js';
import { failure } from './serial.js';

/** Where a document keeps the tools that its site defined, whether Toolmark runs there or not. */
const DEFINED = Symbol.for('toolmark.defined');
/** Where a document keeps what runs in it (js/start.js). */
const RUNNING = Symbol.for('toolmark.running');

/**
 * A tool of the site's own, offered beside the page's; it wins over a generated one of that name.
 * @param {object} tool name, description, execute; title, inputSchema, outputSchema, annotations; `confirm` (true, or
 *   the question for the person), `danger`, `timeoutMs`, `idempotent` (takes a `request_id`)
 * @returns {() => void} takes it back
 */
export function defineTool(tool, document = globalThis.document) {
  if (!/^[A-Za-z0-9_.-]{1,128}$/.test(tool?.name ?? '')) throw new TypeError('A tool needs a name of letters, digits, "_", "." and "-".');
  if (typeof tool.description !== 'string' || !tool.description) throw new TypeError(`The tool '${tool.name}' needs a description.`);
  if (typeof tool.execute !== 'function') throw new TypeError(`The tool '${tool.name}' needs a function 'execute'.`);
  const odd = unknown(tool.inputSchema);
  if (odd.length) throw new TypeError(`The inputSchema of '${tool.name}' uses ${odd.join(', ')}, which is not checked here and which browsers refuse. Write it out.`);
  if (!document[DEFINED]) Object.defineProperty(document, DEFINED, { value: new Set(), configurable: true, writable: true });
  const tools = document[DEFINED];
  const own = { ...tool };
  tools.add(own);
  const tell = () => document[RUNNING]?.defined?.();
  tell();
  return () => {
    if (tools.delete(own)) tell();
  };
}

const REQUEST_ID = { type: 'string', description: 'Any unique text. A repeated call with it returns the first result instead of acting again.', maxLength: 100 };

/** The definitions of a document's own tools and of those in start()'s `custom`. */
export function defined(document, custom, prefix) {
  return [...(custom ?? []), ...(document[DEFINED] ?? [])]
    .filter((tool) => typeof tool?.execute === 'function' && tool.name && tool.description)
    .map((tool) => {
      const asked = !!tool.confirm || !!tool.danger;
      const schema = tool.inputSchema ?? { type: 'object', properties: {} };
      return {
        name: prefix + tool.name,
        title: tool.title ?? '',
        description: String(tool.description),
        inputSchema: tool.idempotent ? { ...schema, properties: { ...schema.properties, request_id: REQUEST_ID } } : schema,
        outputSchema: tool.outputSchema,
        annotations: { readOnlyHint: false, untrustedContentHint: false, ...(asked && { consequentialHint: true }), ...tool.annotations },
        source: { kind: 'custom', ...(asked && { confirm: true }), ...(tool.danger && { danger: true }) },
        own: tool,
      };
    });
}

/**
 * A call of such a tool as a job (js/serial.js).
 * @param {object} definition one of `defined`
 * @param {unknown} input
 * @param {object} o
 * @param {(json: string) => string} o.clean makes a result fit to be read
 * @param {(o: object) => Promise<object | undefined>} o.ask asks the person
 * @returns {object} the job, or an error result
 */
export function job(definition, input, { clean, ask }) {
  const { own, name } = definition;
  const given = input ?? {};
  const wrong = violation(definition.inputSchema, given);
  if (wrong) return failure(wrong.code, wrong.message, 'See inputSchema.', { path: wrong.path, rule: wrong.rule });
  let passed = given;
  let requestId;
  if (own.idempotent) ({ request_id: requestId, ...passed } = given);
  const asked = definition.source.confirm;
  return {
    tool: name,
    requestId,
    input: JSON.stringify(given),
    parallel: definition.annotations.readOnlyHint === true && !asked,
    timeout: own.timeoutMs > 0 ? own.timeoutMs : undefined,
    prepare: asked && (({ signal }) => ask({
      title: own.title || name.replace(/[_.-]+/g, ' '),
      text: typeof own.confirm === 'string' ? own.confirm : '',
      danger: !!own.danger,
      values: Object.entries(passed).map(([key, value]) => [key.replace(/_/g, ' '), (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 200)]),
      signal,
    })),
    async act({ signal, begin }) {
      begin();
      let result;
      try {
        result = await own.execute(passed, { signal, ...(requestId && { requestId }) });
      } catch (error) {
        return JSON.parse(clean(JSON.stringify(failure('internal', `The tool failed: ${error?.message ?? error}`))));
      }
      const text = JSON.stringify(result, (_, value) => (typeof value === 'bigint' ? String(value) : value));
      return JSON.parse(clean(text ?? 'null'));
    },
  };
}
