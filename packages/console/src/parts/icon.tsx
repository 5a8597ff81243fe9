import { h, type JSX } from 'preact';

/** Shapes on a grid of 16, by the name of the icon. */
const SHAPES = {
  overview:
    'M3 2h3a1 1 0 0 1 1 1v5a1 1 0 0 1 -1 1h-3a1 1 0 0 1 -1 -1v-5a1 1 0 0 1 1 -1zM10 2h3a1 1 0 0 1 1 1v2a1 1 0 0 1 -1 1h-3a1 1 0 0 1 -1 -1v-2a1 1 0 0 1 1 -1zM3 11h3a1 1 0 0 1 1 1v1a1 1 0 0 1 -1 1h-3a1 1 0 0 1 -1 -1v-1a1 1 0 0 1 1 -1zM10 8h3a1 1 0 0 1 1 1v4a1 1 0 0 1 -1 1h-3a1 1 0 0 1 -1 -1v-4a1 1 0 0 1 1 -1z',
  channel: 'M6 2.5 4.5 13.5M11.5 2.5 10 13.5M2.5 5.75h11.5M2 10.25h11.5',
  connection: 'M6 2v3.5M10 2v3.5M4 5.5h8V8a4 4 0 0 1-8 0zM8 12v2.5',
  user: 'M5.25 5.25a2.75 2.75 0 1 0 5.5 0a2.75 2.75 0 1 0 -5.5 0M2.75 13.75a5.25 5.25 0 0 1 10.5 0',
  token:
    'M3.25 4h9.5a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1 -1.5 1.5h-9.5a1.5 1.5 0 0 1 -1.5 -1.5v-5a1.5 1.5 0 0 1 1.5 -1.5zM10.5 4v8M4.5 7h3M4.5 9.5h2',
  key: 'M2 11a3 3 0 1 0 6 0a3 3 0 1 0 -6 0M7.25 8.75l6-6M11 5l2 2',
  send: 'M14 2 7 9M14 2 9.5 14 7 9 2 6.5z',
  inbox: 'M2 9.5 4 3h8l2 6.5V13H2zM2 9.5h3.5L6.75 11h2.5l1.25-1.5H14',
  braces:
    'M6 2.5H5A1.5 1.5 0 0 0 3.5 4v2.25L2.25 8l1.25 1.75V12A1.5 1.5 0 0 0 5 13.5h1M10 2.5h1A1.5 1.5 0 0 1 12.5 4v2.25L13.75 8l-1.25 1.75V12A1.5 1.5 0 0 1 11 13.5h-1',
  gauge: 'M2.5 12a6.25 6.25 0 1 1 11 0M8 10l3-3.5',
  audit: 'M3 2h7l3 3v9H3zM9.75 2v3.25H13M5.5 8h5M5.5 11h3.5',
  search: 'M2.5 7a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0M10.5 10.5l3.5 3.5',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  x: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  plus: 'M8 3v10M3 8h10',
  warning: 'M8 2.25 14.5 13.5h-13zM8 6.5v3.25M8 11.6v.1',
  error: 'M5.3 1.9h5.4l3.4 3.4v5.4l-3.4 3.4H5.3l-3.4-3.4V5.3zM8 4.9v3.6M8 10.9v.1',
  info: 'M1.75 8a6.25 6.25 0 1 0 12.5 0a6.25 6.25 0 1 0 -12.5 0M8 7.5v3.5M8 5v.1',
  lock: 'M4.5 7h7a1.5 1.5 0 0 1 1.5 1.5v4a1.5 1.5 0 0 1 -1.5 1.5h-7a1.5 1.5 0 0 1 -1.5 -1.5v-4a1.5 1.5 0 0 1 1.5 -1.5zM5 7V5a3 3 0 0 1 6 0v2',
  unlock:
    'M4.5 7h7a1.5 1.5 0 0 1 1.5 1.5v4a1.5 1.5 0 0 1 -1.5 1.5h-7a1.5 1.5 0 0 1 -1.5 -1.5v-4a1.5 1.5 0 0 1 1.5 -1.5zM5 7V4.75a3 3 0 0 1 5.75-1.2',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM6 8a2 2 0 1 0 4 0a2 2 0 1 0 -4 0',
  copy: 'M7 5.5h5.5a1.5 1.5 0 0 1 1.5 1.5v5.5a1.5 1.5 0 0 1 -1.5 1.5h-5.5a1.5 1.5 0 0 1 -1.5 -1.5v-5.5a1.5 1.5 0 0 1 1.5 -1.5zM10.5 5.5V3.5A1.5 1.5 0 0 0 9 2H3.5A1.5 1.5 0 0 0 2 3.5V9a1.5 1.5 0 0 0 1.5 1.5h2',
  play: 'M4.5 2.75v10.5L13 8z',
  pause: 'M5.25 3v10M10.75 3v10',
  refresh: 'M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 2v3h-3',
  undo: 'M6 3 2.5 6.5 6 10M2.5 6.5H10a3.5 3.5 0 0 1 0 7H6.5',
  external: 'M9 2.5h4.5V7M13.5 2.5 7.5 8.5M11.5 9.5v4h-9v-9h4',
  more: 'M3.25 8h.01M8 8h.01M12.75 8h.01',
  menu: 'M2 4h12M2 8h12M2 12h12',
  right: 'M6 3.5l4.5 4.5L6 12.5',
  down: 'M3.5 6l4.5 4.5L12.5 6',
  edit: 'M10.5 3l2.5 2.5L5.5 13H3v-2.5z',
  trash: 'M2.5 4h11M6 4V2.25h4V4M4 4l.75 10h6.5L12 4',
  theme: 'M1.75 8a6.25 6.25 0 1 0 12.5 0a6.25 6.25 0 1 0 -12.5 0M8 1.75v12.5M8 5h3.5M8 8h6M8 11h4.5',
  history: 'M2.5 8a5.5 5.5 0 1 0 1.7-4M2.5 2v3h3M8 5v3l2 1.5',
  node: 'M3 2.5h10a1 1 0 0 1 1 1v2.5a1 1 0 0 1 -1 1h-10a1 1 0 0 1 -1 -1v-2.5a1 1 0 0 1 1 -1zM3 9h10a1 1 0 0 1 1 1v2.5a1 1 0 0 1 -1 1h-10a1 1 0 0 1 -1 -1v-2.5a1 1 0 0 1 1 -1zM4.5 4.75h.01M4.5 11.25h.01',
} as const;

export type IconName = keyof typeof SHAPES;

/** An icon beside a word. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return h(
    'svg',
    { class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': 'true' },
    h('path', { d: SHAPES[name] }),
  );
}

/** The sign of msg, beside its name. */
export function Logo(): JSX.Element {
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true">
      <circle cx="4.5" cy="10" r="3" fill="currentColor" />
      <path
        d="M9.5 10H18M9 6.5c2-2.5 4.5-3.5 8-3.5M9 13.5c2 2.5 4.5 3.5 8 3.5"
        fill="none"
        stroke="currentColor"
        stroke-width="1.8"
        stroke-linecap="round"
      />
    </svg>
  );
}
