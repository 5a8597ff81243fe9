/** What the command ends with. */
export const EXIT = { clean: 0, violation: 1, badUse: 2, simulator: 3 } as const;

/** Takes the lines that a command prints. */
export type Print = (line: string) => void;
