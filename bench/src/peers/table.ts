import type { DialectName } from '../load/dialects/dialect.ts';
import { RpcServer } from '../rpc-server.ts';
import { CHANNEL, startMsgRpc } from '../servers/msg-rpc.ts';
import { goPeer, npmPeer } from './installed.ts';

const NATS_VERSION = 'v2.15.2';

/** A server that runs, and how the load speaks to it. */
export interface RunningPeer {
  readonly server: RpcServer;
  readonly channel: string;
  /** What a publisher proves itself with. */
  readonly credential: string;
}

/** A service that does the same work. */
export interface Peer {
  readonly name: string;
  readonly dialect: DialectName;
  /** Installs it, unless it is, and starts it with default settings on the servers' core. Rejects with why it cannot. */
  start(): Promise<RunningPeer>;
}

/** What is measured side by side; the first is ours. */
export const PEERS: readonly [Peer, ...Peer[]] = [
  {
    name: 'msg serve',
    dialect: 'msg',
    async start() {
      const { server, token } = await startMsgRpc([]);
      return { server, channel: CHANNEL, credential: token };
    },
  },
  {
    name: 'Socket.IO 4.8',
    dialect: 'socket.io',
    async start() {
      const program = await npmPeer('socket.io');
      return { server: await RpcServer.start([program]), channel: 'bench', credential: '' };
    },
  },
  {
    name: `nats-server ${NATS_VERSION.slice(1)}`,
    dialect: 'nats',
    async start() {
      const program = await goPeer('nats-server', 'github.com/nats-io/nats-server/v2', NATS_VERSION);
      const address = /client connections on 127\.0\.0\.1:(\d+)/;
      const server = await RpcServer.start(['-a', '127.0.0.1', '-p', '-1'], { program, address });
      return { server, channel: 'bench', credential: '' };
    },
  },
];
