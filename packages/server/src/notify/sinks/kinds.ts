import { EMAIL_SETTINGS } from './email/settings.ts';
import { type SinkKind, sinkKind } from './sink-kind.ts';
import { SLACK_SETTINGS } from './slack/settings.ts';
import { WEBHOOK_SETTINGS } from './webhook/settings.ts';

/** The kinds of sinks. A new kind is a folder and a row here. */
export const SINK_KINDS: readonly SinkKind[] = [
  sinkKind({
    kind: 'email',
    settings: EMAIL_SETTINGS,
    recipient: { address: 'ann@example.com' },
    load: () => import('./email/sink.ts'),
  }),
  sinkKind({ kind: 'slack', settings: SLACK_SETTINGS, load: () => import('./slack/sink.ts') }),
  sinkKind({ kind: 'webhook', settings: WEBHOOK_SETTINGS, load: () => import('./webhook/sink.ts') }),
];
