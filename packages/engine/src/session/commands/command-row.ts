import type { Command, CommandKind, Init, Reply } from '@msg/protocol';
import { Disconnect, disconnect, errorReply, ReplyError } from '../../errors.ts';
import type { Policy } from '../../policy.ts';
import type { ConnectionPhase } from '../connection-state.ts';

/** What a command needs; without it the connection ends (3501). */
interface CommandNeeds {
  /** A connected connection. */
  readonly connected: boolean;
  /** An id, for its reply. */
  readonly id: boolean;
  /** The name of a channel. */
  readonly channel: boolean;
}

/** A policy that has these hooks. */
export type PolicyWith<Hook extends keyof Policy> = Policy & Required<Pick<Policy, Hook>>;

/** One command of the client protocol (section 7). */
export interface CommandRow<Session, Request, Hook extends keyof Policy = never> {
  readonly needs: CommandNeeds;
  /** The hook that the command needs: without it error 108, or 3508 for a command without reply. */
  readonly hook?: Hook;
  /**
   * Executes the command; returns a promise only when it waits. Throws or rejects with `ReplyError` for an error reply,
   * with `Disconnect` to end the connection.
   */
  run(session: Session, id: number, request: Request, policy: PolicyWith<Hook>): Promise<void> | undefined;
}

type RequestOf<Kind extends CommandKind> = Extract<Command, { kind: Kind }>['request'];

/** The commands that a node executes, by kind. */
export type CommandTable<Session> = {
  readonly [Kind in CommandKind]?: CommandRow<Session, RequestOf<Kind>, keyof Policy>;
};

/** The connection that a command came from. */
export interface CommandSession {
  readonly context: { readonly policy: Policy; reportError(error: unknown): void };
  readonly connection: { readonly phase: ConnectionPhase };
  readonly messages: { reply(reply: Init<Reply>): void };
  close(disconnect: Disconnect): void;
  /** The connect was answered with an error. */
  onConnectRejected(): void;
}

/** Makes a row, and checks that its hook is the one that `run` calls. */
export function commandRow<Session, Request, Hook extends keyof Policy = never>(
  row: CommandRow<Session, Request, Hook>,
): CommandRow<Session, Request, keyof Policy> {
  // `executeCommand` calls it only with a policy that has the hook.
  return row as CommandRow<Session, Request, keyof Policy>;
}

/**
 * Executes one command and replies with its errors. Returns a promise, which never rejects, only when the command waits.
 */
export function executeCommand<Session extends CommandSession>(
  table: CommandTable<Session>,
  session: Session,
  command: Command,
): Promise<void> | undefined {
  try {
    return run(table, session, command)?.catch((error: unknown) => fail(session, command, error));
  } catch (error) {
    fail(session, command, error);
    return undefined;
  }
}

function run<Session extends CommandSession>(
  table: CommandTable<Session>,
  session: Session,
  { kind, id, request }: Command,
): Promise<void> | undefined {
  // The kind of a command fixes the type of its request and finds the row of that type.
  const row = table[kind] as CommandRow<Session, Command['request'], keyof Policy> | undefined;
  if (row === undefined) throw disconnect.badRequest();
  const { needs, hook } = row;
  if (needs.connected && session.connection.phase !== 'connected') throw disconnect.badRequest();
  if (needs.id && id === 0) throw disconnect.badRequest();
  if (needs.channel && (request as { readonly channel: string }).channel === '')
    throw disconnect.badRequest();
  const { policy } = session.context;
  if (hook !== undefined && policy[hook] === undefined) {
    throw needs.id ? errorReply.notAvailable() : disconnect.notAvailable();
  }
  return row.run(session, id, request, policy as Required<Policy>);
}

function fail(session: CommandSession, command: Command, error: unknown): void {
  if (session.connection.phase === 'closed') return;
  if (error instanceof Disconnect) {
    session.close(error);
    return;
  }
  if (!(error instanceof ReplyError)) session.context.reportError(error);
  const { code, message, temporary } = error instanceof ReplyError ? error : errorReply.internal();
  session.messages.reply({ id: command.id, error: { code, message, temporary } });
  if (command.kind === 'connect') session.onConnectRejected();
}
