import { render } from 'preact';
import { useState } from 'preact/hooks';

/** Turns the JSON field of a tag input into chips. The field stays what is sent; here it is hidden. */
export function enhanceTags(item: Element): void {
  for (const field of item.querySelectorAll<HTMLInputElement>('input[data-tags]')) {
    const holder = document.createElement('div');
    holder.className = 'tags';
    field.before(holder);
    field.type = 'hidden';
    const { id } = field;
    field.id = `${id}-value`;
    render(<Tags field={field} id={id} />, holder);
  }
}

function Tags({ field, id }: { field: HTMLInputElement; id: string }) {
  const [tags, setTags] = useState<readonly string[]>(() => textsOf(field.value));
  const change = (next: readonly string[]): void => {
    setTags(next);
    field.value = JSON.stringify(next);
    field.dispatchEvent(new Event('change', { bubbles: true }));
  };
  const add = (input: HTMLInputElement): void => {
    const text = input.value.replace(/,$/, '').trim();
    input.value = '';
    if (text !== '' && !tags.includes(text)) change([...tags, text]);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const input = event.target as HTMLInputElement;
    if (event.key === 'Enter' || event.key === ',') {
      event.preventDefault();
      add(input);
    } else if (event.key === 'Backspace' && input.value === '' && tags.length > 0) change(tags.slice(0, -1));
  };
  return (
    <>
      {tags.map(tag => (
        <span class="chip" key={tag}>
          {tag}
          <button
            type="button"
            aria-label={`Remove ${tag}`}
            onClick={() => change(tags.filter(other => other !== tag))}
          >
            ×
          </button>
        </span>
      ))}
      <input
        class="input"
        id={id}
        type="text"
        autocomplete="off"
        disabled={field.disabled}
        placeholder={field.placeholder}
        aria-describedby={field.getAttribute('aria-describedby') ?? undefined}
        aria-invalid={field.getAttribute('aria-invalid') === 'true' || undefined}
        onKeyDown={onKeyDown}
        onBlur={event => add(event.currentTarget)}
      />
    </>
  );
}

function textsOf(json: string): string[] {
  const value: unknown = JSON.parse(json);
  return Array.isArray(value) ? value.map(String) : [];
}
