import { followDeciding, type ReviewedProposal } from './review/deciding.ts';
import { followReviewKeys } from './review/keys.ts';
import { followLinks } from './review/landing.ts';
import { followReading } from './review/reading.ts';
import { watchDocument } from './review/watching.ts';

const { page, proposal, document: id, base, create, state } = document.body.dataset;
const reading = followReading();
if (page === 'proposals') followLinks();
if (page !== 'proposals') {
  const reviewed: ReviewedProposal | undefined =
    proposal === undefined || id === undefined ? undefined : { name: proposal, id, base };
  const deciding = reviewed === undefined ? undefined : followDeciding(reviewed);
  followReviewKeys(reading, state === 'open' ? deciding : undefined);
  if (reviewed !== undefined && state === 'open' && create === undefined) watchDocument(reviewed);
}
