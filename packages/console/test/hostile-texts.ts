import { isAnswer, type Visit } from './visit.ts';

const RUN = 'globalThis.hit=1';
/** What a browser would run, were it taken for markup. */
const CORES = [
  `<script>${RUN}</script>`,
  `<img src=x onerror=${RUN}>`,
  `<svg onload=${RUN}>`,
  `<iframe srcdoc="<script>parent.hit=1</script>">`,
  `<a href="javascript:${RUN}">x</a>`,
  `<style>*{display:none}</style>`,
  `<math><mtext><script>${RUN}</script></mtext></math>`,
  `<details open ontoggle=${RUN}>`,
  `<base href="https://evil.example.com/">`,
  `<meta http-equiv=refresh content="0;url=https://evil.example.com/">`,
  `<form action=javascript:${RUN}><button>`,
  `<input autofocus onfocus=${RUN}>`,
  `<template><script>${RUN}</script></template>`,
  `<object data="javascript:${RUN}">`,
  `<link rel=stylesheet href=https://evil.example.com/x.css>`,
  `javascript:${RUN}`,
  `{{constructor.constructor('${RUN}')()}}`,
  `\${${RUN}}`,
  `\u202Egpj.exe\u2066\u200F${RUN}`,
  `&lt;script&gt;${RUN}&lt;/script&gt;`,
];
/** What would end the place that a text stands in. */
const ENDS = [
  '',
  '"',
  "'",
  '">',
  "'>",
  '</script>',
  '--><!--',
  '</textarea></title>',
  ']]>',
  '\\u003c/script>',
];
/** Two hundred texts: each core after each end. */
export const HOSTILE = CORES.flatMap(core => ENDS.map(end => end + core));

/** What hostile texts have done to the page: elements that they made, code that ran, complaints of the browser. */
export async function harm(visit: Visit): Promise<unknown> {
  const made = await visit.page.evaluate(`[...document.querySelectorAll(
    '#content script, #content iframe, #content style, #content base, #content meta, #content object, #content link, #content math, #content template, [onerror], [onload], [ontoggle], [onfocus], [href^="javascript:"], [action^="javascript:"], img[src="x"]'
  )].map(element => element.outerHTML)`);
  return {
    made,
    ran: await visit.page.evaluate('typeof globalThis.hit'),
    complaints: visit.complaints.filter(complaint => !isAnswer(complaint)),
  };
}
/** What {@link harm} answers where nothing happened. */
export const NO_HARM = { made: [], ran: 'undefined', complaints: [] };
