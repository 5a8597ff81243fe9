import { readFileSync } from 'node:fs';
import { withMountingTable } from '../packages/server/test/blackbox/frameworks/table.ts';
import { withListenerTable } from '../test/support/listener/page.ts';
import { commandsPage } from './commands-page.ts';
import { dashTroubleshootingPage } from './dash-troubleshooting-page.ts';
import { rpcPage } from './rpc-page.ts';
import { settingsPage } from './settings-page.ts';
import { troubleshootingPage } from './troubleshooting-page.ts';

const DELIVERY = 'docs/delivery.md';
const EMBEDDING = 'docs/embedding.md';

/** The pages that are made from declarations in the code: path below the repository and content. */
export function referencePages(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/configuration.md', settingsPage()],
    ['docs/cli.md', commandsPage()],
    ['docs/rpc.md', rpcPage()],
    ['docs/troubleshooting.md', troubleshootingPage()],
    ['docs/dash/troubleshooting.md', dashTroubleshootingPage()],
    // Of these, a part.
    [DELIVERY, withListenerTable(readFileSync(DELIVERY, 'utf8'))],
    [EMBEDDING, withMountingTable(readFileSync(EMBEDDING, 'utf8'))],
  ]);
}
