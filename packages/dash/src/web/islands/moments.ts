import { systemClock } from '@msg/foundation/clock';
import { momentText } from '../../render/words.ts';

const EACH_MS = 30_000;

/** Keeps "2 min ago" true while the page stays open. */
export function keepMoments(): void {
  systemClock.setTimeout(() => {
    for (const time of document.querySelectorAll('time'))
      time.textContent = momentText(Date.parse(time.dateTime), systemClock.now());
    keepMoments();
  }, EACH_MS);
}
