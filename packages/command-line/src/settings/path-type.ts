import { dirname, resolve } from 'node:path';
import { readScalar, type SettingType } from './setting.ts';
import { text } from './setting-types.ts';

/** A path; one in a file is relative to that file's directory, others to the working directory. */
export const path: SettingType<string> = {
  ...text,
  placeholder: 'path',
  read(value) {
    const written = readScalar(text, value);
    return written === '' ? '' : resolve(dirname(value.file), written);
  },
};
