import type { GeneratedWidget } from '../../resolve/tree.ts';
import { type RenderContext, textMember } from '../context.ts';
import { generatedId, SETTINGS_FORM } from '../controls/addresses.ts';
import type { Control } from '../controls/control.ts';
import { applyButton, controlName, field } from '../controls/index.ts';
import { frame } from '../frame.ts';
import { html } from '../markup.ts';
import type { LeafRenderer } from './leaf.ts';

/** An editor of the fields of another node or of the theme; what it sets stands in the address (dashboard details 9.4). */
export const configuratorItem: LeafRenderer = (node, context) => {
  const { target = '', widgets = [] } = node.generated ?? {};
  const title = textMember(node.config, 'title');
  if (widgets.length === 0) {
    return frame(node, context, {
      title,
      body: html`<p class="small soft">“${target}” has no field to edit.</p>`,
    });
  }
  const fields = widgets.map((widget, index) =>
    field(controlName(widget.widget, widget.type), controlOf(generatedId(node.id, index), widget, context)),
  );
  const menu = [html`<button type="button" class="js-only" data-act="changeset">Copy as changeset</button>`];
  return frame(node, context, {
    title: title ?? `Edit ${target}`,
    menu,
    body: html`<div class="fields">${fields}</div>${applyButton()}`,
  });
};

function controlOf(id: string, widget: GeneratedWidget, context: RenderContext): Control {
  const { target, field: name, label, constraints = {}, value = null, type } = widget;
  const address = `${target}.${name}`;
  return {
    id,
    address: context.isStill === true ? id : address,
    label,
    description: undefined,
    disabled: false,
    value,
    config: constraints,
    error: context.errors.get(address),
    pointer: pointerOf(target, name),
    type,
    form: context.forms.get(id) ?? SETTINGS_FORM,
  };
}

/** Where a changeset edits the field. */
function pointerOf(target: string, name: string): string {
  const base = target.startsWith('$') ? `/${target}` : `/${target}/config`;
  return `${base}/${name.replaceAll('.', '/')}`;
}
