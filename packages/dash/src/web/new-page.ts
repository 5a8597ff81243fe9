import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import { html, type Markup, trusted } from '../render/markup.ts';
import type { Assets } from './assets.ts';
import { notice } from './page-head.ts';
import type { PagePolicy } from './policy.ts';
import { shell } from './shell.ts';

/** A shipped example with the changeset that makes it of an empty page. */
export interface Template {
  readonly name: string;
  readonly document: JsonObject;
  readonly ops: readonly Json[];
}

/** Creation: an empty page or a template becomes a proposal (page and review 1.5 and 3.5). */
export function newPage(templates: readonly Template[], assets: Assets, policy: PagePolicy): Markup {
  const choices = templates.map(({ name, document }) => {
    const [title, description] = ['title', 'description'].map(member => manifestText(document, member));
    return choice(name, title ?? name, description ?? '');
  });
  const ops = Object.fromEntries(templates.map(template => [template.name, template.ops]));
  const content = html`<div class="stack s5 narrow">
<div class="pagehead"><div><h1>New dashboard</h1><p class="sub">You see it before it is stored: the next page is its review.</p></div></div>
${notice()}
<noscript><div class="banner note"><p>This form needs a script, because this server takes JSON alone. Without one, create the dashboard on the command line:</p><p class="cmd"><code>dashdoc create my-dashboard --title "My dashboard" --template first-steps</code></p></div></noscript>
<form class="panel create" id="create"><div class="body stack s5">
<div class="field"><label for="new-title">Title</label><input class="input" id="new-title" name="title" required maxlength="200" autocomplete="off"></div>
<div class="field"><label for="new-id">Id</label><input class="input mono" id="new-id" name="id" required maxlength="200" autocomplete="off" spellcheck="false" aria-describedby="new-id-help"><p class="help" id="new-id-help">Part of its address and of its file name. It stays when the title changes.</p></div>
<fieldset class="templates"><legend>Start from</legend>${choice('', 'Empty page', 'Nothing on it yet.', true)}${choices}</fieldset>
</div><footer><button class="btn primary js-only" type="submit">Review the new dashboard</button><a class="btn quiet" href="/">Cancel</a></footer></form></div>
<script type="application/json" id="templates">${trusted(dataText(ops))}</script>`;
  return shell({
    title: 'New dashboard',
    assets,
    policy,
    crumb: 'New',
    own: 'manage',
    content,
    data: { page: 'new' },
  });
}

function choice(name: string, title: string, description: string, isChosen = false): Markup {
  const checked = isChosen ? html` checked` : '';
  return html`<label class="template"><input type="radio" name="template" value="${name}"${checked}><span><span class="strong">${title}</span><span class="small soft">${description}</span></span></label>`;
}

function manifestText(document: JsonObject, member: string): string | undefined {
  const manifest = ownMember(document, 'manifest');
  const value = isJsonObject(manifest) ? ownMember(manifest, member) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** JSON that no parser of HTML takes for markup. */
function dataText(value: object): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, character => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
