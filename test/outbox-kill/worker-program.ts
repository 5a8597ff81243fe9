// node --conditions=msg-source worker-program.ts <address of the database> <address of the service> <token>: workers in a
// process of their own, which publish through the RPC.
import { createRpcClient } from '@msg/core';
import { connectPostgres, OutboxWorker, rpcPublisher } from '@msg/postgres';

// The program that started it has gone.
process.stdin.resume().once('end', () => process.exit());
const [url = '', server = '', token = ''] = process.argv.slice(2);
const sql = await connectPostgres({ url });
const msg = rpcPublisher(createRpcClient({ server, token, fetch }));
new OutboxWorker({ sql, msg, workers: 2, batch: 100, pollIntervalMs: 200 }).start();
