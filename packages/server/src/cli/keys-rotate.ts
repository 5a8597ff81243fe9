import { setTimeout as sleep } from 'node:timers/promises';
import { defaultFlag, list, switchFlag, valueFlag } from '@msg/command-line';
import { resolveAll } from '@msg/command-line/internal';
import { MsgError } from '@msg/core';
import { defined } from '@msg/foundation/json';
import { CLIENT_SETTINGS } from '../config/client-settings.ts';
import { callsOf, type MsgCommand, printResult, withOutput } from './command.ts';
import { type NodeReport, notifyNode } from './notify-node.ts';

/** Between two looks at the old key. */
const LOOK_MS = 5000;

const SETTINGS = {
  alg: defaultFlag('--alg', 'text', 'HS256', 'algorithm of the new key, as `msg keys generate` knows it'),
  wait: switchFlag('--wait', 'wait until nothing rests on the old key, then retire it'),
  notify: valueFlag('--notify', list, [], 'address of a node that shares the keyring; repeatable'),
} as const;

/** `keys rotate`. */
export const rotateKeys: MsgCommand = {
  name: 'keys rotate',
  summary:
    'generate a key, let it sign, and with --wait retire the one before as soon as nothing depends on it',
  detail:
    'Without --wait the old key stays until `msg keys retire`. With --wait the verdict of `msg keys usage` is looked at ' +
    'every 5 s and told on standard error; Ctrl-C ends the command, which has done everything but retiring then. Holders of ' +
    'management tokens need new ones meanwhile.',
  settings: { ...SETTINGS, ...CLIENT_SETTINGS },
  examples: [
    { line: 'keys rotate', help: 'the first two steps of a rotation' },
    { line: 'keys rotate --alg EdDSA --wait', help: 'the whole rotation, as long as tokens live' },
  ],
  async run(invocation) {
    const io = withOutput(invocation);
    const { alg, wait, notify } = resolveAll(SETTINGS, invocation.sources);
    const { call, token } = await callsOf(invocation);
    const { active_key_id: old } = await call('ListKeys', {});
    const { id } = await call('GenerateKey', { alg });
    await call('PromoteKey', { id });
    const notified: NodeReport[] = [];
    const notifyAll = async (): Promise<void> => {
      for (const url of notify) notified.push(await notifyNode(io, url, token));
    };
    await notifyAll();
    const retired = wait && (await isSafe(io.interrupted()));
    if (retired) {
      await call('RetireKey', { id: old });
      await notifyAll();
    }
    const payload = {
      id,
      replaced: old,
      retired,
      ...defined({ notified: notified.length === 0 ? undefined : notified }),
    };
    printResult(io, { kind: 'msg.keys.rotated', payload });

    async function isSafe(interrupted: AbortSignal): Promise<boolean> {
      let printed = '';
      for (;;) {
        const { keys } = await call('KeyUsage', {});
        const key = keys.find(({ kid }) => kid === old);
        if (key === undefined) throw new MsgError('MSG_INVALID_ARGUMENT', `key ${old} is not known any more`);
        if (key.verdict === 'safe') return true;
        const line = `${key.verdict}: ${key.reason}${key.wait_until === '' ? '' : `; until ${key.wait_until}`}`;
        if (line !== printed) io.err(`${old} ${line}\n`);
        printed = line;
        await sleep(LOOK_MS, undefined, { signal: interrupted }).catch(() => {});
        if (interrupted.aborted) return false;
      }
    }
  },
};
