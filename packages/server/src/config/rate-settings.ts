import { count, type Setting, setting } from '@msg/command-line';
import { publishRules } from './publish-rules.ts';
import { type RateSetting, rate } from './rate.ts';

/** The two settings of a rate-limit bucket: `<name>Rate` and `<name>Burst`. */
function bucket<N extends string>(
  name: N,
  word: string,
  what: string,
  fallback = { rate: 0, perMs: 0, burst: 0 },
) {
  const key = `rate_limits.${word.replace('-', '_')}`;
  const variable = `MSG_${word.replace('-', '_').toUpperCase()}`;
  const rateSetting = setting(
    `${key}.rate`,
    rate,
    { rate: fallback.rate, perMs: fallback.perMs },
    `${what}, as N/window: 100/s, 600/m, 50/250ms; 0 or less is unlimited`,
    { flag: `--${word}-rate`, env: `${variable}_RATE` },
  );
  const burstSetting = setting(
    `${key}.burst`,
    count,
    fallback.burst,
    `${what} allowed at once; 0 means as many as the rate`,
    { flag: `--${word}-burst`, env: `${variable}_BURST` },
  );
  return { [`${name}Rate`]: rateSetting, [`${name}Burst`]: burstSetting } as {
    // Computed names lose their type; these are the two members built here.
    readonly [K in `${N}Rate` | `${N}Burst`]: K extends `${N}Rate` ? Setting<RateSetting> : Setting<number>;
  };
}

/** The settings of the rate limits. */
export const RATE_SETTINGS = {
  ...bucket('publish', 'publish', 'publishes of one subject'),
  ...bucket('subscribe', 'subscribe', 'subscribes of one user'),
  ...bucket('tokenIssue', 'token-issue', 'refreshes from one address'),
  ...bucket('open', 'open', 'declared channels that one client opens by using them', {
    rate: 10,
    perMs: 1000,
    burst: 50,
  }),
  ...bucket('append', 'append', 'requests of one subject that append to messages'),
  perChannelPublish: setting(
    'rate_limits.per_channel_publish',
    publishRules,
    [],
    'publish limits by channel pattern, besides the general one',
  ),
} as const;
