import type { SinkSettings, SinkSettingValues } from '../sink-kind.ts';

export const WEBHOOK_SETTINGS = {
  url: {
    type: 'url',
    help: 'where messages without a recipient go; required there',
    required: true,
    secret: true,
  },
  headers: {
    type: 'map',
    help: 'sent with every post to the origin of `url` or to `allowed_origins`',
    secret: true,
  },
  signing_secret: {
    type: 'text',
    help: 'those posts are signed with it, header `X-Msg-Signature`',
    secret: true,
  },
  allowed_origins: {
    type: 'list',
    help: 'origins of recipients that get headers and signature too, and may be private: https://host',
  },
} as const satisfies SinkSettings;

export type WebhookSettings = SinkSettingValues<typeof WEBHOOK_SETTINGS>;
