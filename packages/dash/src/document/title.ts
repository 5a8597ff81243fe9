import { isJsonObject, type JsonObject, ownMember } from './json.ts';

/** The title of a document, valid or not; undefined without one. */
export function titleOf(document: JsonObject): string | undefined {
  const manifest = ownMember(document, 'manifest');
  const title = isJsonObject(manifest) ? ownMember(manifest, 'title') : undefined;
  return typeof title === 'string' && title !== '' ? title : undefined;
}
