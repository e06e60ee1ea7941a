// The ES module: what window.toolmark is, too.
export { version, start, read, defineTool, manifest, ready } from './start.js';
