export type * from './contract.ts';
export { type ConnectOptions, connectPostgres, type OutboxConnection } from './database/connect.ts';
export {
  type MigrateOptions,
  type Migration,
  type MigrationReport,
  migrate,
  migrations,
} from './schema/migrate.ts';
export { type DeadPage, discardDead, listDead, retryDead } from './store/dead.ts';
export { outboxStatus } from './store/status.ts';
export type { OutboxWorkerOptions } from './worker/options.ts';
export { rpcPublisher } from './worker/rpc-publisher.ts';
export { OutboxWorker } from './worker/worker.ts';
