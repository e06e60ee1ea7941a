// The ES module: what window.toolmark is, too.
export { version, start, read, defineTool, ready } from './start.js';
