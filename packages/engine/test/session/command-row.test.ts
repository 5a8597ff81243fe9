import type { Command, CommandKind } from '@msg/protocol';
import { describe, expect, it } from 'vitest';
import { type Disconnect, disconnect, ReplyError } from '#src/errors.ts';
import type { Policy } from '#src/policy.ts';
import {
  type CommandSession,
  type CommandTable,
  commandRow,
  executeCommand,
} from '#src/session/commands/command-row.ts';
import { COMMANDS } from '#src/session/commands/table.ts';
import type { ConnectionPhase } from '#src/session/connection-state.ts';
import { settled } from './parts.ts';

/** A session that notes what its commands lead to. */
class Issuer implements CommandSession {
  readonly events: unknown[] = [];
  readonly connection: { phase: ConnectionPhase } = { phase: 'connected' };
  readonly context: CommandSession['context'];
  readonly messages = { reply: (reply: unknown) => void this.events.push(reply) };

  constructor(policy: Partial<Policy> = {}) {
    this.context = {
      policy: { connect: () => ({ user: '' }), ...policy },
      reportError: error => void this.events.push(error),
    };
  }

  close({ code }: Disconnect): void {
    this.events.push(code);
  }

  onConnectRejected(): void {
    this.events.push('rejected');
  }
}

const ALL = { connected: true, id: true, channel: true };
const NOTHING = { connected: false, id: false, channel: false };
const commandOf = (kind: CommandKind, id = 1, channel = 'c') =>
  ({ kind, id, request: { channel } }) as unknown as Command;

/** What executing a command of a table with one row leads to. */
async function outcome(table: CommandTable<Issuer>, command: Command, issuer = new Issuer()) {
  await executeCommand(table, issuer, command);
  await settled();
  return issuer.events;
}

describe('a command', () => {
  const ran: number[] = [];
  const history = commandRow<Issuer, unknown, 'history'>({
    needs: ALL,
    hook: 'history',
    run: (_session, id) => void ran.push(id) as undefined,
  });

  it('runs when it brings what its row needs', async () => {
    const issuer = new Issuer({ history: () => {} });
    expect(await outcome({ history }, commandOf('history', 7), issuer)).toEqual([]);
    expect(ran).toEqual([7]);
  });

  it('ends the connection without what it needs, and when it has no row', async () => {
    const issuer = () => new Issuer({ history: () => {} });
    expect(await outcome({ history }, commandOf('history', 0), issuer())).toEqual([3501]);
    expect(await outcome({ history }, commandOf('history', 1, ''), issuer())).toEqual([3501]);
    const early = issuer();
    early.connection.phase = 'connecting';
    expect(await outcome({ history }, commandOf('history'), early)).toEqual([3501]);
    expect(await outcome({ history }, commandOf('ping'), issuer())).toEqual([3501]);
    expect(ran).toEqual([7]);
  });

  it('is not available without the hook of the policy: 108, or 3508 where nothing is answered', async () => {
    expect(await outcome({ history }, commandOf('history'))).toEqual([
      { id: 1, error: { code: 108, message: 'not available', temporary: false } },
    ]);
    const send = commandRow<Issuer, unknown, 'message'>({
      needs: NOTHING,
      hook: 'message',
      run: () => undefined,
    });
    expect(await outcome({ send }, commandOf('send', 0))).toEqual([3508]);
  });

  it('answers what it throws, at once or later', async () => {
    const throwing = (error: unknown, later: boolean) =>
      commandRow<Issuer, unknown>({
        needs: NOTHING,
        run: () => {
          if (later) return Promise.reject(error);
          throw error;
        },
      });
    for (const later of [false, true]) {
      const denied = new ReplyError(103, 'denied');
      expect(await outcome({ rpc: throwing(denied, later) }, commandOf('rpc'))).toEqual([
        { id: 1, error: { code: 103, message: 'denied', temporary: false } },
      ]);
      expect(await outcome({ rpc: throwing(disconnect.slow(), later) }, commandOf('rpc'))).toEqual([3008]);
      const failure = new Error('secret');
      expect(await outcome({ rpc: throwing(failure, later) }, commandOf('rpc'))).toEqual([
        failure,
        { id: 1, error: { code: 100, message: 'internal server error', temporary: true } },
      ]);
      const over = new Issuer();
      over.connection.phase = 'closed';
      expect(await outcome({ rpc: throwing(failure, later) }, commandOf('rpc'), over)).toEqual([]);
      expect(await outcome({ connect: throwing(denied, later) }, commandOf('connect'))).toContain('rejected');
    }
  });
});

describe('the table of commands', () => {
  it('has a row for every kind but pings and empty commands', () => {
    expect(Object.keys(COMMANDS)).toEqual([
      'connect',
      'subscribe',
      'unsubscribe',
      'publish',
      'presence',
      'presence_stats',
      'history',
      'rpc',
      'send',
      'refresh',
      'sub_refresh',
    ]);
  });

  it('asks all but the first command for a connection, and all but a message for an id', () => {
    for (const [kind, row] of Object.entries(COMMANDS)) {
      expect([kind, row?.needs.connected], kind).toEqual([kind, kind !== 'connect']);
      expect([kind, row?.needs.id], kind).toEqual([kind, kind !== 'send']);
    }
  });
});
