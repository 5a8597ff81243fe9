/** Text of a chart, in pixels; never scaled. */
export const TEXT_SIZE = 12;
/** Height of a line of labels under or over the plot. */
export const LABELS = 22;
