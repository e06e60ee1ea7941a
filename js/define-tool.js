// A site's own tools, resources and prompts: what marking elements cannot say, a function can.
import { unknown, violation } from './check.js';
import { now } from './quiet.js';
import { failure } from './serial.js';

/** Where a document keeps what its site defined, whether Toolmark runs there or not. The companion reads it (docs/api.md). */
const DEFINED = Symbol.for('toolmark.defined');
/** Where a document keeps what runs in it (js/start.js). */
const RUNNING = Symbol.for('toolmark.running');

/** Checks what the site defines and puts it into the table; gives what takes it out again. */
const definer = (kind) => (given, document = globalThis.document) => {
  if (!/^[\w.-]{1,128}$/.test(given?.name ?? '')) throw new TypeError(`A ${kind} needs a name of letters, digits, "_", "." and "-".`);
  if (!given.description?.trim?.()) throw new TypeError(`The ${kind} '${given.name}' needs a description.`);
  if (typeof given.execute !== 'function') throw new TypeError(`The ${kind} '${given.name}' needs a function 'execute'.`);
  const odd = unknown(given.inputSchema);
  if (odd.length) throw new TypeError(`The inputSchema of '${given.name}' uses ${odd.join(', ')}, which is not checked here and which browsers refuse. Write it out.`);
  const all = (document[DEFINED] ??= new Set());
  // Whoever carries it elsewhere tells by `at` that it was defined again.
  const own = { ...given, kind, at: now() };
  const tell = () => (kind === 'tool' ? document[RUNNING]?.defined?.() : document.dispatchEvent(new Event('toolmark:offer')));
  all.add(own);
  tell();
  return () => {
    if (all.delete(own)) tell();
  };
};

/**
 * A tool of the site's own, offered beside the page's; it wins over a generated one of that name.
 * @param {object} tool name, description, execute; title, inputSchema, outputSchema, annotations; `confirm` (true, or
 *   the question for the person), `danger`, `timeoutMs`, `idempotent` (takes a `request_id`)
 * @returns {() => void} takes it back
 */
export const defineTool = definer('tool');
/** Something to be read: name, description, execute; title, mimeType. Defined again, its content has changed. */
export const defineResource = definer('resource');
/** A prompt for the person to choose: name, description, execute; title, arguments. */
export const definePrompt = definer('prompt');

const REQUEST_ID = { type: 'string', description: 'Any unique text. A repeated call with it returns the first result instead of acting again.', maxLength: 100 };

/** The definitions of a document's own tools and of those in start()'s `custom`. */
export function defined(document, custom, prefix) {
  return [...(custom ?? []), ...(document[DEFINED] ?? [])]
    .filter((tool) => typeof tool?.execute === 'function' && tool.name && tool.description && tool.kind !== 'resource' && tool.kind !== 'prompt')
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
 * @param {(json: string) => string | Promise<string>} o.clean makes a result fit to be read
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
        return JSON.parse(await clean(JSON.stringify(failure('internal', `The tool failed: ${error?.message ?? error}`))));
      }
      const text = JSON.stringify(result, (_, value) => (typeof value === 'bigint' ? String(value) : value));
      return JSON.parse(await clean(text ?? 'null'));
    },
  };
}
