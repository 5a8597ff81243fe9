/** Where a server listens. */
export interface Place {
  readonly host: string;
  readonly port: number;
}
