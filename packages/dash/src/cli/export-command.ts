import { extname } from 'node:path';
import { textFlag, UsageError } from '@msg/command-line';
import { systemClock } from '@msg/foundation/clock';
import { canonicalBytesWithin } from '../document/canonical.ts';
import { display } from '../document/display.ts';
import { MAX_DOCUMENT_BYTES } from '../document/size.ts';
import { DashError } from '../errors.ts';
import { Charts } from '../render/chart/charts.ts';
import { Assets } from '../web/assets.ts';
import { leavesOf } from '../web/dashboard.ts';
import { exportPage } from '../web/export/export-page.ts';
import { frozenDocument } from '../web/export/frozen-document.ts';
import { writeOut } from './output.ts';
import { dashCommand, print } from './settings.ts';
import { headOf, STILL_SETTINGS, type Still, schemeOf, UNDRAWN, withStill } from './still.ts';

const KINDS = ['.html', '.json'];

const exportCommand = dashCommand({
  name: 'export',
  args: [{ name: 'id', help: 'id of a stored document' }],
  summary: 'write a dashboard with its rows as one HTML file or as a document without connections',
  settings: {
    ...STILL_SETTINGS,
    out: { ...textFlag('--out', 'file', 'where to; .html or .json says which'), required: true },
  },
  async run({ args: [id = ''], settings, io }) {
    const { out = '', json } = settings;
    const kind = extname(out).toLowerCase();
    if (!KINDS.includes(kind)) {
      throw new UsageError(`--out must end in .html or .json; got "${display(out)}"`, { flag: '--out' });
    }
    const scheme = schemeOf(settings.theme);
    const charts = new Charts(systemClock);
    try {
      await withStill(id, settings, io, kind === '.json' ? UNDRAWN : charts, async still => {
        const content =
          kind === '.json'
            ? frozen(id, still)
            : await exportPage(still.dashboard, { css: pageCss(), head: headOf(still), scheme });
        await writeOut(out, content);
        if (json) print(io, { id, out, revision: still.revision });
        else io.out(`wrote ${display(out)}\n`);
      });
    } finally {
      await charts.close();
    }
  },
});

/** `dashdoc export` (page and review 6). */
export const exportCommands = [exportCommand];

const pageCss = (): string => new Assets().text('page.css');

/** The document with its rows, which resolves and can be stored. @throws DashError STORAGE_INVALID for one too large. */
function frozen(id: string, { document, dashboard, engine }: Still): Uint8Array {
  const { tree, views } = dashboard.source;
  const bound = [...leavesOf(tree.root)].filter(({ binding }) => binding !== undefined);
  const items = bound.map(node => ({ node, data: views.get(node.id)?.data }));
  const still = frozenDocument(document, items, engine.catalog);
  engine.resolve(still);
  const bytes = canonicalBytesWithin(MAX_DOCUMENT_BYTES, still);
  if (bytes !== undefined) return bytes;
  const message = `Document "${display(id)}" with its rows must be at most ${MAX_DOCUMENT_BYTES} bytes; got more.`;
  throw new DashError('STORAGE_INVALID', message, { id, reason: 'size' });
}
