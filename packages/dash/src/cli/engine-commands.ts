import type { Command } from 'commander';
import { type ChangeSummary, changesBetween } from '#src/changeset/changes.ts';
import { commitChangeset, dryRunChangeset, type Workshop } from '#src/changeset/pipeline.ts';
import { DashError } from '#src/errors.ts';
import type { DocumentStore } from '#src/store/contract.ts';
import { readStored, requireMatchingId } from '#src/store/stored-document.ts';
import { requireSubject, usageError } from './arguments.ts';
import { summaryText } from './change-text.ts';
import { readChangeset, readDocument } from './input.ts';
import { addCommand, print, type SharedFlags, storeOf } from './shared-flags.ts';
import type { Engine, ResolveFlags, Surroundings } from './surroundings.ts';

/** Commands that resolve documents or change them. */
export function addEngineCommands(program: Command, surroundings: Surroundings): void {
  const { openEngine } = surroundings;
  if (openEngine === undefined) return;
  const engineOf = (flags: SharedFlags): Promise<Engine> => openEngine(flags.schemas);

  addEngineCommand(program, 'resolve <target>', 'print the resolved tree of a file, or of a stored document')
    .option('--set <address=value>', 'override a value for this resolution', collectOverride, [])
    .option('--require-secrets', 'fail when a secret is not set')
    .action(async (target: string, flags: ResolveCommandFlags, command: Command) => {
      const engine = await engineOf(flags);
      print(
        surroundings,
        engine.resolve(await loadTarget(target, flags, command, surroundings), resolveFlags(flags)),
      );
    });

  addEngineCommand(program, 'patch <id>', 'carry out a changeset')
    .requiredOption('--changeset <file>', 'RFC 6902 array with id-rooted pointers; - is standard input')
    .option('--expect-revision <token>', 'only onto this revision')
    .option('--dry-run', 'print the resolved preview and store nothing')
    .option('--message <subject>', 'subject of the commit')
    .action(async (id: string, flags: PatchFlags) => patch(id, flags, await engineOf(flags), surroundings));

  addEngineCommand(
    program,
    'diff <id>',
    'tell what changed between revisions, or what a changeset would change',
  )
    .option('--from <revision>', 'older version; the one before the newest unless told')
    .option('--to <revision>', 'newer version; the stored one unless told')
    .option('--changeset <file>', 'a changeset instead of revisions; - is standard input')
    .action(async (id: string, flags: DiffFlags) => {
      const summary = await difference(id, flags, await engineOf(flags), surroundings);
      if (flags.json === true) print(surroundings, { id, ...summary });
      else surroundings.stdout(summaryText(summary));
    });

  addEngineCommand(
    program,
    'validate [targets...]',
    'resolve files or stored documents and report every fault',
  )
    .option('--require-secrets', 'fail when a secret is not set')
    .action(async (targets: string[], flags: ResolveCommandFlags, command: Command) =>
      validate(targets, flags, command, await engineOf(flags), surroundings),
    );
}

interface ResolveCommandFlags extends SharedFlags {
  readonly set?: readonly Override[];
  readonly requireSecrets?: boolean;
}

interface PatchFlags extends SharedFlags {
  readonly changeset: string;
  readonly expectRevision?: string;
  readonly dryRun?: boolean;
  readonly message?: string;
}

interface DiffFlags extends SharedFlags {
  readonly from?: string;
  readonly to?: string;
  readonly changeset?: string;
}

function addEngineCommand(program: Command, signature: string, description: string): Command {
  return addCommand(program, signature, description).option(
    '--schemas <directory>',
    'directory of item types',
  );
}

async function patch(
  id: string,
  flags: PatchFlags,
  engine: Engine,
  surroundings: Surroundings,
): Promise<void> {
  const message = flags.message === undefined ? {} : { message: requireSubject(flags.message) };
  const expected = flags.expectRevision === undefined ? {} : { expectedRevision: flags.expectRevision };
  const shop = workshop(storeOf(flags), engine);
  const proposal = { id, ops: await readChangeset(flags.changeset, surroundings), ...expected };
  if (flags.dryRun === true) return print(surroundings, (await dryRunChangeset(shop, proposal)).preview);
  const { revision } = await commitChangeset(shop, { ...proposal, ...message });
  const shown = revision === undefined ? {} : { revision };
  if (flags.json === true) surroundings.stdout(`${JSON.stringify({ id, ...shown })}\n`);
  else surroundings.stdout(`patched ${id}${revision === undefined ? '' : ` revision ${revision}`}\n`);
}

