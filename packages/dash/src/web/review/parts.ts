import type { ReviewAnswer } from '../../proposals/review.ts';
import type { Markup } from '../../render/markup.ts';
import type { Assets } from '../assets.ts';
import type { Compared } from '../compare/compare.ts';
import type { PagePolicy } from '../policy.ts';

/** What the page of a proposal is made of. */
export interface ReviewPageParts {
  readonly assets: Assets;
  readonly policy: PagePolicy;
  /** Unix milliseconds. */
  readonly now: number;
  readonly answer: ReviewAnswer;
  /** Title of the document before. */
  readonly title: string;
  /** Absent where the operations do not apply to the base. */
  readonly compared?: Compared;
  /** Both pages as a whole, in place of the items. */
  readonly whole?: { readonly html: Markup; readonly css: string };
  /** Open proposals for the same document, newest first. */
  readonly others: readonly string[];
}
