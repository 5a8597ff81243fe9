import { required, text } from '@msg/foundation/shape';
import { listOf, objectOf, TEXT } from './output.ts';
import { requireSkill, summaryOf } from './skills.ts';
import { type DashTool, dashTool } from './tool.ts';

const SUMMARY = objectOf(
  { name: TEXT, description: TEXT, type: TEXT, kind: TEXT, applies_to: listOf(TEXT) },
  { covers: listOf(TEXT) },
);

export const SKILL_TOOLS: readonly DashTool[] = [
  dashTool({
    name: 'dash_list_skills',
    title: 'List skills',
    description: 'List the guides that teach how to work with dashboards',
    takes: {},
    outputSchema: objectOf({ skills: listOf(SUMMARY) }),
    run: async (_args, { skills }) => ({ skills: [...skills.values()].map(summaryOf) }),
  }),
  dashTool({
    name: 'dash_get_skill',
    title: 'Read a skill',
    description: 'Read one guide as Markdown',
    takes: { name: required(text, 'name of the skill, as dash_list_skills gives it') },
    outputSchema: objectOf({ name: TEXT, body: TEXT }),
    run: async ({ name }, { skills }) => {
      const skill = requireSkill(skills, name);
      return { name: skill.name, body: skill.body };
    },
  }),
];
