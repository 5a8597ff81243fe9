import { advance, outcome } from './backend.ts';
import { find } from './find.ts';

export function showShop(): void {
  const status = find('#shop [role=status]');
  find('#shop').hidden = false;
  find('#shop button').addEventListener('click', async () => {
    status.textContent = await advance().then(outcome, error => error.message);
  });
}
