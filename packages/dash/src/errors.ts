import { CodedError, type CodeTable } from '@msg/foundation/errors';
import { displayDetails, displaySentence } from './document/display.ts';

/** One row of the code table. */
export interface CodeRow {
  /** HTTP status of an answer with the code. */
  readonly status: number | undefined;
}

function row(status: number | undefined): CodeRow {
  return { status };
}

/** The one table code → HTTP status; undefined for codes that HTTP requests never get (dashboard details 17). */
export const CODE_TABLE = {
  STORAGE_NOT_FOUND: row(404),
  STORAGE_EXISTS: row(422),
  STORAGE_ID_INVALID: row(422),
  STORAGE_ID_MISMATCH: row(422),
  STORAGE_INVALID: row(422),
  STORAGE_IO: row(500),
  STORAGE_BUSY: row(503),
  STORAGE_BACKEND_UNKNOWN: row(undefined),
  STORAGE_CAPABILITY_UNSUPPORTED: row(422),
  CHANGESET_TARGET_NOT_FOUND: row(422),
  CHANGESET_REVISION_CONFLICT: row(409),
  CHANGESET_REVISION_UNSUPPORTED: row(422),
  PATCH_INVALID: row(422),
  PATCH_POINTER_INVALID: row(422),
  PATCH_OFF_SURFACE: row(422),
  PATCH_VALUE_INVALID: row(422),
  PATCH_ID_INVALID: row(422),
  PATCH_STRUCTURE_INVALID: row(422),
  PATCH_APPLY_FAILED: row(422),
  RESOLVE_DOCUMENT_INVALID: row(422),
  RESOLVE_ID_DUPLICATE: row(422),
  RESOLVE_CONFIG_INVALID: row(422),
  RESOLVE_CHILDREN_NOT_ALLOWED: row(422),
  RESOLVE_IO: row(500),
  SCHEMA_NOT_FOUND: row(422),
  SCHEMA_REF_UNRESOLVED: row(422),
  SCHEMA_VERSION_MISMATCH: row(422),
  SCHEMA_INVALID: row(undefined),
  SCHEMA_BEHAVIOR_INVALID: row(undefined),
  SCHEMA_IO: row(undefined),
  VAR_UNDEFINED: row(422),
  VAR_TYPE: row(422),
  VAR_EXPR: row(422),
  VAR_DECLARATION_INVALID: row(422),
  VAR_OPTIONS_INVALID: row(422),
  VAR_CYCLE: row(422),
  VAR_OVERRIDE_INVALID: row(422),
  CONNECTION_DUPLICATE_ID: row(422),
  CONNECTION_TYPE_UNRESOLVED: row(422),
  CONNECTION_CONFIG_INVALID: row(422),
  SECRET_INVALID: row(422),
  SECRET_MISSING: row(422),
  BINDING_INVALID: row(422),
  BINDING_CONNECTION_NOT_FOUND: row(422),
  CONTRACT_MISSING: row(422),
  CONTRACT_INVALID: row(undefined),
  RESULT_SHAPE_INVALID: row(422),
  WIDGET_TYPE_MISMATCH: row(422),
  WIDGET_VARIABLE_COMPUTED: row(422),
  WIDGET_OPTION_INVALID: row(422),
  LAYOUT_PLACEMENT_INVALID: row(422),
  LAYOUT_PLACEMENT_OUT_OF_BOUNDS: row(422),
  LAYOUT_FORM_COLUMNS_INVALID: row(422),
  LAYOUT_FORM_CHILD_INVALID: row(422),
  GRAMMAR_ROOT_INVALID: row(422),
  GRAMMAR_ROOT_CHILD_INVALID: row(422),
  GRAMMAR_REGION_CHILD_INVALID: row(422),
  GRAMMAR_VARIABLE_BOX_CHILD_INVALID: row(422),
  GRAMMAR_WRAPPER_NESTED: row(422),
  GRAMMAR_WRAPPER_CONTENT_INVALID: row(422),
  GRAMMAR_REGION_THEME_FORBIDDEN: row(422),
  WRAPPER_CHILD_COUNT_INVALID: row(422),
  WRAPPER_ID_MISMATCH: row(422),
  METADATA_NOT_ELIGIBLE: row(422),
  METADATA_VALUE_NOT_SCALAR: row(422),
  CONFIGURABLE_SURFACE_INVALID: row(undefined),
  CONFIG_OVERRIDE_FIELD_UNKNOWN: row(422),
  CONFIG_OVERRIDE_VALUE_INVALID: row(422),
  CONFIGURATOR_TARGET_MISSING_ID: row(422),
  CONFIGURATOR_TARGET_NOT_FOUND: row(422),
  CONFIGURATOR_TARGET_SCOPE_UNKNOWN: row(422),
  QUERY_INVALID: row(422),
  QUERY_FAILED: row(502),
  QUERY_RESPONSE_INVALID: row(502),
  QUERY_TOO_LARGE: row(502),
  QUERY_TIMEOUT: row(504),
  QUERY_BUSY: row(503),
  QUERY_HOST_FORBIDDEN: row(422),
  QUERY_SECRET_FORBIDDEN: row(422),
  QUERY_OVERRIDE_FORBIDDEN: row(422),
  QUERY_ROLE_FORBIDDEN: row(422),
  QUERY_DRIVER_MISSING: row(422),
  RENDER_FAILED: row(500),
  RENDER_UNAVAILABLE: row(422),
  IMPORT_INVALID: row(422),
  PROPOSAL_NOT_FOUND: row(404),
  PROPOSAL_LIMIT: row(503),
  PROPOSAL_INVALID: row(400),
  PROPOSAL_DECIDED: row(409),
  SERVE_INVALID: row(400),
  SERVE_READ_ONLY: row(404),
  SERVE_ORIGIN_FORBIDDEN: row(403),
  SERVE_TOO_LARGE: row(413),
  MCP_INVALID: row(undefined),
  MCP_SKILL_NOT_FOUND: row(undefined),
  STORAGE_INTERNAL: row(500),
  RESOLVE_INTERNAL: row(500),
  SERVE_INTERNAL: row(500),
  MCP_INTERNAL: row(500),
  CLI_INVALID: row(undefined),
} as const satisfies CodeTable<string, CodeRow>;

/** The codes of errors. */
export type DashCode = keyof typeof CODE_TABLE;

/** The error body of every entry point. */
export interface ErrorEnvelope {
  readonly code: DashCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * A coded failure, with details by which a program can correct its input. Each text of the details is cut to 200
 * characters and each list to 50 entries, and the whole to 8 kB beside `suggestedOps`, so that the error does not grow
 * with the input.
 */
export class DashError extends CodedError<DashCode, CodeRow> {
  override readonly name = 'DashError';
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: DashCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(CODE_TABLE, code, displaySentence(message), cause);
    this.details = displayDetails(details, this.message);
  }

  toEnvelope(): ErrorEnvelope {
    return { code: this.code, message: this.message, details: this.details };
  }
}
