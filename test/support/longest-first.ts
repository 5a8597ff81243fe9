import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONGEST_FIRST } from '../lanes.ts';

/** Begins with the files that take longest: begun last, one of them would run alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const rankOf = ({ moduleId, project }: TestSpecification): readonly [group: number, place: number] => {
      const place = LONGEST_FIRST.indexOf(relative(root, moduleId));
      return [project.config.sequence.groupOrder, place < 0 ? LONGEST_FIRST.length : place];
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => {
      const [[groupA, placeA], [groupB, placeB]] = [rankOf(a), rankOf(b)];
      return groupA - groupB || placeA - placeB;
    });
  }
}
