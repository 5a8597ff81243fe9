import { mkdirSync } from 'node:fs';
import { PORT } from '../harness/server.ts';
import { requirePortFree } from '../harness-process.ts';
import type { TestResult } from '../suites/suite.ts';
import { JAVASCRIPT } from './javascript.ts';
import { ownSuite } from './own-suites.ts';
import { PythonSdk } from './python.ts';
import type { ApiTarget, ServerSdk } from './sdk.ts';
import { SdkService, type SdkTopology, TOPOLOGIES } from './service.ts';
import type { SdkRow } from './table.ts';
import { TRANSCRIPT_SDKS } from './transcript.ts';

/** Environments and programs; kept between runs. */
const FOLDER = new URL('../../../.tmp/conformance/server-sdks', import.meta.url).pathname;

/** All SDKs, in the order of the table. */
export const SERVER_SDKS: readonly ServerSdk[] = [new PythonSdk(), JAVASCRIPT, ...TRANSCRIPT_SDKS];

/** The own suite of an SDK in a checkout; `undefined`: it has none that needs a server. */
export function checkoutOf(name: string, folder: string): ServerSdk | undefined {
  return name === 'python' ? new PythonSdk(folder) : ownSuite(name, folder);
}

/** Brings SDKs to a service, once in each topology. Own suites look for it on port 8000. */
export async function runServerSdks(
  sdks: readonly ServerSdk[],
  { isCheckout }: { readonly isCheckout: boolean },
): Promise<readonly SdkRow[]> {
  mkdirSync(FOLDER, { recursive: true });
  const present = sdks.filter(sdk => sdk.missing() === undefined);
  for (const sdk of present) await sdk.prepare(FOLDER);
  if (isCheckout) await requirePortFree();
  const rows = sdks.map(sdk => ({ sdk, notRun: sdk.missing() ?? '', results: new Map() }));
  for (const topology of TOPOLOGIES) {
    for (const service of new Set(present.map(sdk => sdk.service))) {
      const alike = rows.filter(({ sdk }) => present.includes(sdk) && sdk.service === service);
      await runIn(topology, alike, isCheckout ? PORT : 0);
    }
  }
  return rows;
}

type OpenRow = SdkRow & { readonly sdk: ServerSdk; readonly results: Map<SdkTopology, unknown> };

async function runIn(topology: SdkTopology, rows: readonly OpenRow[], port: number): Promise<void> {
  const service = await SdkService.start(topology, rows[0]?.sdk.service, port);
  try {
    for (const { sdk, results } of rows) results.set(topology, await resultsOf(sdk, service.target));
  } finally {
    await service.stop();
  }
}

/** The results of an SDK; a run that breaks off is a failure among them. */
async function resultsOf(sdk: ServerSdk, target: ApiTarget): Promise<readonly TestResult[]> {
  try {
    return await sdk.run(target);
  } catch (error) {
    return [{ name: '(the run itself)', outcome: 'failed', detail: String(error) }];
  }
}
