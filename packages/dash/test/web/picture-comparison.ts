import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ChangedPicture, differencePage } from './difference-page.ts';
import { GOLDEN, type TakenPicture, withoutPlaces } from './pictures.ts';
import { differenceOf, MOST_DIFFERING } from './pixels.ts';

/** A file that is there; undefined for one that is not. */
function existing(file: URL): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Compares pictures with those of the repository, and keeps what differs in a folder with a page that shows it. */
export class PictureComparison {
  readonly #folder: string;
  readonly #changed: ChangedPicture[] = [];

  /** @param folder Is emptied: what is in it afterwards is of this comparison. */
  constructor(folder: string) {
    this.#folder = folder;
    rmSync(folder, { recursive: true, force: true });
  }

  /**
   * What differs: nothing, or how. A picture without another one in the repository differs.
   * @param isSame Browser and fonts are those of the repository: places and pixels count, too.
   */
  compare({ name, boxes, png }: TakenPicture, isSame: boolean): ChangedPicture | undefined {
    const oldBoxes = existing(GOLDEN.boxes(name))?.toString();
    const oldPicture = existing(GOLDEN.picture(name));
    const said = isSame ? (text: string): string => text : withoutPlaces;
    const isSaid = oldBoxes !== undefined && said(oldBoxes) === said(boxes);
    const { part, draw } =
      oldPicture === undefined ? { part: 1, draw: undefined } : differenceOf(oldPicture, png);
    if (isSaid && (!isSame || part <= MOST_DIFFERING)) return undefined;
    mkdirSync(this.#folder, { recursive: true });
    const lines = new Set((oldBoxes ?? '').split('\n'));
    const changed: ChangedPicture = {
      name,
      part,
      before: this.#save(`${name}.before.png`, oldPicture),
      after: this.#save(`${name}.after.png`, png),
      difference: this.#save(`${name}.difference.png`, draw?.()),
      boxes: boxes.split('\n').filter(line => !lines.has(line)),
    };
    this.#changed.push(changed);
    writeFileSync(this.page, differencePage(this.#changed));
    return changed;
  }

  /** The page with all that differs; it is there when something does. */
  get page(): string {
    return join(this.#folder, 'index.html');
  }

  get changed(): readonly ChangedPicture[] {
    return this.#changed;
  }

  #save(name: string, content: Uint8Array | undefined): string | undefined {
    if (content === undefined) return undefined;
    writeFileSync(join(this.#folder, name), content);
    return name;
  }
}
