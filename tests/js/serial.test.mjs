import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSerial } from '../../js/serial.js';

/** Timers and a clock that a test moves on. */
function clock() {
  let time = 0;
  let next = 1;
  const timers = new Map();
  return {
    options: {
      now: () => time,
      setTimer: (f, ms) => (timers.set(next, { f, at: time + ms }), next++),
      clearTimer: (id) => timers.delete(id),
    },
    timers,
    async pass(ms) {
      time += ms;
      for (const [id, { f, at }] of timers) {
        if (at > time) continue;
        timers.delete(id);
        f();
      }
      await tick();
    },
  };
}
const tick = () => new Promise((resolve) => setImmediate(resolve));
const job = (act, more) => ({ tool: 'press_x', act: async (o) => (o.begin(), act(o)), ...more });

test('calls run one at a time, in order', async () => {
  const serial = createSerial();
  const log = [];
  const slow = (name) => job(async () => {
    log.push(`${name} begins`);
    await tick();
    log.push(`${name} ends`);
    return { name };
  });
  const answers = await Promise.all(['a', 'b', 'c'].map((name) => serial.run(slow(name))));
  assert.deepEqual(answers, [{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
  assert.deepEqual(log, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

test('one that only reads does not wait', async () => {
  const serial = createSerial();
  void serial.run(job(() => new Promise(() => {})));
  assert.deepEqual(await serial.run(job(() => ({ ok: true }), { parallel: true })), { ok: true });
  serial.stop();
});

test('a failing call does not hold up the next one and says its message', async () => {
  const serial = createSerial();
  const first = serial.run(job(() => { throw new Error('boom'); }));
  const second = serial.run(job(() => ({ ok: true })));
  assert.deepEqual((await first).error, { code: 'internal', message: 'The tool failed: boom', begun: true });
  assert.deepEqual(await second, { ok: true });
});

test('a repeated request id gives the first result, also while that is under way', async () => {
  const { options, pass } = clock();
  const serial = createSerial(options);
  let times = 0;
  const call = (requestId, input = '{}') => serial.run(job(async () => (await tick(), { times: ++times }), { requestId, input }));
  const [first, same] = await Promise.all([call('a'), call('a')]);
  assert.deepEqual([first, same, await call('a')], [{ times: 1 }, { times: 1 }, { times: 1 }]);
  assert.deepEqual(await call('b'), { times: 2 });
  assert.equal((await call('a', '{"other":1}')).error.code, 'invalid_parameter');
  await pass(599_000);
  assert.deepEqual(await call('a'), { times: 1 });
  await pass(2_000);
  assert.deepEqual(await call('a'), { times: 3 });
});

test('at most 200 results are kept', async () => {
  const serial = createSerial();
  let times = 0;
  const call = (requestId) => serial.run(job(() => ({ times: ++times }), { requestId }));
  for (let i = 0; i < 201; i += 1) await call(`r${i}`);
  assert.deepEqual(await call('r1'), { times: 2 });
  assert.deepEqual(await call('r0'), { times: 202 });
});

test('what was refused before anything happened may be tried again, what the person refused may not', async () => {
  const serial = createSerial();
  const answers = [{ error: { code: 'not_allowed' } }, { error: { code: 'confirmation_declined' } }, { ok: true }];
  let asked = 0;
  const call = () => serial.run({ tool: 'x', requestId: 'a', prepare: async () => answers[asked++], act: async () => ({ ok: true }) });
  assert.equal((await call()).error.code, 'not_allowed');
  assert.equal((await call()).error.code, 'confirmation_declined');
  assert.equal((await call()).error.code, 'confirmation_declined');
  assert.equal(asked, 2);
});

test('a call past its time ends and says whether it was begun', async () => {
  const { options, pass } = clock();
  const serial = createSerial(options);
  let stopped;
  const begun = serial.run({ tool: 'x', timeout: 5000, act: ({ begin, signal }) => (begin(), (stopped = signal), new Promise(() => {})) });
  const next = serial.run({ tool: 'y', act: async () => ({ ok: true }) });
  await tick();
  await pass(5000);
  assert.deepEqual((await begun).error, {
    code: 'timeout', message: 'The call took longer than 5 seconds. The action was begun and may still take effect.', hint: 'Look at the page before you try again.', begun: true,
  });
  assert.equal(stopped.aborted, true);
  assert.deepEqual(await next, { ok: true });
  const idle = serial.run({ tool: 'x', act: () => new Promise(() => {}) });
  await tick();
  await pass(30_000);
  assert.deepEqual((await idle).error, { code: 'timeout', message: 'The call took longer than 30 seconds. Nothing was done.', begun: false });
});

test('the person may take longer than a call may', async () => {
  const { options, pass } = clock();
  const serial = createSerial(options);
  let agree;
  const answer = serial.run({ tool: 'x', timeout: 1000, prepare: () => new Promise((resolve) => (agree = resolve)), act: async () => ({ ok: true }) });
  await tick();
  await pass(50_000);
  agree();
  assert.deepEqual(await answer, { ok: true });
});

test('who waits too long gives up; those behind keep their place', async () => {
  const { options, pass } = clock();
  const serial = createSerial(options);
  let agree;
  const first = serial.run({ tool: 'a', prepare: () => new Promise((resolve) => (agree = resolve)), act: async () => ({ a: 1 }) });
  const second = serial.run({ tool: 'b', act: async () => ({ b: 1 }) });
  await tick();
  await pass(20_000);
  let ran = false;
  const third = serial.run({ tool: 'c', act: async () => ((ran = true), { c: 1 }) });
  await tick();
  await pass(10_000);
  assert.equal((await second).error.code, 'timeout');
  assert.equal(ran, false);
  agree();
  assert.deepEqual([await first, await third], [{ a: 1 }, { c: 1 }]);
});

test('the caller and stop() call it off', async () => {
  const serial = createSerial();
  const controller = new AbortController();
  const running = serial.run(job(() => new Promise(() => {})), controller.signal);
  const waiting = serial.run(job(() => ({ ok: true })));
  await tick();
  controller.abort();
  assert.deepEqual([(await running).error.code, (await running).error.begun], ['cancelled', true]);
  assert.deepEqual(await waiting, { ok: true });
  const last = serial.run(job(() => new Promise(() => {})));
  await tick();
  serial.stop();
  assert.equal((await last).error.code, 'cancelled');
  assert.equal((await serial.run(job(() => ({ ok: true })))).error.code, 'cancelled');
});

test('more than twenty waiting calls are busy', async () => {
  const serial = createSerial();
  const call = () => serial.run(job(() => new Promise(() => {})));
  void call();
  await tick();
  const calls = Array.from({ length: 21 }, call);
  assert.equal((await calls[20]).error.code, 'busy');
  serial.stop();
  assert.equal((await calls[19]).error.code, 'cancelled');
});

test('one that only waits lets the next one act', async () => {
  const serial = createSerial();
  let finish;
  const first = serial.run(job(({ release }) => (release(), new Promise((resolve) => (finish = resolve)))));
  assert.deepEqual(await serial.run(job(() => ({ ok: true }))), { ok: true });
  finish({ late: true });
  assert.deepEqual(await first, { late: true });
});
