// The running handle: maps the page, keeps its tools registered, answers calls.
import { checked, forRust } from './options.js';
import { connect } from './engine.js';
import { LoadError, loadNow, renew } from './load.js';
import { MAX_ROOTS, elements, seeing, taking, whole } from './snapshot.js';
import { createRegistry } from './register.js';
import { install } from './polyfill.js';
import { alias } from './relay.js';
import { now, quiet } from './quiet.js';
import { changes } from './changes.js';
import { watch } from './watch.js';
import { another } from './neighbour.js';
import beside from 'toolmark:beside';
import calls from 'toolmark:calls';
import { defined } from './define-tool.js';
import { failure } from './serial.js';
import { PARSE_WAIT_MS, parsed } from './parsed.js';

export { defineTool, defineResource, definePrompt } from './define-tool.js';

export const version = __VERSION__;

/** Where a document keeps what runs in it: the same for every copy and version of Toolmark. */
const RUNNING = Symbol.for('toolmark.running');
/** Where a polyfill keeps what undoes it, from one build to the one that takes its place. */
const KEPT = __BESIDE__ && Symbol.for('toolmark.polyfill');
/** Calls that are remembered. */
const MAX_CALLS = 100;
/** A site's own index of the page is waited for this long, and read up to this many characters. */
const MANIFEST_MS = 3000;
const MAX_MANIFEST = 1_000_000;
/** A page that changes while it is read in slices is begun anew this often; then it is read at once. */
const MAX_TRIES = 3;
/**
 * Who asks the polyfill for tools waits this many milliseconds for the first ones: a network may never bring what they are
 * made by. After as many another script that puts a surface of its own into the page has done so.
 */
const ASKED_MS = 10_000;

/** Password fields that were seen on pages with controls. */
const passwords = new WeakSet();

/** The script tag, and so what lies beside it. */
let home = {};

const unmapped = (error) => ({ level: 'error', code: 'remap-failed', message: `This page could not be mapped: ${error?.message ?? error}. Please report it with the page's address.` });
const none = () => [];
const GONE = failure('gone', 'This page no longer offers tools.');
const unchanged = (kept = []) => ({ added: [], removed: [], kept, changed: [] });

/** The running copy's promise, once there is one (script tag). */
export const ready = running(globalThis.document)?.promise;

/** What runs in a document, which somebody wants now. */
function running(document) {
  const entry = document?.[RUNNING];
  entry?.want?.();
  return entry;
}

/**
 * Starts Toolmark in a document, once.
 * @returns {Promise<object>} the handle; a document where it runs already gives the running one
 */
export function start(options = {}) {
  return begin(options);
}

/**
 * The same for the tag, which has diagnostics and something to undo of its own, knows where it came from, and where only
 * our own polyfill would show tools, waits until somebody asks for them.
 */
export function begin(options, { diagnostics = [], undo = [], tag } = {}) {
  const document = options?.document?.nodeType === 9 ? options.document : globalThis.document;
  if (!document) return Promise.reject(new TypeError('Toolmark needs a document.'));
  if (tag) home = tag;
  const other = tag ? document[RUNNING] : running(document);
  if (other) {
    other.again?.(version);
    return other.promise;
  }
  const session = new Session(document, options, diagnostics, undo);
  if (__BESIDE__ && tag) session.wanted = new Promise((resolve) => (session.want = () => resolve()));
  document[RUNNING] = session;
  session.undo.push(() => {
    if (document[RUNNING] === session) delete document[RUNNING];
  });
  session.promise = session.run();
  return session.promise;
}

/**
 * What the readers see, before merging and mapping.
 * @param {Document | Element} [root]
 */
export function read(root = globalThis.document, options = {}) {
  return JSON.parse(loadNow(home).read(root, forRust(checked(options, () => {}))));
}

/** The running handle's manifest, once there is one. */
export function manifest(document = globalThis.document) {
  return running(document)?.manifest?.();
}

/** Opens the inspector of what runs in a document. */
export async function inspect(document = globalThis.document) {
  await running(document)?.inspect?.();
}

