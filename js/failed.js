// Stands in the script's place where it cannot even begin, and says so. The build puts it behind the one file, with the
// error as `error`: a page that lacks what the script is made of must not find out by an exception.
const message = `Toolmark could not start: ${error?.message ?? error}.`;
const none = () => [];
const handle = {
  tools: none,
  entities: none,
  calls: none,
  diagnostics: () => [{ level: 'error', code: 'start-failed', message }],
  manifest: () => ({}),
  refresh: async () => ({ added: [], removed: [], kept: [], changed: [] }),
  stop() {},
};
const later = async () => handle;
window.toolmark ??= { version: __VERSION__, ready: later(), start: later, read: none, defineTool: () => none, manifest: handle.manifest, inspect: async () => {} };
console.warn(`[toolmark] ${message}`);
