import { once } from 'node:events';
import { resolve as absolutePath } from 'node:path';
import { defaultFlag, textFlag } from '@msg/command-line';
import { defined } from '@msg/foundation/json';
import { DataSources } from '../data/sources.ts';
import { display } from '../document/display.ts';
import { DashError } from '../errors.ts';
import { ReviewServer } from '../mcp/review-server.ts';
import { loadSkills } from '../mcp/skills.ts';
import { PREVIEWS, type Preview } from '../mcp/tool.ts';
import { openDocumentEngine } from '../reads/document-engine.ts';
import { QUERY_SETTINGS, querySettings } from './query-settings.ts';
import { dashCommand, RESOLVE_SETTINGS, storeOf } from './settings.ts';
import { VERSION } from './version.ts';

const SETTINGS = {
  ...RESOLVE_SETTINGS,
  ...QUERY_SETTINGS,
  preview: defaultFlag(
    '--preview',
    'size',
    'full',
    'what a validation shows unless the call says: full, changed or none',
  ),
  reviewUrl: textFlag(
    '--review-url',
    'url',
    'address of dashdoc serve, for links to the review of a changeset',
  ),
} as const;

/** `dashdoc mcp`: the tool server on the standard streams, until the host hangs up (dashboard details 13.1). */
const mcp = dashCommand({
  name: 'mcp',
  summary: 'serve the read and dry-run tools to an MCP host over standard input and output',
  settings: SETTINGS,
  async run({ settings, io }) {
    // The protocol library is loaded by this command alone.
    const { serveOverStdio } = await import('../mcp/stdio.ts');
    const preview = requirePreview(settings.preview);
    const review = reviewAt(settings.reviewUrl);
    const store = storeOf(settings);
    const { schemas, requireSecrets } = settings;
    const asked = await querySettings(settings, io);
    const engine = openDocumentEngine(schemas, { requireSecrets });
    const sources = new DataSources({ ...asked, rowsError: engine.rowsError });
    const context = {
      store,
      engine,
      skills: loadSkills(),
      version: VERSION,
      preview,
      queries: { sources, origins: asked.allowed?.origins ?? [] },
      ...defined({ review }),
    };
    const stop = once(io.interrupted(), 'abort');
    io.err(`dash MCP server running on stdio\n${store.kind} store ${absolutePath(settings.root)}\n`);
    const { stdin: input, stdout: output } = process;
    try {
      await serveOverStdio(context, { input, output, stop, note: io.err });
    } finally {
      await sources.close();
    }
  },
});

function requirePreview(text: string): Preview {
  const preview = PREVIEWS.find(candidate => candidate === text);
  if (preview !== undefined) return preview;
  const reason = `must be one of ${PREVIEWS.join(', ')}; got "${display(text)}"`;
  throw new DashError('CLI_INVALID', `--preview ${reason}.`, { argument: '--preview', reason });
}

/** A server at a plain address: a link repeats it, so it holds no user, password, query or fragment. */
function reviewAt(text: string | undefined): ReviewServer | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && /^https?:\/\/[^?#@]+$/.test(url.href);
  if (isPlain) return new ReviewServer(withoutEndSlashes(url.href));
  const reason = `must be an http or https address without user, query and fragment`;
  throw new DashError('CLI_INVALID', `--review-url ${reason}.`, { argument: '--review-url', reason });
}

export const mcpCommands = [mcp];

function withoutEndSlashes(address: string): string {
  let end = address.length;
  while (address[end - 1] === '/') end -= 1;
  return address.slice(0, end);
}
