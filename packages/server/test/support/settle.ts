/** Lets pending promise reactions run. */
export function settle(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
