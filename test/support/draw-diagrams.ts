// npm run docs:diagrams: draws docs/diagrams/*.mmd as SVG files that need no script and follow the theme.
import { readFileSync, writeFileSync } from 'node:fs';
import { Browser } from '@msg/testkit';
import { diagrams } from '../../scripts/diagram-files.ts';
import { DIAGRAM_ROLES } from './diagram-roles.ts';

const [INK, INK_2, INK_3, SURFACE, SUNKEN, LINE] = Object.keys(DIAGRAM_ROLES);

const CONFIGURATION = {
  startOnLoad: false,
  theme: 'base',
  htmlLabels: false,
  fontFamily: 'system-ui, sans-serif',
  flowchart: { htmlLabels: false, padding: 14, nodeSpacing: 32, rankSpacing: 44, wrappingWidth: 150 },
  sequence: {
    mirrorActors: false,
    actorMargin: 60,
    messageMargin: 32,
    width: 120,
    height: 40,
    actorFontSize: 14,
    messageFontSize: 14,
    noteFontSize: 14,
  },
  themeVariables: {
    background: SURFACE,
    primaryColor: SURFACE,
    primaryTextColor: INK,
    primaryBorderColor: LINE,
    secondaryColor: SUNKEN,
    tertiaryColor: SUNKEN,
    lineColor: INK_3,
    textColor: INK_2,
    mainBkg: SURFACE,
    nodeBorder: LINE,
    nodeTextColor: INK,
    clusterBkg: SUNKEN,
    clusterBorder: LINE,
    titleColor: INK_2,
    edgeLabelBackground: '#f7f7f5',
    actorBkg: SURFACE,
    actorBorder: LINE,
    actorTextColor: INK,
    actorLineColor: LINE,
    signalColor: INK_3,
    signalTextColor: INK_2,
    noteBkgColor: SUNKEN,
    noteBorderColor: LINE,
    noteTextColor: INK_2,
    labelBoxBkgColor: SUNKEN,
    labelBoxBorderColor: LINE,
    labelTextColor: INK_2,
    loopTextColor: INK_2,
    fontSize: '14px',
  },
};

const browser = await Browser.startWithWindow();
try {
  const page = await browser.page();
  await page.setContent('<!doctype html><div id="drawing"></div>');
  for (const path of ['node_modules/mermaid/dist/mermaid.min.js', 'test/support/flatten-svg.js'])
    await page.addScriptTag({ content: readFileSync(path, 'utf8') });
  await page.evaluate(`mermaid.initialize(${JSON.stringify(CONFIGURATION)})`);
  for (const { name, source, path, digest } of diagrams()) {
    await page.evaluate(
      `mermaid.render(${JSON.stringify(`diagram-${name}`)}, ${JSON.stringify(source)}).then(({ svg }) => {
        document.querySelector('#drawing').innerHTML = svg;
        readStyles();
      })`,
    );
    const svg = await page.evaluate<string>(`flattenSvg(${JSON.stringify(DIAGRAM_ROLES)})`);
    writeFileSync(path, `<!-- Drawn by npm run docs:diagrams from ${digest} -->\n${svg}\n`);
  }
} finally {
  await browser.stop();
}
