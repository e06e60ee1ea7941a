import assert from 'node:assert/strict';
import test from 'node:test';
import { createRegistry } from '../../js/register.js';

const definition = (name, more = {}) => ({ name, title: name, description: `About ${name}.`, inputSchema: { type: 'object' }, annotations: {}, source: { kind: 'entity' }, ...more });

/** A surface that refuses some names. */
function surface(taken = [], refuse = () => Object.assign(new Error('Duplicate tool name'), { name: 'InvalidStateError' })) {
  const tools = new Map();
  const asked = [];
  return {
    tools,
    asked,
    async registerTool(tool, options) {
      asked.push([tool.name, options.exposedTo]);
      if (taken.includes(tool.name)) throw refuse();
      tools.set(tool.name, tool);
      options.signal.addEventListener('abort', () => tools.get(tool.name) === tool && tools.delete(tool.name));
    },
  };
}
const call = async () => ({});

test('what stays the same is not registered again, one changed definition is', async () => {
  const on = surface();
  const registry = createRegistry({ call });
  assert.deepEqual(await registry.sync(on, [definition('a'), definition('b')]), { added: ['a', 'b'], removed: [], kept: [], changed: [] });
  assert.deepEqual(await registry.sync(on, [definition('a', { source: { kind: 'list' } }), definition('b', { description: 'Other.' }), definition('c')]), { added: ['c'], removed: [], kept: ['a'], changed: ['b'] });
  assert.deepEqual(on.asked.map(([name]) => name), ['a', 'b', 'b', 'c']);
  registry.stop();
  assert.deepEqual([...on.tools.keys()], []);
});

test('a taken name costs that name only', async () => {
  const on = surface(['a']);
  const registry = createRegistry({ call });
  await registry.sync(on, [definition('a'), definition('b')]);
  assert.deepEqual([...on.tools.keys()].sort(), ['b', 'page_a']);
  assert.equal(registry.nameOf('a'), 'page_a');
  assert.deepEqual(registry.problems().map((one) => one.code), ['tool-renamed']);
});

test('what a policy forbids is told once and asked once for each tool', async () => {
  const on = surface(['a', 'b'], () => Object.assign(new Error('denied'), { name: 'NotAllowedError' }));
  const registry = createRegistry({ call });
  await registry.sync(on, [definition('a'), definition('b')]);
  assert.deepEqual(registry.problems().map((one) => one.code), ['register-failed']);
  assert.deepEqual(on.asked.length, 2);
});

for (const [what, registerTool] of Object.entries({
  'throws': () => { throw new Error('no'); },
  'throws nothing': () => { throw undefined; },
  'rejects': async () => { throw new Error('no'); },
  'never answers': () => new Promise(() => {}),
  'answers with nothing': () => undefined,
})) {
  test(`survived: registerTool() ${what}`, async () => {
    const registry = createRegistry({ call });
    const change = await registry.sync(Object.freeze({ registerTool }), [definition('a')]);
    assert.deepEqual(change.added, ['a']);
    assert.deepEqual(registry.problems().length, /throws|rejects/.test(what) ? 1 : 0);
    registry.stop();
  });
}

test('exposedTo is passed on; a new surface gets all tools', async () => {
  const [one, two] = [surface(), surface()];
  const registry = createRegistry({ call, exposedTo: ['https://agent.example'] });
  await registry.sync(one, [definition('a')]);
  await registry.sync(two, [definition('a')]);
  assert.deepEqual([one.asked, two.asked, one.tools.size], [[['a', ['https://agent.example']]], [['a', ['https://agent.example']]], 0]);
});

test('the page gets a name that it wants', async () => {
  const on = surface();
  const registry = createRegistry({ call });
  await registry.sync(on, [definition('a')]);
  assert.equal(registry.yields('other'), false);
  assert.equal(registry.yields('a'), true);
  await Promise.resolve();
  assert.deepEqual([...on.tools.keys()], ['page_a']);
});
