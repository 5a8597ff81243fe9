import { optional, text } from '@msg/foundation/shape';
import { requireOne } from './arguments.ts';
import { names as nameList } from './fields.ts';
import { LIST, objectOf, TEXT } from './output.ts';
import { requireSkill, type Skill, summaryOf } from './skills.ts';
import { type DashTool, dashTool } from './tool.ts';

export const SKILL_TOOLS: readonly DashTool[] = [
  dashTool({
    name: 'dash_list_skills',
    title: 'List skills',
    description: 'List the guides that teach how to work with dashboards',
    takes: {},
    outputSchema: objectOf({ skills: LIST }),
    run: async (_args, { skills }) => ({ skills: [...skills.values()].map(summaryOf) }),
  }),
  dashTool({
    name: 'dash_get_skill',
    title: 'Read skills',
    description: 'Read guides as Markdown; session-bootstrap is enough for most tasks',
    takes: { name: optional(text, 'one name'), names: optional(nameList, 'or several') },
    outputSchema: objectOf({}, { name: TEXT, body: TEXT, skills: LIST }),
    run: async ({ name, names }, { skills }) => {
      requireOne('dash_get_skill', ['name', name], ['names', names]);
      if (names === undefined) return bodyOf(requireSkill(skills, name ?? ''));
      return { skills: names.map(entry => bodyOf(requireSkill(skills, entry))) };
    },
  }),
];

function bodyOf({ name, body }: Skill): { readonly name: string; readonly body: string } {
  return { name, body };
}
