import { EMAIL_SETTINGS } from './email/settings.ts';
import { type SinkKind, sinkKind } from './sink-kind.ts';
import { SLACK_SETTINGS } from './slack/settings.ts';
import { WEBHOOK_SETTINGS } from './webhook/settings.ts';
import { WEBPUSH_SETTINGS } from './webpush/settings.ts';

/** The kinds of sinks. A new kind is a folder and a row here. */
export const SINK_KINDS: readonly SinkKind[] = [
  sinkKind({
    kind: 'email',
    settings: EMAIL_SETTINGS,
    recipient: { address: 'ann@example.com' },
    load: () => import('./email/sink.ts'),
  }),
  sinkKind({ kind: 'slack', settings: SLACK_SETTINGS, load: () => import('./slack/sink.ts') }),
  sinkKind({
    kind: 'webpush',
    settings: WEBPUSH_SETTINGS,
    recipient: {
      endpoint: 'https://127.0.0.1:9/wpush/v2/ann',
      keys: {
        p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: 'BTBZMqHH6r4Tts7J_aSIgg',
      },
    },
    load: () => import('./webpush/sink.ts'),
  }),
  sinkKind({ kind: 'webhook', settings: WEBHOOK_SETTINGS, load: () => import('./webhook/sink.ts') }),
];
