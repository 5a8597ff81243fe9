import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Centrifuge } from 'centrifuge';
import type { Program } from '../../conformance/src/releases/language.ts';
import { GO, goListener } from '../../conformance/src/releases/languages/go.ts';
import { PYTHON } from '../../conformance/src/releases/languages/python.ts';
import { DELAYS_MS } from '../support/listener/client.ts';
import type { Ledger } from './ledger.ts';

/** Outlives a run: downloads and builds are reused. */
const FOLDER = new URL('../../.tmp/conformance', import.meta.url).pathname;
const PYTHON_LISTENER = new URL('../../conformance/programs/python/listener.py', import.meta.url).pathname;

/** Starts one connection that hears channels; answers what ends it. */
type Listen = (url: string, channels: readonly string[], ledger: Ledger) => () => void;

/** A client language of the run. */
export interface HearerLanguage {
  readonly name: string;
  /** What this machine lacks; `undefined`: nothing. */
  missing(): string | undefined;
  /** Builds the client; called once. */
  prepare(): Promise<Listen>;
}

export const LANGUAGES: readonly HearerLanguage[] = [
  { name: 'JavaScript', missing: () => undefined, prepare: async () => listenInJavaScript },
  {
    name: 'Go',
    missing: GO.missing,
    prepare: async () => listenWith(await goListener(`${FOLDER}/go`, newest(GO.releases))),
  },
  {
    name: 'Python',
    missing: PYTHON.missing,
    prepare: async () => {
      const release = newest(PYTHON.releases);
      const programOf = await PYTHON.prepare([release], `${FOLDER}/python`);
      return listenWith({ ...(await programOf(release)), args: [PYTHON_LISTENER] });
    },
  },
];

function newest(releases: readonly string[]): string {
  return releases.at(-1) ?? '';
}

function listenInJavaScript(url: string, channels: readonly string[], ledger: Ledger): () => void {
  const delays = { minReconnectDelay: DELAYS_MS.least, maxReconnectDelay: DELAYS_MS.most };
  const client = new Centrifuge(`${url.replace('http', 'ws')}/connection/websocket`, delays);
  let isLeaving = false;
  for (const channel of channels) {
    const subscription = client.newSubscription(channel, {
      minResubscribeDelay: DELAYS_MS.least,
      maxResubscribeDelay: DELAYS_MS.most,
    });
    subscription.on('publication', ({ data, offset = 0 }) => ledger.take(channel, data.n, offset));
    subscription.on('subscribed', ({ wasRecovering, recovered }) => {
      if (wasRecovering) ledger.recovered(recovered);
    });
    subscription.on('unsubscribed', ({ code }) => {
      if (!isLeaving) ledger.told.push(`JavaScript: unsubscribed ${code}`);
    });
    subscription.subscribe();
  }
  client.connect();
  return () => {
    isLeaving = true;
    client.disconnect();
  };
}

/** A line of a program. */
interface Line {
  readonly n?: number;
  readonly channel?: string;
  readonly offset?: number;
  readonly told?: string;
  readonly recovered?: boolean;
}

function listenWith({ command, args, env = {} }: Program): Listen {
  return (url, channels, ledger) => {
    const invitation = {
      url,
      channels,
      tokenOf: 'connection',
      leastMs: DELAYS_MS.least,
      mostMs: DELAYS_MS.most,
    };
    const child = spawn(command, [...args, JSON.stringify(invitation)], {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let isLeaving = false;
    createInterface(child.stdout).on('line', line => {
      if (!line.startsWith('{')) return; // a warning of the library
      const { n, channel = '', offset = 0, told, recovered } = JSON.parse(line) as Line;
      if (n !== undefined) ledger.take(channel, n, offset);
      if (recovered !== undefined) ledger.recovered(recovered);
      if (told !== undefined) ledger.told.push(told);
    });
    child.on('error', ({ message }) => ledger.told.push(`does not run: ${message}`));
    child.once('exit', status => {
      if (!isLeaving) ledger.told.push(`the program ended with ${status}`);
    });
    child.stdin.on('error', () => {}); // it may have ended
    return () => {
      isLeaving = true;
      child.kill('SIGKILL');
    };
  };
}
