import { count } from '@msg/command-line';
import { entryList } from '@msg/command-line/internal';
import { optional, required } from '@msg/foundation/shape';
import { rate } from './rate.ts';
import { pattern, positiveDuration } from './setting-types.ts';

const SHAPE = {
  pattern: required(
    pattern,
    'the channels the limit is about; of several that match, the most specific one counts',
  ),
  rate: required(rate, 'publishes of one subject into them'),
  per: optional(positiveDuration, 'window of that rate; required with a rate above 0'),
  burst: optional(count, 'publishes allowed at once; 0, the default, means as many as the rate'),
} as const;

/** `rate_limits.per_channel_publish[]`. */
export const publishRules = entryList(SHAPE);
