import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalBytes, type DashCode, FileStore } from '@msg/dash';
import { teamPulse } from '../../packages/dash/test/resolve/team-pulse.ts';
import { changesetCalls } from './dash/changesets.ts';
import { entryCalls } from './dash/entries.ts';
import { proposalCalls } from './dash/proposals.ts';
import { resolveCalls } from './dash/resolutions.ts';
import { ID } from './dash/stores.ts';
import { type MessageExample, messagesOf } from './provocation.ts';

/** Messages of codes that need more than a document, each produced by the real code. */
export async function dashMessages(): Promise<ReadonlyMap<DashCode, readonly MessageExample[]>> {
  const root = await mkdtemp(join(tmpdir(), 'dash-messages-'));
  try {
    await new FileStore({ root }).save(ID, canonicalBytes(teamPulse()));
    const calls = { ...changesetCalls(root), ...resolveCalls(root), ...entryCalls(root), ...proposalCalls() };
    return await messagesOf<DashCode>(calls);
  } finally {
    await rm(root, { recursive: true });
  }
}
