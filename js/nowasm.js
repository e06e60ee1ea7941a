// The compiled half as JavaScript, for pages whose policy forbids WebAssembly. The tag loads it where it must; a page
// that loads it before the tag, or bundles it, saves that request.
import { Adapter, read, reset } from 'toolmark:glue';

reset();
globalThis[Symbol.for('toolmark.nowasm')] = { version: __VERSION__, Adapter, read, reset };
