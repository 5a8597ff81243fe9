import { createRpcClient } from '@msg/core';
import { type Random, systemClock } from '@msg/foundation/clock';
import { pause } from '@msg/foundation/promises';
import { rpcPublisher } from '@msg/postgres';
import { Claimer, Pace, WorkerFigures } from '@msg/postgres/internal';
import type { Actor } from '../../kernel/actor.ts';
import { NODE_HOST, NODE_PORT, randomOf } from '../node.ts';
import { rpcFetch } from '../rpc-fetch.ts';
import type { Database } from './database.ts';

/** The key of the workers in the service. */
export const WORKER_KEY = 'key-of-the-workers-in-the-simulation';

/** How workers are set up. */
export interface WorkerSettings {
  /** Rows of a batch. */
  readonly rows: number;
  readonly pollIntervalMs: number;
  readonly waitForChannelMs: number;
  /** Called when a worker calls the service. */
  readonly called: (worker: string) => void;
}

/** Starts the real worker of the actor that runs: it claims from the model and publishes by the RPC. */
export function startWorker(database: Database, actor: Actor, settings: WorkerSettings): WorkerFigures {
  const called = (): void => settings.called(actor.name);
  const random: Random = randomOf(actor);
  const figures = new WorkerFigures(() => {});
  const rpc = createRpcClient({
    server: `http://${NODE_HOST}:${NODE_PORT}`,
    token: WORKER_KEY,
    fetch: rpcFetch(),
  });
  const publisher = rpcPublisher({
    call: (name, request) => {
      called();
      return rpc.call(name, request);
    },
  });
  const claimer = new Claimer({
    msg: publisher,
    openChannel: undefined,
    waitForChannelMs: settings.waitForChannelMs,
    store: database.outbox(actor.name),
    rows: settings.rows,
    figures,
    clock: systemClock,
    random,
    pace: new Pace({
      figures,
      clock: systemClock,
      random,
      idle: (signal, ms = settings.pollIntervalMs) => pause(systemClock, ms, signal).then(() => false),
      beforeIdle: async () => false,
    }),
  });
  void claimer.run(new AbortController().signal);
  return figures;
}
