import { canonicalBytesWithin } from '../document/canonical.ts';
import { display } from '../document/display.ts';
import { isJsonObject, type JsonObject, ownMember, setMember } from '../document/json.ts';
import { MAX_DOCUMENT_BYTES } from '../document/size.ts';
import { DashError } from '../errors.ts';
import type { DocumentStore } from '../store/contract.ts';

/** Stored bytes of a document, current or at a revision. */
export async function showDocument(store: DocumentStore, id: string, revision?: string): Promise<Uint8Array> {
  return revision === undefined ? (await store.load(id)).bytes : store.loadAt(id, revision);
}

/** A copy of `document` with another id, and optionally another title. */
export function renamed(document: JsonObject, id: string, title?: string): JsonObject {
  const stored = ownMember(document, 'manifest');
  const manifest: JsonObject = isJsonObject(stored) ? { ...stored, id } : { id };
  if (title !== undefined) setMember(manifest, 'title', title);
  return { ...document, manifest };
}

/**
 * Stores a new document that resolves.
 * @throws DashError STORAGE_EXISTS for an id that is taken, STORAGE_INVALID for one too large, or what `resolve` throws.
 */
export async function createDocument(
  store: DocumentStore,
  id: string,
  document: JsonObject,
  resolve: (document: JsonObject) => unknown,
): Promise<string | undefined> {
  const bytes = canonicalBytesWithin(MAX_DOCUMENT_BYTES, document);
  if (bytes === undefined) {
    const message = `Document "${id}" must be at most ${MAX_DOCUMENT_BYTES} bytes; got more.`;
    throw new DashError('STORAGE_INVALID', message, { id, reason: 'size' });
  }
  resolve(document);
  return store.save(id, bytes, { create: true, message: `Create dashboard ${id}` });
}

/** Members that only dashboards of Grafana have, classic and in its resource models. */
const GRAFANA_MEMBERS = ['panels', 'schemaVersion', 'templating', 'rows'] as const;

/**
 * A file of Grafana is told apart from a document that is merely wrong.
 * @throws DashError RESOLVE_DOCUMENT_INVALID `{source, reason: "grafana"}`.
 */
export function requireDashboard(source: string, document: JsonObject): JsonObject {
  const { apiVersion, dashboard } = document;
  const isResource = typeof apiVersion === 'string' && apiVersion.startsWith('dashboard.grafana.app/');
  const isBare = Object.hasOwn(document, 'elements') && Object.hasOwn(document, 'layout');
  const models = [document, ...(isJsonObject(dashboard) ? [dashboard] : [])];
  const isClassic = models.some(
    model => GRAFANA_MEMBERS.filter(name => Object.hasOwn(model, name)).length >= 2,
  );
  if (!isResource && !isBare && !isClassic) return document;
  const message = `${display(source)} must be a dashboard of dash; got one of Grafana: dashdoc import grafana makes a document of it.`;
  throw new DashError('RESOLVE_DOCUMENT_INVALID', message, { source, reason: 'grafana' });
}
