import { once } from 'node:events';
import { resolve as absolutePath } from 'node:path';
import { loadSkills } from '../mcp/skills.ts';
import { openDocumentEngine } from '../reads/document-engine.ts';
import { dashCommand, RESOLVE_SETTINGS, storeOf } from './settings.ts';
import { VERSION } from './version.ts';

/** `dashdoc mcp`: the tool server on the standard streams, until the host hangs up (dashboard details 13.1). */
const mcp = dashCommand({
  name: 'mcp',
  summary: 'serve the read and dry-run tools to an MCP host over standard input and output',
  settings: RESOLVE_SETTINGS,
  async run({ settings, io }) {
    // The protocol library is loaded by this command alone.
    const { serveOverStdio } = await import('../mcp/stdio.ts');
    const store = storeOf(settings);
    const { schemas, requireSecrets } = settings;
    const context = {
      store,
      engine: openDocumentEngine(schemas, { requireSecrets }),
      skills: loadSkills(),
      version: VERSION,
    };
    const stop = once(io.interrupted(), 'abort');
    io.err(`dash MCP server running on stdio\n${store.kind} store ${absolutePath(settings.root)}\n`);
    const { stdin: input, stdout: output } = process;
    await serveOverStdio(context, { input, output, stop, note: io.err });
  },
});

export const mcpCommands = [mcp];
