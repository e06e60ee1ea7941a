// Input against JSON Schema: what of it a tool's own schema is likely to use. Our generated tools are checked in
// Rust (src/tools/schema.rs); a site's own schema may hold regular expressions, which only the browser can run.

/** Levels that are looked at; a schema of a tool's input nests three deep. */
const MAX_DEPTH = 32;

const kindOf = (value) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
const isKind = (value, kind) => (kind === 'integer' ? Number.isInteger(value) : kindOf(value) === kind);
const show = (value) => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};
const same = (a, b) => a === b || canonical(a) === canonical(b);
const canonical = (value) => JSON.stringify(value, (_, inner) =>
  (kindOf(inner) === 'object' ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner));
const own = (object, key) => Object.prototype.hasOwnProperty.call(object, key);

/** One rule of a schema each: the rest of a sentence that starts with the value's path, or nothing if it holds. */
const RULES = {
  type: (value, kinds) => ![kinds].flat().some((kind) => isKind(value, kind)) && `must be of type ${[kinds].flat().join(' or ')}, not ${kindOf(value)}`,
  enum: (value, values) => !values.some((one) => same(one, value)) && `must be one of ${values.map(show).join(', ')}`,
  const: (value, one) => !same(one, value) && `must be ${show(one)}`,
  minimum: (value, least) => typeof value === 'number' && value < least && `must be at least ${least}, not ${value}`,
  maximum: (value, most) => typeof value === 'number' && value > most && `must be at most ${most}, not ${value}`,
  exclusiveMinimum: (value, limit) => typeof value === 'number' && value <= limit && `must be greater than ${limit}, not ${value}`,
  exclusiveMaximum: (value, limit) => typeof value === 'number' && value >= limit && `must be less than ${limit}, not ${value}`,
  multipleOf: (value, step) => {
    const times = value / step;
    return typeof value === 'number' && Math.abs(times - Math.round(times)) > 1e-9 && `must be a multiple of ${step}`;
  },
  minLength: (value, least) => typeof value === 'string' && [...value].length < least && `must have at least ${least} characters`,
  maxLength: (value, most) => typeof value === 'string' && [...value].length > most && `must have at most ${most} characters`,
  pattern: (value, pattern) => typeof value === 'string' && !regex(pattern).test(value) && `must match ${pattern}`,
  minItems: (value, least) => Array.isArray(value) && value.length < least && `must have at least ${least} entries`,
  maxItems: (value, most) => Array.isArray(value) && value.length > most && `must have at most ${most} entries`,
  uniqueItems: (value, unique) => unique && Array.isArray(value) && new Set(value.map(canonical)).size < value.length && 'must not repeat an entry',
  minProperties: (value, least) => kindOf(value) === 'object' && Object.keys(value).length < least && `must have at least ${least} members`,
  maxProperties: (value, most) => kindOf(value) === 'object' && Object.keys(value).length > most && `must have at most ${most} members`,
};

function regex(pattern) {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}

/**
 * What of `value` the schema forbids, or nothing.
 * @returns {{code: string, path: string, rule: string, message: string} | undefined} the first violation: `path` as in `items[0].size`,
 *   `rule` the schema's keyword
 */
export function violation(schema, value, path = '', depth = 0) {
  const broken = (rule, message, at = path) => ({
    code: rule === 'required' ? 'missing_parameter' : 'invalid_parameter', path: at, rule, message: `${at ? `'${at}'` : 'The input'} ${message}.`,
  });
  if (schema === true || depth > MAX_DEPTH || schema === undefined) return undefined;
  if (schema === false) return broken('false', 'is not allowed');
  for (const [rule, test] of Object.entries(RULES)) {
    if (!own(schema, rule)) continue;
    const message = test(value, schema[rule]);
    if (message) return broken(rule, message);
  }
  const kind = kindOf(value);
  if (kind === 'object') {
    const at = (name) => (path ? `${path}.${name}` : name);
    const properties = schema.properties ?? {};
    for (const name of schema.required ?? []) {
      if (!own(value, name) || value[name] === undefined) return broken('required', 'is required', at(name));
    }
    for (const name of Object.keys(value)) {
      const known = own(properties, name);
      const rest = schema.additionalProperties;
      if (!known && rest === false) return broken('additionalProperties', `is not a parameter; there ${Object.keys(properties).length ? `are ${Object.keys(properties).join(', ')}` : 'are none'}`, at(name));
      const found = violation(known ? properties[name] : rest, value[name], at(name), depth + 1);
      if (found) return found;
    }
  } else if (kind === 'array') {
    const before = schema.prefixItems ?? [];
    for (let i = 0; i < value.length; i += 1) {
      const found = violation(before[i] ?? schema.items, value[i], `${path}[${i}]`, depth + 1);
      if (found) return found;
    }
  }
  const fits = (one) => !violation(one, value, path, depth + 1);
  for (const one of schema.allOf ?? []) {
    const found = violation(one, value, path, depth + 1);
    if (found) return found;
  }
  if (schema.anyOf && !schema.anyOf.some(fits)) {
    // Where only one is meant, its own complaint helps more.
    return schema.anyOf.length === 1 ? violation(schema.anyOf[0], value, path, depth + 1) : broken('anyOf', 'fits none of the forms that are allowed');
  }
  if (schema.oneOf && schema.oneOf.filter(fits).length !== 1) return broken('oneOf', 'must fit exactly one of the forms that are allowed');
  if (schema.not !== undefined && fits(schema.not)) return broken('not', 'has a form that is not allowed');
  return undefined;
}

/** Keywords that are not understood, so that a site can be told. */
export function unknown(schema, depth = 0) {
  if (schema === null || typeof schema !== 'object' || depth > MAX_DEPTH) return [];
  const found = ['$ref', '$dynamicRef', 'patternProperties', 'dependentRequired', 'dependentSchemas', 'if', 'contains', 'propertyNames', 'unevaluatedProperties'].filter((name) => own(schema, name));
  const inner = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties, ...['anyOf', 'oneOf', 'allOf'].flatMap((name) => schema[name] ?? [])];
  return [...new Set([...found, ...inner.flatMap((one) => unknown(one, depth + 1))])];
}
