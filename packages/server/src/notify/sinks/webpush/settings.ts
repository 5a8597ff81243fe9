import type { SinkSettings, SinkSettingValues } from '../sink-kind.ts';

export const WEBPUSH_SETTINGS = {
  vapid_subject: {
    type: 'text',
    help: 'who push services may write to: mailto: or https: address',
    required: true,
    example: 'mailto:ops@example.com',
  },
  vapid_private_key: {
    type: 'text',
    help: 'the private key that `msg vapid generate` prints; this or `vapid_key_file`',
    secret: true,
  },
  vapid_key_file: { type: 'text', help: 'file with the private key' },
  ttl: { type: 'duration', help: 'how long a push service keeps a message; default 24h, at most 28 days' },
  urgency: { type: 'text', help: '`very-low`, `low`, `normal` or `high`; default `normal`' },
  services: {
    type: 'list',
    help: 'hosts of push services: `fcm.googleapis.com`, `*.push.apple.com`; default any',
  },
  allow_private: { type: 'switch', help: 'push services may have private addresses' },
} as const satisfies SinkSettings;

export type WebPushSettings = SinkSettingValues<typeof WEBPUSH_SETTINGS>;
