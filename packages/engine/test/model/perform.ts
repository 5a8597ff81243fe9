import type { Manner } from './client.ts';
import type { Follower, Wish } from './follower.ts';
import type { Operation, Start } from './scenario.ts';
import type { World } from './world.ts';

/** Carries out one step of a scenario. Nothing here waits for an effect, but for the clock to be moved. */
export async function perform(world: World, operation: Operation, serial: number): Promise<void> {
  switch (operation.do) {
    case 'publish': {
      const { name } = channelOf(world, operation);
      const text = payload(operation.body, serial);
      if (operation.by >= 0) world.clients[operation.by]?.publish(name, text);
      else {
        // A publish that fails is none; whether it happened all the same is in the log.
        const publish = async () => world.node.publish(name, Buffer.from(text), { delta: operation.delta });
        publish().catch(() => {});
      }
      return;
    }
    case 'subscribe': {
      const follower = followerOf(world, operation);
      const { delta, compaction, rejectUnrecovered, start } = operation;
      const manner = { delta, compaction, rejectUnrecovered };
      world.clients[operation.client]?.subscribe(follower, manner, position(follower, start));
      return;
    }
    case 'unsubscribe':
      world.clients[operation.client]?.unsubscribe(followerOf(world, operation));
      return;
    case 'server-unsubscribe':
      serverUnsubscribe(world, operation);
      return;
    case 'connect':
      world.clients[operation.client]?.connect();
      return;
    case 'hang-up':
      world.clients[operation.client]?.hangUp();
      return;
    case 'server-disconnect': {
      const { code, client } = operation;
      world.clients[client]?.endedByServer(code);
      void world.node.disconnect({ user: nameOf(world, client) }, { code, reason: 'test' });
      return;
    }
    case 'stop-reading':
      world.clients[operation.client]?.stopReading();
      return;
    case 'read-again':
      world.clients[operation.client]?.readAgain();
      return;
    case 'advance':
      await world.advance(operation.ms);
      return;
    default:
      changeWeather(world, operation);
  }
}

type WeatherOperation = Extract<
  Operation,
  {
    do:
      | 'drop'
      | 'hold'
      | 'pass-held'
      | 'drop-held'
      | 'end-hold'
      | 'delay'
      | 'open-gate'
      | 'fail'
      | 'change-epoch'
      | 'trim';
  }
>;

function changeWeather(world: World, operation: WeatherOperation): void {
  const { weather } = channelOf(world, operation);
  switch (operation.do) {
    case 'drop':
      weather.drop(operation.times);
      return;
    case 'hold':
      weather.hold();
      return;
    case 'pass-held':
      weather.passHeld(operation.count);
      return;
    case 'drop-held':
      weather.dropHeld(operation.count);
      return;
    case 'end-hold':
      weather.endHold();
      return;
    case 'delay':
      weather.delay(operation.operation, operation.moment, operation.times);
      return;
    case 'open-gate':
      weather.openGate(operation.choice);
      return;
    case 'fail':
      weather.fail(operation.operation);
      return;
    case 'change-epoch':
      void weather.changeEpoch();
      return;
    case 'trim':
      void weather.trim();
  }
}

function serverUnsubscribe(
  world: World,
  { client, channel, code }: Extract<Operation, { do: 'server-unsubscribe' }>,
): void {
  const { name } = world.channels[channel] as World['channels'][number];
  const unsubscribe = { code, reason: 'test' };
  for (const [i, candidate] of world.clients.entries()) {
    if (client < 0 || client === i) candidate.followers[channel]?.endedByServer(code);
  }
  if (client < 0) void world.node.unsubscribeAll(name, unsubscribe);
  else void world.node.unsubscribe({ user: nameOf(world, client) }, name, unsubscribe);
}

function nameOf(world: World, client: number): string {
  return world.clients[client]?.name ?? 'nobody';
}

function channelOf(world: World, { channel }: { readonly channel: number }): World['channels'][number] {
  return world.channels[channel] as World['channels'][number];
}

function followerOf(
  world: World,
  { client, channel }: { readonly client: number; readonly channel: number },
): Follower {
  return world.clients[client]?.followers[channel] as Follower;
}

/** What a subscribe asks for, given where the client and the stream are. */
function position({ last, channel: { log } }: Follower, start: Start): Omit<Wish, keyof Manner> {
  if (start.at === 'guess') {
    const top = log.current?.top ?? 0;
    const epoch = { right: log.current?.epoch ?? '', empty: '', wrong: 'nonsense' }[start.epoch];
    return { recover: true, offset: Math.max(0, top - start.behind), epoch };
  }
  if (start.at === 'now' || last === null) return { recover: false, offset: 0, epoch: '' };
  return { recover: true, ...last };
}

/** A JSON object that no other publication of the run equals; `similar` ones make good patches. */
function payload(body: 'similar' | 'unlike' | 'umlauts', serial: number): string {
  const filler = {
    similar: 'The quick brown fox jumps over the lazy dog, and then once more for good measure.',
    unlike: String(serial * 7919).repeat(4),
    umlauts: 'Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich – ohne Öl.',
  }[body];
  return JSON.stringify({ n: serial, filler });
}
