import type { AuditedEvent } from '../audit/audit.ts';
import { detailOf } from '../audit/record.ts';

/** A job that ended. */
interface EndedJob {
  readonly id: string;
  readonly state: string;
  readonly startedBy: string;
  readonly ranMs: number;
}

const COUNTS = ['state', 'matched', 'sent', 'parked', 'skipped'];

/** The end of a job of dead letters, for the audit: who began it, and what became of the letters. */
export function jobEnd(job: EndedJob): AuditedEvent {
  return {
    actor: job.startedBy,
    method: 'DlqRedrive',
    target: `job:${job.id}`,
    detail: detailOf(COUNTS, job),
    outcome: job.state === 'tripped' ? 'MSG_SINK_UNAVAILABLE' : 'ok',
    duration_ms: Math.round(job.ranMs),
  };
}
