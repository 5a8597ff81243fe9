import {
  type CommandFacts,
  type CommandRow,
  type CommandSpec,
  command,
  type Invocation,
  outputSettings,
  type Resolved,
  type SettingGroup,
  type SettingSources,
  switchFlag,
  tableOutput,
} from '@msg/command-line';
import { humanText, resolve, resolveAll } from '@msg/command-line/internal';
import {
  createRpcClient,
  type EnvelopeKind,
  METHODS,
  type MsgError,
  type RpcMethodName,
  type RpcRequest,
  type RpcResponse,
  type Sparse,
} from '@msg/core';
import { CLI_AGENT, createEnvelope } from '@msg/core/internal';
import { defined, isRecord } from '@msg/foundation/json';
import { CLIENT_SETTINGS } from '../config/client-settings.ts';
import { VERSION } from '../config/version.ts';
import { type FailedCall, withSituation } from './call-situation.ts';
import { readCredentials } from './credentials.ts';
import { EMPTY_LISTS } from './empty-lists.ts';
import type { CliEnvironment } from './io.ts';

/** How long a command waits for the server's answer (messaging details 16.1). */
const TIMEOUT_MS = 30_000;

/** The program's own flags; `serve` reads `--json` too. */
export const PROGRAM_FLAGS = {
  json: switchFlag('--json', 'print envelopes also on a terminal; alone or with serve, the manifest'),
  ...outputSettings('MSG_OUTPUT'),
} as const;

/** The result of a command: kind and payload of the printed envelope. */
export interface CliResult {
  readonly kind: EnvelopeKind;
  readonly payload: object;
  /** A partial failure: the result is printed, and the command exits with 1. */
  readonly failure?: MsgError;
}

/** One command of `msg`. */
export interface MsgCommand extends CommandSpec<CliEnvironment> {
  /** The RPC method the command calls; absent for commands that do not talk to the service. */
  readonly method?: RpcMethodName;
}

/** The input of an RPC command's action. */
interface RpcInput<S extends SettingGroup> {
  /** Positional arguments; a missing one is empty. */
  readonly args: readonly string[];
  readonly settings: Resolved<S>;
  /** The bearer in use; empty without one. */
  readonly token: string;
  readonly io: CliEnvironment;
}

/** A call of one RPC method; absent members mean their zero value. */
type Call<M extends RpcMethodName> = (request: Sparse<RpcRequest<M>>) => Promise<RpcResponse<M>>;

/** An RPC command before its types are forgotten. */
export interface RpcCommand<M extends RpcMethodName, S extends SettingGroup> extends CommandFacts {
  readonly method: M;
  /** Settings besides `--server` and `--token`. */
  readonly settings?: S;
  /**
   * Calls the method and returns what to print, or yields results as they come. It reaches the service only by `call`.
   */
  action(call: Call<M>, input: RpcInput<S>): Promise<CliResult> | AsyncIterable<CliResult>;
}

/** Prints a result: the envelope with two-space indentation and a newline, or, in table form, its payload for people. */
export function printResult({ out, now, table }: CliEnvironment, { kind, payload }: CliResult): void {
  if (table === undefined) out(`${JSON.stringify(createEnvelope(kind, payload, now()), null, 2)}\n`);
  else out(humanText(payload, { ...table, now: now(), ...defined({ empty: EMPTY_LISTS[kind] }) }));
}

/** The command's I/O with the output form of its command line. */
export function withOutput({ io, sources }: Invocation<CliEnvironment>): CliEnvironment {
  const json = resolve(PROGRAM_FLAGS.json, sources);
  return { ...io, ...defined({ table: tableOutput(PROGRAM_FLAGS, sources, io, json) }) };
}

/** Prints a result. @throws MsgError its partial failure */
function finish(io: CliEnvironment, result: CliResult): void {
  printResult(io, result);
  if (result.failure !== undefined) throw result.failure;
}

/** The bearer: flag, then variable, then the stored login (messaging details 16.1). */
export async function bearerOf(sources: SettingSources, io: CliEnvironment): Promise<string> {
  const token = resolve(CLIENT_SETTINGS.token, sources);
  return token === '' ? readCredentials(io) : token;
}

/** The tokens that a method accepts, and the channel of a request. */
function callFacts(
  method: RpcMethodName,
  request: unknown,
): Pick<FailedCall, 'needs' | 'channel' | 'isSchema'> {
  const { access } = METHODS[method];
  if (access.rule !== 'channel') return { needs: ['mgmt'], channel: '', isSchema: method.endsWith('Schema') };
  const name = isRecord(request) ? request['name'] : undefined;
  return {
    needs: access.accessToken ? ['mgmt', 'access'] : ['mgmt'],
    channel: typeof name === 'string' ? name : '',
  };
}

/** Calls any method; absent members mean their zero value. */
type AnyCall = <M extends RpcMethodName>(
  method: M,
  request: Sparse<RpcRequest<M>>,
) => Promise<RpcResponse<M>>;

/**
 * The calls of a command with its server and its bearer; a call of a public method needs none. Those that wait end when
 * `over` aborts.
 */
export async function callsOf(
  invocation: Invocation<CliEnvironment>,
  isPublic = false,
  over?: AbortSignal,
): Promise<{ readonly call: AnyCall; readonly token: string }> {
  const { sources } = invocation;
  const io = withOutput(invocation);
  const token = isPublic ? '' : await bearerOf(sources, io);
  const server = resolve(CLIENT_SETTINGS.server, sources);
  const client = createRpcClient<AbortSignal>({
    server,
    token,
    fetch: (url, init) =>
      io.fetch(url, { ...init, headers: { ...init.headers, 'user-agent': CLI_AGENT + VERSION } }),
    onIgnored: (name, fields) =>
      io.err(`warning: the service is older than this command and ignored of ${name}: ${fields}\n`),
    signal() {
      const timeout = AbortSignal.timeout(TIMEOUT_MS);
      return over === undefined ? timeout : AbortSignal.any([timeout, over]);
    },
  });
  const call: AnyCall = (method, request) =>
    client.call(method, request).catch((error: unknown) => {
      throw withSituation(error, {
        server,
        token: isPublic ? undefined : token,
        ...callFacts(method, request),
        now: io.now(),
      });
    });
  return { call, token };
}

/** A command that calls one method of the RPC and prints an envelope for each result. Public methods get no bearer. */
export function rpcCommand<M extends RpcMethodName, const S extends SettingGroup>(
  row: RpcCommand<M, S>,
): MsgCommand {
  const { action, method, ...facts } = row;
  const group = row.settings ?? ({} as S); // a command without settings: the empty group
  return {
    ...facts,
    method,
    settings: { ...group, ...CLIENT_SETTINGS },
    async run(invocation) {
      const { args, sources } = invocation;
      const io = withOutput(invocation);
      const settings = resolveAll(group, sources);
      const { call, token } = await callsOf(invocation, METHODS[method].access.rule === 'public');
      const results = action(request => call(method, request), { args, settings, token, io });
      if (Symbol.asyncIterator in results) for await (const result of results) finish(io, result);
      else finish(io, await results);
    },
  };
}

/** A command that works without a running service. */
export function localCommand<const S extends SettingGroup>(row: CommandRow<CliEnvironment, S>): MsgCommand {
  return command({ ...row, run: invocation => row.run({ ...invocation, io: withOutput(invocation) }) });
}
