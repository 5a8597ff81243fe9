import { readFileSync } from 'node:fs';
import { apiSettings, configurationSchema, serviceDocument, VERSION } from '@msg/server/internal';
import { withMountingTable } from '../packages/server/test/blackbox/frameworks/table.ts';
import { withListenerTable } from '../test/support/listener/page.ts';
import { withCampaign } from './campaign-section.ts';
import { commandsPage } from './commands-page.ts';
import { dashTroubleshootingPage } from './dash-troubleshooting-page.ts';
import { withRolesTable } from './roles-table.ts';
import { rpcPage } from './rpc-page.ts';
import { settingsPage } from './settings-page.ts';
import { troubleshootingPage } from './troubleshooting-page.ts';

const DELIVERY = 'docs/delivery.md';
const EMBEDDING = 'docs/embedding.md';
const PERMISSIONS = 'docs/permissions.md';
const PROOF = 'docs/proof.md';

/** The pages that are made from declarations in the code: path below the repository and content. */
export async function referencePages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['docs/configuration.md', settingsPage()],
    ['docs/cli.md', commandsPage()],
    ['docs/rpc.md', rpcPage()],
    ['docs/troubleshooting.md', await troubleshootingPage()],
    [
      'docs/openapi.json',
      `${JSON.stringify(serviceDocument({ version: VERSION, prefix: '', api: apiSettings() }), null, 2)}\n`,
    ],
    ['packages/server/config.schema.json', `${JSON.stringify(configurationSchema(), null, 2)}\n`],
    ['docs/dash/troubleshooting.md', await dashTroubleshootingPage()],
    // Of these, a part.
    [DELIVERY, withListenerTable(readFileSync(DELIVERY, 'utf8'))],
    [PERMISSIONS, withRolesTable(readFileSync(PERMISSIONS, 'utf8'))],
    [PROOF, withCampaign(readFileSync(PROOF, 'utf8'))],
    [EMBEDDING, withMountingTable(readFileSync(EMBEDDING, 'utf8'))],
  ]);
}
