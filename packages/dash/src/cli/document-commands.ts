import type { Command } from 'commander';
import type { JsonObject } from '#src/document/json.ts';
import { listDashboards } from '#src/reads/list.ts';
import { requireSafeId } from '#src/store/document-id.ts';
import { usageError } from './arguments.ts';
import { createDocument, documentHistory, emptyPage, renamed, showDocument } from './documents.ts';
import { readNewDocument } from './input.ts';
import { addCommand, print, type SharedFlags, storeOf } from './shared-flags.ts';
import type { Surroundings } from './surroundings.ts';
import { readTemplate } from './templates.ts';

/** Commands that need nothing but the store. */
export function addDocumentCommands(program: Command, surroundings: Surroundings): void {
  addCommand(program, 'list', 'list the documents').action(async (flags: SharedFlags) => {
    print(surroundings, await listDashboards(storeOf(flags)));
  });

  addCommand(program, 'history <id>', 'list the commits of a document').action(
    async (id: string, flags: SharedFlags) => print(surroundings, await documentHistory(storeOf(flags), id)),
  );

  addCommand(program, 'show <id>', 'print a stored document')
    .option('--at <revision>', 'an older version')
    .action(async (id: string, flags: SharedFlags & { at?: string }) => {
      surroundings.stdout(new TextDecoder().decode(await showDocument(storeOf(flags), id, flags.at)));
    });

  addCommand(program, 'create <id>', 'store a new document')
    .option('--from <file>', 'take the document from a file; - is standard input')
    .option('--template <name>', 'start from a shipped example instead of an empty page')
    .option('--title <title>', 'its title')
    .action((id: string, flags: CreateFlags) => create(id, flags, surroundings));
}

interface CreateFlags extends SharedFlags {
  readonly from?: string;
  readonly template?: string;
  readonly title?: string;
}

async function create(id: string, flags: CreateFlags, surroundings: Surroundings): Promise<void> {
  requireSafeId(id);
  if (flags.title === '') throw usageError('--title takes a text', '--title');
  const source = await sourceOf(flags, surroundings);
  const revision = await createDocument(storeOf(flags), id, renamed(source, id, flags.title));
  const shown = revision === undefined ? {} : { revision };
  if (flags.json === true) surroundings.stdout(`${JSON.stringify({ id, ...shown })}\n`);
  else surroundings.stdout(`created ${id}${revision === undefined ? '' : ` revision ${revision}`}\n`);
}

async function sourceOf({ from, template }: CreateFlags, surroundings: Surroundings): Promise<JsonObject> {
  if (from !== undefined && template !== undefined) {
    throw usageError('--from and --template exclude each other', '--template');
  }
  if (template !== undefined) return readTemplate(template);
  return from === undefined ? emptyPage() : readNewDocument(from, surroundings);
}
