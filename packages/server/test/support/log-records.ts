/** Records of a log: its whole lines of JSON. What a process writes may come in pieces, so the last line may lack its end. */
export function logRecords(stderr: string): Readonly<Record<string, unknown>>[] {
  return stderr
    .split('\n')
    .slice(0, -1)
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line));
}
