/** The channel everybody is subscribed to. */
export const CHANNEL = 'public:bench.fanout';

/** A JSON payload of exactly 256 bytes. */
export const PAYLOAD: Uint8Array = Buffer.from(JSON.stringify({ text: 'x'.repeat(256 - 11) }));
