// Runs in a page: a drawing of mermaid with every style as an attribute, so that it needs no style sheet and no script.
globalThis.flattenSvg = roles => {
  const svg = document.querySelector('#drawing svg');
  const role = colour => {
    if (colour === 'none' || colour === 'rgba(0, 0, 0, 0)') return 'none';
    const [red, green, blue, alpha = '1'] = colour.match(/[\d.]+/g) ?? [];
    if (Number(alpha) === 0) return 'none';
    const hex = `#${[red, green, blue].map(part => Number(part).toString(16).padStart(2, '0')).join('')}`;
    if (roles[hex] === undefined)
      throw new Error(`a diagram has the colour ${colour} (${hex}), which is no role`);
    return `var(${roles[hex]}, ${hex})`;
  };
  for (const element of svg.querySelectorAll('style, symbol, [data-background], title, desc'))
    element.remove();
  for (const element of svg.querySelectorAll('foreignObject'))
    throw new Error(`text as HTML: ${element.textContent}`);
  return (() => {
    for (const element of svg.querySelectorAll(
      'rect, path, line, polygon, circle, ellipse, text, tspan, polyline',
    )) {
      const style = element.computed;
      element.removeAttribute('style');
      element.setAttribute('fill', role(style.fill));
      if (style.stroke !== 'none' && !/^t/.test(element.tagName)) {
        element.setAttribute('stroke', role(style.stroke));
        element.setAttribute('stroke-width', style.strokeWidth);
        if (style.strokeDasharray !== 'none') element.setAttribute('stroke-dasharray', style.strokeDasharray);
      }
      if (element.tagName === 'text') {
        element.setAttribute('font-size', style.fontSize);
        element.setAttribute('text-anchor', style.textAnchor);
        if (style.dominantBaseline !== 'auto')
          element.setAttribute('dominant-baseline', style.dominantBaseline);
        if (style.fontWeight !== '400') element.setAttribute('font-weight', style.fontWeight);
      }
    }
    for (const element of svg.querySelectorAll('*')) {
      element.removeAttribute('class');
      element.removeAttribute('style');
      for (const { name } of [...element.attributes])
        if (/^(data-|aria-|role)/.test(name)) element.removeAttribute(name);
    }
    const [, , width, height] = svg.getAttribute('viewBox').split(' ').map(Number);
    for (const { name } of [...svg.attributes])
      if (!['viewBox', 'xmlns', 'id'].includes(name)) svg.removeAttribute(name);
    svg.setAttribute('width', Math.round(width));
    svg.setAttribute('height', Math.round(height));
    svg.setAttribute('font-family', 'var(--font, system-ui, sans-serif)');
    return svg.outerHTML;
  })();
};
globalThis.readStyles = () => {
  for (const element of document.querySelectorAll('#drawing svg *')) {
    const { fill, stroke, strokeWidth, strokeDasharray, fontSize, fontWeight, textAnchor, dominantBaseline } =
      getComputedStyle(element);
    element.computed = {
      fill,
      stroke,
      strokeWidth,
      strokeDasharray,
      fontSize,
      fontWeight,
      textAnchor,
      dominantBaseline,
    };
  }
};
