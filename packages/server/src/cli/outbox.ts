import { defaultFlag, switchFlag } from '@msg/command-line';
import { resolve } from '@msg/command-line/internal';
import { MsgError } from '@msg/core';
import { CLIENT_SETTINGS } from '../config/client-settings.ts';
import { OUTBOX_SETTINGS } from '../config/outbox-settings.ts';
import { CONFIG_SETTINGS, SERVE_SETTINGS } from '../config/serve-settings.ts';
import { bearerOf, localCommand, type MsgCommand, printResult, withOutput } from './command.ts';
import { deadRowCommands } from './outbox-dead.ts';
import { addressedOutbox, OUTBOX_ADDRESS, outboxSettings, SCHEMA_FLAG } from './outbox-settings.ts';

const migrate = localCommand({
  name: 'outbox migrate',
  summary: 'make the schema of a PostgreSQL outbox, or bring it to the version of this program',
  detail:
    'As its owner. Each migration is one transaction behind an advisory lock, forward only; a schema that is newer than this ' +
    'program is refused. The address comes from MSG_OUTBOX_POSTGRES_URL, or from the file in --config, and is shown nowhere.',
  settings: {
    print: switchFlag('--print', 'print the statements, for review or another tool; no database is asked'),
    alias: switchFlag('--alias', 'make the function msg_publish in the schema public, too'),
    ...SCHEMA_FLAG,
    ...OUTBOX_ADDRESS,
  },
  examples: [
    { line: 'outbox migrate', help: 'with the address in MSG_OUTBOX_POSTGRES_URL' },
    { line: 'outbox migrate --print > outbox.sql', help: 'what it would do' },
  ],
  async run({ sources, settings: { print, alias }, io }) {
    if (print) {
      const { outboxSchema: schema } = await outboxSettings(sources, io);
      const { statementsOf } = await import('./outbox/statements.ts');
      io.out(await statementsOf({ schema, alias }));
      return;
    }
    const settings = await addressedOutbox(sources, io);
    const { withDatabase } = await import('./outbox/database.ts');
    const payload = await withDatabase(settings, async ({ postgres, sql, schema }) => {
      const { from, to } = await postgres.migrate(sql, { schema, alias });
      return { schema, from, to, alias };
    });
    printResult(io, { kind: 'msg.outbox.migrated', payload });
  },
});

const status = localCommand({
  name: 'outbox status',
  summary: 'what waits in a PostgreSQL outbox, and what holds it up',
  detail:
    'Rows that wait with the age of the oldest in seconds, dead rows, partitions that a worker holds, and the channels that ' +
    'wait, each with the error of its first row. Counting takes time where millions of rows wait.',
  settings: { ...SCHEMA_FLAG, ...OUTBOX_ADDRESS },
  examples: [{ line: 'outbox status', help: 'is a worker there, and does it get through?' }],
  async run({ sources, io }) {
    const settings = await addressedOutbox(sources, io);
    const { withDatabase } = await import('./outbox/database.ts');
    const { schema, ...report } = await withDatabase(settings, async ({ postgres, sql, schema }) => ({
      schema,
      ...(await postgres.outboxStatus(sql, { schema })),
    }));
    const { version, latestVersion } = report;
    if (version !== latestVersion) throw otherVersion(schema, version, latestVersion);
    const payload = {
      schema,
      version,
      rows: report.rows,
      oldest_seconds: report.oldestSeconds,
      dead_rows: report.deadRows,
      leases: report.leases,
      max_rows: report.maxRows,
      held: report.held.map(({ channel, attempts, lastError }) => ({
        channel,
        attempts,
        last_error: lastError,
      })),
    };
    printResult(io, { kind: 'msg.outbox.status', payload });
  },
});

function otherVersion(schema: string, version: number, latest: number): MsgError {
  const text = `the outbox schema "${schema}" must have version ${latest}, which this program knows; got ${version}`;
  return new MsgError('MSG_INVALID_ARGUMENT', text, { situation: { name: 'outboxSchema' } });
}

const FIGURES_SETTINGS = {
  metricsAddr: defaultFlag(
    '--metrics-addr',
    'host:port',
    '',
    'serves the metrics and the health of the worker there; empty: nowhere',
    { env: 'MSG_OUTBOX_METRICS_ADDR' },
  ),
  metricsToken: SERVE_SETTINGS.metricsToken,
} as const;

const run: MsgCommand = {
  name: 'outbox run',
  summary: 'publish the rows of a PostgreSQL outbox into a service, until a signal ends it',
  detail:
    'A worker in a process of its own; any number may run, beside that of `msg serve`. It waits for the database and the ' +
    'service, and logs what it waits for. The bearer needs the rights to publish into the channels, and to open them with ' +
    '`outbox.open_channels: auto`; a management token is renewed. SIGTERM and SIGINT end it after the batch at hand, and ' +
    'what it has published is printed. With --metrics-addr it serves /metrics, /healthz and /readyz there.',
  settings: {
    ...SCHEMA_FLAG,
    ...FIGURES_SETTINGS,
    ...CONFIG_SETTINGS,
    ...OUTBOX_SETTINGS,
    ...CLIENT_SETTINGS,
  },
  examples: [
    {
      line: 'outbox run --server http://msg.internal:8000',
      help: 'with MSG_OUTBOX_POSTGRES_URL and MSG_TOKEN',
    },
    { line: 'outbox run --config /etc/msg/msg.yaml', help: 'with the settings `outbox.*` of a file' },
    { line: 'outbox run --metrics-addr :9464', help: 'with figures for Prometheus' },
  ],
  async run(invocation) {
    const { sources } = invocation;
    const io = withOutput(invocation);
    const settings = await addressedOutbox(sources, io);
    const service = {
      server: resolve(CLIENT_SETTINGS.server, sources),
      token: await bearerOf(sources, io),
      fetch: io.fetch,
    };
    const { runWorker } = await import('./outbox/worker.ts');
    const figures = {
      address: resolve(FIGURES_SETTINGS.metricsAddr, sources),
      metricsToken: resolve(FIGURES_SETTINGS.metricsToken, sources),
    };
    const stats = await runWorker(settings, service, figures, io.interrupted());
    const payload = {
      published: stats?.published ?? 0,
      suppressed: stats?.suppressed ?? 0,
      takeovers: stats?.takeovers ?? 0,
      dead: Object.fromEntries(stats?.dead ?? []),
    };
    printResult(io, { kind: 'msg.outbox.run', payload });
    return undefined;
  },
};

/** `outbox …`. */
export const outboxCommands: readonly MsgCommand[] = [migrate, status, run, ...deadRowCommands];