class Session {
  constructor(document, options, diagnostics, undo) {
    this.document = document;
    this.view = document.defaultView ?? globalThis;
    this.undo = [...undo];
    this.noted = [...diagnostics];
    this.options = checked(options, (level, code, message) => this.note(level, code, message));
    this.found = [];
    this.definitions = [];
    this.log = [];
    this.stopped = false;
    this.queue = this.sight = Promise.resolve();
    this.registry = createRegistry({ exposedTo: this.options.exposedTo, call: (name, input, context) => this.call(name, input, context) });
    this.handle = {
      tools: () => this.tools(),
      diagnostics: () => [...this.noted, ...this.found, ...quiet(() => this.registry.problems(), none)(), ...changes(this.view)].map((one) => ({ ...one })),
      entities: () => this.here((adapter) => adapter.entities()) ?? [],
      calls: () => this.log.map((one) => ({ ...one })),
      manifest: () => quiet(() => this.manifest(), () => ({}))(),
      refresh: () => this.refresh(),
      stop: () => this.stop(),
    };
  }

  /** Does what a call came to that acts, or asks a site. Most pages see none: what it takes is loaded with the first. */
  async doing(what) {
    const { createActor, createPerformer } = await calls(home, (error) => this.note('warn', 'calls-missing', error.message));
    if (this.stopped) return GONE;
    this.parts ??= {
      performer: createPerformer({
        adapter: {
          readHtml: (document, url, base, ...range) => this.ask('readHtml', whole(document, this.plan, base), url, base, ...range),
          readText: (...input) => this.ask('readText', ...input),
        },
        options: this.options,
      }),
      actor: createActor({
        document: this.document,
        clean: (json) => (this.plan ? this.ask('clean', json) : json),
        call: (name, input) => this.outcome(name, input),
        nameOf: (name) => this.registry.nameOf(name),
        passwords,
        refresh: () => {
          this.watcher.touch();
          return this.refresh();
        },
      }),
    };
    return what(this.parts);
  }

  note(level, code, message) {
    if (this.noted.some((one) => one.code === code && one.message === message)) return;
    this.noted.push({ level, code, message });
    if (level !== 'info') this.view.console?.warn(`[toolmark] ${message}`);
  }

  again(other) {
    this.note('warn', 'started-twice', `Toolmark${other === version ? '' : ` ${other}`} was started again in this document; the one that runs (${version}) goes on. One tag or one start() is enough.`);
  }

  async run() {
    try {
      this.lookForSurface();
      if (__BESIDE__ && this.wanted) await asked(this);
      // A page that is prepared ahead has no worker yet, and may never be shown.
      if (__BESIDE__ && this.document.prerendering) await new Promise((resolve) => this.document.addEventListener('prerenderingchange', resolve, { once: true }));
      // The site's own tools need nothing that a network may bring late or never.
      if (__BESIDE__) setTimeout(quiet(() => this.defined || (this.all().length && this.offerDefined())), PARSE_WAIT_MS);
      const [{ plan, slow }] = await Promise.all([this.open(), parsed(this.document)]);
      if (this.stopped) return this.handle;
      if (slow) this.note('info', 'nowasm', `${slow} Until then the page is read by toolmark.nowasm.js, which takes longer.`);
      this.plan = plan;
      const { follow = this.options.watch !== false } = {};
      this.watcher = watch(this.document, plan, {
        follow,
        debounceMs: this.options.debounceMs,
        look: () => void this.refresh(),
        failed: (error) => this.note('warn', 'following-failed', `Changes of this page are seen only when a tool is called: ${error?.message ?? error}.`),
      });
      await this.offerDefined();
      if (this.document.readyState === 'loading') this.onceParsed();
    } catch (error) {
      if (__BESIDE__ && this.wanted && error.build) {
        const other = await renewed(this, error.build);
        if (other) return other;
      }
      const known = error instanceof LoadError;
      this.note(known ? 'warn' : 'error', known ? error.code : 'start-failed', known ? error.message : `Toolmark could not start: ${error?.message ?? error}.`);
      // The site's own tools need nothing that could be missing.
      await this.offerDefined();
    }
    const { relay } = this.options;
    if (relay) {
      beside('relay', home.src).then(({ carry }) => this.stopped || this.undo.push(carry(this, relay)), (error) => this.missing('relay', error));
    }
    if (this.inspects()) void this.inspect();
    return this.handle;
  }

