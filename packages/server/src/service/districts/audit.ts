import { MsgError } from '@msg/core';
import { Audit } from '../../audit/audit.ts';
import { AuditBroadcast } from '../../audit/broadcast.ts';
import type { AuditPage, AuditQuery, AuditStore } from '../../audit/contract.ts';
import { AuditRing, DEFAULT_RING } from '../../audit/memory.ts';
import { type AskRings, AuditReader } from '../../audit/reader.ts';
import type { ChannelManager } from '../../channels/manager.ts';
import { MAX_PRIVATE_TTL_MS } from '../../channels/ttl.ts';
import { errorFields } from '../../observability/logger.ts';
import type { NodeSurveys, SurveyQuestion } from '../../realtime/node-surveys.ts';
import type { Base, LateParts } from './base.ts';
import type { Channels } from './channels.ts';
import type { Realtime } from './realtime.ts';

/** The audit of a service. */
export interface Audited {
  readonly audit: Audit;
  readonly auditReader: AuditReader;
  readonly auditBroadcast: AuditBroadcast;
}

const RECORDS: SurveyQuestion<AuditQuery, AuditPage | null> = { operation: 'msg_audit' };

/** Asks the rings of all nodes, and answers for this one. */
function askRings(ring: AuditStore, surveys: NodeSurveys): AskRings {
  surveys.answer(RECORDS, async query => (await ring.list(query)) ?? null);
  return async query => {
    const { answers, missing } = await surveys.ask(RECORDS, query);
    return { pages: [...answers.values()], missing };
  };
}

/** Opens a channel of the service itself, or keeps it open for longer. */
async function openPrivate(
  channels: Pick<ChannelManager, 'reusePrivate' | 'createPrivate'>,
  name: string,
): Promise<void> {
  if ((await channels.reusePrivate(name, MAX_PRIVATE_TTL_MS)) !== undefined) return;
  try {
    await channels.createPrivate(name, MAX_PRIVATE_TTL_MS, () => undefined);
  } catch (error) {
    // Another node created it in between.
    if ((await channels.reusePrivate(name, MAX_PRIVATE_TTL_MS)) === undefined) throw error;
  }
}

/** @throws MsgError MSG_INVALID_ARGUMENT for a ring without a place, and a channel that is not private. */
export function composeAudit(
  base: Base,
  late: LateParts,
  { channels }: Channels,
  { surveys }: Realtime,
): Audited {
  const { options, clock, random, logger, stores } = base;
  const { strict = false, ring = DEFAULT_RING, channel = '' } = options.audit ?? {};
  if (!Number.isSafeInteger(ring) || ring < 1)
    throw new MsgError('MSG_INVALID_ARGUMENT', `audit.ring must be at least 1; got ${ring}`);
  const store = stores.audit ?? new AuditRing(ring);
  const auditBroadcast = new AuditBroadcast({
    channel,
    open: name => openPrivate(channels, name),
    publish: async (name, data) => late.pipeline.publish(name, data),
    onFailed: error => logger.warn(errorFields(error), 'an audit record was not published'),
  });
  return {
    auditBroadcast,
    audit: new Audit({
      store,
      clock,
      random,
      strict,
      nodeId: () => late.node.id,
      onRecord(record) {
        logger.info({ ...record }, 'audit');
        auditBroadcast.add(record);
      },
      onFailed(error, { method, id }, refused) {
        late.metrics.auditFailed();
        const text = refused
          ? 'a call was refused: its audit record was not stored'
          : 'an audit record was not stored';
        logger.warn({ ...errorFields(error), method, id }, text);
      },
    }),
    auditReader: new AuditReader(store, stores.audit === undefined ? askRings(store, surveys) : undefined),
  };
}
