import { UsageError } from '@msg/command-line';
import { display } from '../document/display.ts';
import type { JsonObject } from '../document/json.ts';
import { findTemplate, templateNames } from '../reads/templates.ts';

/** A shipped example by its name (dashboard details 16). @throws UsageError that names them all. */
export async function readTemplate(name: string): Promise<JsonObject> {
  const template = await findTemplate(name);
  if (template !== undefined) return template;
  const names = (await templateNames()).join(', ');
  throw new UsageError(`--template must be one of ${names}; got "${display(name)}"`, {
    flag: '--template',
  });
}
