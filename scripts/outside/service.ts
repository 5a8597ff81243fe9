import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { METHODS } from '@msg/core';
import { TWIRP_PREFIX } from '@msg/core/internal';
import { Msg } from '@msg/server';
import { Router } from '@msg/server/internal';
import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client';
import { probe } from './probe.ts';

/** A metric as the exporting library keeps it; its declarations leave the names of labels out. */
interface Metric {
  readonly name: string;
  readonly labelNames: readonly string[];
}

const TYPES = { counter: Counter, gauge: Gauge, histogram: Histogram, summary: Summary };

function typeOf(metric: Metric): string | undefined {
  return Object.entries(TYPES).find(([, type]) => metric instanceof type)?.[0];
}

/** Calls `see` with what a method of a class is called on, as long as `during` runs. */
async function watching<T extends object>(
  prototype: T,
  method: keyof T,
  see: (self: T) => void,
  during: () => Promise<void>,
): Promise<void> {
  const original = prototype[method] as (...args: unknown[]) => unknown;
  // The method of that name, with the same arguments and answer.
  prototype[method] = function (this: T, ...args: unknown[]): unknown {
    see(this);
    return original.apply(this, args);
  } as T[keyof T];
  try {
    await during();
  } finally {
    prototype[method] = original as T[keyof T];
  }
}

/** Routes and metrics of the service: those of its own tables, asked of a service that runs. */
export async function service(): Promise<{ routes: object; metrics: object }> {
  const msg = await Msg.create({ allowedHosts: ['127.0.0.1'], revocationStore: 'auto' });
  const server = createServer(msg.handler());
  msg.attach(server);
  const stop = new AbortController();
  const running = msg.run(stop.signal);
  try {
    await msg.ready();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // a TCP server has one
    const base = `http://127.0.0.1:${port}`;
    await msg.channels.openPublic('public:outside.open');
    return { routes: await routes(base, msg), metrics: await metrics(base) };
  } finally {
    stop.abort();
    server.close();
    server.closeAllConnections();
    await running;
  }
}

async function routes(base: string, msg: Msg): Promise<object> {
  let paths: readonly string[] = [];
  await watching(
    Router.prototype,
    'handle',
    router => {
      paths = [...router.paths.keys()];
    },
    async () => void (await fetch(base)),
  );
  const found: Record<string, object> = {};
  for (const path of [...paths, '/no-such-path']) found[path] = await probe(new URL(path, base));
  const stream = '/sse?channel=public:outside.open';
  found[stream] = await probe(new URL(stream, base));
  const { token } = msg.tokens.issueManagement();
  const called = {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  };
  for (const name of [...Object.keys(METHODS), 'NoSuchMethod']) {
    found[TWIRP_PREFIX + name] = await probe(new URL(TWIRP_PREFIX + name, base), {
      'empty object with a management bearer': called,
    });
  }
  return found;
}

async function metrics(base: string): Promise<object> {
  const seen: Metric[] = [];
  await watching(
    Registry.prototype,
    'metrics',
    registry => void seen.push(...(registry.getMetricsAsArray() as unknown as Metric[])),
    async () => void (await (await fetch(`${base}/metrics`)).text()),
  );
  return Object.fromEntries(
    seen.map(metric => [metric.name, { type: typeOf(metric), labels: metric.labelNames }]),
  );
}
