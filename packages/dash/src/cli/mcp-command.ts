import { resolve as absolutePath } from 'node:path';
import type { Command } from 'commander';
import { loadCatalog } from '#src/catalog/index.ts';
import { nodeTypes } from '#src/catalog/reference.ts';
import { loadSkills } from '#src/mcp/skills.ts';
import { resolveDocument } from '#src/resolve/index.ts';
import { interrupted } from './interrupt.ts';
import { addCommand, type SharedFlags, storeOf } from './shared-flags.ts';
import type { Surroundings } from './surroundings.ts';

interface McpFlags extends SharedFlags {
  readonly requireSecrets?: boolean;
}

/** `dashdoc mcp`: the tool server on the standard streams, until the host hangs up (dashboard details 13.1). */
export function addMcpCommand(program: Command, surroundings: Surroundings): void {
  addCommand(program, 'mcp', 'serve the read and dry-run tools to an MCP host over standard input and output')
    .option('--schemas <directory>', 'directory of item types')
    .option('--require-secrets', 'fail when a secret is not set')
    .action((flags: McpFlags) => serveTools(flags, surroundings));
}

async function serveTools(flags: McpFlags, surroundings: Surroundings): Promise<void> {
  // The protocol library is loaded by this command alone.
  const { serveOverStdio } = await import('#src/mcp/stdio.ts');
  const store = storeOf(flags);
  const root = absolutePath(flags.root);
  const catalog = loadCatalog(flags.schemas === undefined ? {} : { dir: flags.schemas });
  const resolveOptions = { requireSecrets: flags.requireSecrets === true };
  const room = {
    shop: {
      store,
      types: nodeTypes(catalog),
      resolve: (document: unknown) => resolveDocument(document, catalog, resolveOptions),
    },
    catalog,
    resolveOptions,
    skills: loadSkills(),
    version: surroundings.version,
  };
  const stop = interrupted();
  surroundings.stderr(`dash MCP server running on stdio\n${store.kind} store ${root}\n`);
  const { stdin: input, stdout: output } = process;
  await serveOverStdio(room, { input, output, stop, note: surroundings.stderr });
}
