import { type Command, Option } from 'commander';
import { describe, type SettingGroup, type SettingSources } from '../config/setting.ts';

/** Adds the flags of a group of settings to a command. */
export function addSettings(command: Command, settings: SettingGroup): Command {
  for (const setting of Object.values(settings)) {
    const { flag, short, type } = setting;
    if (flag === undefined) continue;
    const names = short === undefined ? flag : `${short}, ${flag}`;
    const placeholder = type.placeholder === undefined ? '' : ` <${type.placeholder}>`;
    const option = new Option(names + placeholder, describe(setting));
    if (type.repeatable) {
      option.argParser((value: string, before: string | undefined) =>
        before === undefined ? value : `${before},${value}`,
      );
    }
    command.addOption(option);
  }
  return command;
}

/** The flags given to a command, and the environment. */
export function sourcesOf(command: Command, env: SettingSources['env']): SettingSources {
  return {
    flag(name) {
      const option = command.options.find(candidate => candidate.long === name);
      const attribute = option?.attributeName() ?? '';
      // A `--no-…` switch is negated by the parser: that it was given is all that counts.
      if (option === undefined || command.getOptionValueSource(attribute) !== 'cli') return undefined;
      return option.required ? String(command.getOptionValue(attribute)) : 'true';
    },
    env,
  };
}
