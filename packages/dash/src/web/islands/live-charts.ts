import type { ChartConfig, Row } from '../../render/chart/model.ts';
import { hiddenSeries } from './legend.ts';
import { requestQuery } from './settings.ts';

/** What `charts.js` exports. */
interface ChartsModule {
  openLive(
    plot: HTMLElement,
    config: ChartConfig,
    rows: readonly Row[],
    hidden?: readonly string[],
  ): { close(): void } | undefined;
}

interface TreeNode {
  readonly id: string;
  readonly config?: object;
  readonly children?: readonly TreeNode[];
}

/**
 * Replaces the picture of a chart by a live one when the pointer meets it, and gives it back when the pointer leaves.
 * The library comes with the first such chart and not before.
 */
export function followCharts(api: string, address: string): void {
  let module: Promise<ChartsModule> | undefined;
  document.addEventListener('pointerover', ({ target, pointerType }) => {
    const plot = target instanceof Element ? target.closest<HTMLElement>('.t-chart .plot') : null;
    if (plot === null || pointerType === 'touch' || plot.dataset['live'] !== undefined) return;
    plot.dataset['live'] = '';
    module ??= import(address) as Promise<ChartsModule>;
    void open(api, module, plot);
  });
}

async function open(api: string, module: Promise<ChartsModule>, plot: HTMLElement): Promise<void> {
  const id = plot.closest('[data-node]')?.getAttribute('data-node') ?? '';
  const [{ openLive }, config, rows] = await Promise.all([module, configOf(api, id), rowsOf(api, id)]);
  if (!plot.matches(':hover') || config === undefined) {
    delete plot.dataset['live'];
    return;
  }
  const shown = rows ?? (config as { rows?: readonly Row[] }).rows ?? [];
  const live = openLive(plot, config, shown, hiddenSeries()?.[id]);
  const close = (): void => {
    live?.close();
    delete plot.dataset['live'];
  };
  plot.addEventListener('pointerleave', close, { once: true });
}

async function configOf(api: string, id: string): Promise<ChartConfig | undefined> {
  const answer = await fetch(`${api}/tree?${requestQuery()}`);
  const { root } = (await answer.json()) as { root: TreeNode };
  return nodeOf(root, id)?.config as ChartConfig | undefined;
}

function nodeOf(node: TreeNode, id: string): TreeNode | undefined {
  if (node.id === id) return node;
  for (const child of node.children ?? []) {
    const below = nodeOf(child, id);
    if (below !== undefined) return below;
  }
  return undefined;
}

/** The rows of a bound chart; undefined for one that has its own. */
async function rowsOf(api: string, id: string): Promise<readonly Row[] | undefined> {
  const answer = await fetch(`${api}/data?${requestQuery()}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ids: [id] }),
  });
  const { items } = (await answer.json()) as { items: Record<string, { rows: readonly Row[] }> };
  return items[id]?.rows;
}
