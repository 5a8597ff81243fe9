import { extname } from 'node:path';
import { defaultFlag, textFlag, UsageError } from '@msg/command-line';
import { systemClock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { display } from '../document/display.ts';
import { DashError } from '../errors.ts';
import { Painter } from '../render/chart/painter.ts';
import { openPng } from '../render/still/png.ts';
import { renderStill } from '../render/still/still.ts';
import { nodesOf, type ResolvedNode } from '../resolve/tree.ts';
import { writeOut } from './output.ts';
import { dashCommand, print } from './settings.ts';
import { STILL_SETTINGS, type Still, schemeOf, UNDRAWN, withStill } from './still.ts';

const KINDS = ['.svg', '.png'];
const NARROWEST = 200;
const WIDEST = 4_000;

const render = dashCommand({
  name: 'render',
  args: [{ name: 'id', help: 'id of a stored document' }],
  summary: 'draw a dashboard, or one node of it, as SVG or PNG',
  settings: {
    ...STILL_SETTINGS,
    node: textFlag('--node', 'id', 'only this node, with everything in it'),
    width: defaultFlag('--width', 'pixels', '1200', 'width of the picture, 200 to 4000'),
    font: textFlag('--font', 'file', 'font of a PNG; DejaVu Sans, else those of the system'),
    out: { ...textFlag('--out', 'file', 'where to; .svg or .png says which'), required: true },
  },
  async run({ args: [id = ''], settings, io }) {
    const { out = '', json, font, node } = settings;
    const kind = extname(out).toLowerCase();
    if (!KINDS.includes(kind))
      throw new UsageError(`--out must end in .svg or .png; got "${display(out)}"`, { flag: '--out' });
    const width = requireWidth(settings.width);
    const scheme = schemeOf(settings.theme) ?? 'light';
    const pngOf = kind === '.png' ? await openPng(font) : undefined;
    await withStill(id, settings, io, UNDRAWN, async still => {
      const svg = await drawn(still, width, scheme, node);
      await writeOut(out, pngOf?.(svg) ?? svg);
      if (json) print(io, { id, out, revision: still.revision });
      else io.out(`wrote ${display(out)}\n`);
    });
  },
});

/** `dashdoc render` (page and review 6). */
export const renderCommands = [render];

async function drawn(
  { dashboard: { source } }: Still,
  width: number,
  scheme: 'light' | 'dark',
  nodeId: string | undefined,
): Promise<string> {
  const painter = new Painter(systemClock);
  const only = nodeId === undefined ? undefined : new Set([requireNode(source.tree.root, nodeId).id]);
  const paint = (
    picture: Parameters<Painter['paint']>[0]['picture'],
    size: { width: number; height: number },
    id: string,
  ) => painter.paint({ picture, size, id });
  try {
    const { svg } = await renderStill(source, defined({ width, scheme, paint, only }));
    return svg;
  } finally {
    await painter.close();
  }
}

/** @throws DashError CHANGESET_TARGET_NOT_FOUND */
function requireNode(root: ResolvedNode, id: string): ResolvedNode {
  const nodes = [...nodesOf(root)];
  const node = nodes.find(candidate => candidate.id === id);
  if (node !== undefined) return node;
  const message = `Node "${display(id)}" does not exist in the document.`;
  throw new DashError('CHANGESET_TARGET_NOT_FOUND', message, {
    nodeId: id,
    known: nodes.map(each => each.id),
  });
}

function requireWidth(text: string): number {
  const width = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (width >= NARROWEST && width <= WIDEST) return width;
  const message = `--width must be a number from ${NARROWEST} to ${WIDEST}; got "${display(text)}"`;
  throw new UsageError(message, { flag: '--width' });
}
