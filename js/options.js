// The tag's `data-` attributes and start()'s options: what is allowed, and a word about what is not.

/** name of the attribute after `data-` → [option, reader, what is allowed]. A reader gives undefined for a bad value. */
const flag = (value) => ({ on: true, off: false })[value.trim().toLowerCase()];
const integer = (value) => (/^\s*[1-9]\d{0,8}\s*$/.test(value) ? Number(value) : undefined);
const url = (value) => value.trim() || undefined;
const hosts = (value) => {
  const list = value.split(',').map((host) => host.trim().toLowerCase()).filter(Boolean);
  return list.length && list.every((host) => HOST.test(host)) ? list : undefined;
};
const identifier = (value) => (/^[a-z][a-z0-9_]{0,19}$/i.test(value.trim()) ? value.trim() : undefined);
/** Nothing behind the port: what stands before an `@` would be no host. */
const relay = (value) => /^wss?:\/\/(127\.0\.0\.1|localhost|\[::1\]):\d{1,5}\/?$/.exec(value.trim())?.[0];
const HOST = /^(\[[0-9a-f:.]+\]|[^\s/?#@:,]+)(:\d{1,5})?$/;

const ATTRIBUTES = {
  toolmark: ['', () => true, 'nothing'],
  actions: ['actions', flag, '"on" or "off"'],
  'max-tools': ['maxTools', integer, 'a whole number of at least 1'],
  watch: ['watch', flag, '"on" or "off"'],
  'allow-hosts': ['allowedHosts', hosts, 'hosts separated by commas, such as "search.shop.example,api.example:8443"'],
  page: ['page', flag, '"on" or "off"'],
  controls: ['controls', flag, '"on" or "off"'],
  prefix: ['prefix', identifier, 'letters, digits and underscores, at most 20, a letter first'],
  events: ['events', (value) => (value.trim().toLowerCase() === 'datalayer' ? 'datalayer' : undefined), '"datalayer"'],
  'origin-trial': ['originTrial', url, 'an origin trial token'],
  inspect: ['inspect', (value) => flag(value) ?? true, 'nothing'],
  worker: ['worker', flag, '"on" or "off"'],
  shadow: ['shadow', flag, '"on" or "off"'],
  frames: ['frames', flag, '"on" or "off"'],
  relay: ['relay', relay, 'an address such as "ws://127.0.0.1:9333"'],
  wasm: ['wasm', url, 'the URL of toolmark_bg.wasm'],
};

const is = (type) => (value) => typeof value === type;
const strings = (value) => Array.isArray(value) && value.every(is('string'));
const count = (value) => Number.isSafeInteger(value) && value > 0;
const surface = (value) => value !== null && typeof value === 'object' && typeof value.registerTool === 'function';

/** option of start() → [test, what is allowed]. */
const OPTIONS = {
  document: [(value) => value?.nodeType === 9, 'a Document'],
  baseUrl: [(value) => typeof value === 'string' && canParse(value), 'an absolute URL'],
  formats: [(value) => strings(value) && value.every((format) => ['json-ld', 'microdata', 'rdfa'].includes(format)), 'an array of "json-ld", "microdata", "rdfa"'],
  actions: [(value) => typeof value === 'boolean' || value === 'off' || value === 'on' || value === 'auto', 'true or false'],
  maxTools: [count, 'a whole number of at least 1'],
  watch: [is('boolean'), 'true or false'],
  debounceMs: [(value) => Number.isFinite(value) && value >= 0, 'milliseconds'],
  allowedHosts: [(value) => strings(value) && value.every((host) => HOST.test(host.trim())), 'an array of hosts'],
  page: [is('boolean'), 'true or false'],
  controls: [is('boolean'), 'true or false'],
  prefix: [(value) => value === '' || (is('string')(value) && !!identifier(value)), ATTRIBUTES.prefix[2]],
  profiles: [(value) => value !== null && typeof value === 'object', 'profiles as in the README'],
  custom: [Array.isArray, 'an array of tools'],
  modelContext: [surface, 'an object with registerTool()'],
  exposedTo: [strings, 'an array of origins'],
  fetchImpl: [is('function'), 'a function such as fetch'],
  timeoutMs: [count, 'milliseconds'],
  maxDepth: [count, 'a whole number of at least 1'],
  maxPayloadBytes: [count, 'a whole number of at least 1'],
  maxDescriptionLength: [count, 'a whole number of at least 1'],
  allow: [(value) => is('function')(value) || strings(value), 'a function of a tool, or an array of tool names'],
  events: [(value) => value === 'datalayer', '"datalayer"'],
  originTrial: [is('string'), 'an origin trial token'],
  inspect: [is('boolean'), 'true or false'],
  worker: [is('boolean'), 'true or false'],
  shadow: [is('boolean'), 'true or false'],
  frames: [is('boolean'), 'true or false'],
  relay: [relay, ATTRIBUTES.relay[2]],
  wasm: [(value) => is('string')(value) || value instanceof URL, 'the URL of toolmark_bg.wasm'],
};

function canParse(value) {
  try {
    return !!new URL(value);
  } catch {
    return false;
  }
}

/** Two names of which one is probably the other, mistyped: at most two letters apart. */
export function near(a, b) {
  const [x, y] = [a, b].map((name) => name.toLowerCase().replace(/[-_]/g, ''));
  if (x === y) return true;
  if (Math.abs(x.length - y.length) > 2 || Math.min(x.length, y.length) < 4) return false;
  let row = Array.from({ length: y.length + 1 }, (_, j) => j);
  for (let i = 1; i <= x.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= y.length; j += 1) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (x[i - 1] !== y[j - 1]));
    }
    row = next;
  }
  return row[y.length] <= 2;
}

