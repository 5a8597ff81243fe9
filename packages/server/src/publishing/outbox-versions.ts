/** With what the version epochs of an outbox begin. Source: app-developers 12.2. */
const OUTBOX_EPOCH = 'outbox:';
const MOST_CHANNELS = 10_000;

interface Versioned {
  readonly version?: number;
  readonly versionEpoch?: string;
}

/** True for a publication whose version an outbox gave. */
export function isOfOutbox({ version = 0, versionEpoch = '' }: Versioned): boolean {
  return version > 0 && versionEpoch.startsWith(OUTBOX_EPOCH);
}

/** Sees whether channels of an outbox get versions of another source, too: the two do not compare. */
export class OutboxVersions {
  /** Channels with publications of an outbox through this node, the latest last. */
  readonly #channels = new Set<string>();
  #foreign = 0;

  /** Publications with another version into such a channel. */
  get foreign(): number {
    return this.#foreign;
  }

  /** Looks at a publication; those without a version are not counted. */
  note(channel: string, publication: Versioned): void {
    if (!publication.version) return;
    if (!isOfOutbox(publication)) {
      if (this.#channels.has(channel)) this.#foreign++;
      return;
    }
    this.#channels.delete(channel);
    this.#channels.add(channel);
    if (this.#channels.size <= MOST_CHANNELS) return;
    for (const oldest of this.#channels) {
      this.#channels.delete(oldest);
      return;
    }
  }
}
