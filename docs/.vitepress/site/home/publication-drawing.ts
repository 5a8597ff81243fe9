/** What the drawing says to those who do not see it. */
const WORDS =
  'A backend publishes number 46 to the hub. The hub keeps the stream and writes one encoded frame to every client. ' +
  'A client that was away since 43 comes back and gets 44, 45 and 46, in order.';

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Area extends Point {
  readonly width: number;
  readonly height: number;
}

/** Kinds are classes of the style sheet; `back` is what a client gets that comes back. */
type Kind = 'title' | 'note' | 'number' | 'code';
type Anchor = 'start' | 'middle' | 'end';

const CELL = { width: 30, height: 24, step: 34 };
/** Numbers that the returning client missed. */
const MISSED = [44, 45, 46];

function words({ x, y }: Point, text: string, kind: Kind, anchor: Anchor = 'middle', isBack = false): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" class="${kind}${isBack ? ' back' : ''}">${text}</text>`;
}

function box({ x, y, width, height }: Area, kind: 'part' | 'hub' | 'cell' | 'back', radius = 8): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" class="${kind}"/>`;
}

/** A box with its name in the middle, and a line below when there is more to say. */
function part(area: Area, title: string, note?: string, kind: 'part' | 'back' = 'part'): string {
  const centre = { x: area.x + area.width / 2, y: area.y + area.height / 2 };
  const up = note === undefined ? 5 : -4;
  const below = note === undefined ? '' : words({ x: centre.x, y: centre.y + 17 }, note, 'note');
  return box(area, kind) + words({ x: centre.x, y: centre.y + up }, title, 'title') + below;
}

/** A straight arrow with its label in the middle of the line, above or to the right of it. */
function arrow(from: Point, to: Point, label: string, isBack = false): string {
  const isDown = from.x === to.x;
  const head = isDown ? `M${to.x - 5} ${to.y - 6}l5 6 5-6` : `M${to.x - 6} ${to.y - 5}l6 5-6 5`;
  const middle = isDown
    ? { x: from.x + 9, y: (from.y + to.y) / 2 + 4 }
    : { x: (from.x + to.x) / 2, y: from.y - 10 };
  const line = `<path d="M${from.x} ${from.y}L${to.x} ${to.y}${head}" class="arrow${isBack ? ' back' : ''}"/>`;
  return line + words(middle, label, 'note', isDown ? 'start' : 'middle', isBack);
}

/** The stream: the numbers that the hub keeps, the missed ones marked. */
function stream({ x, y }: Point, first: number): string {
  const last = MISSED.at(-1) ?? first;
  const cells = Array.from({ length: last - first + 1 }, (_, index) => {
    const left = x + index * CELL.step;
    const isMissed = MISSED.includes(first + index);
    const cell = box({ x: left, y, width: CELL.width, height: CELL.height }, isMissed ? 'back' : 'cell', 4);
    return (
      cell +
      words({ x: left + CELL.width / 2, y: y + 16 }, String(first + index), 'number', 'middle', isMissed)
    );
  });
  return cells.join('');
}

/** The hub with its stream, and the one frame. */
function hub(area: Area, { first, frame }: { readonly first: number; readonly frame: string }): string {
  const [left, right] = [area.x + 18, area.x + area.width - 18];
  const below = (y: number, x = left): Point => ({ x, y: area.y + y });
  return [
    box(area, 'hub', 12),
    words(below(28), 'Hub', 'title', 'start'),
    words(below(28, right), 'public:shop.orders.1042', 'note', 'end'),
    words(below(72), 'Stream, kept for recovery', 'note', 'start'),
    stream(below(82), first),
    words(below(148), 'Encoded once, shared by all', 'note', 'start'),
    box({ ...below(158), width: right - left, height: 34 }, 'cell', 6),
    words(below(180, left + 12), frame, 'code', 'start'),
  ].join('');
}

function drawing(
  kind: 'wide' | 'upright',
  { width, height }: Pick<Area, 'width' | 'height'>,
  parts: readonly string[],
): string {
  return `<svg class="drawing ${kind}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${WORDS}">${parts.join('')}</svg>`;
}

const FRAME = '{"push":{"pub":{"offset":46,"data":…';

function wide(): string {
  return drawing('wide', { width: 1120, height: 214 }, [
    part({ x: 1, y: 69, width: 176, height: 76 }, 'Your backend', 'publishes once'),
    arrow({ x: 177, y: 107 }, { x: 318, y: 107 }, '46'),
    hub({ x: 324, y: 1, width: 380, height: 212 }, { first: 37, frame: FRAME }),
    arrow({ x: 704, y: 27 }, { x: 864, y: 27 }, '46'),
    arrow({ x: 704, y: 93 }, { x: 864, y: 93 }, '46'),
    arrow({ x: 704, y: 174 }, { x: 864, y: 174 }, '44, 45, 46', true),
    part({ x: 870, y: 1, width: 249, height: 52 }, 'Browser'),
    part({ x: 870, y: 67, width: 249, height: 52 }, 'Phone, service, device'),
    part(
      { x: 870, y: 135, width: 249, height: 78 },
      'Was away since 43',
      'gets what it missed, in order',
      'back',
    ),
  ]);
}

function upright(): string {
  return drawing('upright', { width: 340, height: 524 }, [
    part({ x: 70, y: 1, width: 200, height: 60 }, 'Your backend', 'publishes once'),
    arrow({ x: 170, y: 61 }, { x: 170, y: 102 }, '46'),
    hub({ x: 1, y: 108, width: 338, height: 212 }, { first: 38, frame: FRAME.slice(0, 28).concat('…') }),
    arrow({ x: 52, y: 320 }, { x: 52, y: 368 }, '46'),
    arrow({ x: 178, y: 320 }, { x: 178, y: 368 }, '46'),
    arrow({ x: 292, y: 320 }, { x: 292, y: 438 }, '', true),
    part({ x: 1, y: 374, width: 102, height: 48 }, 'Browser'),
    part({ x: 112, y: 374, width: 132, height: 48 }, 'Phone, device'),
    part({ x: 60, y: 444, width: 279, height: 78 }, 'Was away since 43', 'gets 44, 45, 46, in order', 'back'),
  ]);
}

/** The way of a publication, for wide screens and upright for telephones; the style sheet shows one of them. */
export const publicationDrawing = (): string => `<div class="drawings">${wide()}${upright()}</div>`;

/** The same in words, for the Markdown of the page. */
export const publicationWords = (): string => WORDS;