async function difference(
  id: string,
  flags: DiffFlags,
  engine: Engine,
  surroundings: Surroundings,
): Promise<ChangeSummary> {
  const store = storeOf(flags);
  if (flags.changeset !== undefined) {
    if (flags.from !== undefined || flags.to !== undefined) {
      throw usageError('--changeset stands alone, without --from and --to', '--changeset');
    }
    const ops = await readChangeset(flags.changeset, surroundings);
    const { changes, changesTruncated } = await dryRunChangeset(workshop(store, engine), { id, ops });
    return { changes, ...(changesTruncated === undefined ? {} : { changesTruncated }) };
  }
  const from = flags.from ?? (await previousRevision(store, id));
  const [before, after] = [await versionAt(store, id, from), await versionAt(store, id, flags.to)];
  return changesBetween(before, after, engine.types);
}

/** Uncommitted edits compare with the newest commit, otherwise the newest with the one before; the first with itself. */
async function previousRevision(store: DocumentStore, id: string): Promise<string | undefined> {
  const [newest, previous] = await store.history(id);
  const current = await store.revision(id);
  return newest?.revision === current ? (previous ?? newest)?.revision : newest?.revision;
}

async function versionAt(store: DocumentStore, id: string, revision?: string) {
  const bytes = revision === undefined ? (await store.load(id)).bytes : await store.loadAt(id, revision);
  return readStored(id, bytes).document;
}

async function validate(
  targets: readonly string[],
  flags: ResolveCommandFlags,
  command: Command,
  engine: Engine,
  surroundings: Surroundings,
): Promise<void> {
  const inStore = targets.length === 0 || usesStore(command);
  const all = targets.length > 0 ? targets : await storeOf(flags).list();
  const faults: { target: string; error: DashError }[] = [];
  for (const target of all) {
    try {
      const document = inStore
        ? await storedDocument(storeOf(flags), target)
        : await readDocument(target, surroundings);
      engine.resolve(document, resolveFlags(flags));
    } catch (error) {
      if (!(error instanceof DashError)) throw error;
      faults.push({ target, error });
    }
  }
  report(faults, flags, surroundings);
}

function report(
  faults: readonly { target: string; error: DashError }[],
  flags: SharedFlags,
  surroundings: Surroundings,
): void {
  if (flags.json === true)
    print(
      surroundings,
      faults.map(({ target, error }) => ({ target, ...error.toEnvelope() })),
    );
  else
    for (const { target, error } of faults)
      surroundings.stderr(`${target}: ${error.code}: ${error.message}\n`);
  if (faults.length > 0) throw new ReportedFaults();
}

/** Faults that were told already: exit status 1 and nothing more. */
export class ReportedFaults extends Error {}

async function loadTarget(target: string, flags: SharedFlags, command: Command, surroundings: Surroundings) {
  return usesStore(command) ? storedDocument(storeOf(flags), target) : readDocument(target, surroundings);
}

async function storedDocument(store: DocumentStore, id: string) {
  const stored = readStored(id, (await store.load(id)).bytes);
  requireMatchingId(id, stored);
  return stored.document;
}

/** A target is a document's id as soon as a store is named, otherwise a path. */
export function usesStore(command: Command): boolean {
  return ['store', 'root'].some(flag => command.getOptionValueSource(flag) === 'cli');
}

function workshop(store: DocumentStore, engine: Engine): Workshop<object> {
  return { store, types: engine.types, resolve: document => engine.resolve(document, {}) };
}

type Override = readonly [address: string, value: string];

function resolveFlags(flags: ResolveCommandFlags): ResolveFlags {
  return { overrides: flags.set ?? [], requireSecrets: flags.requireSecrets === true };
}

/** Of several `=` the first one divides. */
function collectOverride(text: string, before: readonly Override[]): Override[] {
  const at = text.indexOf('=');
  if (at < 0) throw usageError('--set takes address=value', '--set');
  return [...before, [text.slice(0, at), text.slice(at + 1)]];
}
