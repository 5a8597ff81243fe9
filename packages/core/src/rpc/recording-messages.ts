import { flag, int32, list, message, text } from '@msg/foundation/shape';

// Messages of the flight recorder (console, section 7.3). Member names are the wire's.

export const startRecordingRequest = message({
  client: text,
  /** 1 to 600; 0: 60. */
  seconds: int32,
  /** Payloads are shown too; else only their sizes. */
  payloads: flag,
});
export const startRecordingResponse = message({
  recording: text,
  /** RFC 3339. */
  until: text,
  /** User of the connection. */
  user: text,
});

export const getRecordingRequest = message({
  recording: text,
  /** `next` of the answer before; 0: from the begin. */
  after: int32,
});
export const getRecordingResponse = message({
  frames: list(
    message({
      /** Counts frames; messages of one frame have the same number. */
      number: int32,
      /** RFC 3339, with milliseconds. */
      at: text,
      /** `in`: the client sent it; `out`. */
      direction: text,
      /** Command, reply or push; `closed` for the end of the connection, empty for bytes that were not decoded. */
      name: text,
      /** Number of the command; 0 for pushes. */
      id: int32,
      channel: text,
      /** Bytes of the whole frame. */
      size: int32,
      /** Of errors, unsubscribes, disconnects and the end. */
      code: int32,
      /** A JSON object: members, tokens as `{kid, sub, jti, exp}`, payloads as `{size, encoding, text?}`. */
      detail: text,
      /** Why the frame was not decoded, or not to its end. */
      error: text,
    }),
  ),
  /** Number of the last frame of this answer. */
  next: int32,
  /** `running`; after the end `time`, `stopped`, `closed` or `rights`. */
  state: text,
  /** Frames that made room for newer ones. */
  dropped: int32,
});

export const recordingRef = message({ recording: text });
