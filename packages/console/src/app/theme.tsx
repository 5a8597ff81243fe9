import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { Icon } from '../parts/icon.tsx';

const KEY = 'msg-console-theme';
const NEXT = { system: 'light', light: 'dark', dark: 'system' } as const;
type Theme = keyof typeof NEXT;

function stored(): Theme {
  const value = localStorage.getItem(KEY) ?? 'system';
  return Object.hasOwn(NEXT, value) ? (value as Theme) : 'system';
}

const theme = signal<Theme>(stored());

/** Shows the theme that was chosen. */
export function applyTheme(): void {
  const { dataset } = document.documentElement;
  if (theme.value === 'system') delete dataset['theme'];
  else dataset['theme'] = theme.value;
}

/** The switch between light, dark and what the system says. */
export function ThemeButton(): JSX.Element {
  const change = (): void => {
    theme.value = NEXT[theme.value];
    localStorage.setItem(KEY, theme.value);
    applyTheme();
  };
  return (
    <button
      class="btn quiet only"
      type="button"
      aria-label={`Theme: ${theme.value}`}
      title={`Theme: ${theme.value}`}
      onClick={change}
    >
      <Icon name="theme" />
    </button>
  );
}
