import type { Catalog } from '../catalog/types.ts';
import type { DashDocument } from '../document/types.ts';
import type { InterpolatedText } from './context.ts';
import type { OverridePlan } from './overrides.ts';

/** Shared by all stages of one resolution. */
export interface Resolution {
  readonly document: DashDocument;
  readonly catalog: Catalog;
  readonly source: string;
  readonly overrides: OverridePlan;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly requireSecrets: boolean;
  readonly built: InterpolatedText;
}
