import { createRequire } from 'node:module';
import type * as library from 'prom-client';

// The entry of prom-client loads the metrics of the process and OpenTelemetry with it: 80 modules that a session thread,
// which exports nothing of the process, would hold in its own heap.
const require = createRequire(import.meta.url);

/** Metrics of one source, as text. */
export type Registry = library.Registry;
export const Registry = require('prom-client/lib/registry') as typeof library.Registry;
export const Counter = require('prom-client/lib/counter') as typeof library.Counter;
export const Gauge = require('prom-client/lib/gauge') as typeof library.Gauge;
export const Histogram = require('prom-client/lib/histogram') as typeof library.Histogram;

/** Exports CPU, memory, descriptors and event loop of the process. */
export function collectDefaultMetrics(registry: Registry): void {
  const collect = require('prom-client/lib/defaultMetrics') as typeof library.collectDefaultMetrics;
  collect({ register: registry });
}
