import { createEnvelope, createRpcClient, type EnvelopeKind, type RpcClient } from '@msg/core';
import type { Command } from 'commander';
import { CLIENT_SETTINGS } from '../config/client-settings.ts';
import { settleAll } from '../config/setting.ts';
import { addSettings, sourcesOf } from './flags.ts';
import type { CliIo } from './io.ts';

/** How long a command waits for the server's answer (messaging details 16.1). */
const TIMEOUT_MS = 30_000;

/** What a command produced: kind and payload of the envelope that is printed. */
export interface CliResult {
  readonly kind: EnvelopeKind;
  readonly payload: object;
}

/** Prints an envelope: two-space indentation and one newline. */
export function printResult(io: CliIo, { kind, payload }: CliResult): void {
  io.out(`${JSON.stringify(createEnvelope(kind, payload, io.now()), null, 2)}\n`);
}

/**
 * Makes a command a client of the service: adds `--server` and `--token`, runs `action` with a client and the
 * command's arguments, prints the envelope it answers.
 */
export function clientCommand(
  command: Command,
  io: CliIo,
  action: (client: RpcClient, args: readonly string[]) => Promise<CliResult>,
): Command {
  return addSettings(command, CLIENT_SETTINGS).action(async () => {
    const { server, token } = settleAll(CLIENT_SETTINGS, sourcesOf(command, io.env));
    const client = createRpcClient<AbortSignal>({
      server,
      token,
      fetch: io.fetch,
      signal: () => AbortSignal.timeout(TIMEOUT_MS),
    });
    printResult(io, await action(client, command.args));
  });
}
