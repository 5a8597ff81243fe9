import { displayDetails, displaySentence } from './document/display.ts';

/**
 * Every code of the service with its HTTP status; undefined for codes that no HTTP request ends in (dashboard details
 * 17). Codes are stable, messages are not.
 */
export const ERROR_STATUS = {
  STORAGE_NOT_FOUND: 404,
  STORAGE_EXISTS: 422,
  STORAGE_ID_INVALID: 422,
  STORAGE_ID_MISMATCH: 422,
  STORAGE_INVALID: 422,
  STORAGE_IO: 500,
  STORAGE_BUSY: 503,
  STORAGE_BACKEND_UNKNOWN: undefined,
  STORAGE_CAPABILITY_UNSUPPORTED: 422,
  CHANGESET_TARGET_NOT_FOUND: 422,
  CHANGESET_REVISION_CONFLICT: 409,
  CHANGESET_REVISION_UNSUPPORTED: 422,
  PATCH_INVALID: 422,
  PATCH_POINTER_INVALID: 422,
  PATCH_OFF_SURFACE: 422,
  PATCH_VALUE_INVALID: 422,
  PATCH_ID_INVALID: 422,
  PATCH_STRUCTURE_INVALID: 422,
  PATCH_APPLY_FAILED: 422,
  RESOLVE_DOCUMENT_INVALID: 422,
  RESOLVE_ID_DUPLICATE: 422,
  RESOLVE_CONFIG_INVALID: 422,
  RESOLVE_CHILDREN_NOT_ALLOWED: 422,
  RESOLVE_IO: 500,
  SCHEMA_NOT_FOUND: 422,
  SCHEMA_REF_UNRESOLVED: 422,
  SCHEMA_VERSION_MISMATCH: 422,
  SCHEMA_INVALID: undefined,
  SCHEMA_BEHAVIOR_INVALID: undefined,
  SCHEMA_IO: undefined,
  VAR_UNDEFINED: 422,
  VAR_TYPE: 422,
  VAR_EXPR: 422,
  VAR_DECLARATION_INVALID: 422,
  VAR_OPTIONS_INVALID: 422,
  VAR_CYCLE: 422,
  VAR_OVERRIDE_INVALID: 422,
  CONNECTION_DUPLICATE_ID: 422,
  CONNECTION_TYPE_UNRESOLVED: 422,
  CONNECTION_CONFIG_INVALID: 422,
  SECRET_INVALID: 422,
  SECRET_MISSING: 422,
  BINDING_INVALID: 422,
  BINDING_CONNECTION_NOT_FOUND: 422,
  CONTRACT_MISSING: 422,
  CONTRACT_INVALID: undefined,
  RESULT_SHAPE_INVALID: 422,
  WIDGET_TYPE_MISMATCH: 422,
  WIDGET_VARIABLE_COMPUTED: 422,
  WIDGET_OPTION_INVALID: 422,
  LAYOUT_PLACEMENT_INVALID: 422,
  LAYOUT_PLACEMENT_OUT_OF_BOUNDS: 422,
  LAYOUT_FORM_COLUMNS_INVALID: 422,
  LAYOUT_FORM_CHILD_INVALID: 422,
  GRAMMAR_ROOT_INVALID: 422,
  GRAMMAR_ROOT_CHILD_INVALID: 422,
  GRAMMAR_REGION_CHILD_INVALID: 422,
  GRAMMAR_VARIABLE_BOX_CHILD_INVALID: 422,
  GRAMMAR_WRAPPER_NESTED: 422,
  GRAMMAR_WRAPPER_CONTENT_INVALID: 422,
  GRAMMAR_REGION_THEME_FORBIDDEN: 422,
  WRAPPER_CHILD_COUNT_INVALID: 422,
  WRAPPER_ID_MISMATCH: 422,
  METADATA_NOT_ELIGIBLE: 422,
  METADATA_VALUE_NOT_SCALAR: 422,
  CONFIGURABLE_SURFACE_INVALID: undefined,
  CONFIG_OVERRIDE_FIELD_UNKNOWN: 422,
  CONFIG_OVERRIDE_VALUE_INVALID: 422,
  CONFIGURATOR_TARGET_MISSING_ID: 422,
  CONFIGURATOR_TARGET_NOT_FOUND: 422,
  CONFIGURATOR_TARGET_SCOPE_UNKNOWN: 422,
  SERVE_INVALID: 400,
  SERVE_READ_ONLY: 404,
  SERVE_ORIGIN_FORBIDDEN: 403,
  SERVE_TOO_LARGE: 413,
  MCP_INVALID: undefined,
  MCP_SKILL_NOT_FOUND: undefined,
  STORAGE_INTERNAL: 500,
  RESOLVE_INTERNAL: 500,
  SERVE_INTERNAL: 500,
  MCP_INTERNAL: 500,
  CLI_INVALID: undefined,
} as const satisfies Readonly<Record<string, number | undefined>>;

export type DashCode = keyof typeof ERROR_STATUS;

/** The error body of every entry point. */
export interface ErrorEnvelope {
  readonly code: DashCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/**
 * A coded failure: what went wrong, with what a program needs to correct itself. Each text of the details is cut to 200
 * characters and each list to 50 entries, so that no error grows with the input that it is about.
 */
export class DashError extends Error {
  readonly code: DashCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: DashCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(displaySentence(message));
    this.name = 'DashError';
    this.code = code;
    this.details = displayDetails(details);
  }

  toEnvelope(): ErrorEnvelope {
    return { code: this.code, message: this.message, details: this.details };
  }
}
