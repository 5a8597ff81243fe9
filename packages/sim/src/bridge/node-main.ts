// The process of a node: the real service on a port of its own, on a store that it reaches by roads of the bridge.
import { createServer } from 'node:http';
import net, { type NetConnectOpts, type Socket } from 'node:net';
import { systemClock } from '@msg/foundation/clock';
import { Msg } from '@msg/server';
import { standardSwitches } from '../plan/standard-switches.ts';
import { serviceOptions } from '../world/standard/service-options.ts';
import type { ClockJump, NodeMessage, NodeNote, NodeRequest } from './node-request.ts';
import { machineUs } from './real-kernel.ts';

const request = JSON.parse(process.argv[2] ?? '') as NodeRequest; // of service-process.ts

/** Every connection to the store takes the node's own way there: what its addresses are, the servers themselves say. */
function takeRoads(): void {
  const connect = net.createConnection.bind(net) as (options: NetConnectOpts) => Socket;
  const redirected = (options: NetConnectOpts): Socket => {
    const port = 'port' in options ? request.roads[String(options.port)] : undefined;
    return connect(port === undefined ? options : { ...options, host: '127.0.0.1', port });
  };
  net.createConnection = redirected as typeof net.createConnection; // ioredis gives options
}

function tell(message: NodeMessage): void {
  process.send?.(message);
}

let notes: NodeNote[] = [];

function note(each: NodeNote): void {
  if (notes.push(each) > 1) return;
  setImmediate(() => {
    tell({ notes });
    notes = [];
  });
}

let aheadMs = request.skewMs;
process.on('message', ({ jumpMs }: ClockJump) => {
  aheadMs += jumpMs;
});
process.on('disconnect', () => process.exit(0)); // the bridge is gone

takeRoads();
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());
const kernel = {
  get nowUs() {
    return machineUs();
  },
};
const msg = await Msg.create({
  ...serviceOptions(standardSwitches(request.switches), {
    kernel,
    address: request.address,
    life: {
      listens: (channel, atUs) => note([atUs, 'listens', channel]),
      leaves: (channel, atUs) => note([atUs, 'leaves', channel]),
      heard: ({ channel, epoch, offset, text }, atUs) => note([atUs, 'heard', channel, epoch, offset, text]),
    },
  }),
  clock: { ...systemClock, now: () => Date.now() + aheadMs },
  clientScript: false,
  processMetrics: false,
});
const running = msg.run(stop.signal);
await msg.ready();
const server = createServer(msg.handler());
msg.attach(server);
server.listen(0, '127.0.0.1', () => tell({ port: (server.address() as net.AddressInfo).port }));
await running;
process.exit(0);
