import type { Observations, Published } from './observations.ts';

/** A row of the outbox as the streams got it. */
export interface StreamedRow extends Published {
  readonly row: number;
}

/** The publications that rows of the outbox became, in the order of the writes. */
export function streamedRows({ published }: Pick<Observations, 'published'>): readonly StreamedRow[] {
  return published.flatMap(publication => {
    const row = /^\{"row":(?<id>\d+)/.exec(publication.text)?.groups?.['id'];
    return row === undefined ? [] : [{ ...publication, row: Number(row) }];
  });
}
