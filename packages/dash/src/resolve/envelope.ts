import type { Catalog } from '../catalog/types.ts';
import { violationsOf, whyOf } from '../catalog/violations.ts';
import { display } from '../document/display.ts';
import { MAX_NESTING, nestsDeeper } from '../document/nesting.ts';
import { MAX_DOCUMENT_BYTES } from '../document/size.ts';
import type { DashDocument } from '../document/types.ts';
import { documentInvalid } from './context.ts';

const MAX_CONNECTIONS = 1_000;
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Parses the text of a document file.
 * @throws DashError RESOLVE_DOCUMENT_INVALID `{source, reason}`.
 */
export function parseDocumentText(text: string, source: string): unknown {
  if (Buffer.byteLength(text) > MAX_DOCUMENT_BYTES) {
    throw documentInvalid(source, 'The document must be at most 8 MiB; got more.', { reason: 'limit' });
  }
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch {
    throw documentInvalid(source, `"${display(source)}" must be JSON; got another text.`, { reason: 'json' });
  }
}

/** Stage 1 (dashboard details 1 and 10.1). @throws DashError RESOLVE_DOCUMENT_INVALID. */
export function requireDocument(value: unknown, catalog: Catalog, source: string): DashDocument {
  if (nestsDeeper(value, MAX_NESTING)) {
    throw documentInvalid(
      source,
      `The document must be nested at most ${MAX_NESTING} levels deep; got more.`,
      { reason: 'limit' },
    );
  }
  const { validateEnvelope } = catalog;
  if (!validateEnvelope(value)) {
    const violations = violationsOf(validateEnvelope);
    throw documentInvalid(
      source,
      `Document "${display(source)}" must be a dashboard document${whyOf(violations)}.`,
      {
        violations,
      },
    );
  }
  const document = value as DashDocument;
  if ((document.connections?.length ?? 0) > MAX_CONNECTIONS) {
    const message = `The document must be of at most ${MAX_CONNECTIONS} connections; got ${document.connections?.length}.`;
    throw documentInvalid(source, message, { reason: 'limit' });
  }
  const { formatVersion } = document.manifest;
  if (formatVersion.startsWith('1.')) return document;
  const message = `manifest.formatVersion must be of version 1; got "${display(formatVersion)}".`;
  throw documentInvalid(source, message, { reason: 'format_version' });
}
