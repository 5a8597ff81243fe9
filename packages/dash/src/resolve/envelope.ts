import type { Catalog } from '#src/catalog/types.ts';
import { violationsOf } from '#src/catalog/violations.ts';
import { MAX_NESTING, nestsDeeper } from '#src/document/nesting.ts';
import type { DashDocument } from '#src/document/types.ts';
import { MAX_DOCUMENT_BYTES } from '#src/store/stored-document.ts';
import { documentInvalid } from './context.ts';

const MAX_CONNECTIONS = 1_000;

/**
 * Parses the text of a document file.
 *
 * @throws DashError RESOLVE_DOCUMENT_INVALID `{source, reason}`.
 */
export function parseDocumentText(text: string, source: string): unknown {
  if (Buffer.byteLength(text) > MAX_DOCUMENT_BYTES) {
    throw documentInvalid(source, 'The document is larger than 8 MiB.', { reason: 'limit' });
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw documentInvalid(source, `"${source}" is not JSON.`, { reason: 'json' });
  }
}

/** Stage 1 (dashboard details 1 and 10.1). @throws DashError RESOLVE_DOCUMENT_INVALID. */
export function requireDocument(value: unknown, catalog: Catalog, source: string): DashDocument {
  if (nestsDeeper(value, MAX_NESTING)) {
    throw documentInvalid(source, `The document nests deeper than ${MAX_NESTING}.`, { reason: 'limit' });
  }
  const { validateEnvelope } = catalog;
  if (!validateEnvelope(value)) {
    const violations = violationsOf(validateEnvelope);
    const why = violations[0] === undefined ? '' : `: ${violations[0].pointer} ${violations[0].message}`;
    throw documentInvalid(source, `This is no dashboard document${why}.`, { violations });
  }
  const document = value as DashDocument;
  if ((document.connections?.length ?? 0) > MAX_CONNECTIONS) {
    const message = `The document has more than ${MAX_CONNECTIONS} connections.`;
    throw documentInvalid(source, message, { reason: 'limit' });
  }
  const { formatVersion } = document.manifest;
  if (formatVersion.startsWith('1.')) return document;
  const message = `This service reads format version 1, not ${formatVersion.slice(0, 50)}.`;
  throw documentInvalid(source, message, { reason: 'format_version' });
}
