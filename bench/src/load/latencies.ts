import { nowUs, STAMP_DIGITS, STAMP_MARKER } from '../stamp.ts';

const MARKER = Buffer.from(STAMP_MARKER);

/** Microseconds from publishing to receiving, of stamped publications. */
export class Latencies {
  #us: number[] = [];

  /** Takes every stamp in what one socket just received. */
  observe(chunk: Buffer): void {
    const now = nowUs();
    let at = chunk.indexOf(MARKER);
    while (at >= 0) {
      const start = at + MARKER.length;
      this.#us.push(now - Number(chunk.toString('latin1', start, start + STAMP_DIGITS)));
      at = chunk.indexOf(MARKER, start);
    }
  }

  /** How many there were, and their quantiles; then starts anew. */
  take(): { count: number; p50: number; p99: number } {
    const us = Float64Array.from(this.#us).sort();
    this.#us = [];
    const quantile = (q: number): number => us[Math.floor(us.length * q)] ?? Number.NaN;
    return { count: us.length, p50: quantile(0.5), p99: quantile(0.99) };
  }
}
