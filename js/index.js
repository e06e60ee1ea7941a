// The ES module: what window.toolmark is, too.
export { version, start, read, defineTool, manifest, inspect, ready } from './start.js';
