import { type Argument, count, switchFlag, textFlag, valueFlag } from '@msg/command-line';
import { type EnvelopeKind, MsgError } from '@msg/core';
import { defined } from '@msg/foundation/json';
import { localCommand, type MsgCommand, printResult } from './command.ts';
import { addressedOutbox, OUTBOX_ADDRESS, SCHEMA_FLAG } from './outbox-settings.ts';

const IDS: Argument = {
  name: 'id',
  help: 'id of a dead row, as `msg outbox dead list` shows it',
  optional: true,
  repeatable: true,
};

const ONLY = {
  code: textFlag('--code', 'text', 'only rows that were given up with this code'),
  channel: textFlag('--channel', 'text', 'only rows of this channel'),
} as const;

const PAGE = 100;

const list = localCommand({
  name: 'outbox dead list',
  summary: 'rows of a PostgreSQL outbox that were given up, oldest first',
  detail:
    'With the code and the text of the last error; payloads are not shown. A further page begins after the id of the last row ' +
    'of the one before: `next_after`.',
  settings: {
    ...ONLY,
    limit: valueFlag('--limit', count, PAGE, 'how many at most, 1 to 1000'),
    after: textFlag('--after', 'id', 'where the page begins: behind this row'),
    ...SCHEMA_FLAG,
    ...OUTBOX_ADDRESS,
  },
  examples: [
    { line: 'outbox dead list', help: 'what was given up, and why' },
    {
      line: 'outbox dead list --code MSG_CHANNEL_NOT_FOUND',
      help: 'rows whose channel was not open for too long',
    },
  ],
  async run({ sources, settings: { code, channel, limit, after }, io }) {
    const settings = await addressedOutbox(sources, io);
    const { withDatabase } = await import('./outbox/database.ts');
    const rows = await withDatabase(settings, ({ postgres, sql, schema }) =>
      postgres.listDead(sql, { schema, limit, ...defined({ code, channel, after }) }),
    );
    const items = rows.map(row => ({
      id: row.id,
      channel: row.channel,
      kind: row.kind,
      code: row.code,
      last_error: row.lastError,
      attempts: row.attempts,
      bytes: row.bytes,
      tags: row.tags,
      key: row.key,
      created_at: row.createdAt,
      dead_at: row.deadAt,
    }));
    const nextAfter = rows.length === limit ? rows.at(-1)?.id : undefined;
    const payload = { schema: settings.outboxSchema, items, ...defined({ next_after: nextAfter }) };
    printResult(io, { kind: 'msg.outbox.dead.list', payload });
  },
});

/** A command that changes dead rows: some by their ids, or those of a code, of a channel, or all. */
function change(
  verb: 'retry' | 'discard',
  kind: EnvelopeKind,
  member: 'retried' | 'discarded',
  facts: Pick<MsgCommand, 'summary' | 'detail' | 'examples'>,
): MsgCommand {
  return localCommand({
    ...facts,
    name: `outbox dead ${verb}`,
    args: [IDS],
    settings: { ...ONLY, all: switchFlag('--all', 'every dead row'), ...SCHEMA_FLAG, ...OUTBOX_ADDRESS },
    async run({ sources, args: ids, settings: { code, channel, all }, io }) {
      const selected = defined({ ids: ids.length === 0 ? undefined : ids, code, channel });
      if ((Object.keys(selected).length === 0) !== all) {
        const text = `give what to ${verb}: ids, --code or --channel; or --all alone`;
        throw new MsgError('MSG_INVALID_ARGUMENT', text);
      }
      const settings = await addressedOutbox(sources, io);
      const { withDatabase } = await import('./outbox/database.ts');
      const rows = await withDatabase(settings, ({ postgres, sql, schema }) =>
        postgres[verb === 'retry' ? 'retryDead' : 'discardDead'](sql, { schema, ...selected }),
      );
      printResult(io, { kind, payload: { [member]: rows } });
    },
  });
}

const retry = change('retry', 'msg.outbox.dead.retried', 'retried', {
  summary: 'put dead rows of a PostgreSQL outbox back, to be published',
  detail:
    'A row gets a new id, behind those that wait, and keeps its key: a channel without history still knows it for 300 s. Answers ' +
    'how many there were. A row with the code `uncertain` may have been published already.',
  examples: [
    { line: 'outbox dead retry 42 43', help: 'two rows' },
    { line: 'outbox dead retry --code MSG_AUTH_DENIED', help: 'after the rights were mended' },
  ],
});

const discard = change('discard', 'msg.outbox.dead.discarded', 'discarded', {
  summary: 'remove dead rows of a PostgreSQL outbox for good',
  detail: 'Their payloads are gone. Answers how many there were.',
  examples: [
    { line: 'outbox dead discard 42', help: 'one row' },
    { line: 'outbox dead discard --channel public:shop.news', help: 'those of a channel' },
  ],
});

/** `outbox dead …`. */
export const deadRowCommands: readonly MsgCommand[] = [list, retry, discard];
