import type { Threshold, Tone } from '../tones.ts';
import type { Plot } from './model.ts';
import type { Palette, Role } from './roles.ts';
import { thresholdText } from './summary.ts';
import { TEXT_SIZE } from './text-size.ts';
import { textWidth } from './text-width.ts';

const WIDTH = 1.5;
const DASH = [6, 4];
/** Pixels between the plot and the words, and between two lines of words. */
const GAP = 6;
const LINE = 14;
/** Width of a drawing from which the words have room for the number, in pixels. */
const WIDE = 480;
const ROLES: Readonly<Record<Tone, Role>> = {
  neutral: '--ink-3',
  accent: '--accent',
  positive: '--ok-mark',
  caution: '--warn-mark',
  critical: '--bad-mark',
};

/** What ECharts says about the place that a mark is drawn in. */
interface Place {
  readonly dataIndex: number;
  readonly coordSys: { readonly x: number; readonly y: number; readonly width: number };
}

/** Room beside the plot that the words of its thresholds take, in pixels; 0 without any. */
export function thresholdRoom(plot: Plot, width: number): number {
  const widths = reached(plot).map(threshold => textWidth(wordsOf(threshold, width), TEXT_SIZE));
  return widths.length === 0 ? 0 : GAP + Math.ceil(Math.max(...widths));
}

/** A line for each threshold that the axis of values reaches, with words beside it; thresholds never move the axis. */
export function thresholdLines(plot: Plot, width: number, palette: Palette): object[] {
  const drawn = reached(plot);
  if (drawn.length === 0) return [];
  return [
    {
      type: 'custom',
      silent: true,
      clip: false,
      z: 3,
      data: drawn.map(() => [0]),
      renderItem: (place: Place, { coord }: { coord(at: readonly number[]): number[] }) => {
        const threshold = drawn[place.dataIndex];
        if (threshold === undefined) return undefined;
        const heightOf = ({ from }: Threshold): number => coord([0, from])[1] ?? 0;
        const above = drawn[place.dataIndex + 1];
        const height = heightOf(threshold);
        const hasRoom = above === undefined || height - heightOf(above) >= LINE;
        const text = hasRoom ? wordsOf(threshold, width) : '';
        return lineWithWords(place, height, { text, color: palette(ROLES[threshold.tone]), palette });
      },
    },
  ];
}

const reached = ({ thresholds = [], y }: Plot): readonly Threshold[] =>
  thresholds.filter(({ from }) => from >= y.min && from <= y.max);

const wordsOf = (threshold: Threshold, width: number): string =>
  width < WIDE ? threshold.tone : thresholdText(threshold);

interface Look {
  readonly text: string;
  readonly color: string;
  readonly palette: Palette;
}

function lineWithWords({ coordSys: { x, width } }: Place, height: number, look: Look): object {
  const end = x + width;
  return {
    type: 'group',
    children: [
      {
        type: 'line',
        shape: { x1: x, y1: height, x2: end, y2: height },
        style: { fill: 'none', stroke: look.color, lineWidth: WIDTH, lineDash: DASH },
      },
      {
        type: 'text',
        style: {
          text: look.text,
          x: end + GAP,
          y: height,
          textAlign: 'left',
          textVerticalAlign: 'middle',
          fill: look.palette('--ink-2'),
          fontSize: TEXT_SIZE,
        },
      },
    ],
  };
}