  /** The inspector is to open by itself. */
  inspects() {
    const { hostname, search } = this.view.location ?? {};
    return this.options.inspect || (/^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname) && /[?&]toolmark=inspect\b/.test(search));
  }

  /** Opens the inspector, which is a script of its own beside this one; `own` opens it in another way. */
  inspect(own) {
    this.inspector ??= beside('inspect', home.src).then(({ open }) => {
      if (this.stopped) return undefined;
      const panel = (own || open)(this);
      this.undo.push(() => panel.close());
      return panel;
    });
    return this.inspector.then((panel) => panel?.show(), (error) => {
      this.inspector = undefined;
      this.missing('inspector', error);
    });
  }

  /** A script beside this one did not come. */
  missing(what, { message }) {
    this.note('warn', `${what}-missing`, `toolmark.${what.slice(0, 7)}.js could not be loaded: ${message}. Serve it beside toolmark.js.`);
  }

  /** Offers what there is, and from now on what the site defines. */
  offerDefined() {
    this.defined = () => {
      this.redefined = true;
      void this.refresh();
    };
    return this.refresh();
  }

  onceParsed() {
    const listener = () => void this.refresh();
    this.document.addEventListener('DOMContentLoaded', listener, { once: true });
    this.undo.push(() => this.document.removeEventListener('DOMContentLoaded', listener));
  }

  /** The compiled half with an adapter for this page. */
  open(broken) {
    const { wasm } = this.options;
    this.json = forRust({ ...this.options, declaredForms: this.declaredForms });
    // A policy that the page or the tag shows would call a worker a violation.
    const worker = this.options.worker ?? !this.document.querySelector('meta[http-equiv="content-security-policy" i]');
    this.engine = Promise.resolve(broken).then((broken) => connect(this.json, { wasm, tag: home, worker, broken }));
    this.engine.then((engine) => this.stopped && engine.close(), () => {});
    return this.engine;
  }

  /** Calls a method of the adapter. */
  async ask(...message) {
    return (await this.engine).ask(...message);
  }

  /** The instance broke: another one takes its place, and the page is looked at anew. */
  renew() {
    const last = this.engine?.then((engine) => {
      engine.close();
      return engine.home;
    }, () => {});
    this.kept = this.indexed = undefined;
    if (this.plan) this.plan.last = undefined;
    if (!this.stopped) this.open(last);
  }

  /** The elements of one root as the inspector counts them. */
  elements(root) {
    return this.plan ? elements(this.plan, root) : [];
  }

  /** What an adapter in this thread says of the page as it was looked at last, for those who want it at once. */
  here(use) {
    if (!this.plan || this.stopped) return undefined;
    let adapter;
    try {
      adapter = new (loadNow(home).Adapter)(this.json);
      adapter.map(this.plan.last ?? this.document);
      const text = use(adapter);
      adapter.plan().forget?.();
      adapter.free();
      return JSON.parse(text);
    } catch (error) {
      this.note('error', 'call-failed', `Reading the page failed: ${error?.message ?? error}.`);
      if (adapter) {
        renew();
        this.renew();
        this.watcher?.touch();
      }
      return undefined;
    }
  }

  lookForSurface() {
    const { originTrial } = this.options;
    if (originTrial && this.document.head) {
      const meta = this.document.createElement('meta');
      meta.httpEquiv = 'origin-trial';
      meta.content = originTrial;
      this.document.head.append(meta);
      this.undo.push(() => meta.remove());
    }
    // What a build that gave way has left is ours.
    const left = __BESIDE__ && this.surface()?.[KEPT];
    if (left || !this.surface()) {
      const undo = left || install(this.view, (name) => (__BESIDE__ ? this.document[RUNNING]?.registry?.yields(name) : this.registry.yields(name)));
      if (undo) this.undo.push(undo);
      if (__BESIDE__) this.polyfill = undo;
      // Nobody else reads forms with `toolname` then.
      this.declaredForms = !!undo;
    }
    const surface = this.surface();
    if (!surface) {
      const insecure = this.view.isSecureContext === false && 'WebMCP exists in secure contexts only, and this page is none: serve it over HTTPS (or from localhost).';
      const thrown = this.thrown && `document.modelContext throws (${this.thrown.message ?? this.thrown}), so no agent can see this page's tools. Another script put it there.`;
      this.note('warn', 'no-webmcp-surface', thrown || insecure || 'This page has no document.modelContext with registerTool(), so no agent can see its tools.');
    } else if (!this.options.modelContext) {
      const undo = alias(this.view, surface);
      if (undo) this.undo.push(undo);
    }
  }

  /** Where tools are registered; looked up each time, because others may put one there later. */
  surface() {
    if (this.options.modelContext) return this.options.modelContext;
    try {
      const surface = this.document.modelContext;
      return typeof surface?.registerTool === 'function' ? surface : undefined;
    } catch (error) {
      this.thrown = error;
      return undefined;
    }
  }

  /**
   * Does what is done in slices, and leaves the page its thread in between, where the browser can be asked for it back.
   * @param {() => Generator} begin
   * @param {() => boolean} changed the page changed meanwhile: begin anew
   */
  async sliced(begin, changed) {
    for (let tries = this.view.scheduler?.yield ? 0 : MAX_TRIES; ; tries += 1) {
      const steps = begin();
      for (;;) {
        const before = now();
        const { done, value } = steps.next();
        this.held += now() - before;
        if (done) return value;
        if (tries === MAX_TRIES) continue;
        await this.view.scheduler.yield();
        if (changed()) break;
      }
    }
  }

  /** Looks at the page and offers what it has; one at a time. */
  refresh() {
    const run = () => (this.stopped ? unchanged() : this.offer());
    this.queue = this.queue.then(run).catch((error) => {
      this.note(...Object.values(unmapped(error)));
      return unchanged();
    });
    return this.queue;
  }

  async offer() {
    const changed = await this.map();
    if (this.stopped) return unchanged();
    const surface = this.surface();
    if (!changed && !this.redefined && surface === this.offered) {
      return unchanged(this.definitions.map((tool) => tool.name));
    }
    this.redefined = false;
    this.offered = surface;
    this.definitions = this.all();
    const change = await this.registry.sync(surface, this.definitions);
    if (!this.stopped) this.emit('toolmark:change', change);
    return change;
  }

  /** Maps the page if it looks different from last time. */
  async map() {
    if (!this.watcher?.dirty) return false;
    let before = now();
    let spent = 0;
    try {
      const { ask, remote } = await this.engine;
      before = now();
      this.held = 0;
      const begin = () => taking(this.document, this.plan, this.options.baseUrl ?? '', this.watcher.looking());
      const seen = await this.sliced(begin, () => this.watcher.dirty);
      this.watcher.attend();
      if (this.plan.crowded) this.note('info', 'roots-limit', `This page has more than ${MAX_ROOTS} shadow roots and frames; markup in the others was not read. Put it into the page itself.`);
      spent = this.held;
      if (!seen || this.stopped) return false;
      this.kept = false;
      const text = await ask('map', seen);
      // The page's thread has only waited for a worker.
      if (!remote) spent = now() - before;
      const { tools, diagnostics } = JSON.parse(text);
      this.generated = tools;
      this.found = diagnostics;
      // A page may show them as text later.
      if (tools.some((tool) => tool.source.kind === 'control')) this.document.querySelectorAll('input[type=password]').forEach((one) => passwords.add(one));
      return true;
    } catch (error) {
      this.generated = [];
      this.found = [unmapped(error)];
      this.renew();
      return true;
    } finally {
      this.ms = now() - before;
      this.watcher.looked(spent);
    }
  }

  /** The site's own tools, then the page's. */
  all() {
    // As src/guard.rs puts it.
    const prefix = (this.options.prefix ?? '').toLowerCase().replace(/(.)_*$/, '$1_');
    const custom = defined(this.document, this.options.custom, prefix);
    const own = new Map(custom.map((tool) => [tool.name, tool]));
    const { allow } = this.options;
    const allowed = (tool) => {
      if (!allow) return true;
      if (Array.isArray(allow)) return allow.includes(tool.name);
      // One that looks at the input can only be asked at a call.
      if (allow.length > 1) return true;
      try {
        return !!allow(shown(tool));
      } catch {
        return false;
      }
    };
    return [...own.values(), ...(this.generated ?? []).filter((tool) => !own.has(tool.name))].filter(allowed);
  }

  tools() {
    return this.definitions.map((tool) => ({
      ...shown(tool),
      name: this.registry.nameOf(tool.name),
      execute: (input, context) => this.call(tool.name, input, context),
    }));
  }

  /**
   * This page as one document: its index in the format of the Web Agent Semantic Protocol, for the site to publish, and
   * all that an agent may do here, for review.
   */
  manifest() {
    const tools = this.definitions.map((tool) => {
      const { source: { kind, danger = false, confirm = false }, ...told } = shown(tool);
      return { ...told, name: this.registry.nameOf(tool.name), kind, danger, confirm };
    });
    return { ...this.index(), toolmark: version, page: this.document.URL, tools };
  }

  index() {
    if (this.options.page === false) return {};
    return this.here((adapter) => {
      if (this.siteIndex !== undefined) adapter.takeManifest(this.siteIndex, this.document.URL);
      return adapter.manifest(this.document);
    }) ?? {};
  }

  /** Asks the site for its own index of this page, once. */
  askSite() {
    const { document, view } = this;
    this.asked ??= (async () => {
      // A srcdoc frame, or a file, has no site.
      if (!document.URL.startsWith('http')) return;
      const url = new URL('/.well-known/wasp.json', document.URL);
      let text;
      try {
        const get = this.options.fetchImpl ?? view.fetch.bind(view);
        const response = await get(url.href, { signal: AbortSignal.timeout(MANIFEST_MS), redirect: 'error', credentials: 'same-origin' });
        // Most sites answer with a page that says that there is nothing.
        if (!response.ok || /html/i.test(response.headers.get('content-type') ?? '')) return;
        text = await response.text();
      } catch {
        return;
      }
      if (text.length <= MAX_MANIFEST) this.siteIndex = text;
      else this.note('warn', 'wasp-manifest', "The site's /.well-known/wasp.json was left aside: it is longer than a million characters. Keep to one page or a few.");
    })();
    return this.asked;
  }

  async call(name, input, context) {
    const before = now();
    const account = {};
    let answer;
    try {
      answer = await this.answer(name, input, context, account);
      if (answer === null || typeof answer !== 'object') answer = { result: answer ?? null };
    } catch (error) {
      answer = failure('internal', `The tool failed: ${error?.message ?? error}.`, 'Try again; if it goes on, use the page itself.');
    }
    quiet(() => this.record(name, before, answer, account))();
    return answer;
  }

  async answer(name, input, context, account) {
    const signal = context?.signal;
    if (this.stopped) return GONE;
    if (signal?.aborted) return failure('cancelled', 'The call was cancelled.');
    // An agent must not be told what the page showed a moment ago.
    await (this.options.watch !== false && this.watcher?.dirty ? this.refresh() : this.queue);
    // Also where the tool went away with what it did: who asks again gets the first answer.
    const first = this.parts?.actor.repeated(name, input, account);
    if (first) return first;
    const definition = this.definitions.find((tool) => tool.name === name);
    const refused = definition && (await this.refused(definition, input));
    if (refused) return refused;
    if (definition?.own) return this.doing(({ actor }) => actor.custom(definition, input, context, account));
    if (!this.plan) return failure('internal', 'The page is not mapped.');
    if (definition?.source.kind === 'control' && !definition.annotations.readOnlyHint) {
      return this.doing(({ actor }) => actor.control(name, input ?? {}, context, account));
    }
    const page = definition?.source.kind === 'page';
    if (page) {
      await this.askSite();
      if (this.siteIndex !== undefined && this.indexed !== this.document.URL) {
        this.indexed = this.document.URL;
        this.kept = false;
        const problem = await this.ask('takeManifest', this.siteIndex, this.indexed);
        if (problem) this.note('warn', 'wasp-manifest', problem);
      }
    }
    const outcome = await this.outcome(name, input, page);
    if (this.stopped) return GONE;
    if (outcome.answer) return outcome.answer;
    if (outcome.fetch) return this.doing(({ performer }) => performer.run(name, outcome, signal));
    if (outcome.act) return this.doing(({ actor }) => actor.state(outcome.act));
    return failure('internal', 'This call has no answer.');
  }

  /** What a call comes to; one of a `page` tool is answered from what the page shows. */
  async outcome(name, input, page) {
    try {
      const { ask } = await this.engine;
      const { live } = this.plan;
      // One after the other: they listen for the same changes.
      const look = () => this.sliced(() => seeing(this.document, this.plan, this.kept), () => !this.plan.observer);
      const seen = page ? await (this.sight = this.sight.then(look, look)) : undefined;
      if (this.stopped) {
        this.plan.forget?.();
        return {};
      }
      if (page) this.kept = true;
      const outcome = JSON.parse(await ask('call', name, JSON.stringify(input ?? {}) ?? '{}', seen));
      // Places are those of the snapshot that this call was answered from.
      if (outcome.act) outcome.act.live = live;
      return outcome;
    } catch (error) {
      if (this.stopped) return {};
      this.note('error', 'call-failed', `A call of '${name}' failed inside: ${error?.message ?? error}.`);
      this.renew();
      this.watcher?.touch();
      return { answer: failure('internal', 'The tool failed inside.', 'Try again in a second; if it goes on, use the page itself.') };
    }
  }

  /** Why the site does not let this call happen, if it does not. */
  async refused(definition, input) {
    const { allow } = this.options;
    if (typeof allow !== 'function') return undefined;
    let said;
    try {
      said = await allow(shown(definition), structuredClone(input ?? {}));
      if (said && typeof said !== 'string') return undefined;
    } catch (error) {
      said = error?.message;
    }
    return failure('not_allowed', said || 'The site does not allow this call.');
  }

  record(tool, before, answer, { requestId, confirmed }) {
    const error = answer.error?.code;
    let bytes = 0;
    try {
      bytes = JSON.stringify(answer).length;
    } catch {
      // A site's own tool answered with something that is no JSON.
    }
    const call = { tool, at: Date.now(), ms: Math.round((now() - before) * 10) / 10, ok: !error, bytes, ...(error && { error }), ...(requestId && { requestId }), ...(confirmed !== undefined && { confirmed }) };
    this.log.push(call);
    if (this.log.length > MAX_CALLS) this.log.shift();
    if (this.stopped) return;
    this.emit('toolmark:call', { ...call });
    if (this.options.events === 'datalayer') {
      (this.view.dataLayer ??= []).push({ event: 'toolmark_call', tool, ok: call.ok, ms: call.ms });
    }
  }

  emit(type, detail) {
    quiet(() => this.document.dispatchEvent(new this.view.CustomEvent(type, { detail })))();
  }

  stop() {
    if (this.stopped) return;
    this.stopped = true;
    this.want?.();
    this.definitions = [];
    this.generated = [];
    this.found = [];
    this.noted = [];
    const stops = [this.watcher, this.parts?.performer, this.parts?.actor, this.registry].map((one) => () => one?.stop());
    this.engine?.then((engine) => engine.close()).catch(() => {});
    for (const step of [...stops, () => this.plan?.forget?.(), ...this.undo.splice(0).reverse()]) quiet(step)();
  }
}

