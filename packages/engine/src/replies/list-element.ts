import type { Encoding, Init, Publication } from '@msg/protocol';
import { jsonString } from '@msg/protocol/internal';
import { patchBetween } from '../stream/delta.ts';
import { tagged } from '../stream/tagged.ts';

/**
 * The form of a publication in a list: plain, or for a delta subscription in full or as a patch against the previous
 * publication (client protocol 12.1).
 */
export type ListForm = 'plain' | 'delta-full' | 'delta-patch';

/**
 * A publication as an element of a reply's list. Form `delta-patch` makes a patch against `previous` where the patch is
 * smaller. The publisher's permission for patches applies to live delivery only; no store keeps it (client protocol 12.1,
 * 16.2).
 */
export function listElement(
  encoding: Encoding,
  form: ListForm,
  publication: Publication,
  previous: Publication | undefined,
): Init<Publication> {
  const element = tagged(encoding, publication);
  if (form === 'plain') return element;
  const mayPatch = form === 'delta-patch' && previous !== undefined;
  const patch = mayPatch ? patchBetween(encoding, previous.data, publication.data) : null;
  const data = patch ?? (encoding === 'protobuf' ? publication.data.bytes : publication.data.json);
  return {
    ...element,
    data: encoding === 'protobuf' ? data : jsonString(data),
    delta: patch !== null,
  };
}
