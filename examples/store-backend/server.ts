// node --conditions=msg-source examples/store-backend/server.ts <file> <port>
import { Msg } from '@msg/server';
import { sqliteStores } from './backend.ts';

const [path = 'msg.sqlite', port = '8000'] = process.argv.slice(2);
const msg = await Msg.start({
  stores: sqliteStores(path),
  revocationStore: 'auto',
  listen: { port: Number(port) },
}).catch((error: Error) => {
  console.error(`the service cannot listen: ${error.message}; the second argument takes another port`);
  process.exit(1);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => msg.stop());
console.log(`${msg.addresses[0]?.url} keeps its state in ${path}`);
console.log(`export MSG_TOKEN=${msg.tokens.issueManagement().token}`);
