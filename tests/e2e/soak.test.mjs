// The short form of `npm run soak`: a fixed number of steps of a page's life on each surface.
import assert from 'node:assert/strict';
import test from 'node:test';
import { SURFACES } from './support.mjs';
import { soak } from '../soak/soak.mjs';

for (const surface of SURFACES) {
  test(`240 steps of a page's life, ${surface}`, async () => {
    const { failures, checkpoints } = await soak({ surface, seed: 7, steps: 240 });
    assert.deepEqual(failures, []);
    assert.equal(checkpoints, 5);
  });
}
