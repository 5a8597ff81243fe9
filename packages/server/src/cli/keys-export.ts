import { defaultFlag } from '@msg/command-line';
import { localCommand } from './command.ts';
import { KEYRING_SOURCE, keyringSource } from './keys-source.ts';

const OUT = defaultFlag('--out', 'text', '', 'file for the snapshot, mode 0600; absent: standard output', {
  short: '-o',
});

/** `keys export`: the keyring with its secrets as a snapshot document, no envelope. */
export const exportKeys = localCommand({
  name: 'keys export',
  summary: 'print the keyring, secrets included, as a snapshot',
  detail: 'Works on the stored keyring, without a server. The output is what `msg keys import` reads.',
  settings: { ...KEYRING_SOURCE, out: OUT },
  examples: [
    { line: 'keys export --state-dir /var/lib/msg --out ring.json', help: 'a backup' },
    { line: 'keys export --redis-addr redis.internal:6379', help: 'the keyring that all nodes share' },
    {
      line: 'keys export --state-dir /var/lib/msg | ssh node-b msg keys import --state-dir /var/lib/msg',
      help: 'to another machine',
    },
  ],
  async run({ sources, settings: { out }, io }) {
    const source = keyringSource(sources);
    const { exportKeyring } = await import('../auth/keys/transfer.ts');
    const snapshot = await exportKeyring(source);
    if (out === '') io.out(snapshot);
    else await io.writePrivateFile(out, snapshot);
  },
});
