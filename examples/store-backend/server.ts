// node --conditions=msg-source examples/store-backend/server.ts <file> <port>
import { once } from 'node:events';
import { createServer } from 'node:http';
import { HTTP_TIMEOUTS, Msg } from '@msg/server';
import { sqliteStores } from './backend.ts';

const [path = 'msg.sqlite', port = '8000'] = process.argv.slice(2);
const msg = await Msg.create({ stores: sqliteStores(path), revocationStore: 'auto' });
const server = createServer(HTTP_TIMEOUTS, msg.handler());
msg.attach(server);
await once(server.listen(Number(port), '127.0.0.1'), 'listening').catch((error: Error) => {
  console.error(`the service cannot listen: ${error.message}; the second argument takes another port`);
  process.exit(1);
});

const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
process.once('SIGINT', () => stop.abort());
const ended = msg.run(stop.signal, { onLeft: () => server.close() });
await msg.ready();
console.log(`http://127.0.0.1:${port} keeps its state in ${path}`);
console.log(`export MSG_TOKEN=${msg.tokens.issueManagement().token}`);
await ended;
server.closeAllConnections();
