// The script tag: finds itself, reads its options, starts, and leaves one global behind.
import { begin, defineTool, defineResource, definePrompt, inspect, manifest, read, start, version } from './start.js';
import { fromTag, hasOptions } from './options.js';
import { serve } from './engine.js';

if (globalThis.document) begun();
// Its own worker (js/engine.js).
else serve();

function begun() {
  const RUNNING = Symbol.for('toolmark.running');

  /** The tag that this script came from. Null in modules and in scripts that were evaluated: then the marked one. */
  const tag = document.currentScript ?? document.querySelector('script[data-toolmark]') ?? document.querySelector('script[src*="toolmark"]');
  const diagnostics = [];
  const note = (level, code, message) => {
    diagnostics.push({ level, code, message });
    console.warn(`[toolmark] ${message}`);
  };
  const options = tag ? fromTag(tag, note) : {};
  // A tag with a nonce is one of a page whose policy would call a worker a violation.
  if (tag?.nonce) options.worker ??= false;
  if (!tag && [...document.scripts].some(hasOptions)) {
    note('warn', 'options-not-found', 'Toolmark could not tell which script tag is its own, so its data- options were not read. Mark the tag with data-toolmark.');
  }

  const before = Object.getOwnPropertyDescriptor(window, 'toolmark');
  const running = document[RUNNING];
  const started = begin(options, {
    tag: { src: tag?.src || undefined, ...(__BESIDE__ && { element: tag, nonce: tag?.nonce, integrity: tag?.integrity, crossOrigin: tag?.crossOrigin }) },
    diagnostics,
    undo: [
      () => {
        // A site's own `toolmark` comes back; else ours stays, out of sight, so that start() can be called again.
        if (before && !(__BESIDE__ && before.value?.manifest) && window.toolmark === api) Object.defineProperty(window, 'toolmark', before);
      },
    ],
  });
  const api = { version, start, read, defineTool, defineResource, definePrompt, manifest, inspect };
  Object.defineProperty(api, 'ready', { enumerable: true, get: () => (document[RUNNING]?.want?.(), document[RUNNING]?.promise ?? started) });
  if (!running) {
    try {
      Object.defineProperty(window, 'toolmark', { value: api, configurable: true, writable: true });
    } catch {
      // A site that locked the name has the tools all the same.
    }
  }
}
