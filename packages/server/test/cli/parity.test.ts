import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { METHODS } from '@msg/core';
import { describe, expect, test } from 'vitest';
import { COMMAND_GROUPS, COMMANDS } from '#src/cli/program.ts';

/** Commands that do not go through the RPC, and why. */
const APART: Readonly<Record<string, string>> = {
  serve: 'is the service',
  subscribe: 'reads the debug stream',
  watch: 'calls several methods: OpenFeed, RenewFeed, CloseFeed, and reads the debug stream',
  'channels tail': 'as watch, with StartTail',
  'connections record': 'calls several methods: StartRecording, GetRecording, StopRecording',
  console: 'sends the calls of a browser on',
  'api-keys new': 'makes a key for a configuration, without a server',
  'outbox migrate': 'works on a database, without a server',
  'outbox status': 'works on a database, without a server',
  'outbox run': 'calls several methods: PublishMany, PublishOrSink, Position, OpenPublic',
  'outbox dead list': 'works on a database, without a server',
  'outbox dead retry': 'works on a database, without a server',
  'outbox dead discard': 'works on a database, without a server',
  'vapid generate': 'makes keys for a configuration, without a server',
  'keys export': 'works on a stored keyring, without a server',
  'keys import': 'works on a stored keyring, without a server',
  'keys rotate': 'calls several methods: GenerateKey, PromoteKey, KeyUsage, RetireKey',
  'keys sync': 'works on two stored keyrings, without a server',
  'login oidc': 'asks the identity provider',
  logout: 'removes a file',
  'config check': 'reads a file',
  'config init': 'prints a file',
  'config schema': 'prints a schema',
  'config print': 'reads a file and the environment',
  'tokens inspect': 'decodes its argument',
  completion: 'prints a script',
  errors: 'shows the table of codes',
  health: 'asks the process on this machine',
};

/** The only files of the command line that load the service. */
const LOADERS = [
  ...['check-config.ts', 'console.ts', 'msg.ts', 'serve.ts', 'statements.ts', 'transfer.ts', 'worker.ts'],
  ...['database.ts', 'database.ts', 'database.ts', 'database.ts'],
];
/** The only files that open connections. */
const CALLERS = ['command.ts', 'health.ts', 'login.ts', 'notify-node.ts', 'event-stream.ts', 'outbox.ts'];

/** The client commands: `cli/serve` is the service. */
const sources = globSync(new URL('../../src/cli/*.ts', import.meta.url).pathname).map(path => ({
  name: basename(path),
  text: readFileSync(path, 'utf8'),
}));

describe('commands and the RPC', () => {
  test.each(Object.keys(METHODS))('%s has a command', method => {
    expect(COMMANDS.filter(command => command.method === method)).not.toEqual([]);
  });

  test('every other command is a named exception', () => {
    const apart = COMMANDS.filter(command => command.method === undefined).map(command => command.name);
    expect(apart.toSorted()).toEqual(Object.keys(APART).toSorted());
  });

  test('the service is loaded by named files only', () => {
    const loaded = sources.flatMap(({ text }) =>
      [...text.matchAll(/import\('((?:\.\.\/(?!config\/)|\.\/(?:serve|outbox)\/)[^']+)'\)/g)].map(match =>
        basename(match[1] ?? ''),
      ),
    );
    expect(loaded.toSorted()).toEqual([...LOADERS, 'transfer.ts', 'transfer.ts'].toSorted());
  });

  test('connections are opened by named files only', () => {
    const callers = sources.filter(({ text }) =>
      /\bio\.fetch\b|await fetch\(|globalThis\.fetch\(|\b(WebSocket|EventSource)\(|node:(http|https|net|tls)/.test(
        text,
      ),
    );
    expect(callers.map(({ name }) => name).toSorted()).toEqual([...CALLERS, 'io.ts'].toSorted());
  });
});

describe('the command table', () => {
  test('names are unique and every group is described', () => {
    const names = COMMANDS.map(command => command.name);
    expect(new Set(names).size).toBe(names.length);
    const groups = names.flatMap(name => {
      const words = name.split(' ').slice(0, -1);
      return words.map((_, at) => words.slice(0, at + 1).join(' '));
    });
    expect([...new Set(groups)].toSorted()).toEqual(Object.keys(COMMAND_GROUPS).toSorted());
  });

  test.each(COMMANDS.map(command => [command.name, command] as const))(
    '%s has examples of itself',
    (name, { examples = [] }) => {
      expect(examples.length).toBeGreaterThan(0);
      for (const { line } of examples) expect(line.startsWith(name)).toBe(true);
    },
  );

  test('no two flags of a command have the same name', () => {
    for (const { name, settings } of COMMANDS) {
      const flags = Object.values(settings).flatMap(({ flag, short }) => [flag, short].filter(Boolean));
      expect(new Set(flags).size, name).toBe(flags.length);
    }
  });
});
