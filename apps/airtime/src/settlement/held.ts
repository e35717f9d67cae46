import type { Network } from '@gangan/contracts';
import { type AirtimeState, type OrganisationMode, sql } from '@gangan/database';

/** A purchase that a worker has in hand: what it changes holds only while `attempt` is still the row's. */
export interface Held {
  readonly id: string;
  readonly organisationId: string;
  readonly mode: OrganisationMode;
  readonly network: Network;
  readonly recipient: string;
  readonly kobo: bigint;
  readonly externalRef: string | null;
  readonly requestId: string;
  readonly createdAt: Date;
  readonly state: AirtimeState;
  readonly attempt: number;
  readonly provider: string | null;
  readonly resolution: AirtimeState | null;
  /** Since it was handed to a provider, or else since it was made. */
  readonly elapsedMs: number;
}

export const heldColumns = sql`
  id, organisation_id AS "organisationId", network, recipient, amount_kobo AS kobo, external_ref AS "externalRef",
  request_id AS "requestId", created_at AS "createdAt", state, attempt, provider, resolution,
  (SELECT mode FROM organisation WHERE organisation.id = organisation_id) AS mode,
  (extract(epoch FROM clock_timestamp() - coalesce(submitted_at, created_at)) * 1000)::float8 AS "elapsedMs"`;
