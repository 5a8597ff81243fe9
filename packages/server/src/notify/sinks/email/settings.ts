import type { SinkSettings, SinkSettingValues } from '../sink-kind.ts';

export const EMAIL_SETTINGS = {
  smtp_addr: {
    type: 'text',
    help: 'mail server, host:port; required there',
    required: true,
    example: 'mail.example.com:25',
  },
  from: { type: 'text', help: 'sender; required there', required: true, example: 'shop@example.com' },
  auth_user: { type: 'text', help: 'user name; empty: no login' },
  auth_pass: { type: 'text', help: 'password; required with `auth_user`', secret: true },
} as const satisfies SinkSettings;

export type EmailSettings = SinkSettingValues<typeof EMAIL_SETTINGS>;
