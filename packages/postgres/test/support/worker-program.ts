// node --conditions=msg-source worker-program.ts <address of the database> <address of the service> <token>: a worker in a
// process of its own, which publishes small batches through the RPC.
import { createRpcClient } from '@msg/core';
import { connectPostgres, OutboxWorker, rpcPublisher } from '#src/index.ts';

const [url = '', server = '', token = ''] = process.argv.slice(2);
const worker = new OutboxWorker({
  sql: await connectPostgres({ url }),
  msg: rpcPublisher(createRpcClient({ server, token, fetch })),
  batch: 5,
  pollIntervalMs: 50,
});
worker.start();
