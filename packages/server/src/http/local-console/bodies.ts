import type { RequestBodies } from '@msg/engine';

/** Reads bodies within the limit of their route: this process has one caller, its own browser. */
export const smallBodies: Pick<RequestBodies, 'read'> = {
  read(request, { limit }, { onBody, onDenied }) {
    let pieces: Buffer[] = [];
    let size = 0;
    const take = (piece: Buffer): void => {
      size += piece.length;
      if (size <= limit) {
        pieces.push(piece);
        return;
      }
      request.off('data', take).off('end', end);
      onDenied('too_large');
    };
    const end = (): void => onBody(Buffer.concat(pieces));
    request.on('data', take).on('end', end);
    return {
      release() {
        pieces = [];
      },
      detach() {
        request.off('data', take).off('end', end);
      },
    };
  },
};
