import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#src/document/json.ts';
import { renderItems } from '#src/render/picture.ts';
import { resolveWith } from '../resolve/team-pulse.ts';

function figureOf(config: JsonObject): string {
  const content = { id: 'figure', type: 'metric', config };
  const block: JsonObject = { id: 'block', type: 'block', config: { content } };
  const tree = resolveWith({
    manifest: { formatVersion: '1.0.0', id: 'figures' },
    root: { id: 'page', type: 'container', children: [{ id: 'body', type: 'container', children: [block] }] },
  });
  const source = { tree, views: new Map(), errors: new Map(), csvAddress: () => '' };
  return String(renderItems(source, new Set(['figure'])).get('figure'));
}

const THRESHOLDS = [
  { from: 0, tone: 'neutral' },
  { from: 0.8, tone: 'positive' },
  { from: 0.9, tone: 'critical' },
];

describe('the tone of a figure', () => {
  it('is that of its threshold, in words and by shape beside its colour', () => {
    const text = figureOf({ value: 0.85, format: 'percent', thresholds: THRESHOLDS });
    expect(text).toContain('<p class="figure" data-tone="positive">85%</p>');
    expect(text).toMatch(/<span class="state ok"><svg[^>]*>.*<\/svg><span>positive<\/span><\/span>/);
    expect(figureOf({ value: 1, thresholds: THRESHOLDS })).toContain('<span>critical</span>');
  });

  it('is that of the value, not of the text that a format makes of it', () => {
    const text = figureOf({ value: 0.796, format: 'percent', thresholds: THRESHOLDS });
    expect(text).toContain('data-tone="neutral">80%</p>');
    expect(text).not.toContain('class="state');
  });

  it.each([['a text'], [true], [null], [-1]])('is left out for the value %j', value => {
    expect(figureOf({ value, thresholds: THRESHOLDS })).not.toMatch(/data-tone|class="state/);
  });
});
