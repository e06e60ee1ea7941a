// A WebSocket client for tests: it shows any Origin, and sends what no browser would.
import crypto from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import net from 'node:net';

/** A frame as clients send it. */
export function frame(data, { opcode = 1, final = true } = {}) {
  const payload = Buffer.from(data);
  const mask = crypto.randomBytes(4);
  const head = payload.length < 126 ? Buffer.from([0, 0x80 | payload.length]) : payload.length < 65536 ? Buffer.alloc(4) : Buffer.alloc(10);
  if (payload.length >= 126 && payload.length < 65536) {
    head[1] = 0x80 | 126;
    head.writeUInt16BE(payload.length, 2);
  } else if (payload.length >= 65536) {
    head[1] = 0x80 | 127;
    head.writeBigUInt64BE(BigInt(payload.length), 2);
  }
  head[0] = (final ? 0x80 : 0) | opcode;
  for (let i = 0; i < payload.length; i += 1) payload[i] ^= mask[i % 4];
  return Buffer.concat([head, mask, payload]);
}

/**
 * Asks to be connected.
 * @returns `{status, socket}`: an HTTP status, and at 101 an emitter of `message` (parsed) and `end` (close code)
 */
export async function connect(port, { origin = 'https://shop.example', host = `127.0.0.1:${port}`, protocol = 'webmcp-discovery.v1, webmcp.v1' } = {}) {
  const tcp = net.connect(port, '127.0.0.1');
  tcp.on('error', () => {});
  await once(tcp, 'connect');
  const lines = ['GET / HTTP/1.1', `Host: ${host}`, 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${crypto.randomBytes(16).toString('base64')}`];
  if (origin) lines.push(`Origin: ${origin}`);
  if (protocol) lines.push(`Sec-WebSocket-Protocol: ${protocol}`);
  tcp.write(`${lines.join('\r\n')}\r\n\r\n`);
  let rest = Buffer.alloc(0);
  while (!rest.includes('\r\n\r\n')) {
    const [data] = await Promise.race([once(tcp, 'data'), once(tcp, 'end').then(() => [null])]);
    if (!data) break;
    rest = Buffer.concat([rest, data]);
  }
  const end = rest.indexOf('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(rest.toString())?.[1]);
  rest = rest.subarray(end + 4);
  if (status !== 101) {
    tcp.destroy();
    return { status };
  }
  const socket = new EventEmitter();
  socket.messages = [];
  const read = (data) => {
    rest = Buffer.concat([rest, data]);
    for (;;) {
      if (rest.length < 2) return;
      let [length, at] = [rest[1] & 0x7f, 2];
      if (length === 126) {
        if (rest.length < 4) return;
        [length, at] = [rest.readUInt16BE(2), 4];
      } else if (length === 127) {
        if (rest.length < 10) return;
        [length, at] = [Number(rest.readBigUInt64BE(2)), 10];
      }
      if (rest.length < at + length) return;
      const payload = rest.subarray(at, at + length);
      const opcode = rest[0] & 0x0f;
      rest = rest.subarray(at + length);
      if (opcode === 8) socket.code = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
      if (opcode === 1) {
        const message = JSON.parse(payload);
        socket.messages.push(message);
        socket.emit('message', message);
      }
    }
  };
  tcp.on('data', read);
  tcp.on('close', () => {
    socket.ended = true;
    socket.emit('end', socket.code);
  });
  read(Buffer.alloc(0));
  socket.raw = (data) => tcp.write(data);
  socket.send = (message) => tcp.write(frame(JSON.stringify(message)));
  /** The first message of a kind, said already or to come. */
  socket.heard = async (type) => {
    for (let at = 0; ; at += 1) {
      while (at >= socket.messages.length) {
        if (socket.ended) throw new Error(`The connection ended (${socket.code}) before '${type}'; heard ${socket.messages.map((one) => one.type).join(', ')}.`);
        await Promise.race([once(socket, 'message'), once(socket, 'end')]);
      }
      if (socket.messages[at].type === type) return socket.messages[at];
    }
  };
  socket.closed = async () => (socket.ended ? socket.code : (await once(socket, 'end'))[0]);
  socket.close = () => tcp.destroy();
  return { status, socket };
}

/**
 * A page as the embeds make it.
 * @param {object} o
 * @param {'2.2.0' | '4.0.0'} [o.style] 2.2.0 says hello and lists at once; 4.0.0 waits to be accepted
 * @param {object[]} o.tools `{name, …, run(args)}`
 */
export async function page(port, { origin, tools, style = '2.2.0', hello = {}, extra = {} }) {
  const { socket } = await connect(port, { origin });
  await socket.heard('server-hello');
  socket.send({ type: 'hello', tabId: 't', origin, url: `${origin}/page`, title: 'A page', ...hello });
  if (style === '4.0.0') await socket.heard('hello/accepted');
  const definitions = tools.map(({ run, ...definition }) => definition);
  socket.send({ type: 'tools/list', tools: definitions, ...extra });
  socket.on('message', async ({ type, callId, toolName, args }) => {
    if (type === 'ping') socket.send({ type: 'pong' });
    if (type !== 'invoke') return;
    const result = await tools.find((tool) => tool.name === toolName)?.run?.(args, callId);
    if (result !== undefined) socket.send({ type: 'result', callId, result });
  });
  return socket;
}
