import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** Further actions, behind a button: closed by choosing one, by Escape and by leaving it. */
export function MoreActions({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const whole = useRef<HTMLSpanElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const onElsewhere = ({ target }: Event): void => {
      if (!(target instanceof Node && whole.current?.contains(target))) setOpen(false);
    };
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape') return;
      setOpen(false);
      button.current?.focus();
    };
    addEventListener('pointerdown', onElsewhere);
    addEventListener('focusin', onElsewhere);
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('pointerdown', onElsewhere);
      removeEventListener('focusin', onElsewhere);
      removeEventListener('keydown', onKey);
    };
  }, [isOpen]);
  return (
    <span class="more" ref={whole}>
      <button
        class="btn only"
        type="button"
        aria-label="More actions"
        aria-expanded={isOpen}
        ref={button}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="more" />
      </button>
      {/* A dialog that an action opens gives the focus back to the button, as its own is gone then. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside are what is pressed */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a key on a button inside is a click, too */}
      <span
        class="menu"
        hidden={!isOpen}
        onClick={() => {
          button.current?.focus();
          setOpen(false);
        }}
      >
        {children}
      </span>
    </span>
  );
}
