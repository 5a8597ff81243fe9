/** Asks again and again, every 5 ms, until `holds` answers true. Rejects with `what` after `timeoutMs`. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  timeoutMs = 60_000,
  everyMs = 5,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`did not happen in ${timeoutMs} ms: ${what}`);
    await new Promise(resolve => setTimeout(resolve, everyMs));
  }
}
