import { switchFlag, textFlag, texts, UsageError, valueFlag } from '@msg/command-line';
import { defined } from '@msg/foundation/json';
import type { ChangesetContext } from '../changeset/applied.ts';
import { applyChangeset } from '../changeset/apply.ts';
import { parseChangeset } from '../changeset/parse.ts';
import { commitChangeset, dryRunChangeset } from '../changeset/pipeline.ts';
import { display } from '../document/display.ts';
import { DashError } from '../errors.ts';
import { describeChanges, getChanges } from '../reads/changes.ts';
import { warningsOf } from '../reads/warnings/warnings.ts';
import type { ResolveOptions } from '../resolve/index.ts';
import type { Override } from '../resolve/overrides.ts';
import { isCommitSubject, SUBJECT_RULE } from '../store/commit-subject.ts';
import type { DocumentStore } from '../store/contract.ts';
import { readStored, requireMatchingId } from '../store/stored-document.ts';
import { sentencesText } from './change-text.ts';
import { readChangeset, readDocument } from './input.ts';
import {
  dashCommand,
  print,
  printWarnings,
  printWritten,
  RESOLVE_SETTINGS,
  storeOf,
  TYPE_SETTINGS,
  usesStore,
} from './settings.ts';

const ID = { name: 'id', help: 'id of a stored document' } as const;

const resolve = dashCommand({
  name: 'resolve',
  args: [{ name: 'target', help: 'a file, or with --store or --root an id' }],
  summary: 'print the resolved tree of a file, or of a stored document',
  settings: {
    ...RESOLVE_SETTINGS,
    set: valueFlag('--set', texts, [], 'override a value for this resolution', {
      placeholder: 'address=value',
    }),
  },
  async run({ args: [target = ''], settings, sources, io }) {
    const engine = io.openEngine(settings.schemas);
    const options: ResolveOptions = {
      overrides: settings.set.map(overrideOf),
      requireSecrets: settings.requireSecrets,
    };
    const document = usesStore(sources)
      ? await storedDocument(storeOf(settings), target)
      : await readDocument(target, io);
    print(io, engine.resolve(document, options));
  },
});

/** The first `=` divides name and value. @throws UsageError */
export function overrideOf(text: string): Override {
  const at = text.indexOf('=');
  if (at < 0) throw new UsageError(`--set must be address=value; got "${display(text)}"`, { flag: '--set' });
  return { address: text.slice(0, at), text: text.slice(at + 1) };
}

const CHANGESET = textFlag(
  '--changeset',
  'file',
  'RFC 6902 array with id-rooted pointers; - is standard input',
);

const patch = dashCommand({
  name: 'patch',
  args: [ID],
  summary: 'carry out a changeset',
  settings: {
    ...TYPE_SETTINGS,
    changeset: { ...CHANGESET, required: true },
    expectRevision: textFlag('--expect-revision', 'token', 'only onto this revision'),
    dryRun: switchFlag('--dry-run', 'print the resolved preview and store nothing'),
    message: textFlag('--message', 'subject', 'subject of the commit'),
  },
  async run({ args: [id = ''], settings, io }) {
    const { json, changeset = '', expectRevision, dryRun } = settings;
    const message = settings.message === undefined ? undefined : requireSubject(settings.message);
    const context = { store: storeOf(settings), ...io.openEngine(settings.schemas) };
    const ops = await readChangeset(changeset, io);
    const request = defined({ id, ops, expectedRevision: expectRevision, message });
    if (dryRun) print(io, (await dryRunChangeset(context, request)).preview);
    else {
      const { revision } = await commitChangeset(context, request);
      printWritten(io, 'patched', { json, id, revision });
    }
  },
});

/** A commit subject: one line of at most 200 characters. @throws UsageError */
function requireSubject(message: string): string {
  if (isCommitSubject(message)) return message;
  throw new UsageError(`--message must be ${SUBJECT_RULE}; got "${display(message)}"`, { flag: '--message' });
}

const diff = dashCommand({
  name: 'diff',
  args: [ID],
  summary: 'tell what changed between revisions, or what a changeset would change',
  settings: {
    ...TYPE_SETTINGS,
    from: textFlag('--from', 'revision', 'older version; the one before the newest unless told'),
    to: textFlag('--to', 'revision', 'newer version; the stored one unless told'),
    changeset: { ...CHANGESET, help: 'a changeset instead of revisions; - is standard input' },
  },
  async run({ args: [id = ''], settings, io }) {
    const { from, to, changeset, json } = settings;
    const engine = io.openEngine(settings.schemas);
    const store = storeOf(settings);
    if (changeset !== undefined && (from !== undefined || to !== undefined)) {
      const rule = 'it takes the place of both';
      throw new UsageError(`--changeset with --from or --to is not allowed: ${rule}`, {
        flag: '--changeset',
      });
    }
    const answer =
      changeset === undefined
        ? await getChanges(store, engine.types, id, { from, to })
        : await changesOf({ store, ...engine }, id, await readChangeset(changeset, io));
    if (json) print(io, { id, ...answer });
    else io.out(sentencesText(answer.words));
  },
});

/** What a changeset would change. @throws DashError whatever its commit would throw. */
async function changesOf<Tree>(context: ChangesetContext<Tree>, id: string, ops: unknown) {
  const document = await storedDocument(context.store, id);
  await dryRunChangeset(context, { id, ops });
  return describeChanges(
    document,
    applyChangeset(id, document, parseChangeset(ops), context.types),
    context.types,
  );
}

const validate = dashCommand({
  name: 'validate',
  args: [
    {
      name: 'targets',
      help: 'files, or with --store or --root ids; all of them unless told',
      optional: true,
      repeatable: true,
    },
  ],
  summary: 'resolve files or stored documents and report every error, and what is worth a look',
  settings: RESOLVE_SETTINGS,
  async run({ args, settings, sources, io }) {
    const engine = io.openEngine(settings.schemas);
    const { requireSecrets } = settings;
    const inStore = args.length === 0 || usesStore(sources);
    const targets = args.length > 0 ? args : await storeOf(settings).list();
    const errors: { target: string; error: DashError }[] = [];
    for (const target of targets) {
      try {
        const document = inStore
          ? await storedDocument(storeOf(settings), target)
          : await readDocument(target, io);
        const tree = engine.resolve(document, { requireSecrets });
        printWarnings(io, target, warningsOf(document, tree, engine.types));
      } catch (error) {
        if (!(error instanceof DashError)) throw error;
        errors.push({ target, error });
      }
    }
    const envelopes = errors.map(({ target, error }) => ({ target, ...error.toEnvelope() }));
    if (settings.json) print(io, envelopes);
    else
      for (const { target, code, message } of envelopes) io.err(`${display(target)}: ${code}: ${message}\n`);
    return errors.length > 0 ? 1 : 0;
  },
});

export async function storedDocument(store: DocumentStore, id: string) {
  const stored = readStored(id, (await store.load(id)).bytes);
  requireMatchingId(id, stored);
  return stored.document;
}

/** Commands that resolve documents or change them. */
export const engineCommands = [resolve, patch, diff, validate];