/**
 * The options of a tag.
 * @param {HTMLScriptElement} script
 * @param {(level: string, code: string, message: string) => void} note
 */
export function fromTag(script, note) {
  const options = {};
  const names = Object.keys(ATTRIBUTES);
  for (const name of script.getAttributeNames().filter((name) => name.startsWith('data-')).map((name) => name.slice(5))) {
    if (!Object.hasOwn(ATTRIBUTES, name)) {
      const meant = names.find((known) => near(name, known));
      if (meant) {
        note('warn', 'option-unknown', `The tag has no attribute data-${name}; data-${meant} may be meant. Allowed are ${names.map((known) => `data-${known}`).join(', ')}.`);
      }
      continue;
    }
    const [option, read, allowed] = ATTRIBUTES[name];
    const written = script.getAttribute(`data-${name}`);
    const value = read(written);
    if (value === undefined) {
      note('warn', 'option-invalid', `data-${name}="${written}" is not understood and was ignored. Allowed is ${allowed}.`);
    } else if (option) options[option] = value;
  }
  return options;
}

/** The tag has an option of ours. */
export const hasOptions = (script) => Object.keys(ATTRIBUTES).some((name) => name !== 'wasm' && script.hasAttribute(`data-${name}`));

/** start()'s options, those that are of no use left out. */
export function checked(options, note) {
  const good = {};
  const names = Object.keys(OPTIONS);
  for (const [name, value] of Object.entries(options ?? {})) {
    if (value === undefined) continue;
    if (!Object.hasOwn(OPTIONS, name)) {
      const meant = names.find((known) => near(name, known));
      note('warn', 'option-unknown', `start() has no option '${name}'${meant ? `; '${meant}' may be meant` : ''}. Allowed are ${names.join(', ')}.`);
      continue;
    }
    const [test, allowed] = OPTIONS[name];
    let fits = false;
    try {
      fits = test(value);
    } catch {
      // A hostile object's getter: as good as a bad value.
    }
    if (fits) good[name] = value;
    else note('warn', 'option-invalid', `The option '${name}' is not understood and was ignored. Allowed is ${allowed}.`);
  }
  if (typeof good.actions === 'string') good.actions = good.actions !== 'off';
  return good;
}

/** The options that Rust takes, as JSON. */
export function forRust(options) {
  const { baseUrl, formats, actions, page, controls, prefix, allowedHosts, profiles, maxTools, maxDepth, maxPayloadBytes, maxDescriptionLength, declaredForms, shadow, frames } = options;
  return JSON.stringify({
    baseUrl, formats, actions, page, controls, prefix, allowedHosts,
    profiles: profiles && JSON.stringify(profiles),
    maxTools, maxDepth, maxPayloadBytes, maxDescriptionLength, declaredForms, shadow, frames,
  });
}
