import { textFlag, UsageError } from '@msg/command-line';
import type { JsonObject } from '../document/json.ts';
import { listDashboards } from '../reads/list.ts';
import { requireSafeId } from '../store/document-id.ts';
import { createDocument, documentHistory, emptyPage, renamed, showDocument } from './documents.ts';
import { readNewDocument } from './input.ts';
import type { DashIo } from './io.ts';
import { dashCommand, print, printWritten, STORE_SETTINGS, storeOf } from './settings.ts';
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

const history = dashCommand({
  name: 'history',
  args: [ID],
  summary: 'list the commits of a document',
  settings: STORE_SETTINGS,
  async run({ args: [id = ''], settings, io }) {
    print(io, await documentHistory(storeOf(settings), id));
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
  summary: 'store a new document',
  settings: {
    ...STORE_SETTINGS,
    from: textFlag('--from', 'file', 'take the document from a file; - is standard input'),
    template: textFlag('--template', 'name', 'start from a shipped example instead of an empty page'),
    title: textFlag('--title', 'title', 'its title'),
  },
  async run({ args: [id = ''], settings, io }) {
    requireSafeId(id);
    const { json, title } = settings;
    if (title === '') throw new UsageError('--title must be a non-empty text; got ""', { flag: '--title' });
    const source = await sourceOf(settings, io);
    const revision = await createDocument(storeOf(settings), id, renamed(source, id, title));
    printWritten(io, 'created', { json, id, revision });
  },
});

interface Source {
  readonly from: string | undefined;
  readonly template: string | undefined;
}

async function sourceOf({ from, template }: Source, io: DashIo): Promise<JsonObject> {
  if (from !== undefined && template !== undefined) {
    const rule = 'a document has one source';
    throw new UsageError(`--template with --from is not allowed: ${rule}`, { flag: '--template' });
  }
  if (template !== undefined) return readTemplate(template);
  return from === undefined ? emptyPage() : readNewDocument(from, io);
}

/** Commands that need the store only. */
export const documentCommands = [list, history, show, create];
