import { announce, followActions } from './actions.ts';
import { toggleInspector } from './inspector.tsx';
import { type Failure, Items } from './items.ts';
import { followKeys } from './keys.ts';
import { enhanceLegend } from './legend.ts';
import { listen, refreshRegularly } from './live.ts';
import { followCharts } from './live-charts.ts';
import { keepMoments } from './moments.ts';
import { hasSettings, settingsForms } from './settings.ts';
import { Swap } from './swap.ts';
import { enhanceTable } from './tables.ts';
import { enhanceTags } from './tags.tsx';
import { followTheme } from './theme.ts';
import { followControls } from './typing.ts';

document.documentElement.classList.add('js');
keepMoments();
followTheme(document.querySelector('[data-act=theme]'));
const { api, page, revision, charts, refresh } = document.body.dataset;
if (page === 'dashboard' && api !== undefined) startDashboard(api, revision);
else followActions({ apply() {}, retry() {}, inspect() {} });

function enhance(item: Element): void {
  for (const picture of item.querySelectorAll('img')) frameBroken(picture);
  enhanceTable(item);
  enhanceTags(item);
  enhanceLegend(item);
}

/** A picture that is not loaded, or cannot be, is a frame with its words. */
function frameBroken(picture: HTMLImageElement): void {
  if (picture.complete && picture.naturalWidth > 0) return;
  const words = document.createElement('span');
  words.className = 'none';
  words.textContent = picture.alt === '' ? 'This picture cannot be loaded.' : picture.alt;
  picture.after(words);
  const fail = (): void => picture.remove();
  picture.addEventListener('load', () => words.remove(), { once: true });
  if (picture.complete && picture.src !== '') fail();
  else picture.addEventListener('error', fail, { once: true });
}

function startDashboard(base: string, shown: string | undefined): void {
  const swap = new Swap(enhance);
  const items = new Items(base, swap, notice);
  const apply = (): void => {
    showReset();
    void items.all();
  };
  const inspect = (): void => toggleInspector(base);
  const help = document.getElementById('keys') as HTMLDialogElement | null;
  let present = shown;
  followControls(apply);
  followActions({ apply, inspect, retry: ids => void items.some(ids) });
  followKeys({ inspect, refresh: apply, help: () => help?.showModal(), close: closeMenus });
  globalThis.addEventListener('popstate', () => {
    for (const form of settingsForms()) form.reset();
    apply();
  });
  const live = document.getElementById('live');
  if (live !== null) {
    listen(base, {
      connected: isConnected => showLive(live, isConnected),
      gone: () => notice({ code: 'STORAGE_NOT_FOUND', message: 'This dashboard does not exist any more.' }),
      changed: now => {
        if (now === present) return;
        present = now;
        announce('The dashboard has changed.');
        apply();
      },
      items: ids => void items.some(ids),
    });
    refreshRegularly(() => items.all(), refresh === undefined ? undefined : Number(refresh));
  }
  showReset();
  if (charts !== undefined) followCharts(base, charts);
  void items.missing();
}

/** There is something to reset. */
function showReset(): void {
  const button = document.querySelector<HTMLElement>('[data-act=reset]');
  if (button !== null) button.hidden = !hasSettings();
}

/** What is wrong with the whole page, above it; nothing when it is well again. */
function notice(failure: Failure | undefined): void {
  const place = document.getElementById('notice');
  if (place === null) return;
  place.hidden = failure === undefined;
  const [code, message] = place.children;
  if (code) code.textContent = failure?.code ?? '';
  if (message) message.textContent = failure?.message ?? '';
}

function showLive(live: Element, isConnected: boolean): void {
  live.className = `state ${isConnected ? 'ok' : 'off'} js-only`;
  const word = live.querySelector('span');
  if (word) word.textContent = isConnected ? 'Live' : 'Reconnecting';
}

function closeMenus(): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('details.more[open]')) {
    menu.open = false;
    menu.querySelector('summary')?.focus();
  }
  document.querySelector<HTMLElement>('#inspector header button')?.click();
}
