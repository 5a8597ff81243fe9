/** The channel of the board. msg.yaml declares it volatile: nothing is kept, and a slow reader misses some. */
export const BOARD = 'public:cursors.board';

/** Where somebody points: shares of the board's width and height, 0 to 1. Who it is, is in `info` of the publication. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A share that stays on the board. */
export const clamp = (share: number): number => Math.min(1, Math.max(0, share));
