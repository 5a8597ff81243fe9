import { element } from '../review/send.ts';
import { allowedRules } from './allowed.ts';
import { type Answer, readAnswer } from './answer.ts';
import { Asking, button, messageText } from './asking.ts';
import { type Host, type HostFacts, isRecord } from './host.ts';
import { errorBox, itemArticle, pictureFigure, wordList } from './parts.ts';

/** What a call of the tool was given, as far as this page uses it. */
export interface Proposed {
  readonly id: string;
  readonly ops: readonly unknown[];
  readonly create: true | undefined;
  readonly note: string | undefined;
}

const OUTCOMES: Readonly<Record<string, string>> = {
  committed: 'Committed.',
  returned: 'Sent back.',
  declined: 'Not looked at yet: opening the review was declined.',
};

/** What this page shows, and its two buttons. It cannot commit: it is inside of the agent's host. */
export class Page {
  readonly #host: Host;
  readonly #said = element('p', 'small soft', 'Waiting for the changeset.');
  readonly #body = element('div', 'stack s5');
  readonly #buttons = element('div', 'line');
  readonly #asking = new Asking((comment, ticked) => void this.#ask(comment, ticked));
  #abilities: HostFacts['abilities'] = {};
  #proposed: Proposed | undefined;
  #answer: Answer | undefined;

  constructor(host: Host) {
    this.#host = host;
    this.#said.setAttribute('role', 'status');
    const parts = [this.#body, this.#asking.section, this.#buttons, this.#said];
    document.body.replaceChildren(element('main', 'app stack s4', ...parts));
  }

  say(words: string): void {
    this.#said.textContent = words;
  }

  /** What the host lets this page do. */
  begin(abilities: HostFacts['abilities']): void {
    this.#abilities = abilities;
  }

  /** Shows what the model was answered, then the drawings, where the host calls tools for this page. */
  async show(proposed: Proposed | undefined, answer: Answer): Promise<void> {
    this.#proposed = proposed;
    this.#fill(answer);
    if (!answer.ok || answer.outcome === 'committed' || proposed === undefined || !this.#can('serverTools'))
      return;
    this.say('Drawing before and after.');
    const drawn = await this.#validate(proposed, { preview: 'rendered' });
    // Meanwhile another changeset may be on the page.
    if (this.#answer !== answer) return;
    if (drawn?.items === undefined) {
      this.say('Before and after could not be drawn.');
      return;
    }
    this.#fill({ ...drawn, reviewUrl: answer.reviewUrl, outcome: answer.outcome });
    if (drawn.baseRevision !== answer.baseRevision)
      this.say('The document has changed since this was validated: before is the document as it is now.');
  }

  #fill(answer: Answer): void {
    this.#answer = answer;
    document.adoptedStyleSheets = [allowedRules(answer.rules)];
    this.#body.replaceChildren(...this.#parts(answer));
    this.#buttons.replaceChildren(...this.#deeds(answer));
    this.say(OUTCOMES[answer.outcome ?? ''] ?? '');
  }

  #parts({ ok, counts, words, items = [], picture, error: problem }: Answer): HTMLElement[] {
    const title = element('h1', 'wrap', ok ? 'Proposed change' : 'This change does not work yet');
    const { id, note } = this.#proposed ?? {};
    const about = [id, counts ?? (ok && words.length === 0 ? 'Nothing changes' : undefined)];
    const facts = about.filter(text => text !== undefined).join(' · ');
    const head = element('header', '', title, element('p', 'small mute wrap', facts));
    const said = note === undefined ? [] : [element('p', 'said wrap', `“${note}”`)];
    const told = words.length === 0 ? [] : [wordList(words)];
    const box = (item: (typeof items)[number]) =>
      this.#can('message') ? this.#asking.boxOf(item) : undefined;
    const drawn = items.map(item => itemArticle(item, box(item)));
    const shown = drawn.length === 0 && picture !== undefined ? [pictureFigure(picture)] : drawn;
    return [head, ...said, ...(problem === undefined ? [] : [errorBox(problem)]), ...told, ...shown];
  }

  /** The buttons that the host can serve; where it opens no pages, the address to copy. */
  #deeds({ ok, reviewUrl }: Answer): HTMLElement[] {
    const open = button('Open review', () => void this.#open(), 'primary');
    const ask = button('Ask for a change…', () => {
      this.#asking.open();
      this.#asking.focus();
    });
    const canLink = reviewUrl !== undefined || (this.#proposed !== undefined && this.#can('serverTools'));
    const opens = ok && canLink && this.#can('openLinks');
    const address =
      ok && !opens && reviewUrl !== undefined
        ? [element('p', 'wrap small', 'Review: ', element('code', '', reviewUrl))]
        : [];
    return [...(opens ? [open] : []), ...(this.#can('message') ? [ask] : []), ...address];
  }

  async #open(): Promise<void> {
    const answer = this.#answer;
    const proposed = this.#proposed;
    if (answer === undefined) return;
    const asked = { preview: 'none', review: true, note: proposed?.note };
    const linked =
      answer.reviewUrl !== undefined || proposed === undefined
        ? answer
        : await this.#validate(proposed, asked);
    if (linked?.reviewUrl === undefined) {
      this.say(linked?.reviewHint ?? linked?.error?.message ?? 'There is no link to a review.');
      return;
    }
    const opened = await this.#host.ask('ui/open-link', { url: linked.reviewUrl });
    if (opened === undefined || opened['isError'] === true)
      this.say(`The host does not open it: ${linked.reviewUrl}`);
  }

  async #ask(comment: string, ticked: ReadonlySet<string>): Promise<void> {
    if (this.#answer === undefined) return;
    const text = messageText(this.#proposed?.id ?? '', this.#answer, comment, ticked);
    const sent = await this.#host.ask('ui/message', { role: 'user', content: [{ type: 'text', text }] });
    if (sent === undefined || sent['isError'] === true) {
      this.say('The host does not take the message; your words are still here.');
      return;
    }
    this.#asking.clear();
    this.say('Asked for a change.');
  }

  async #validate({ id, ops, create }: Proposed, more: object): Promise<Answer | undefined> {
    const name = 'dash_validate_patch';
    return readAnswer(await this.#host.ask('tools/call', { name, arguments: { id, ops, create, ...more } }));
  }

  #can(ability: string): boolean {
    return isRecord(this.#abilities[ability]);
  }
}
