import { type ChannelName, isValidName, parseName } from '@msg/core';
import { overlapsPattern, parsePattern } from '@msg/core/internal';
import type { ChannelOptionRules } from './channel-options.ts';

/** The topic that takes the cancels of clients. */
const CONTROL = 'control';
/** Segments of a name with id and topic. */
const WITH_TOPIC = 4;

/**
 * Names of the topic `control`, which take the commands of clients to the append streams beside them: no channel has such
 * a name. Source: append streams 7.
 */
export class ControlNames {
  readonly #rules: ChannelOptionRules;

  constructor(rules: ChannelOptionRules) {
    this.#rules = rules;
  }

  /** True for the control name of channels with append streams. */
  has(name: string): boolean {
    if (!name.endsWith(`.${CONTROL}`) || this.#rules.appending.length === 0 || !isValidName(name))
      return false;
    const parsed = parseName(name);
    return parsed.segments.length === WITH_TOPIC && this.#coversSiblings(parsed);
  }

  /** True when the channel has the same visibility, app, domain and id, and takes cancels. */
  reaches(control: string, channel: string): boolean {
    if (!isValidName(channel)) return false;
    const { visibility, segments } = parseName(channel);
    const base = parseName(control);
    if (visibility !== base.visibility || segments.length < WITH_TOPIC - 1) return false;
    if (segments.slice(0, 3).some((segment, index) => segment !== base.segments[index])) return false;
    const { stream, appendControl } = this.#rules.of(channel);
    return stream.append !== undefined && appendControl;
  }

  #coversSiblings({ visibility, segments }: ChannelName): boolean {
    const base = `${visibility}:${segments.slice(0, 3).join('.')}`;
    const [channel, topics] = [parsePattern(base), parsePattern(`${base}.*`)];
    return this.#rules.appending.some(
      pattern =>
        this.#rules.ofPattern(pattern).appendControl &&
        (overlapsPattern(pattern, channel) || overlapsPattern(pattern, topics)),
    );
  }
}
