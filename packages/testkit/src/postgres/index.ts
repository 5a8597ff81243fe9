export { PoolingProxy } from './pooling-proxy.ts';
export { PostgresServer, type PostgresServerOptions } from './server.ts';
