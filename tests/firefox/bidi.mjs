// Firefox over WebDriver BiDi (https://w3c.github.io/webdriver-bidi/), spoken directly: no driver has to be installed.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import WebSocket from 'ws';

/** Milliseconds for the browser to start on a busy machine, and for one command. */
const START_MS = 120_000;
const COMMAND_MS = 120_000;

/** Where Firefox is, or nothing. */
export function find() {
  for (const name of [process.env.FIREFOX, 'firefox-esr', 'firefox'].filter(Boolean)) {
    try {
      return { command: name, version: execFileSync(name, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim() };
    } catch {
      // The next one.
    }
  }
  return undefined;
}

/** Starts Firefox with an empty profile. */
export async function launch(command, preferences = {}) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'toolmark-firefox-'));
  const quiet = { 'browser.shell.checkDefaultBrowser': false, 'datareporting.policy.dataSubmissionEnabled': false, 'app.normandy.enabled': false, 'app.update.enabled': false, 'network.captive-portal-service.enabled': false, 'network.connectivity-service.enabled': false, 'services.settings.server': 'data:,#', 'remote.active-protocols': 1, ...preferences };
  fs.writeFileSync(path.join(profile, 'user.js'), Object.entries(quiet).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(''));
  const child = spawn(command, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'], { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, MOZ_HEADLESS: '1', MOZ_CRASHREPORTER_DISABLE: '1', HOME: profile } });
  const stop = async () => {
    if (child.exitCode === null) {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    }
    fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const address = await new Promise((resolve, reject) => {
      let said = '';
      const timer = setTimeout(() => reject(new Error(`Firefox did not say where it listens: ${said.slice(-500)}`)), START_MS);
      child.on('exit', (code) => reject(new Error(`Firefox ended with ${code}: ${said.slice(-500)}`)));
      child.stderr.on('data', (data) => {
        said += data;
        const [, found] = /WebDriver BiDi listening on (ws:\S+)/.exec(said) ?? [];
        if (!found) return;
        clearTimeout(timer);
        resolve(found);
      });
    });
    const socket = new WebSocket(`${address}/session`);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const waiting = new Map();
    const listeners = new Set();
    let last = 0;
    socket.on('message', (data) => {
      const message = JSON.parse(data);
      if (message.id === undefined || message.id === null) return listeners.forEach((listener) => listener(message));
      const { resolve, reject, timer } = waiting.get(message.id);
      waiting.delete(message.id);
      clearTimeout(timer);
      return message.type === 'error' ? reject(new Error(`${message.error}: ${message.message}`)) : resolve(message.result);
    });
    const send = (method, params = {}) =>
      new Promise((resolve, reject) => {
        last += 1;
        const timer = setTimeout(reject, COMMAND_MS, new Error(`${method} was not answered`));
        waiting.set(last, { resolve, reject, timer });
        socket.send(JSON.stringify({ id: last, method, params }));
      });
    await send('session.new', { capabilities: {} });
    await send('session.subscribe', { events: ['log.entryAdded'] });
    return {
      /** Opens a page: `evaluate` runs a function there; `errors` and `warnings` are what its console got. */
      async open(url) {
        const { context } = await send('browsingContext.create', { type: 'tab' });
        const page = { errors: [], warnings: [] };
        listeners.add(({ method, params }) => {
          if (method !== 'log.entryAdded' || params.source?.context !== context) return;
          if (params.type === 'javascript' && params.level === 'error') page.errors.push(params.text);
          else if (params.level === 'warn') page.warnings.push(params.text);
        });
        await send('browsingContext.navigate', { context, url, wait: 'complete' });
        page.evaluate = async (run, ...input) => {
          const declaration = `async (text) => JSON.stringify(await (${run})(...JSON.parse(text)) ?? null)`;
          const { type, result, exceptionDetails } = await send('script.callFunction', { functionDeclaration: declaration, arguments: [{ type: 'string', value: JSON.stringify(input) }], awaitPromise: true, target: { context } });
          if (type === 'exception') throw new Error(exceptionDetails.text);
          return JSON.parse(result.value);
        };
        page.close = () => send('browsingContext.close', { context });
        return page;
      },
      async stop() {
        socket.terminate();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
