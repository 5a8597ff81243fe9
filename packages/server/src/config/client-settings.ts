import { defaultFlag, type SettingType, scalarType, valueFlag } from '@msg/command-line';

function isHttpAddress(text: string): boolean {
  return /^https?:\/\/./i.test(text) && URL.canParse(text);
}

/** The base address of a service. */
const serverAddress: SettingType<string> = scalarType({
  placeholder: 'text',
  parse: text => (isHttpAddress(text) ? text : undefined),
  format: text => text,
  expected: 'an http: or https: address',
  suggest(text) {
    const near = `http://${text.replace(/^[a-z]*:?\/\//i, '')}`;
    return isHttpAddress(near) ? { text: near } : undefined;
  },
});

/** The settings of every command that talks to a server. */
export const CLIENT_SETTINGS = {
  server: valueFlag('--server', serverAddress, 'http://localhost:8000', 'base address of the service', {
    env: 'MSG_SERVER',
  }),
  token: defaultFlag('--token', 'text', '', 'management bearer; without one, what `msg login` stored', {
    env: 'MSG_TOKEN',
  }),
} as const;
