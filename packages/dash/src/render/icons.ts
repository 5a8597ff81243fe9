import { html, type Markup } from './markup.ts';

/** Pictures of 16 × 16 units, one path each. */
const PATHS = {
  check: 'm3 8.5 3.5 3.5L13 4.500',
  clock: 'M14.25 8a6.25 6.25 0 1 1-12.5 0a6.25 6.25 0 0 1 12.5 0M8 4.5V8l2.5 1.500',
  compare: 'M1.75 3h5v10h-5zM9.25 3h4a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1h-4M9.25 1.500v13',
  copy: 'M5.5 7A1.5 1.5 0 0 1 7 5.5h5.5A1.5 1.5 0 0 1 14 7v5.5a1.5 1.5 0 0 1-1.5 1.5H7a1.5 1.5 0 0 1-1.5-1.500zM10.5 5.5V3.5A1.5 1.5 0 0 0 9 2H3.5A1.5 1.5 0 0 0 2 3.5V9a1.5 1.5 0 0 0 1.5 1.5h2',
  down: 'm3.5 6 4.5 4.5L12.5 6',
  equal: 'M3.500 6h9M3.500 10h9',
  history: 'M2.5 8a5.5 5.5 0 1 0 1.7-4M2.5 2v3h3M8 5v3l2 1.500',
  inspect: 'M2.5 2.75h11v10.500h-11zM9.5 2.750v10.500M4.750 6h2.500M4.750 8.500h2.500',
  more: 'M3.25 8h.01M8 8h.01M12.75 8h.01',
  plus: 'M8 3v10M3 8h10',
  refresh: 'M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 2v3h-3',
  reply: 'M6.5 3.5 2.5 7.5l4 4M2.5 7.5H9a4.5 4.5 0 0 1 4.5 4.5v1',
  right: 'm6 3.5 4.5 4.5L6 12.5',
  theme: 'M14.25 8a6.25 6.25 0 1 1-12.5 0a6.25 6.25 0 0 1 12.5 0M8 1.75v12.500M8 5h3.500M8 8h6M8 11h4.500',
  warning: 'M8 2.25 14.5 13.5h-13zM8 6.5v3.25M8 11.6v.1',
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside a word or inside of a button that has a name. */
export function icon(name: IconName): Markup {
  return html`<svg class="icon i-${name}" viewBox="0 0 16 16" aria-hidden="true"><path d="${PATHS[name]}"/></svg>`;
}
