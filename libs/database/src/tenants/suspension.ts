import { type Sql, sql } from '../sql/statement.js';

/**
 * Whether the organisation is suspended, by itself or with its account: two lookups by primary key. Statements that claim
 * rows contain it, so that no worker acts for an organisation after its suspension was committed.
 * @param organisationId a parameter, or a column of the statement that it is part of
 */
export const isSuspended = (organisationId: Sql): Sql => sql`(
  SELECT 'suspended' IN (tenant.status, (SELECT status FROM account WHERE account.id = tenant.account_id))
  FROM organisation tenant WHERE tenant.id = ${organisationId})`;

/** The ids of all suspended organisations; partial indexes keep it independent of the number of organisations. */
export const suspendedOrganisations: Sql = sql`
  SELECT id FROM organisation WHERE status = 'suspended'
  UNION
  SELECT tenant.id FROM account owner CROSS JOIN LATERAL (
    SELECT id FROM organisation WHERE account_id = owner.id OFFSET 0) tenant
  WHERE owner.status = 'suspended'`;
