import { type Field, ShapeError, type UnknownMember } from '@msg/foundation/shape';
import { MalformedRequest } from './twirp.ts';

/**
 * Reads the message of a request from JSON. Unknown members are added to `unknown`.
 * @throws MalformedRequest for JSON of another shape.
 */
export function readRequest<T>(field: Field<T>, value: unknown, unknown: UnknownMember[]): T {
  try {
    return field.read(value, '', unknown);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new MalformedRequest(error.details.path === '' ? '' : error.message);
  }
}
