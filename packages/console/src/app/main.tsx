import { render } from 'preact';
import { followAddress } from './address.ts';
import { followLink, refreshSession } from './session.ts';
import { App } from './shell.tsx';
import { applyTheme } from './theme.tsx';

applyTheme();
followAddress();
addEventListener('hashchange', () => void followLink().then(() => refreshSession()));
await followLink();
render(<App />, document.getElementById('app') as HTMLElement);
