import { type Database, type Prisma, sql } from '@gangan/database';
import { type Access, asOwner } from '../access.js';

export interface AuditFilter {
  readonly organisationId?: string | undefined;
  /** An actor, without regard to case. */
  readonly by?: string;
  /** A command, such as `keys issue`, or the first word of several. */
  readonly action?: string;
  readonly since?: Date;
  readonly limit: number;
}

/** The newest entries of the audit log, the newest first. */
export function listAuditEntries(
  database: Database,
  { organisationId, by, action, since, limit }: AuditFilter,
) {
  const where: Prisma.AuditLogWhereInput = {
    ...(organisationId !== undefined && { organisationId }),
    ...(by !== undefined && { actor: { equals: by, mode: 'insensitive' } }),
    ...(action !== undefined && { OR: [{ action }, { action: { startsWith: `${action} ` } }] }),
    ...(since && { createdAt: { gte: since } }),
  };
  return database.auditLog.findMany({ where, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], take: limit });
}

/** Removes entries from before a time that is at least a year ago, and returns how many. Checks stay clean. */
export const pruneAuditLog = ({ database, principal }: Access, before: Date): Promise<number> =>
  asOwner(database, async (transaction) => {
    const [pruned] = await transaction.query<{ removed: number }>(
      sql`SELECT prune_audit_log(${before}::timestamptz, ${principal.name})::int AS removed`,
    );
    return pruned?.removed ?? 0;
  });
