import { dash } from '../evidence.ts';
import type { LimitRow } from './row.ts';

/** Rows of dash. */
export const DASH_LIMITS: Readonly<Record<string, LimitRow>> = {
  'proposals that one `dashdoc serve` keeps': {
    constants: ['MAX_PROPOSALS', 'MAX_PROPOSAL_BYTES', 'MAX_TOTAL_BYTES'].map(name => [
      'packages/dash/src/proposals/proposal-list.ts',
      name,
    ]),
    tests: [
      dash(
        'proposals/proposal-list',
        'are at most 200: decided ones give way, the oldest first, open ones never',
      ),
      dash('proposals/proposal-list', 'hold at most 1 MiB each and 64 MiB together'),
    ],
  },
  'writers of one document (`git`: of one repository) in one process': {
    constants: [
      ['packages/dash/src/store/lock-manager.ts', 'MOST_WRITERS'],
      ['packages/dash/src/store/lock-manager.ts', 'LOCK_WAIT_MS'],
    ],
    tests: [
      ['packages/dash/test/store/locks.test.ts', 'takes so many and no more'],
      [
        'packages/dash/test/store/locks.test.ts',
        'that stands still is STORAGE_BUSY for all who wait, and the lock is free afterwards',
      ],
    ],
  },
  'commits on one page of a history': {
    constants: [['packages/dash/src/http/page-routes.ts', 'PART']],
    tests: [dash('web/manage.slow', 'of many commits comes in parts of 50')],
  },
  'commits that are looked through for the last change of each dashboard in the list': {
    constants: [['packages/dash/src/store/git-history.ts', 'MOST_COMMITS']],
    tests: [
      dash('store/git-store', 'looks through the newest 5,000 commits for the last change of each document'),
    ],
  },
  'revisions that are tried for the last one that resolves': {
    constants: [['packages/dash/src/http/error-place.ts', 'MOST_TRIED']],
    tests: [dash('web/manage.slow', 'tries 20 revisions for one that resolves')],
  },
  'pages that listen to one `dashdoc serve`': {
    constants: [['packages/dash/src/web/document-watch.ts', 'MOST_LISTENERS']],
    tests: [dash('web/routes.slow', 'have 200 listeners at most')],
  },
  'what the link of a proposal unfolds to': {
    constants: [['packages/dash/src/web/islands/review/fragment.ts', 'MOST_BYTES']],
    tests: [dash('web/review/fragment', 'with %s and a right check is damaged')],
  },
  'lines of the JSON of a review that are compared one by one': {
    constants: [['packages/dash/src/web/compare/line-diff.ts', 'MOST_STEPS']],
    tests: [dash('web/compare/line-diff', 'two long texts without a common line are shown as a whole')],
  },
  'operations of a changeset that leads back': {
    constants: [
      ['packages/dash/src/changeset/undo.ts', 'MOST_OPERATIONS'],
      ['packages/dash/src/changeset/undo.ts', 'MOST_BYTES'],
    ],
    tests: [dash('changeset/undo', 'replaces root and scopes whole above %s')],
  },
};
