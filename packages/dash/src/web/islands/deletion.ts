import { ask } from './ask.ts';

/** The dialog of a deletion: the button works once the id is typed, and deletes the state that the page shows. */
export function followDeletion(id: string, current: string | undefined): void {
  const dialog = document.getElementById('delete') as HTMLDialogElement | null;
  const field = dialog?.querySelector('input');
  const button = dialog?.querySelector<HTMLButtonElement>('[data-act=delete-now]');
  if (!dialog || !field || !button) return;
  document.querySelector('[data-act=delete]')?.addEventListener('click', () => {
    field.value = '';
    button.disabled = true;
    dialog.showModal();
    field.focus();
  });
  field.addEventListener('input', () => {
    button.disabled = field.value !== id;
  });
  const remove = async (): Promise<void> => {
    const place = dialog.querySelector<HTMLElement>('.fault');
    const deleted = await ask('/api/delete', { id, expectedRevision: current }, button, place);
    if (deleted !== undefined) location.assign('/');
  };
  button.addEventListener('click', () => void remove());
  field.addEventListener('keydown', event => {
    if (event.key !== 'Enter') return;
    event.preventDefault(); // not the first button of the form, which cancels
    if (!button.disabled) void remove();
  });
}
