import type { TimeWindow } from '../data/contract.ts';
import type { JsonObject } from '../document/json.ts';
import { DashError, type ErrorEnvelope } from '../errors.ts';
import type { DocumentEngine } from '../reads/document-engine.ts';
import type { Override } from '../resolve/overrides.ts';
import type { ResolvedTree } from '../resolve/tree.ts';

/** Addresses that start with `$` and are overrides; all others are the page's own (page and review 1.3). */
const OVERRIDE_SCOPES = ['$theme.', '$manifest.'];
/** Settings that are tried one by one to find the wrong ones. */
const MOST_TRIED = 50;
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_WINDOW_MS = 366 * 86_400_000;

/** What the address of a page says. */
export interface PageSettings {
  readonly overrides: readonly Override[];
  /** Span of time that the page looks at. */
  readonly time: string | undefined;
  /** Interval at which the page asks again. */
  readonly refresh: string | undefined;
  /** Everything is waited for and sent at once. */
  readonly renderAll: boolean;
  readonly scheme: 'light' | 'dark' | undefined;
  /** Everything that the address says, in its order. */
  readonly parameters: readonly (readonly [address: string, text: string])[];
  /** The same settings as a query that waits for everything. */
  readonly whole: string;
}

/** The settings in a query string, repeated parameters in their order. */
export function settingsOf(parameters: URLSearchParams): PageSettings {
  const overrides = [...parameters]
    .filter(([address]) => isOverride(address))
    .map(([address, text]) => ({ address, text }));
  const scheme = parameters.get('theme');
  return {
    overrides,
    time: parameters.get('$time') ?? undefined,
    refresh: parameters.get('$refresh') ?? undefined,
    renderAll: parameters.get('render') === 'all',
    scheme: scheme === 'light' || scheme === 'dark' ? scheme : undefined,
    parameters: [...parameters],
    whole: new URLSearchParams([...parameters, ['render', 'all']]).toString(),
  };
}

const isOverride = (address: string): boolean =>
  address !== 'at' && (!address.startsWith('$') || OVERRIDE_SCOPES.some(scope => address.startsWith(scope)));

/** The address of a page as the query of the requests for its items: `at` is the page's, theirs is `$at`. */
export function requestParameters(parameters: URLSearchParams): URLSearchParams {
  return new URLSearchParams(
    [...parameters].map(([address, value]) => [address === 'at' ? '$at' : address, value]),
  );
}

/** A document resolved with as many settings as fit it, and what is wrong with the others, by their address. */
export interface SettledTree {
  readonly tree: ResolvedTree;
  readonly errors: ReadonlyMap<string, ErrorEnvelope>;
}

/**
 * Resolves a document for a page: a wrong setting is an error of its control, not of the page.
 * @throws DashError when the document does not resolve without any settings.
 */
export function settle(
  engine: DocumentEngine,
  document: JsonObject,
  overrides: readonly Override[],
): SettledTree {
  const resolve = (accepted: readonly Override[]): ResolvedTree =>
    engine.resolve(document, { overrides: accepted, ignoreUnknownVariables: true });
  try {
    return { tree: resolve(overrides), errors: new Map() };
  } catch (error) {
    if (overrides.length === 0 || !(error instanceof DashError)) throw error;
    return leavingOut(resolve, overrides);
  }
}

function leavingOut(
  resolve: (accepted: readonly Override[]) => ResolvedTree,
  overrides: readonly Override[],
): SettledTree {
  const errors = new Map<string, ErrorEnvelope>();
  let accepted: readonly Override[] = [];
  let tree = resolve(accepted);
  for (const [address, group] of [...Map.groupBy(overrides, ({ address }) => address)].slice(0, MOST_TRIED)) {
    try {
      tree = resolve([...accepted, ...group]);
      accepted = [...accepted, ...group];
    } catch (error) {
      if (!(error instanceof DashError)) throw error;
      // A form without a script sends every control: one that is empty sets nothing.
      if (!isEmpty(group)) errors.set(address, error.toEnvelope());
    }
  }
  return { tree, errors };
}

const isEmpty = (group: readonly Override[]): boolean =>
  group.every(override => 'text' in override && override.text === '');

/**
 * The span that `$time` means: `6h` up to now, or `<from>/<to>` as ISO 8601. Undefined for any other text.
 * @param now Unix milliseconds; a span up to now ends at a whole second, so that pages ask for the same one.
 */
export function windowOf(time: string, now: number): TimeWindow | undefined {
  const span = /^(\d{1,4})([smhd])$/.exec(time);
  if (span !== null) {
    const to = Math.floor(now / 1_000) * 1_000;
    return checked({ from: to - Number(span[1]) * (UNITS[span[2] ?? ''] ?? 0), to });
  }
  const [from = '', to = ''] = time.split('/');
  return checked({ from: Date.parse(from), to: Date.parse(to) });
}

function checked(window: TimeWindow): TimeWindow | undefined {
  const { from, to } = window;
  return from < to && to - from <= LONGEST_WINDOW_MS ? window : undefined;
}
