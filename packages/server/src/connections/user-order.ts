import { createHash } from 'node:crypto';

/** A name whose JSON is longer is put in order by its beginning: a cursor, of 512 bytes at most, has to hold its place. */
const MOST_BYTES = 128;
/** Of such a name, whatever the characters are: none takes more than six bytes in JSON. */
const SHORT = 20;
/** Most names: nothing of them is escaped. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** Where a user stands in the order of users: its name, or the beginning of a long one with a digest of all of it. */
export function placeOfUser(user: string): string {
  if (user.length <= SHORT || (user.length < MOST_BYTES - 1 && PLAIN.test(user))) return user;
  if (user.length < MOST_BYTES && Buffer.byteLength(JSON.stringify(user)) <= MOST_BYTES) return user;
  // Halves of surrogate pairs are all the same to the digest.
  const whole = user.isWellFormed() ? user : JSON.stringify(user);
  const digest = createHash('sha256').update(whole).digest('base64url');
  let beginning = '';
  let bytes = 2;
  for (const character of user) {
    bytes += Buffer.byteLength(JSON.stringify(character)) - 2;
    if (bytes > MOST_BYTES - digest.length) break;
    beginning += character;
  }
  return beginning + digest;
}
