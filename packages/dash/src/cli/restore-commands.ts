import { switchFlag, textFlag } from '@msg/command-line';
import { deleteDocument } from '../changeset/deletion.ts';
import { commitChangeset, dryRunChangeset } from '../changeset/pipeline.ts';
import { subjectOf } from '../changeset/words.ts';
import {
  describeChanges,
  getChanges,
  historyWithWords,
  revisionBefore,
  versionAt,
} from '../reads/changes.ts';
import { revisionConflict } from '../store/contract.ts';
import { sentencesText } from './change-text.ts';
import type { DashIo } from './io.ts';
import { dashCommand, print, printWritten, STORE_SETTINGS, storeOf, TYPE_SETTINGS } from './settings.ts';

const ID = { name: 'id', help: 'id of a stored document' } as const;
const DRY_RUN = switchFlag('--dry-run', 'tell what would change and store nothing');

interface Restoring {
  readonly json: boolean;
  readonly dryRun: boolean;
  readonly store: string;
  readonly root: string;
  readonly schemas: string | undefined;
}

/** Commits the changeset that leads back to a revision, under all guards, onto the state that it was made for. */
async function restore(
  id: string,
  revision: string | undefined,
  verb: string,
  settings: Restoring,
  io: DashIo,
): Promise<undefined> {
  const { json, dryRun } = settings;
  const engine = io.openEngine(settings.schemas);
  const store = storeOf(settings);
  const expectedRevision = await store.revision(id);
  const target = revision ?? (await revisionBefore(store, id));
  const { undoOps: ops = [], kept: unreachable = [] } = await getChanges(store, engine.types, id, {
    from: target,
    undo: true,
  });
  const [current, old] = [await versionAt(store, id), await versionAt(store, id, target)];
  const { words } = describeChanges(current, old, engine.types);
  const context = { store, ...engine };
  const request = { id, ops, expectedRevision };
  if (dryRun) {
    await dryRunChangeset(context, request);
    if (json) print(io, { id, to: target, ops, kept: unreachable, words });
    else io.out(sentencesText(words));
    return undefined;
  }
  const message = `${verb === 'undone' ? 'Undo' : 'Restore'}: ${subjectOf(words) ?? 'no change'}`.slice(
    0,
    200,
  );
  const { revision: written } = await commitChangeset(context, {
    ...request,
    message: message.toWellFormed(),
  });
  if (unreachable.length > 0)
    io.err(`dash: unchanged, because no changeset can touch them: ${unreachable.join(', ')}\n`);
  printWritten(io, verb, { json, id, revision: written });
  return undefined;
}

const undo = dashCommand({
  name: 'undo',
  args: [ID],
  summary: 'take back the newest change of a document, by a commit',
  settings: { ...TYPE_SETTINGS, dryRun: DRY_RUN },
  run: ({ args: [id = ''], settings, io }) => restore(id, undefined, 'undone', settings, io),
});

const restoreTo = dashCommand({
  name: 'restore',
  args: [ID],
  summary: 'bring a document back to an older revision, by a commit',
  settings: {
    ...TYPE_SETTINGS,
    to: { ...textFlag('--to', 'revision', 'the version to bring back'), required: true },
    dryRun: DRY_RUN,
  },
  run: ({ args: [id = ''], settings, io }) => restore(id, settings.to, 'restored', settings, io),
});

const remove = dashCommand({
  name: 'delete',
  args: [ID],
  summary: 'delete a document',
  settings: {
    ...STORE_SETTINGS,
    expectRevision: { ...textFlag('--expect-revision', 'token', 'only this revision'), required: true },
    dryRun: switchFlag('--dry-run', 'check the revision and delete nothing'),
  },
  async run({ args: [id = ''], settings, io }) {
    const { json, dryRun, expectRevision: expectedRevision = '' } = settings;
    const store = storeOf(settings);
    if (!dryRun) {
      printWritten(io, 'deleted', {
        json,
        id,
        revision: await deleteDocument(store, { id, expectedRevision }),
      });
      return;
    }
    const revision = await store.revision(id);
    if (revision !== expectedRevision) throw revisionConflict(id, expectedRevision, revision);
    printWritten(io, 'would delete', { json, id, revision });
  },
});

const history = dashCommand({
  name: 'history',
  args: [ID],
  summary: 'list the commits of a document',
  settings: { ...TYPE_SETTINGS, words: switchFlag('--words', 'tell what each commit changed') },
  async run({ args: [id = ''], settings, io }) {
    const store = storeOf(settings);
    if (!settings.words) print(io, { id, history: await store.history(id) });
    else {
      const entries = await historyWithWords(store, io.openEngine(settings.schemas).types, id);
      if (settings.json) print(io, { id, history: entries });
      else
        for (const { revision, author, timestamp, message, words } of entries) {
          io.out(`${revision.slice(0, 12)} ${timestamp} ${author}\n`);
          const subject = message.split('\n')[0] ?? '';
          for (const line of words === undefined || words.length === 0 ? [subject] : words)
            io.out(`  ${line}\n`);
        }
    }
  },
});

/** Commands that look back and go back (review details 4). */
export const restoreCommands = [history, undo, restoreTo, remove];
