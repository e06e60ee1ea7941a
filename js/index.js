// The ES module: what window.toolmark is, too.
export { version, start, read, defineTool, defineResource, definePrompt, manifest, inspect, ready } from './start.js';
