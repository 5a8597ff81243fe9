import { BarChart, CustomChart, LineChart, PieChart, ScatterChart } from 'echarts/charts';
import { GridComponent } from 'echarts/components';
import { init, setPlatformAPI, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { Picture } from './model.ts';
import { chartOption, type Size } from './option.ts';
import { UnsafePaintingError, type VNode, writeSvg } from './svg.ts';
import { TEXT_SIZE } from './text-size.ts';
import { textWidth } from './text-width.ts';

use([BarChart, CustomChart, LineChart, PieChart, ScatterChart, GridComponent, SVGRenderer]);
setPlatformAPI({ measureText: text => ({ width: textWidth(text, TEXT_SIZE) }) });

/** The part of zrender's SVG painter that gives its nodes instead of a text. */
interface NodePainter {
  renderToVNode(options: {
    animation: boolean;
    emphasis: boolean;
    useViewBox: boolean;
    compress: boolean;
  }): VNode;
}

/**
 * Paints a picture as SVG. Equal pictures, sizes and ids give equal bytes.
 * @param id Prefix of the ids in the drawing.
 */
export function paint(picture: Picture, size: Size, id: string): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, ...size });
  try {
    chart.setOption(chartOption(picture, size, role => `var(${role})`));
    return writeSvg(nodesOf(chart.getZr().painter), id);
  } finally {
    chart.dispose();
  }
}

function nodesOf(painter: object): VNode {
  if (!isNodePainter(painter)) throw new UnsafePaintingError('ECharts gave no nodes of its painting.');
  return painter.renderToVNode({ animation: false, emphasis: false, useViewBox: true, compress: true });
}

function isNodePainter(painter: object): painter is NodePainter {
  return 'renderToVNode' in painter && typeof painter.renderToVNode === 'function';
}
