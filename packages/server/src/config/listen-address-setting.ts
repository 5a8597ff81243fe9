import { type SettingType, type Suggestion, scalarType } from '@msg/command-line';
import { readListenAddress } from './listen-address.ts';

/** Suggests a colon before a bare port, and host and port of a URL. */
function suggestAddress(text: string): Suggestion | undefined {
  const near = /^\d{1,5}$/.test(text) ? `:${text}` : (URL.parse(text)?.host ?? '');
  return readListenAddress(near) === undefined ? undefined : { text: near };
}

/** The text of a listen address. */
export const listenAddress: SettingType<string> = scalarType({
  placeholder: 'text',
  parse: text => (readListenAddress(text) === undefined ? undefined : text),
  format: text => text,
  expected: 'host:port such as :8000 or 127.0.0.1:8000',
  suggest: suggestAddress,
  schema: { type: 'string', pattern: '^(?:\\[[^\\]]+\\]|[^:]*):\\d{1,5}$' },
});