/**
 * Until somebody asks for tools. Where the browser or another script shows them, somebody may be looking now; of our own
 * polyfill we know: till then the page pays for nothing.
 */
async function asked(session) {
  const { document, view, want } = session;
  const surface = session.surface();
  if ((surface && !session.polyfill) || session.options.relay || session.inspects()) return;
  const late = () => Promise.race([session.promise, new Promise((resolve) => setTimeout(resolve, ASKED_MS))]);
  const undo = [];
  const hear = (object, name, wait) => {
    const method = object[name];
    if (!method) return;
    const before = Object.getOwnPropertyDescriptor(object, name);
    const value = (...input) => {
      want();
      // Not what is there by then: a wrapper of this function would call it again.
      const run = () => method.apply(object, input);
      return wait ? late().then(run) : run();
    };
    Object.defineProperty(object, name, { value, configurable: true, writable: true });
    undo.push(() => {
      if (object[name] !== value) return;
      if (before) Object.defineProperty(object, name, before);
      else delete object[name];
    });
  };
  // An insecure page has no surface, and others may have locked what they put there.
  quiet(() => {
    for (const name of ['getTools', 'executeTool']) hear(surface, name, true);
    hear(surface, 'addEventListener');
    for (const name of ['listTools', 'addEventListener']) hear(view.navigator.modelContext, name);
  })();
  // Who puts another surface there looks at that one.
  const look = () => session.surface() === surface || want();
  const events = [[document, 'DOMContentLoaded'], [view, 'load']];
  for (const [target, type] of events) target.addEventListener(type, look);
  const timer = setTimeout(look, ASKED_MS);
  await session.wanted;
  clearTimeout(timer);
  for (const [target, type] of events) target.removeEventListener(type, look);
  for (const step of undo) quiet(step)();
}

/** A cache kept this script for longer than what lies beside it: the build that fits takes its place. Gives its handle. */
async function renewed(session, build) {
  const { document, noted, options, polyfill } = session;
  try {
    const loaded = another(build, home);
    if (!loaded) return undefined;
    // What the page has registered there stays.
    if (polyfill) {
      session.surface()[KEPT] = polyfill;
      session.undo = session.undo.filter((step) => step !== polyfill);
    }
    // The other one starts when it comes, in a document where nothing runs.
    session.stop();
    await Promise.race([loaded, new Promise((_, late) => setTimeout(late, ASKED_MS))]);
    return await running(document).promise;
  } catch {
    session.stop();
    home = { ...home, element: undefined };
    begin(options, { tag: home, diagnostics: noted });
    return running(document).promise;
  }
}

/** A definition as the site may see it. */
const shown = ({ own, ...definition }) => quiet(() => structuredClone(definition), () => definition)();
