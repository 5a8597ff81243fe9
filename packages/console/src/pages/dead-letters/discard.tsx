import type { RpcRequest, Sparse } from '@msg/core';
import { toMsgError } from '@msg/core/internal';
import type { JSX } from 'preact';
import { serverNow } from '../../app/session.ts';
import { Confirm, say } from '../../parts/act.tsx';
import { commandLine, counted, visible } from '../../parts/text.ts';
import { call } from '../../rpc/client.ts';
import { reloadAll } from '../../rpc/use-call.ts';
import type { LetterGroup } from './letters-of.ts';

const UNDO_SECONDS = 300;
/** More than these have to be typed. */
const MANY = 50;
/** A line with more ids than these helps nobody. */
const NAMED = 20;
/** The service takes so many ids at once. */
const SLICE = 500;

async function restore(ids: readonly string[]): Promise<void> {
  let restored = 0;
  try {
    for (let at = 0; at < ids.length; at += SLICE)
      restored += (await call('DlqRestore', { ids: ids.slice(at, at + SLICE) })).restored;
    say(`Brought back ${counted(restored, 'letter')}.`);
  } catch (error) {
    say(toMsgError(error).message);
  }
  reloadAll();
}

/** Discards letters; for five minutes they can be brought back. @throws MsgError */
export async function discard(which: Sparse<RpcRequest<'DlqDiscard'>>): Promise<void> {
  const { discarded, ids } = await call('DlqDiscard', { ...which, undo_seconds: UNDO_SECONDS });
  const text = `Discarded ${counted(discarded, 'letter')}.`;
  if (ids.length === 0) say(text);
  else {
    const undo = { until: serverNow() + UNDO_SECONDS * 1000, act: () => void restore(ids) };
    say(text, { undo, line: ids.length > NAMED ? undefined : commandLine('dlq', 'restore', ...ids) });
  }
  reloadAll();
}

/** The command that discards letters by their ids. */
export function discardLine(ids: readonly string[]): string {
  return commandLine('dlq', 'discard', ...ids, '--undo', '5m');
}

/** Asks before a whole group is discarded. */
export function DiscardGroup({
  sink,
  group: { group, sample, count },
  onClose,
}: {
  readonly sink: string;
  readonly group: LetterGroup;
  readonly onClose: () => void;
}): JSX.Element {
  const those = counted(count, 'letter');
  return (
    <Confirm
      title={`Discard ${those} of ${visible(sink)}?`}
      verb={`Discard ${those}`}
      line={commandLine('dlq', 'discard', '--sink', sink, '--group', group, '--undo', '5m')}
      {...(count > MANY ? { typed: String(count) } : {})}
      onClose={onClose}
      act={() => discard({ sink, group })}
    >
      <p class="wrap">{`Every letter of the group “${visible(sample)}”. None will be delivered. You can undo this for five minutes.`}</p>
    </Confirm>
  );
}
