import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Centrifuge } from 'centrifuge';
import { WebSocket } from 'ws';
import { GO, goListener } from '../../conformance/src/releases/languages/go.ts';
import { CHANNELS } from './channels.ts';
import type { Heard } from './oracle.ts';

/** Outlives a run: downloads and builds are reused. */
const FOLDER = new URL('../../.tmp/conformance/go', import.meta.url).pathname;
const LEAST_MS = 20;
const MOST_MS = 200;

/** Stock clients that listen to every channel. */
export interface Listeners {
  /** What each heard of each channel until now. */
  heard(): readonly Heard[];
  /** Losses that a client was told of. */
  readonly told: readonly string[];
  stop(): Promise<void>;
}

/** The JavaScript client, on one connection. */
export async function listenInJavaScript(name: string, url: string): Promise<Listeners> {
  const client = new Centrifuge(`${url.replace('http', 'ws')}/connection/websocket`, {
    websocket: WebSocket,
    minReconnectDelay: LEAST_MS,
    maxReconnectDelay: MOST_MS,
  });
  const heard = CHANNELS.map(channel => ({ listener: name, channel, numbers: [] as number[] }));
  const told: string[] = [];
  const subscriptions = heard.map(({ channel, numbers }) => {
    const subscription = client.newSubscription(channel, {
      minResubscribeDelay: LEAST_MS,
      maxResubscribeDelay: MOST_MS,
    });
    subscription.on('publication', ({ data }) => numbers.push((data as { readonly n: number }).n));
    subscription.on('subscribed', ({ wasRecovering, recovered }) => {
      if (wasRecovering && !recovered) told.push(`${name}, ${channel}: not recovered`);
    });
    subscription.on('unsubscribed', ({ code }) => code !== 0 && told.push(`${name}, ${channel}: ${code}`));
    subscription.subscribe();
    return subscription;
  });
  client.connect();
  await Promise.all(subscriptions.map(subscription => subscription.ready(60_000)));
  return { heard: () => heard, told, stop: async () => client.disconnect() };
}

/** The Go client: a process for each channel. Its channels must be open, and nothing published yet. */
export async function listenInGo(name: string, url: string): Promise<Listeners> {
  const { command } = await goListener(FOLDER, GO.releases.at(-1) ?? '');
  const told: string[] = [];
  const processes = CHANNELS.map(channel => {
    const invitation = { url, channel, tokenOf: 'connection', leastMs: LEAST_MS, mostMs: MOST_MS };
    const child = spawn(command, [JSON.stringify(invitation)], { stdio: ['ignore', 'pipe', 'ignore'] });
    const numbers: number[] = [];
    createInterface(child.stdout).on('line', line => {
      if (!line.startsWith('{')) return; // a warning of the library
      const { n, told: end } = JSON.parse(line) as { readonly n?: number; readonly told?: string };
      if (n !== undefined) numbers.push(n);
      if (end?.startsWith('unsubscribed')) told.push(`${name}, ${channel}: ${end}`);
    });
    return { child, heard: { listener: name, channel, numbers } };
  });
  return {
    heard: () => processes.map(({ heard }) => heard),
    told,
    async stop() {
      await Promise.all(processes.map(({ child }) => ended(child)));
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise(resolve => child.once('close', resolve));
  child.kill('SIGKILL');
  await closed;
}

/** What the build of the Go listener lacks here; undefined: nothing. */
export const missingGo = GO.missing;
