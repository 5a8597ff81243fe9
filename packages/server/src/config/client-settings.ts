import { defaultFlag } from '@msg/command-line';

/** The settings of every command that talks to a server. */
export const CLIENT_SETTINGS = {
  server: defaultFlag('--server', 'text', 'http://localhost:8000', 'base address of the service', {
    env: 'MSG_SERVER',
  }),
  token: defaultFlag('--token', 'text', '', 'management bearer; without one, what `msg login` stored', {
    env: 'MSG_TOKEN',
  }),
} as const;
