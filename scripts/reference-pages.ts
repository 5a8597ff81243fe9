import { commandsPage } from './commands-page.ts';
import { settingsPage } from './settings-page.ts';

/** The pages that are made from declarations in the code: path below the repository and content. */
export function referencePages(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/configuration.md', settingsPage()],
    ['docs/cli.md', commandsPage()],
  ]);
}
