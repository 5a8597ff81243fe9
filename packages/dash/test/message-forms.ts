const DISPLAYED = '.+';

/** The five forms of a message: wrong value, missing, not there, twice or in the way, not allowed. */
const FORMS = [
  `${DISPLAYED} must be .+`,
  `${DISPLAYED} (?:is|are) required.*`,
  `${DISPLAYED} does not exist.*`,
  `${DISPLAYED} is (?:already )?used .+`,
  `${DISPLAYED} is (?:being )?(?:not \\w+|locked|changed|incomplete|broken|in an unexpected state).*`,
  `${DISPLAYED} (?:is|are) not allowed.*: .+`,
];

/** One sentence in one of the five forms. */
export const MESSAGE_FORM = new RegExp(`^(?:${FORMS.join('|')})[.?]$`, 's');
