// A static file server for the demo, the tests and `npm start`: this folder at /, the build at /dist/.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { page, results } from './shop/catalogue.js';

const here = path.dirname(fileURLToPath(import.meta.url));
export const DIST = path.join(here, '..', 'dist');

const TYPES = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.mjs': 'text/javascript; charset=utf-8',
  '.wasm': 'application/wasm', '.json': 'application/json', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml',
  '.png': 'image/png', '.jpg': 'image/jpeg', '.xhtml': 'application/xhtml+xml', '.txt': 'text/plain; charset=utf-8',
};

/** The file below `root` that `pathname` names, or undefined if it would lie outside or is not there. */
function find(root, pathname) {
  const file = path.join(root, path.normalize(decodeURIComponent(pathname)));
  if (!file.startsWith(path.resolve(root) + path.sep) && file !== path.resolve(root)) return undefined;
  if (!fs.existsSync(file)) return undefined;
  return fs.statSync(file).isDirectory() ? find(root, path.join(pathname, 'index.html')) : file;
}

/** What a folder of files cannot do: the demo shop's search, and the products without a file. */
function demo(root, url) {
  if (root !== here) return undefined;
  if (url.pathname === '/shop/search') return { body: results(url.searchParams.get('q') ?? '') };
  const [, product] = url.pathname.match(/^\/shop\/([\w-]+)\.html$/) ?? [];
  const body = product && !find(root, url.pathname) ? page(product) : undefined;
  return body && { body };
}

/**
 * Serves on 127.0.0.1.
 * @param {{root?: string, port?: number, dist?: boolean, routes?: (request: http.IncomingMessage, url: URL) => undefined | {status?: number, headers?: Record<string, string>, body?: string | Buffer}, transform?: (html: string, url: URL) => string}} [options]
 *   `root`: the folder at `/` (default: this one). `routes`: answers before files do. `dist`: the build at `/dist/` (default).
 *   `transform`: changes each HTML file that is sent.
 * @returns {Promise<{origin: string, close: () => void}>}
 */
export async function serve({ root = here, port = 0, dist = true, routes = () => undefined, transform = (html) => html } = {}) {
  const server = http.createServer((request, response) => {
    const url = new URL(request.url, 'http://127.0.0.1');
    try {
      const answer = routes(request, url) ?? demo(root, url);
      if (answer) {
        response.writeHead(answer.status ?? 200, { 'content-type': TYPES['.html'], ...answer.headers });
        return void response.end(answer.body ?? '');
      }
      const file = dist && url.pathname.startsWith('/dist/') ? find(DIST, url.pathname.slice(5)) : find(root, url.pathname);
      if (!file) {
        response.writeHead(404, { 'content-type': 'text/plain' });
        return void response.end(`not found: ${url.pathname}\n`);
      }
      const type = TYPES[path.extname(file).toLowerCase()] ?? 'application/octet-stream';
      response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store', 'access-control-allow-origin': '*' });
      if (type.startsWith('text/html')) response.end(transform(fs.readFileSync(file, 'utf8'), url));
      else fs.createReadStream(file).pipe(response);
    } catch (error) {
      response.writeHead(400, { 'content-type': 'text/plain' });
      response.end(`${error.message}\n`);
    }
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
