import { type Case, EVERYTHING, type Life, NEXT } from './case.ts';
import type { Invitation, Listener, ListenerClient } from './client.ts';
import { PATIENCE_MS, until } from './patience.ts';
import { ListenedService } from './service.ts';

/** Publications come in this distance while it is not known who receives them. */
const PUBLISH_EVERY_MS = 50;

/** What became of a listener, and what its program said besides. */
export interface Fate {
  readonly outcome: string;
  readonly notes: string;
}

/** Runs one case with a listener of every client; answers what became of each, by the client's name. */
export async function runCase(
  { visibility, server, admission, prepare, disturb }: Case,
  clients: readonly ListenerClient[],
): Promise<ReadonlyMap<string, Fate>> {
  const service = await ListenedService.start(server);
  const listeners: Listener[] = [];
  const name = visibility === 'public' ? 'public:shop.life' : 'private:shop.life.1';
  // Each attempt has a number of its own: one that was refused may be stored all the same.
  let tried = 0;
  let published = 0;
  const missed: number[] = [];
  const publish = async (dataOf: (n: number) => unknown = n => ({ n })): Promise<boolean> => {
    const n = ++tried;
    if ((await service.refusal('Publish', { name, data: dataOf(n) })) !== 'OK') return false;
    published = n;
    return true;
  };
  const publishUntil = async (holds: () => boolean): Promise<void> => {
    const deadline = Date.now() + PATIENCE_MS;
    while (!holds() && Date.now() < deadline) {
      await publish();
      await new Promise(resolve => setTimeout(resolve, PUBLISH_EVERY_MS));
    }
  };
  const open = async (ttlSeconds = 3600): Promise<void> => {
    await service.call(visibility === 'public' ? 'OpenPublic' : 'CreatePrivate', {
      name,
      ttl_seconds: ttlSeconds,
    });
  };
  const life: Life = {
    service,
    name,
    listeners: clients.length,
    open,
    publishMissed: async () => {
      await until('it is published', () => publish());
      missed.push(published);
    },
    publishBytes: async () => {
      await until('it is published', () => publish(bytesOf));
      missed.push(published);
    },
    missedByAll: () => {
      if (listeners.some(({ numbers }) => missed.some(n => numbers.includes(n))))
        throw new Error('a listener received what it was to miss');
    },
    allTold: () => until('all are told', () => listeners.every(({ told }) => told !== undefined)),
  };
  const invite = (): Promise<Invitation> =>
    visibility === 'public'
      ? Promise.resolve({ url: service.url, channel: name, tokenOf: 'connection' })
      : service.admit(name, admission);
  try {
    await (prepare === undefined ? open() : prepare(life));
    // Publications keep the channel from ending before everybody is there.
    const starting = Promise.all(clients.map(async client => client.listen(await invite())));
    const started = starting.then(all => listeners.push(...all));
    await Promise.all([
      started,
      publishUntil(
        () =>
          listeners.length === clients.length &&
          listeners.every(({ numbers, told }) => numbers.length > 0 || told !== undefined),
      ),
    ]);
    await disturb(life);
    const before = published;
    await publishUntil(() =>
      listeners.every(({ numbers, told }) => told !== undefined || numbers.some(n => n > before)),
    );
    if (published === before && listeners.some(({ told }) => told === undefined))
      throw new Error(`nothing could be published: ${await service.refusal('Publish', { name, data: {} })}`);
    return new Map(clients.map(({ name }, index) => [name, fateOf(listeners[index], before, missed)]));
  } finally {
    for (const listener of listeners) listener.stop();
    await service.stop();
  }
}

/** 0xff, which UTF-8 does not have, and the number. */
const bytesOf = (n: number): string =>
  Buffer.concat([Buffer.of(0xff), Buffer.from(String(n))]).toString('base64');

function fateOf(listener: Listener | undefined, before: number, missed: readonly number[]): Fate {
  if (listener === undefined) return { outcome: 'does not run', notes: '' };
  return { outcome: becameOf(listener, before, missed), notes: listener.notes };
}

function becameOf({ numbers, told }: Listener, before: number, missed: readonly number[]): string {
  if (new Set(numbers).size < numbers.length) return `received twice: ${numbers.join(' ')}`;
  if (told !== undefined) return told;
  if (!numbers.some(n => n > before)) return 'silent';
  return missed.length > 0 && missed.every(n => numbers.includes(n)) ? EVERYTHING : NEXT;
}
