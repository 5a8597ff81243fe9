import { type Setting, text } from '@msg/command-line';

/** The settings of every command that talks to a server. */
export const CLIENT_SETTINGS = {
  server: {
    key: 'server',
    flag: '--server',
    env: 'MSG_SERVER',
    type: text,
    fallback: 'http://localhost:8000',
    help: 'base address of the service',
  } satisfies Setting<string>,
  token: {
    key: 'token',
    flag: '--token',
    env: 'MSG_TOKEN',
    type: text,
    fallback: '',
    help: 'management bearer; without one, what `msg login` stored',
  } satisfies Setting<string>,
} as const;
