export { PostgresServer, type PostgresServerOptions } from './server.ts';
