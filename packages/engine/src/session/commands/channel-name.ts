/** Whether the name is longer than `limit` UTF-8 bytes. Counts bytes only when the UTF-16 length does not decide. */
export function channelNameTooLong(name: string, limit: number): boolean {
  if (name.length > limit) return true;
  return name.length * 3 > limit && Buffer.byteLength(name) > limit;
}
