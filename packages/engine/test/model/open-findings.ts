/**
 * What the model has found and the engine does not do right yet. The model passes over exactly this, so that it
 * can go on to find other things; an entry goes away together with its fault. Reproductions, which are strict:
 * `findings.test.ts`.
 */
export const OPEN_FINDINGS = {
  /**
   * In a channel with presence or join and leave, the unsubscribe push of the server can follow the reply to the
   * client's own unsubscribe (client protocol 7.5).
   */
  lateUnsubscribePush: false,
  /** A shutdown leaves the second look of a position check behind, one per channel. */
  secondLookOutlivesShutdown: false,
};
