/** Name of the `index`-th channel; all names have one length, so all frames have. */
export function channelName(index: number): string {
  return `public:bench.${String(index).padStart(6, '0')}`;
}
