const KEY = 'dash-theme';
const NEXT: Readonly<Record<string, string>> = { system: 'light', light: 'dark', dark: 'system' };

/** The switch between light, dark and what the system says; `?theme=` in the address wins over what was chosen before. */
export function followTheme(button: HTMLElement | null): void {
  const asked = new URLSearchParams(location.search).get('theme');
  let theme =
    asked === 'light' || asked === 'dark'
      ? asked
      : asked === 'auto'
        ? 'system'
        : (localStorage.getItem(KEY) ?? 'system');
  const show = (): void => {
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
    else delete document.documentElement.dataset['theme'];
    button?.setAttribute('aria-label', `Theme: ${theme}`);
  };
  button?.addEventListener('click', () => {
    theme = NEXT[theme] ?? 'system';
    localStorage.setItem(KEY, theme);
    show();
  });
  show();
}
