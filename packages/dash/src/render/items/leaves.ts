import { chartItem } from './chart.ts';
import { configuratorItem } from './configurator.ts';
import { definitionsItem } from './definitions.ts';
import { headingItem } from './heading.ts';
import { imageItem } from './image.ts';
import type { LeafRenderer } from './leaf.ts';
import { markdownItem } from './markdown.ts';
import { metricItem } from './metric.ts';
import { tableItem } from './table.ts';

/** Leaves that a renderer knows by name; every other one is drawn from its config (dashboard details 2.3). */
const LEAVES: Readonly<Record<string, LeafRenderer>> = {
  chart: chartItem,
  configurator: configuratorItem,
  heading: headingItem,
  image: imageItem,
  markdown: markdownItem,
  metric: metricItem,
  table: tableItem,
};

/** What renders a leaf of this type. */
export function leafRenderer(type: string): LeafRenderer {
  return (Object.hasOwn(LEAVES, type) ? LEAVES[type] : undefined) ?? definitionsItem;
}
