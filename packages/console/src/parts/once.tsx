import type { JSX } from 'preact';
import { Dialog } from './act.tsx';
import { CopyButton } from './basics.tsx';

/** Texts that the server shows once. They are gone when the dialog closes. */
export function ShownOnce({
  title,
  texts,
  children,
  onClose,
}: {
  readonly title: string;
  readonly texts: readonly (readonly [label: string, text: string])[];
  readonly children: string;
  readonly onClose: () => void;
}): JSX.Element {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <button class="btn primary" type="button" onClick={onClose}>
          I have copied it
        </button>
      }
    >
      <p>{children}</p>
      {texts.map(([label, text]) => (
        <div class="field" key={label}>
          <span class="line fixed">
            <span class="grow">{label}</span>
            <CopyButton text={text} label={`Copy ${label}`} />
          </span>
          <code class="secret wrap">{text}</code>
        </div>
      ))}
    </Dialog>
  );
}
