import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame, Page } from 'playwright-core';

/** The script that finds faults of accessibility, for `addInitScript`. */
export const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules of axe that the width of a page decides. */
export const RULES_OF_LAYOUT: readonly string[] = [
  'scrollable-region-focusable',
  'target-size',
  'meta-viewport',
  'aria-hidden-focus',
  'button-name',
];
/** The rules that colours decide. */
export const RULES_OF_COLOUR: readonly string[] = ['color-contrast', 'link-in-text-block'];

/** Ids of the rules that axe finds broken, with the first place of each. @param rules those to look for; default all */
export async function axeViolationsIn(page: Page | Frame, rules?: readonly string[]): Promise<string[]> {
  // Without what is as it should be, of which axe would note every place.
  const options = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) };
  return page.evaluate(async settings => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          context: unknown,
          options: object,
        ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
      };
    };
    const { violations } = await axe.run((globalThis as unknown as { document: unknown }).document, settings);
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`);
  }, options);
}
