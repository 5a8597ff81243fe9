import { readAnswer } from './preview/answer.ts';
import { Host, isRecord } from './preview/host.ts';
import { Page, type Proposed } from './preview/page.ts';

const host = new Host(
  {
    'ui/notifications/tool-input': ({ arguments: args }) => {
      proposed = proposedOf(args);
    },
    'ui/notifications/tool-result': result => {
      const answer = readAnswer(result);
      if (answer === undefined) page.say('The tool answered nothing that this page can show.');
      else void page.show(proposed, answer);
    },
    'ui/notifications/tool-cancelled': () => page.say('The call was cancelled.'),
    'ui/notifications/host-context-changed': followTheme,
  },
  leave,
);
const page = new Page(host);
const sizes = new ResizeObserver(() => {
  const { width, height } = document.documentElement.getBoundingClientRect();
  host.tell('ui/notifications/size-changed', { width: Math.ceil(width), height: Math.ceil(height) });
});
let proposed: Proposed | undefined;

const facts = await host.connect();
if (facts === undefined) page.say('This host shows no pages of version 2026-01-26.');
else {
  page.begin(facts.abilities);
  followTheme(facts.context);
  sizes.observe(document.documentElement);
}

function proposedOf(args: unknown): Proposed | undefined {
  if (!isRecord(args)) return undefined;
  const { id, ops, create, note } = args;
  if (typeof id !== 'string' || !Array.isArray(ops)) return undefined;
  return { id, ops, create: create === true || undefined, note: typeof note === 'string' ? note : undefined };
}

function followTheme({ theme }: Readonly<Record<string, unknown>>): void {
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
}

function leave(): void {
  sizes.disconnect();
  document.adoptedStyleSheets = [];
  document.body.replaceChildren();
}
