import {
  createEnvelope,
  createRpcClient,
  type EnvelopeKind,
  METHODS,
  type RpcMethodName,
  type RpcRequest,
  type RpcResponse,
  type Sparse,
} from '@msg/core';
import { CLIENT_SETTINGS } from '../config/client-settings.ts';
import {
  type SettingGroup,
  type SettingSources,
  type Settled,
  settle,
  settleAll,
} from '../config/setting.ts';
import { readCredentials } from './credentials.ts';
import type { CliIo } from './io.ts';

/** How long a command waits for the server's answer (messaging details 16.1). */
const TIMEOUT_MS = 30_000;

/** What a command produced: kind and payload of the envelope that is printed. */
export interface CliResult {
  readonly kind: EnvelopeKind;
  readonly payload: object;
}

/** A positional argument. */
export interface Argument {
  readonly name: string;
  readonly help: string;
  readonly optional?: true;
  /** The words it may be; completion offers them. */
  readonly words?: readonly string[];
}

/** A command line worth showing, without the leading `msg`. */
export interface Example {
  readonly line: string;
  readonly help: string;
}

/** What help, completion and the reference page show of a command. */
export interface CommandFacts {
  /** The words after `msg`: `channels open`. */
  readonly name: string;
  readonly args?: readonly Argument[];
  /** One line. */
  readonly summary: string;
  /** What else there is to know. */
  readonly detail?: string;
  readonly examples: readonly Example[];
}

/** A command line taken apart. */
export interface Invocation {
  readonly args: readonly string[];
  readonly sources: SettingSources;
  readonly io: CliIo;
  /** The global `--json`. */
  readonly json: boolean;
}

/** One command of the program. */
export interface CommandSpec extends CommandFacts {
  readonly settings: SettingGroup;
  /** The RPC method the command calls; absent for commands that do not talk to the service. */
  readonly method?: RpcMethodName;
  run(invocation: Invocation): Promise<void>;
}

/** What the action of an RPC command works with. */
export interface RpcInput<S extends SettingGroup> {
  /** Positional arguments; a missing one is empty. */
  readonly args: readonly string[];
  readonly settings: Settled<S>;
  /** The bearer in use; empty when there is none. */
  readonly token: string;
  readonly io: CliIo;
}

/** A call of one RPC method; absent members mean their zero value. */
export type Call<M extends RpcMethodName> = (request: Sparse<RpcRequest<M>>) => Promise<RpcResponse<M>>;

/** An RPC command before its types are forgotten. */
export interface RpcCommand<M extends RpcMethodName, S extends SettingGroup> extends CommandFacts {
  readonly method: M;
  /** Settings besides `--server` and `--token`. */
  readonly settings?: S;
  /** Calls the method and answers what to print. It has no other way to the service than `call`. */
  action(call: Call<M>, input: RpcInput<S>): Promise<CliResult>;
}

/** Prints an envelope: two-space indentation and one newline. */
export function printResult(io: CliIo, { kind, payload }: CliResult): void {
  io.out(`${JSON.stringify(createEnvelope(kind, payload, io.now()), null, 2)}\n`);
}

/** The bearer: flag, then variable, then what a login stored (messaging details 16.1). */
async function bearerOf(sources: SettingSources, io: CliIo): Promise<string> {
  const given = settle(CLIENT_SETTINGS.token, sources);
  return given === '' ? readCredentials(io) : given;
}

/** A command that calls one method of the RPC and prints one envelope. Public methods get no bearer. */
export function rpcCommand<M extends RpcMethodName, const S extends SettingGroup>(
  command: RpcCommand<M, S>,
): CommandSpec {
  const { action, method, ...facts } = command;
  const own = command.settings ?? ({} as S); // a command without settings: the empty group
  return {
    ...facts,
    method,
    settings: { ...own, ...CLIENT_SETTINGS },
    async run({ args, sources, io }) {
      const settings = settleAll(own, sources);
      const token = METHODS[method].access.rule === 'public' ? '' : await bearerOf(sources, io);
      const client = createRpcClient<AbortSignal>({
        server: settle(CLIENT_SETTINGS.server, sources),
        token,
        fetch: io.fetch,
        signal: () => AbortSignal.timeout(TIMEOUT_MS),
      });
      const call: Call<M> = request => client.call(method, request);
      printResult(io, await action(call, { args, settings, token, io }));
    },
  };
}

/** A command that works without a running service. */
export function localCommand(
  command: CommandFacts & { readonly settings?: SettingGroup; run(invocation: Invocation): Promise<void> },
): CommandSpec {
  return { ...command, settings: command.settings ?? {} };
}
