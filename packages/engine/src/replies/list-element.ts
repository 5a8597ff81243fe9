import { type Encoding, type Init, jsonString, type Publication } from '@msg/protocol';
import { patchBetween } from '../stream/delta.ts';
import { tagged } from '../stream/tagged.ts';

/**
 * In which form a list holds its publications: as they are, or as a delta subscription gets them, in full or as a
 * patch against the publication before (client protocol 12.1).
 */
export type ListForm = 'plain' | 'delta-full' | 'delta-patch';

/**
 * A publication as the list of a reply shows it. `previous`: the publication before it, for form `delta-patch`; a patch
 * is sent where that pays. Whether the publisher permitted patches concerns live delivery; no store keeps it (client
 * protocol 12.1, 16.2).
 */
export function listElement(
  encoding: Encoding,
  form: ListForm,
  publication: Publication,
  previous: Publication | undefined,
): Init<Publication> {
  const shown = tagged(encoding, publication);
  if (form === 'plain') return shown;
  const patch = previous === undefined ? null : patchBetween(encoding, previous.data, publication.data);
  const data = patch ?? (encoding === 'protobuf' ? publication.data.bytes : publication.data.json);
  return {
    ...shown,
    data: encoding === 'protobuf' ? data : jsonString(data),
    delta: patch !== null,
  };
}
