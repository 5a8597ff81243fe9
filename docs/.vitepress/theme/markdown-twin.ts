import { useData } from 'vitepress';
import { computed, defineComponent, h, ref } from 'vue';

/** Copies the Markdown twin of the page, and links to it for those who cannot copy. */
export const MarkdownTwin = defineComponent(() => {
  const { page } = useData();
  const address = computed(() => `/${page.value.relativePath}`);
  const outcome = ref('');

  async function copy(): Promise<void> {
    try {
      const answer = await fetch(address.value);
      await navigator.clipboard.writeText(await answer.text());
      outcome.value = 'Copied';
    } catch {
      outcome.value = 'Not copied: open it instead';
    }
    setTimeout(() => {
      outcome.value = '';
    }, 2000);
  }

  return () =>
    page.value.isNotFound
      ? undefined
      : h('p', { class: 'markdown-twin' }, [
          h('button', { type: 'button', onClick: copy }, 'Copy as Markdown'),
          // Not a page of the site: the browser opens it, not the router.
          h('a', { href: address.value, target: '_self' }, 'Open as Markdown'),
          h('span', { role: 'status' }, outcome.value),
        ]);
});
