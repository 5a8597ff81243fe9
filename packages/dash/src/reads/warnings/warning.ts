/** What is worth a look and forbids nothing (page and review 5.8). */
type WarningCode =
  | 'CREDENTIAL_LITERAL'
  | 'SECRET_UNSET'
  | 'QUERY_NO_ROWS'
  | 'QUERY_TRUNCATED'
  | 'CONNECTION_TEXT_VARIABLE'
  | 'PLACEMENT_OVERLAP'
  | 'IMAGE_REMOTE';

/** One thing to look at. It never makes a document or a changeset invalid. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  /** Where in the document, as in errors. */
  readonly path: string;
  readonly nodeId?: string;
}
