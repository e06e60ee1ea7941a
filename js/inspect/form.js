// A form made from a tool's input schema, and the input that it holds.

/** What a person filled in cannot be sent. */
export class InputError extends Error {}

/**
 * @param {Function} make as in make.js
 * @param {object} schema a tool's `inputSchema`
 * @param {string} prefix of the fields' ids
 * @returns {{fields: HTMLElement[], input: () => object}} `input` throws an InputError
 */
export function fieldsOf(make, schema, prefix) {
  const required = new Set(schema?.required ?? []);
  const readers = [];
  const fields = Object.entries(schema?.properties ?? {}).map(([name, one], index) => {
    const [field, read] = fieldOf(make, name, one ?? {}, required.has(name), `${prefix}-${index}`);
    readers.push([name, read]);
    return field;
  });
  const input = () => Object.fromEntries(readers.map(([name, read]) => [name, read()]).filter(([, value]) => value !== undefined));
  return { fields, input };
}

function fieldOf(make, name, schema, required, id) {
  const hint = schema.description ? make('p', { class: 'hint', id: `${id}-hint`, dir: 'auto' }, schema.description) : undefined;
  const told = { id, 'aria-describedby': hint && `${id}-hint`, 'aria-required': required ? 'true' : undefined };
  const label = make('label', { for: id }, make('code', {}, name), required ? ' (required)' : '');
  const choices = schema.enum ?? (schema.type === 'array' && schema.items?.enum);
  if (schema.type === 'array' && choices) return group(make, name, choices, hint, id);
  if (choices) {
    const select = make('select', told, make('option', { value: '' }, '–'), ...choices.map((choice, at) => make('option', { value: String(at) }, String(choice))));
    return [make('div', { class: 'field' }, label, select, hint), () => (select.value === '' ? undefined : choices[Number(select.value)])];
  }
  if (schema.type === 'boolean') {
    const box = make('input', { type: 'checkbox', ...told });
    return [make('div', { class: 'field check' }, box, label, hint), () => (box.checked ? true : required ? false : undefined)];
  }
  if (schema.type === 'integer' || schema.type === 'number') {
    const box = make('input', { type: 'number', step: schema.type === 'integer' ? '1' : 'any', min: schema.minimum, max: schema.maximum, ...told });
    return [make('div', { class: 'field' }, label, box, hint), () => (box.value === '' ? undefined : Number(box.value))];
  }
  if (schema.type === 'string' || schema.type === undefined) {
    const box = make('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', dir: 'auto', ...told });
    // What is left empty is not sent, so that "required" can be seen at work.
    return [make('div', { class: 'field' }, label, box, hint), () => (box.value === '' ? undefined : box.value)];
  }
  const box = make('textarea', { rows: '3', spellcheck: 'false', placeholder: schema.type === 'array' ? '["…"]' : '{"…": "…"}', ...told });
  label.append(' as JSON');
  return [make('div', { class: 'field' }, label, box, hint), () => {
    if (!box.value.trim()) return undefined;
    try {
      return JSON.parse(box.value);
    } catch (error) {
      throw new InputError(`'${name}' is no JSON: ${error.message}`);
    }
  }];
}

/** Several of a few values. */
function group(make, name, choices, hint, id) {
  const boxes = choices.map((choice, at) => [make('input', { type: 'checkbox', id: `${id}-${at}` }), choice]);
  const items = boxes.map(([box, choice], at) => make('span', { class: 'choice' }, box, make('label', { for: `${id}-${at}` }, String(choice))));
  const read = () => {
    const chosen = boxes.filter(([box]) => box.checked).map(([, choice]) => choice);
    return chosen.length ? chosen : undefined;
  };
  return [make('fieldset', { class: 'field', 'aria-describedby': hint && `${id}-hint` }, make('legend', {}, make('code', {}, name)), ...items, hint), read];
}
