import { MemoryBroker, TimerWheel } from '@msg/engine';
import { type Random, systemClock } from '@msg/foundation/clock';
import type { Kernel } from '../../kernel/kernel.ts';
import { type Published, textOf } from '../../oracles/observations.ts';

type PublishArguments = Parameters<MemoryBroker['publish']>;
type Outcome = ReturnType<MemoryBroker['publish']>;

/** A broker in memory that writes down what its streams get, at the moment of the write: the truth of the oracles. */
export class RecordedBroker extends MemoryBroker {
  readonly #kernel: Kernel;
  readonly #published: Published[];
  readonly #isFollowed: (channel: string) => boolean;

  /** @param isFollowed absent: what every channel gets is written down */
  constructor(
    kernel: Kernel,
    random: Random,
    published: Published[],
    isFollowed: (channel: string) => boolean = () => true,
  ) {
    super({ clock: systemClock, random, wheel: new TimerWheel(systemClock) });
    this.#kernel = kernel;
    this.#isFollowed = isFollowed;
    this.#published = published;
  }

  override publish(...[channel, data, stream, options]: PublishArguments): Outcome {
    const outcome = super.publish(channel, data, stream, options);
    if (!('offset' in outcome)) throw new Error('a broker in memory makes no promise');
    const { offset, epoch, suppressed } = outcome;
    if (suppressed || !this.#isFollowed(channel)) return outcome;
    const payload: unknown = JSON.parse(new TextDecoder().decode(data.bytes));
    this.#published.push({ atUs: this.#kernel.nowUs, channel, epoch, offset, text: textOf(payload) });
    return outcome;
  }
}
