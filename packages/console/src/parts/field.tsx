import type { ComponentChildren, JSX } from 'preact';

/** A labelled text field with what it means below it. */
export function TextField(props: {
  readonly id: string;
  readonly label: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly help?: string;
  readonly isBad?: boolean;
  readonly isName?: boolean;
  /** Lines of a longer text. */
  readonly rows?: number;
}): JSX.Element {
  const { id, label, text, onText, help, isBad = false, isName = false, rows } = props;
  const shared = {
    id,
    class: isName ? 'input mono' : 'input',
    autocomplete: 'off',
    spellcheck: false,
    'aria-invalid': isBad,
    'aria-describedby': help === undefined ? undefined : `${id}-help`,
    value: text,
    onInput: (event: { currentTarget: { value: string } }) => onText(event.currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows === undefined ? <input {...shared} /> : <textarea {...shared} rows={rows} />}
      {help !== undefined && (
        <span class="help" id={`${id}-help`}>
          {help}
        </span>
      )}
    </div>
  );
}

/** A labelled choice. */
export function ChoiceField({
  id,
  label,
  value,
  choices,
  onChoice,
  help,
}: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly onChoice: (value: string) => void;
  readonly help?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        class="select"
        id={id}
        value={value}
        aria-describedby={help === undefined ? undefined : `${id}-help`}
        onChange={event => onChoice(event.currentTarget.value)}
      >
        {choices.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
      {help !== undefined && (
        <span class="help" id={`${id}-help`}>
          {help}
        </span>
      )}
    </div>
  );
}
