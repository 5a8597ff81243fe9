import type { TimeWindow } from '../data/contract.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** How long something took or is ago: "45 s", "4 min", "3 h", "2 days". */
export function ageText(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  const days = Math.floor(ms / DAY);
  return days === 1 ? '1 day' : `${days} days`;
}

/** When something was: "just now", "2 min ago", "3 h ago", then the day, "Nov 19" or "Nov 19, 2025". */
export function momentText(at: number, now: number): string {
  const ms = now - at;
  if (ms < MINUTE) return 'just now';
  if (ms < DAY) return `${ageText(ms)} ago`;
  const day = new Date(at);
  const short = `${MONTHS[day.getUTCMonth()]} ${day.getUTCDate()}`;
  return day.getUTCFullYear() === new Date(now).getUTCFullYear()
    ? short
    : `${short}, ${day.getUTCFullYear()}`;
}

/** A span of time in UTC: "08:30–14:30", with the days where it has more than one. */
export function windowText({ from, to }: TimeWindow): string {
  const [start, end] = [new Date(from).toISOString(), new Date(to).toISOString()];
  const time = (iso: string): string => iso.slice(11, 16);
  const day = (iso: string): string => iso.slice(0, 10);
  if (day(start) === day(end)) return `${time(start)}–${time(end)} UTC`;
  return `${day(start)} ${time(start)} – ${day(end)} ${time(end)} UTC`;
}
