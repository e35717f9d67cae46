import { firstIdAt } from '@gangan/protocol';
import type { RetentionKind } from '../generated/enums.js';
import * as t from '../sql/columns.js';
import { type Sql, sql, statement } from '../sql/statement.js';
import type { SqlRunner } from '../sql/statements.js';

const dayMs = 86_400_000;

/** Values that are not shorter than the configured time have no effect. */
const findShorter = statement(
  { organisationId: t.uuid, days: t.int },
  (kind: RetentionKind, configuredDays: number) => sql`
    SELECT organisation_id AS "organisationId", days FROM organisation_retention
    WHERE kind = ${kind}::retention_kind AND days < ${configuredDays}::int ORDER BY organisation_id`,
);

/** Until when data of some organisations is deleted. Ids are ordered by time, so a time limit is an id. */
export interface RetentionLimits {
  readonly organisationIds: readonly string[];
  readonly days: readonly number[];
  readonly before: readonly Date[];
  readonly beforeIds: readonly string[];
}

/** Organisations whose data is kept for less than the configured time. */
export const ShorterRetention = {
  /** @returns undefined if there are no such organisations */
  async find(
    database: SqlRunner,
    kind: RetentionKind,
    configuredDays: number,
  ): Promise<RetentionLimits | undefined> {
    const rows = await database.run(findShorter, kind, configuredDays);
    if (rows.length === 0) return undefined;
    const before = rows.map(({ days }) => new Date(Date.now() - days * dayMs));
    return {
      organisationIds: rows.map(({ organisationId }) => organisationId),
      days: rows.map(({ days }) => days),
      before,
      beforeIds: before.map((time) => firstIdAt(time)),
    };
  },

  /** A table of a FROM clause with the columns organisation_id, before_id and before. */
  table: ({ organisationIds, beforeIds, before }: RetentionLimits): Sql => sql`
    unnest(${organisationIds}::uuid[], ${beforeIds}::uuid[], ${before}::timestamptz[])
      AS kept (organisation_id, before_id, before)`,

  /** An argument for the samples of a statement that uses `table`. */
  sample: { organisationIds: [], days: [], before: [], beforeIds: [] } satisfies RetentionLimits,
};
