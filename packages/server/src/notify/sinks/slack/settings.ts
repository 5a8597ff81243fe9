import type { SinkSettings, SinkSettingValues } from '../sink-kind.ts';

export const SLACK_SETTINGS = {
  webhook_url: {
    type: 'url',
    help: 'address of the incoming webhook; required there',
    required: true,
    secret: true,
  },
} as const satisfies SinkSettings;

export type SlackSettings = SinkSettingValues<typeof SLACK_SETTINGS>;
