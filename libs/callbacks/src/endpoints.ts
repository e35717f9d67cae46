import type { CallbackType } from '@gangan/contracts';
import { type Sql, sql } from '@gangan/database';

/**
 * Whether an organisation has endpoints that are on and, if types are given, receive one of them. For a statement that
 * reads or changes the row anyway, so that an organisation without endpoints costs no statement of its own. Not EXISTS,
 * which Postgres may turn into a join with all endpoints.
 */
export const hasEndpoints = (organisationId: Sql, types?: readonly CallbackType[]): Sql => sql`(
  SELECT true FROM callback_endpoint WHERE callback_endpoint.organisation_id = ${organisationId}
    AND callback_endpoint.enabled AND ${types ? sql`callback_endpoint.events && ${types}::text[]` : sql`true`}
  LIMIT 1) IS NOT NULL`;

/** The organisations that have endpoints that are on, as an array. It is read once per statement, not per row. */
export const organisationsWithEndpoints = (organisationIds: readonly string[]): Sql => sql`ARRAY(
  SELECT DISTINCT organisation_id FROM callback_endpoint
  WHERE callback_endpoint.organisation_id = ANY (${organisationIds}::uuid[]) AND callback_endpoint.enabled)`;
