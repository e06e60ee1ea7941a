// npm run soak -- [--minutes N] [--seed S] [--surface native|polyfill] [--json FILE]
import fs from 'node:fs';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import { soak } from './soak.mjs';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '1' }, seed: { type: 'string', default: '1' }, surface: { type: 'string', default: 'polyfill' }, json: { type: 'string' } } });
const end = Date.now() + Number(values.minutes) * 60_000;

test(`${values.minutes} minutes on ${values.surface}, seed ${values.seed}`, async () => {
  const told = await soak({
    surface: values.surface,
    seed: Number(values.seed),
    until: () => Date.now() > end,
    pause: 40,
    said: ({ steps, checkpoints, heap, failures }) => checkpoints % 10 === 1 && console.log(`# ${steps} steps, ${checkpoints} checkpoints, heap ${heap.at(-1)}, ${failures.length} failures`),
  });
  if (values.json) fs.writeFileSync(values.json, `${JSON.stringify({ ...values, ...told }, null, 1)}\n`);
  const { steps, checkpoints, heap, grown, heldGrown: held, failures } = told;
  console.log(`# ${steps} steps, ${checkpoints} checkpoints, heap ${heap[2] ?? heap[0]} at first, ${heap.at(-1)} at last, grown by ${grown}, of which scripts hold ${held}`);
  assert.deepEqual(failures, []);
});
