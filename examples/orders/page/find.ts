/** The first element that matches. @throws Error when the page has none */
export function find<T extends HTMLElement>(selector: string, inside: ParentNode = document): T {
  const element = inside.querySelector<T>(selector);
  if (element === null) throw new Error(`the page has no ${selector}`);
  return element;
}

/** An element with its text and children. */
export function create<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  members: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), members);
  element.append(...children);
  return element;
}

const SVG = 'http://www.w3.org/2000/svg';
const CIRCLE = 'M5 1a4 4 0 1 0 0 8a4 4 0 1 0 0-8z';
/** Outlines of 10 × 10 units; what is filled is said by the style of the state. */
const SHAPES = {
  /** ○ not begun, ● well */
  circle: [CIRCLE],
  /** ◐ on its way */
  half: [CIRCLE, 'M5 1a4 4 0 0 0 0 8z'],
  /** ✓ over */
  check: ['M1 5.5 3.75 8.25 9 2'],
  /** ▲ look */
  triangle: ['M5 .75 9.75 9.25H.25z'],
} as const;

/** A sign that stands beside a word. */
export function sign(shape: keyof typeof SHAPES): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 10 10');
  svg.setAttribute('aria-hidden', 'true');
  for (const outline of SHAPES[shape]) {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', outline);
    svg.append(path);
  }
  return svg;
}
