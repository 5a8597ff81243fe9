import assert from 'node:assert/strict';
import type { FileMap, FileValue } from '@msg/command-line';
import { systemClock, systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { type SinkEntry, sinkEntries } from '../config/sink-settings.ts';
import { MemoryDeadLetterQueue } from '../notify/dead-letters/memory.ts';
import type { Sink } from '../notify/sinks/contract.ts';
import { InFlightDeliveries } from '../notify/sinks/in-flight.ts';
import { SinkRegistry } from '../notify/sinks/registry.ts';
import type { DeliveredVia } from '../notify/sinks/retrying.ts';
import type { SinkKind } from '../notify/sinks/sink-kind.ts';
import { configuredSink } from '../service/configured-sinks.ts';
import { httpDestination, type SinkCondition, type SinkDestination } from './sink-destination.ts';

/** A kind of sink, and a destination for it. */
export interface SinkSubject {
  readonly kind: SinkKind;
  /** Opens a destination; absent: the suite plays an HTTP server at the kind's settings of the type `url`. */
  readonly open?: (condition: SinkCondition) => Promise<SinkDestination>;
}

export const NAME = 'suite';
export const ATTEMPTS = 3;
/** A part of every secret that the suite sets; no output may contain it. */
export const SECRET = 'hidden-value';
export const MESSAGE = { subject: 'Order 7', body: 'paid', metadata: { order: '7' } };
/** An attempt has to end within this time on its clock. */
const LONGEST_ATTEMPT_MS = 60_000;
const PATIENCE_MS = 5000;

const PLACE = { key: `sinks.${NAME}`, line: 3, file: 'suite.yaml' } as const;

function fileValue(key: string, value: string, type: string | undefined): FileValue {
  const place = { ...PLACE, key: `${PLACE.key}.${key}` };
  const scalar: FileValue = { ...place, kind: 'scalar', text: value, emptied: false };
  if (type === 'list') return { ...place, kind: 'list', items: [scalar] };
  return type === 'map' ? { ...place, kind: 'map', entries: new Map([['X-Suite', scalar]]) } : scalar;
}

/** Reads an entry in the form of a configuration file. */
export function readEntry(kind: SinkKind, values: Readonly<Record<string, string>>): SinkEntry {
  const entries = new Map(
    Object.entries({ kind: kind.kind, ...values }).map(([key, value]) => [
      key,
      fileValue(key, value, kind.settings[key]?.type),
    ]),
  );
  const item: FileMap = { ...PLACE, kind: 'map', entries };
  const around: FileMap = { key: 'sinks', line: 2, file: PLACE.file, kind: 'map', entries: new Map() };
  const read = sinkEntries([kind]).read({ ...around, entries: new Map([[NAME, item]]) }, around);
  const entry = read.get(NAME);
  assert.ok(entry !== undefined);
  return entry;
}

export function display(kind: SinkKind, entry: SinkEntry): string {
  return JSON.stringify(sinkEntries([kind]).show(new Map([[NAME, entry]])));
}

/** The required values of an entry: `url` for addresses, the setting's example for others. */
export function requiredValues({ settings }: SinkKind, url: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [key, { type, required, example, secret }] of Object.entries(settings)) {
    if (type === 'url' && required) values[key] = secret ? `${url}/${SECRET}` : url;
    else if (required) {
      assert.ok(example !== undefined, `setting ${key} is required: its row needs an example`);
      values[key] = example;
    }
  }
  return values;
}

/** One sink with its destination and the retry wrapper. */
export class SinkRig {
  readonly destination: SinkDestination;
  readonly sink: Sink;
  readonly queue = new MemoryDeadLetterQueue(systemRandom);
  /** Clock of the attempts and of the waits between them. */
  readonly clock = new ManualClock();
  readonly #sinks: SinkRegistry;
  readonly #recipient: unknown;

  private constructor(destination: SinkDestination, sink: Sink, clock: ManualClock, recipient: unknown) {
    this.destination = destination;
    this.sink = sink;
    this.clock = clock;
    this.#recipient = recipient;
    this.#sinks = new SinkRegistry({
      retry: { maxAttempts: ATTEMPTS },
      clock,
      random: systemRandom,
      outbound: new InFlightDeliveries(clock),
      deadLetters: this.queue,
    });
    this.#sinks.register(sink);
  }

  /** Runs `use` with a sink whose destination has that behaviour, and closes it. */
  static async run(
    { kind, open }: SinkSubject,
    condition: SinkCondition,
    use: (rig: SinkRig) => Promise<void>,
  ): Promise<void> {
    const destination = await (open ?? (where => openHttp(kind, where)))(condition);
    try {
      const clock = new ManualClock();
      const entry = readEntry(kind, destination.settings);
      const sink = await configuredSink(NAME, entry, { clock, privateUrls: true });
      await use(new SinkRig(destination, sink, clock, kind.recipient ?? null));
    } finally {
      await destination.close();
    }
  }

  /** Delivers through the retry wrapper, and moves the clock until it settles. */
  deliver(): Promise<DeliveredVia> {
    return this.pass(this.#sinks.require(NAME).deliver(this.#recipient, MESSAGE));
  }

  /** Sends once. */
  send(signal?: AbortSignal): Promise<void> {
    return this.sink.send(this.#recipient, MESSAGE, signal === undefined ? {} : { signal });
  }

  /** Moves the clock, a second at a time, until the work has settled. */
  async pass<T>(work: Promise<T>): Promise<T> {
    let over = false;
    const settled = () => {
      over = true;
    };
    work.then(settled, settled);
    const start = this.clock.monotonic();
    await until(() => over || this.clock.pending > 0);
    while (!over) {
      assert.ok(
        this.clock.monotonic() - start < ATTEMPTS * LONGEST_ATTEMPT_MS,
        'an attempt has no time limit on the clock that `create` is given',
      );
      const arrivals = this.destination.arrivals();
      await this.clock.advance(this.clock.pending > 0 ? 1000 : 0);
      if (arrivals === this.destination.arrivals()) await pause(5);
    }
    return work;
  }
}

async function openHttp(kind: SinkKind, condition: SinkCondition): Promise<SinkDestination> {
  const hasUrl = Object.values(kind.settings).some(({ type, required }) => type === 'url' && required);
  assert.ok(hasUrl, `kind ${kind.kind} has no required setting of the type url: open a destination for it`);
  const { url, arrivals, close } = await httpDestination(condition);
  return { settings: requiredValues(kind, url), arrivals, close };
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => systemClock.setTimeout(resolve, ms));
}

/** Resolves when the condition holds. @throws AssertionError when it does not for `ms`. */
export async function until(condition: () => boolean, ms = PATIENCE_MS): Promise<void> {
  const end = systemClock.monotonic() + ms;
  while (!condition()) {
    assert.ok(systemClock.monotonic() < end, `nothing happened for ${ms} ms`);
    await pause(2);
  }
}
