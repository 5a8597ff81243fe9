/** The channel of the room; msg.yaml declares it. */
export const ROOM = 'public:chat.lobby';

/** What is published when somebody says something. Who it was is in the publication's `info.user`. */
export interface Line {
  readonly text: string;
}
