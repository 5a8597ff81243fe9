/** Names of the series that are switched off, by the id of their chart: they stay off whatever is swapped. */
const hidden = new Map<string, Set<string>>();

/** Body of requests: which series are not drawn; undefined where all are. */
export function hiddenSeries(): Record<string, string[]> | undefined {
  const charts = [...hidden].filter(([, names]) => names.size > 0);
  return charts.length === 0 ? undefined : Object.fromEntries(charts.map(([id, names]) => [id, [...names]]));
}

/** Makes a button of each entry of a legend. */
export function enhanceLegend(item: Element): void {
  for (const entry of item.querySelectorAll<HTMLElement>('.legend [data-series]')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.dataset['act'] = 'series';
    button.setAttribute('aria-pressed', String(entry.dataset['off'] === undefined));
    button.append(...entry.childNodes);
    entry.append(button);
  }
}

/** Switches a series on or off. @returns the id of its chart, which is to be drawn again. */
export function toggleSeries(button: HTMLElement): string {
  const id = button.closest('[data-node]')?.getAttribute('data-node') ?? '';
  const name = button.parentElement?.dataset['series'] ?? '';
  const names = hidden.get(id) ?? new Set();
  hidden.set(id, names);
  const isOn = names.delete(name);
  if (!isOn) names.add(name);
  button.setAttribute('aria-pressed', String(isOn));
  return id;
}
