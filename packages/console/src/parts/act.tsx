import type { MsgError, RpcMethodName } from '@msg/core';
import { toMsgError } from '@msg/core/internal';
import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { clock } from '../app/clock.ts';
import { refusalOf, serverNow } from '../app/session.ts';
import { Command } from './basics.tsx';
import { Fault } from './fault.tsx';
import { Icon } from './icon.tsx';
import { Countdown } from './time.tsx';

/** How an action is taken back, and until when, Unix milliseconds of the server. */
interface Undo {
  readonly until: number;
  readonly act: () => void;
}

interface Said {
  readonly text: string;
  readonly undo?: Undo | undefined;
  /** The command that does the same, of an action that no dialog came before. */
  readonly line?: string | undefined;
}

/** The outcome of the reader's own last action. */
const toast = signal<Said>({ text: '' });
const TOAST_MS = 6000;

/** Says what an action did. With a way back it stays as long as there is one. */
export function say(text: string, { undo, line }: Omit<Said, 'text'> = {}): void {
  const shown: Said = { text, undo, line };
  toast.value = shown;
  clock.setTimeout(
    () => {
      if (toast.value === shown) toast.value = { text: '' };
    },
    undo === undefined ? TOAST_MS : undo.until - serverNow(),
  );
}

export function Toast(): JSX.Element {
  const { text, undo, line } = toast.value;
  const takeBack = (): void => {
    toast.value = { text: '' };
    undo?.act();
  };
  return (
    <div role="status" class={text === '' ? undefined : 'toast'}>
      {text !== '' && <span class="wrap">{text}</span>}
      {line !== undefined && <Command line={line} />}
      {undo !== undefined && (
        <>
          <span class="left" aria-hidden="true">
            <Countdown at={undo.until} />
          </span>
          <button class="btn sm" type="button" onClick={takeBack}>
            <Icon name="undo" />
            Undo
          </button>
        </>
      )}
    </div>
  );
}

/** A button for a method: with the reason instead where the session may not call it. */
export function ActButton({
  method,
  look = '',
  blocked,
  onAct,
  children,
}: {
  readonly method: RpcMethodName;
  readonly look?: string;
  /** Why it is not possible now. */
  readonly blocked?: string | undefined;
  readonly onAct: () => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const refusal = refusalOf(method) ?? blocked;
  return (
    <button
      class={`btn ${look}`}
      type="button"
      aria-disabled={refusal !== undefined}
      title={refusal}
      onClick={() => {
        if (refusal === undefined) onAct();
      }}
    >
      {children}
      {refusal !== undefined && <span class="sr">{` (${refusal})`}</span>}
    </button>
  );
}

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly footer?: ComponentChildren;
}

/** A dialog: the rest of the page waits, Escape closes it, and the focus goes back to where it was. */
export function Dialog({ title, onClose, children, footer }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog class="dialog" ref={dialog} aria-labelledby="dialog-title" onClose={onClose}>
      <header>
        <h2 id="dialog-title">{title}</h2>
      </header>
      <div class="body stack s4">{children}</div>
      <footer>{footer}</footer>
    </dialog>
  );
}

export interface ConfirmProps {
  readonly title: string;
  /** The verb of the title with its object. */
  readonly verb: string;
  /** The command that does the same. */
  readonly line: string;
  /** It cannot be undone. */
  readonly isDanger?: boolean;
  /** What has to be typed. */
  readonly typed?: string;
  readonly isReady?: boolean;
  /** The caller shows what came of it. */
  readonly staysOpen?: boolean;
  readonly act: () => Promise<void>;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}

/** Asks before an action: what happens, to how many, who notices. */
export function Confirm(props: ConfirmProps): JSX.Element {
  const {
    title,
    verb,
    line,
    isDanger = false,
    typed,
    isReady = true,
    staysOpen = false,
    act,
    onClose,
    children,
  } = props;
  const [text, setText] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<MsgError>();
  const mayAct = isReady && !isBusy && (typed === undefined || text === typed);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!mayAct) return;
    setBusy(true);
    setError(undefined);
    try {
      await act();
      if (!staysOpen) onClose();
    } catch (cause) {
      setError(toMsgError(cause));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <button class="btn" type="button" onClick={onClose}>
            Cancel
          </button>
          <button
            class={`btn ${isDanger ? 'danger' : 'primary'}`}
            type="submit"
            form="confirm"
            disabled={!mayAct}
          >
            {isBusy && <span class="spinner" aria-hidden="true" />}
            {verb}
          </button>
        </>
      }
    >
      <form id="confirm" class="stack s4" onSubmit={event => void submit(event)}>
        {children}
        {typed !== undefined && (
          <div class="field">
            <label for="confirm-typed">
              Type <code class="wrap">{typed}</code> to confirm
            </label>
            <input
              class="input mono"
              id="confirm-typed"
              autocomplete="off"
              spellcheck={false}
              value={text}
              onInput={event => setText(event.currentTarget.value)}
            />
          </div>
        )}
      </form>
      <Command line={line} isWide />
      {error !== undefined && <Fault error={error} />}
    </Dialog>
  );
}
