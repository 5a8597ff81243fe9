import type { Scope } from '@msg/core';
import { readPattern, VERBS } from '@msg/core/internal';
import type { JSX } from 'preact';
import { TextField } from './field.tsx';

function isValidPattern(pattern: string): boolean {
  return readPattern(pattern) !== undefined;
}

/** Rights as a form has them: patterns, one in a line, and verbs for all of them. */
interface GrantsForm {
  readonly patterns: string;
  readonly verbs: readonly string[];
}

export const NO_GRANTS: GrantsForm = { patterns: '', verbs: ['subscribe'] };

function patternsOf({ patterns }: GrantsForm): readonly string[] {
  return patterns.split(/\s+/).filter(pattern => pattern !== '');
}

export function scopesOf(form: GrantsForm): readonly Scope[] {
  return patternsOf(form).map(pattern => ({ pattern, verbs: form.verbs, deny: false }));
}

/** The flags of a command for the same rights. */
export function flagsOf(form: GrantsForm): string[] {
  const patterns = patternsOf(form);
  if (patterns.length === 0) return [];
  return [
    ...patterns.flatMap(pattern => ['--scope', pattern]),
    ...form.verbs.flatMap(verb => ['--verb', verb]),
  ];
}

export function isGood(form: GrantsForm): boolean {
  const patterns = patternsOf(form);
  return patterns.every(isValidPattern) && (patterns.length === 0 || form.verbs.length > 0);
}

/** Which channels, and what may be done in them. */
export function GrantFields({
  form,
  onForm,
  none,
}: {
  readonly form: GrantsForm;
  readonly onForm: (form: GrantsForm) => void;
  /** What no pattern means. */
  readonly none: string;
}): JSX.Element {
  const isBad = !patternsOf(form).every(isValidPattern);
  return (
    <>
      <TextField
        id="grant-patterns"
        label="Channel patterns, one per line"
        rows={3}
        isName
        text={form.patterns}
        isBad={isBad}
        help={isBad ? 'public:app.domain.id.topic, where * is one part and ** the rest.' : none}
        onText={patterns => onForm({ ...form, patterns })}
      />
      <fieldset class="plain">
        <legend class="small">Verbs</legend>
        <div class="line">
          {VERBS.map(verb => (
            <label class="line tight" key={verb}>
              <input
                type="checkbox"
                checked={form.verbs.includes(verb)}
                onChange={event =>
                  onForm({
                    ...form,
                    verbs: event.currentTarget.checked
                      ? VERBS.filter(one => one === verb || form.verbs.includes(one))
                      : form.verbs.filter(one => one !== verb),
                  })
                }
              />
              {verb}
            </label>
          ))}
        </div>
      </fieldset>
    </>
  );
}
