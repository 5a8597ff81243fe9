import { defaultFlag, switchFlag } from '@msg/command-line';
import { MsgError } from '@msg/core';
import { localCommand, printResult } from './command.ts';
import { type CliEnvironment, unreadableFile } from './io.ts';
import { KEYRING_SOURCE, keyringSource } from './keys-source.ts';

const SETTINGS = {
  in: defaultFlag('--in', 'text', '', 'the snapshot, instead of the argument', { short: '-i' }),
  force: switchFlag('--force', 'take the secret of the snapshot where a key has another one here'),
  ...KEYRING_SOURCE,
} as const;

async function readSnapshot(io: CliEnvironment, argument: string, flag: string): Promise<string> {
  if (argument !== '' && flag !== '') {
    throw new MsgError('MSG_INVALID_ARGUMENT', 'give the snapshot as argument or with --in, not both', {
      situation: { name: 'twoSources' },
    });
  }
  const path = argument || flag;
  if (path === '' || path === '-') return new TextDecoder().decode(await io.readStdin());
  try {
    return new TextDecoder().decode(await io.readFile(path));
  } catch (cause) {
    throw unreadableFile(path, cause);
  }
}

/** `keys import`: merges a snapshot into a stored keyring. */
export const importKeys = localCommand({
  name: 'keys import',
  args: [{ name: 'file', help: 'the snapshot; absent or -: standard input', optional: true }],
  summary: 'merge a snapshot into a stored keyring; then reload the servers',
  detail:
    'Keys that are here stay, keys of the snapshot are added or take its role, and its active key signs from then ' +
    'on. Nothing is written when the snapshot is refused.',
  settings: SETTINGS,
  examples: [{ line: 'keys import ring.json --state-dir /var/lib/msg', help: 'then `msg keys reload`' }],
  async run({ args: [file = ''], sources, settings, io }) {
    const source = keyringSource(sources);
    const snapshot = await readSnapshot(io, file, settings.in);
    const { importKeyring } = await import('../auth/keys/transfer.ts');
    const merge = await importKeyring(source, snapshot, { force: settings.force });
    printResult(io, { kind: 'msg.keys.imported', payload: merge });
  },
});
