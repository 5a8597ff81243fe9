import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../eventually.ts';
import { freePort } from '../ports.ts';
import { guard } from '../watchdog.ts';
import { postgresProgram, unprivileged } from './programs.ts';
import type { PostgresServer } from './server.ts';

/** A PgBouncer in front of a server, which gives each transaction another connection. */
export class PoolingProxy {
  readonly port: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'msg-pgbouncer-'));
  readonly #child: ChildProcess;
  readonly #unguard: () => void;

  private constructor(port: number, server: PostgresServer) {
    this.port = port;
    const file = join(this.#folder, 'pgbouncer.ini');
    chmodSync(this.#folder, 0o755);
    const target = `host=127.0.0.1 port=${server.port} user=admin password=${server.password}`;
    const settings = {
      listen_addr: '127.0.0.1',
      listen_port: port,
      unix_socket_dir: '',
      auth_type: 'any',
      pool_mode: 'transaction',
      default_pool_size: 2,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    writeFileSync(file, `[databases]\nshop = ${target}\n[pgbouncer]\n${lines.join('\n')}\n`);
    this.#child = spawn(postgresProgram('pgbouncer'), ['-q', file], { stdio: 'ignore', ...unprivileged() });
    this.#unguard = guard(this.#child, this.#folder);
  }

  /** Pools the connections to the database `shop` as its superuser; two of them for all clients. */
  static async start(server: PostgresServer): Promise<PoolingProxy> {
    const proxy = new PoolingProxy(await freePort(), server);
    try {
      await eventually('PgBouncer listens', () => proxy.#answers());
      return proxy;
    } catch (error) {
      await proxy.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode === null && signalCode === null) {
      const closed = new Promise<void>(resolve => this.#child.once('close', () => resolve()));
      this.#child.kill('SIGKILL');
      await closed;
    }
    this.#unguard();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #answers(): Promise<boolean> {
    return new Promise(resolve => {
      const socket = connect(this.port, '127.0.0.1');
      const end = (isOpen: boolean): void => {
        socket.destroy();
        resolve(isOpen);
      };
      socket.once('connect', () => end(true)).once('error', () => end(false));
    });
  }
}
