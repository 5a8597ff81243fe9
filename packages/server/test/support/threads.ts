import { fileURLToPath } from 'node:url';
import { eventually, freePort, type MsgServer, type ServeOptions } from '@msg/testkit';
import { type Scrape, scrape } from './scrape.ts';
import { startServer } from './server.ts';

/** `msg` whose threads can be told to fail; what its variables mean is in it. */
export const FAULTY_MSG = fileURLToPath(new URL('../threads/faulty-msg.mjs', import.meta.url));

/** What can be done to a thread. */
export type Fault = 'throw' | 'exit' | 'loop' | 'memory' | 'link' | 'stall' | 'dump';

/** A server whose threads can be told to fail. */
export interface FaultyServer extends MsgServer {
  /** @param thread 0 is main */
  fail(thread: number, fault: Fault): Promise<void>;
}

/** Starts `msg serve` with threads that can be told to fail. */
export async function startFaultyServer(options: ServeOptions): Promise<FaultyServer> {
  const port = await freePort();
  const env = { ...options.env, FAULTS_PORT: String(port) };
  const server = await startServer({ ...options, env, program: FAULTY_MSG });
  return {
    ...server,
    async fail(thread, fault) {
      await fetch(`http://127.0.0.1:${port}/${fault}/${thread}`);
    },
  };
}

/** All series of a server, by the text of name and labels. */
async function allSeries(url: string): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const rows = text.split('\n').filter(row => row !== '' && !row.startsWith('#'));
  return new Map(
    rows.map(row => [row.slice(0, row.lastIndexOf(' ')), Number(row.slice(row.lastIndexOf(' ')))]),
  );
}

/** The value of one series; undefined for a series that is not there, and while the thread that was asked ends. */
export async function seriesOf(url: string, name: string): Promise<number | undefined> {
  const series = await allSeries(url).catch(() => undefined);
  return series?.get(name);
}

/** Number of the thread with the most connections. */
export async function busiestThread(url: string): Promise<number> {
  const series = await allSeries(url);
  const connectionsOf = (thread: number): number =>
    series.get(`msg_thread_connections{thread="${thread}"}`) ?? 0;
  return connectionsOf(1) >= connectionsOf(2) ? 1 : 2;
}

/** Stalls a thread, 0 is main, until a scrape says that its event loop was late; answers that scrape. */
export async function stallUntilLate(server: FaultyServer, thread: number): Promise<Scrape> {
  const labels = { thread: thread === 0 ? 'main' : String(thread) };
  let looks = 0;
  let last: Scrape | undefined;
  const isLate = async (): Promise<boolean> => {
    // Node.js does not measure what begins within 50 ms of a scrape: stall at the second look, and again if that was lost.
    if (looks++ % 10 === 1) await server.fail(thread, 'stall');
    if (looks > 1) last = await scrape(server.url);
    return last !== undefined && last.value('msg_thread_eventloop_lag_p99_seconds', labels) > 1;
  };
  await eventually(`thread ${labels.thread} was late`, isLate, 60_000, 500);
  return last ?? scrape(server.url);
}
