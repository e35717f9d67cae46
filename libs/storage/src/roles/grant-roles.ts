import { defaultPatience, inMigrationTransaction } from '../migrations/migrate.js';
import { isLockTimeout, retryTransient } from '@gangan/database';
import { type FurtherGrants, rolesSql, type RolesTarget } from './roles-sql.js';

const insufficientPrivilege = '42501';

export type GrantResult =
  | { readonly granted: true }
  /** This user lacks the privilege to create the roles; a user who has it can run `sql`. */
  | { readonly granted: false; readonly reason: string; readonly sql: string };

/**
 * Creates the roles of the apps and brings their privileges up to date. Call it after `migrate` and `migrateQueue`:
 * new tables have no privileges before. Runs in one transaction, so that running apps never miss a privilege.
 */
export const grantRoles = (
  url: string,
  further?: FurtherGrants,
  { timeoutMs, pauseMs, maxAttempts } = defaultPatience,
): Promise<GrantResult> =>
  // The policies need a lock on a table that apps read.
  retryTransient(() => tryToGrant(url, further, timeoutMs), {
    maxAttempts,
    isRetryable: isLockTimeout,
    delayMs: () => pauseMs,
  });

async function tryToGrant(
  url: string,
  further: FurtherGrants | undefined,
  lockTimeoutMs: number,
): Promise<GrantResult> {
  let sql = '';
  try {
    await inMigrationTransaction(url, async (client) => {
      const { rows } = await client.query<RolesTarget>(
        'SELECT current_database() AS database, current_schema() AS schema',
      );
      sql = rolesSql(rows[0] as RolesTarget, further);
      await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
      await client.query(sql);
    });
    return { granted: true };
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code !== insufficientPrivilege || sql === '') throw error;
    return { granted: false, reason: message, sql };
  }
}
