// One writer process: counts up its own entry of a document, again and again, and tells each acknowledged number.
// node writer.ts <fs|git> <root> <document id> <slot>
import { writeSync } from 'node:fs';
import { canonicalBytes } from '#src/document/canonical.ts';
import type { JsonObject } from '#src/document/json.ts';
import { DashError } from '#src/errors.ts';
import { FileStore } from '#src/store/file-store.ts';
import { GitStore } from '#src/store/git-store.ts';
import { readStored } from '#src/store/stored-document.ts';

const [kind, root = '', id = '', slot = ''] = process.argv.slice(2);
const options = { root, lockWaitMs: 120_000 };
const store = kind === 'git' ? new GitStore(options) : new FileStore(options);

for (;;) {
  const acknowledged = await store.exclusively(id, async document => {
    const { bytes, revision } = await document.load();
    const stored = readStored(id, bytes).document;
    const counts = stored['counts'] as Record<string, number>;
    const next = (counts[slot] ?? 0) + 1;
    const changed: JsonObject = { ...stored, counts: { ...counts, [slot]: next } };
    try {
      await document.save(
        canonicalBytes(changed),
        revision === undefined ? {} : { expectedRevision: revision },
      );
      return next;
    } catch (error) {
      // The git process of a writer that was killed may still finish; its edit is then the newer one.
      if (error instanceof DashError && error.code === 'CHANGESET_REVISION_CONFLICT') return undefined;
      throw error;
    }
  });
  // Straight into the pipe: what is read there was acknowledged, and nothing waits in this process.
  if (acknowledged !== undefined) writeSync(1, `${slot} ${acknowledged}\n`);
}
