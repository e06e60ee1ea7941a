import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unknown, violation } from '../../js/check.js';

const order = {
  type: 'object',
  properties: {
    items: {
      type: 'array', minItems: 1, maxItems: 3, uniqueItems: true,
      items: { type: 'object', properties: { sku: { type: 'string', pattern: '^[A-Z]{2}\\d+$' }, count: { type: 'integer', minimum: 1 } }, required: ['sku'], additionalProperties: false },
    },
    note: { type: ['string', 'null'], maxLength: 5 },
    pay: { enum: ['card', 'cash'] },
    price: { type: 'number', exclusiveMinimum: 0, multipleOf: 0.01 },
    to: { anyOf: [{ type: 'string', minLength: 2 }, { type: 'object', required: ['city'] }] },
  },
  required: ['items'],
  additionalProperties: false,
};

test('what fits passes', () => {
  for (const input of [
    { items: [{ sku: 'AB1' }] },
    { items: [{ sku: 'AB1', count: 2 }, { sku: 'AB2' }], note: null, pay: 'cash', price: 0.07, to: { city: 'Bern' } },
    { items: [{ sku: 'AB1' }], note: '😀😀😀😀😀', to: 'Bern' },
  ]) assert.equal(violation(order, input), undefined);
  assert.equal(violation({}, 5), undefined);
  assert.equal(violation(undefined, 5), undefined);
});

test('what does not is named by path and rule', () => {
  const item = { sku: 'AB1' };
  for (const [input, path, rule, message] of [
    [[], '', 'type', 'The input must be of type object, not array.'],
    [{}, 'items', 'required', "'items' is required."],
    [{ items: [] }, 'items', 'minItems', "'items' must have at least 1 entries."],
    [{ items: [item, item] }, 'items', 'uniqueItems', "'items' must not repeat an entry."],
    [{ items: [item, { sku: 'x' }] }, 'items[1].sku', 'pattern', "'items[1].sku' must match ^[A-Z]{2}\\d+$."],
    [{ items: [{ sku: 'AB1', count: 0 }] }, 'items[0].count', 'minimum', "'items[0].count' must be at least 1, not 0."],
    [{ items: [{ sku: 'AB1', count: 1.5 }] }, 'items[0].count', 'type', "'items[0].count' must be of type integer, not number."],
    [{ items: [{ sku: 'AB1', size: 1 }] }, 'items[0].size', 'additionalProperties', "'items[0].size' is not a parameter; there are sku, count."],
    [{ items: [{}] }, 'items[0].sku', 'required', "'items[0].sku' is required."],
    [{ items: [item], note: 'abcdef' }, 'note', 'maxLength', "'note' must have at most 5 characters."],
    [{ items: [item], note: 1 }, 'note', 'type', "'note' must be of type string or null, not number."],
    [{ items: [item], pay: 'gold' }, 'pay', 'enum', '\'pay\' must be one of "card", "cash".'],
    [{ items: [item], price: 0 }, 'price', 'exclusiveMinimum', "'price' must be greater than 0, not 0."],
    [{ items: [item], price: 0.005 }, 'price', 'multipleOf', "'price' must be a multiple of 0.01."],
    [{ items: [item], to: 'B' }, 'to', 'anyOf', "'to' fits none of the forms that are allowed."],
    [{ items: [item], constructor: 1 }, 'constructor', 'additionalProperties', "'constructor' is not a parameter; there are items, note, pay, price, to."],
  ]) {
    const found = violation(order, input);
    assert.deepEqual({ path: found.path, rule: found.rule, message: found.message }, { path, rule, message });
  }
  assert.equal(violation({ properties: { toString: false } }, {}), undefined);
  assert.equal(violation({ required: ['toString'] }, {}).path, 'toString');
  assert.equal(violation({ const: { a: 1, b: 2 } }, { b: 2, a: 1 }), undefined);
  assert.equal(violation({ oneOf: [{ type: 'number' }, { minimum: 1 }] }, 5).rule, 'oneOf');
  assert.equal(violation({ not: { type: 'string' } }, 'x').rule, 'not');
});

test('endless schemas and inputs end', () => {
  const schema = { type: 'object', properties: {} };
  schema.properties.next = schema;
  let input = {};
  for (let i = 0; i < 10_000; i += 1) input = { next: input };
  assert.equal(violation(schema, input), undefined);
  assert.deepEqual(unknown(schema), []);
});

test('keywords that are not understood are found', () => {
  assert.deepEqual(unknown({ properties: { a: { $ref: '#/x' }, b: { items: { if: {} } } } }), ['$ref', 'if']);
});
