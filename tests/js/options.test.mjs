import assert from 'node:assert/strict';
import test from 'node:test';
import { checked, forRust, fromTag, near } from '../../js/options.js';

/** A script tag with these attributes. */
const script = (attributes) => ({
  getAttributeNames: () => Object.keys(attributes),
  getAttribute: (name) => attributes[name],
});
const collect = (read, input) => {
  const notes = [];
  const options = read(input, (level, code, message) => notes.push([level, code, message]));
  return { options, notes };
};

test('attributes become options', () => {
  const { options, notes } = collect(fromTag, script({
    src: 'x.js', 'data-actions': 'OFF', 'data-max-tools': ' 12 ', 'data-allow-hosts': 'A.example, b.example:8443', 'data-toolmark': '', 'data-inspect': '', 'data-relay': 'ws://127.0.0.1:9333', 'data-foreign': 'x',
  }));
  assert.deepEqual(options, { actions: false, maxTools: 12, allowedHosts: ['a.example', 'b.example:8443'], inspect: true, relay: 'ws://127.0.0.1:9333' });
  assert.deepEqual(notes, []);
});

for (const [name, value] of [['data-max-tools', '0'], ['data-max-tools', '1e3'], ['data-watch', 'maybe'], ['data-allow-hosts', 'http://x/'], ['data-prefix', '9x'], ['data-relay', 'ws://evil.example:1'], ['data-events', 'ga']]) {
  test(`${name}="${value}" is told and ignored`, () => {
    const { options, notes } = collect(fromTag, script({ [name]: value }));
    assert.deepEqual(options, {});
    assert.deepEqual(notes.map(([level, code]) => [level, code]), [['warn', 'option-invalid']]);
    assert.ok(notes[0][2].includes(name) && notes[0][2].includes('Allowed is'));
  });
}

test('a mistyped name is told with what may be meant, another tool\'s attribute is not', () => {
  assert.match(collect(fromTag, script({ 'data-max-tool': '3' })).notes[0][2], /data-max-tools may be meant/);
  assert.deepEqual(collect(fromTag, script({ 'data-cfasync': 'false', 'data-domain': 'x' })).notes, []);
  assert.match(collect(checked, { maxtool: 3 }).notes[0][2], /'maxTools' may be meant/);
  assert.ok(near('allowHosts', 'allow-hosts'));
  assert.ok(!near('page', 'watch'));
});

test('hostile options are told, not thrown', () => {
  const surface = { get registerTool() { throw new Error('no'); } };
  const { options, notes } = collect(checked, { modelContext: surface, constructor: 1, actions: 'off', maxTools: Number.NaN, debounceMs: 0, formats: ['json-ld', 3] });
  assert.deepEqual(options, { actions: false, debounceMs: 0 });
  assert.deepEqual(notes.map(([, code]) => code).sort(), ['option-invalid', 'option-invalid', 'option-invalid', 'option-unknown']);
  assert.deepEqual(collect(checked, null).options, {});
});

test('only what Rust reads is handed to it', () => {
  assert.deepEqual(JSON.parse(forRust({ maxTools: 3, allow: () => true, profiles: { a: 1 } })), { maxTools: 3, profiles: '{"a":1}' });
});
