/** Is the name longer than `limit` UTF-8 bytes? Counts only when the UTF-16 length leaves it open. */
export function channelNameTooLong(name: string, limit: number): boolean {
  if (name.length > limit) return true;
  return name.length * 3 > limit && Buffer.byteLength(name) > limit;
}
