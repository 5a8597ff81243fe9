import type { WorldKernel } from '../../kernel/world-kernel.ts';
import type { LimitedCall, Redemption } from '../../oracles/backend-observations.ts';
import type { Observations } from '../../oracles/observations.ts';
import type { StandardSwitches } from '../../plan/standard-switches.ts';
import { ChannelOperator } from './channel-operator.ts';
import { KeyOperator } from './key-operator.ts';
import { LIMIT, LimitedCaller } from './limited-caller.ts';
import { pacesOf } from './paces.ts';
import { Sessions } from './sessions.ts';

/** What backends that do not publish for clients were told. */
export interface Backends {
  observations(): Pick<Observations, 'redemptions' | 'keys' | 'limited'>;
  counts(): Readonly<Record<string, number>>;
}

/** Starts those that the switches ask for, each an actor of its own. */
export function startBackends(kernel: WorldKernel, switches: StandardSwitches, untilMs: number): Backends {
  const redemptions: Redemption[] = [];
  const calls: LimitedCall[] = [];
  const of = (name: string) => kernel.actor(name);
  const paces = pacesOf(switches);
  const keys = new KeyOperator(kernel, of('key operator'), { untilMs, paces });
  const sessions = new Sessions(kernel, of('sessions'), { untilMs, redemptions, paces });
  const channels = new ChannelOperator(kernel, of('channel operator'), { untilMs, paces });
  const limited = new LimitedCaller(kernel, of('limited caller'), {
    untilMs,
    calls,
    pausesMs: paces.limited,
  });
  // What a fail-over loses is not followed for them.
  const start = (isOn: boolean, name: string, begin: () => unknown): void => {
    if (isOn && switches.store !== 'sentinel') kernel.at(600, of(name), 'start', () => void begin());
  };
  start(switches.sessions, 'sessions', () => sessions.start());
  start(switches.limited, 'limited caller', () => limited.start());
  start(switches.signingKeys, 'key operator', () => keys.start());
  start(switches.idleChannels, 'channel operator', () => channels.start());
  return {
    observations: () => ({
      redemptions,
      keys: keys.record,
      limited: { capacity: LIMIT.rate, windowUs: LIMIT.perMs * 1000, calls },
    }),
    counts: () => ({
      redemptions: redemptions.length,
      keys: keys.record.added.length,
      'keys retired': keys.record.retired.length,
      refused: calls.filter(({ outcome }) => outcome === 'refused').length,
    }),
  };
}
