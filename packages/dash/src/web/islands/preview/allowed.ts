import { parsedBody } from '../trusted.ts';

/** Elements of drawings; others are left out with what they hold. */
const ELEMENTS = new Set(
  [
    'a article b blockquote br button caption circle clippath code dd defs del details div dl dt em fieldset figcaption',
    'figure g h2 h3 h4 h5 h6 header hr img input ins kbd label legend li line ol option output p path polygon',
    'polyline pre rect section select small span strong sub summary sup svg table tbody td text textarea tfoot th thead',
    'time tr ul',
  ]
    .join(' ')
    .split(' '),
);
/** Attributes that say what a thing is, where it stands in a table or a form, or what form a line has. */
const ATTRIBUTES = new Set(
  [
    'alt checked class colspan cx cy d disabled dominant-baseline fill-opacity font-size for height hidden id max min',
    'multiple open opacity placeholder points r role rowspan rows rx ry scope selected size start step stroke-dasharray',
    'stroke-dashoffset stroke-linecap stroke-linejoin stroke-opacity stroke-width tabindex text-anchor transform type',
    'value viewbox width x x1 x2 y y1 y2',
  ]
    .join(' ')
    .split(' '),
);
const NAMED = /^(?:aria|data)-[a-z-]+$/;
const COLOUR = /^(?:none|transparent|currentcolor|var\(--[a-z0-9-]+\))$/i;
const CLIP = /^url\(#[\w-]+\)$/;
/** Pictures that stand in the document ask no host. */
const OWN_PICTURE = /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]/i;
const NAMESPACES = new Set(['http://www.w3.org/1999/xhtml', 'http://www.w3.org/2000/svg']);

/**
 * The nodes of a fragment of the server, made anew from lists of elements and attributes: whatever a fragment holds, no
 * script, style, address or handler enters this page.
 */
export function allowedNodes(fragment: string): Node[] {
  return childrenOf(parsedBody(fragment));
}

function childrenOf(element: Element): Node[] {
  return [...element.childNodes].flatMap(allowed);
}

function allowed(node: Node): Node[] {
  if (node instanceof Text) return [document.createTextNode(node.data)];
  if (!(node instanceof Element)) return [];
  const { namespaceURI, localName } = node;
  if (!ELEMENTS.has(localName.toLowerCase()) || !NAMESPACES.has(namespaceURI ?? '')) return [];
  const made = document.createElementNS(namespaceURI, localName);
  for (const { name, value } of node.attributes) if (isAllowed(name, value)) made.setAttribute(name, value);
  made.append(...childrenOf(node));
  return [made];
}

function isAllowed(attribute: string, value: string): boolean {
  const name = attribute.toLowerCase();
  if (name === 'fill' || name === 'stroke') return COLOUR.test(value);
  if (name === 'clip-path') return CLIP.test(value);
  if (name === 'src') return OWN_PICTURE.test(value);
  return ATTRIBUTES.has(name) || NAMED.test(name);
}

/** Properties of the rules of grids, and the values of tracks, places and gaps. */
const PROPERTIES =
  /^(?:grid-(?:template-columns|template-rows|row-start|row-end|column-start|column-end)|z-index|--gap)$/;
const VALUE = /^[\w\s.,()/%-]*$/;
const CLASS = /^\.x[a-z0-9]+$/;

/** The rules of grids, without any other rule; none where the browser cannot read them. */
export function allowedRules(text: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  keepAllowed(sheet);
  return sheet;
}

interface RuleList {
  readonly cssRules: CSSRuleList;
  deleteRule(index: number): void;
}

function keepAllowed(rules: RuleList): void {
  for (let index = rules.cssRules.length - 1; index >= 0; index--) {
    const rule = rules.cssRules[index];
    if (rule instanceof CSSStyleRule && isGridRule(rule)) continue;
    if (rule instanceof CSSContainerRule) keepAllowed(rule);
    else rules.deleteRule(index);
  }
}

function isGridRule({ selectorText, style }: CSSStyleRule): boolean {
  const isKnown = (name: string): boolean =>
    PROPERTIES.test(name) && VALUE.test(style.getPropertyValue(name));
  return CLASS.test(selectorText) && [...style].every(isKnown);
}
