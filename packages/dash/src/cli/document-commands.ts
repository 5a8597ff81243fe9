import { textFlag, UsageError } from '@msg/command-line';
import { emptyPage } from '../document/empty-page.ts';
import type { JsonObject } from '../document/json.ts';
import { listDashboards } from '../reads/list.ts';
import { warningsOf } from '../reads/warnings/warnings.ts';
import { requireSafeId } from '../store/document-id.ts';
import { createDocument, renamed, requireDashboard, showDocument } from './documents.ts';
import { readNewDocument } from './input.ts';
import type { DashIo } from './io.ts';
import {
  dashCommand,
  print,
  printWarnings,
  printWritten,
  STORE_SETTINGS,
  storeOf,
  TYPE_SETTINGS,
} from './settings.ts';
import { readTemplate } from './templates.ts';

const ID = { name: 'id', help: 'id of a stored document' } as const;

const list = dashCommand({
  name: 'list',
  summary: 'list the documents',
  settings: STORE_SETTINGS,
  async run({ settings, io }) {
    print(io, await listDashboards(storeOf(settings)));
  },
});

const show = dashCommand({
  name: 'show',
  args: [ID],
  summary: 'print a stored document',
  settings: { ...STORE_SETTINGS, at: textFlag('--at', 'revision', 'an older version') },
  async run({ args: [id = ''], settings, io }) {
    io.out(new TextDecoder().decode(await showDocument(storeOf(settings), id, settings.at)));
  },
});

const create = dashCommand({
  name: 'create',
  args: [{ name: 'id', help: 'id of the new document' }],
  summary: 'store a new document that resolves',
  settings: {
    ...TYPE_SETTINGS,
    from: textFlag('--from', 'file', 'take the document from a file; - is standard input'),
    template: textFlag('--template', 'name', 'start from a shipped example instead of an empty page'),
    title: textFlag('--title', 'title', 'its title'),
  },
  async run({ args: [id = ''], settings, io }) {
    requireSafeId(id);
    const { json, title } = settings;
    if (title === '') throw new UsageError('--title must be a non-empty text; got ""', { flag: '--title' });
    const document = renamed(await sourceOf(id, settings, io), id, title);
    const store = storeOf(settings);
    const engine = io.openEngine(settings.schemas);
    const revision = await createDocument(store, id, document, created => {
      printWarnings(io, id, warningsOf(created, engine.resolve(created), engine.types));
    });
    printWritten(io, 'created', { json, id, revision });
  },
});

interface Source {
  readonly from: string | undefined;
  readonly template: string | undefined;
}

async function sourceOf(id: string, { from, template }: Source, io: DashIo): Promise<JsonObject> {
  if (from !== undefined && template !== undefined) {
    const rule = 'a document has one source';
    throw new UsageError(`--template with --from is not allowed: ${rule}`, { flag: '--template' });
  }
  if (template !== undefined) return readTemplate(template);
  return from === undefined ? emptyPage(id) : requireDashboard(from, await readNewDocument(from, io));
}

/** Commands that need the store only. */
export const documentCommands = [list, show, create];
