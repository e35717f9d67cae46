import { contactUsage, type RowOf, sql, type SqlRunner, statement, t } from '@gangan/database';
import { type AppError, quotaExceeded } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { ContactsConfig } from './contacts.config.js';

/** What a request wants to store in a table. */
export interface Addition {
  readonly tableId: string;
  readonly rows: number;
  readonly bytes: number;
}

/** The limits of organisations that have none of their own; 0 means no limit. */
interface DefaultQuotas {
  readonly rows: number;
  readonly bytes: number;
}

/**
 * Limits what an organisation stores. Transactions do not see what others have not committed, so concurrent requests can
 * exceed a quota together, by what they add.
 */
@Injectable()
export class Quotas {
  private readonly defaults: DefaultQuotas;

  constructor(private readonly config: ContactsConfig) {
    this.defaults = { rows: config.CONTACT_ROWS, bytes: config.STORED_BYTES };
  }

  /** Checks the additions one after the other; an accepted one counts for those after it. Returns the error of each. */
  async check(runner: SqlRunner, additions: readonly Addition[]): Promise<(AppError | undefined)[]> {
    const tableIds = [...new Set(additions.map(({ tableId }) => tableId))];
    const found = await runner.run(findQuotas, tableIds, this.defaults);
    const usageByTable = new Map(found.map((usage) => [usage.tableId, usage]));
    return additions.map((addition) => {
      const usage = usageByTable.get(addition.tableId);
      if (!usage) return undefined;
      const error = excess(usage, addition);
      if (!error) usageByTable.set(addition.tableId, plus(usage, addition));
      return error;
    });
  }

  /** @throws AppError 403 unless all fit */
  async require(runner: SqlRunner, additions: readonly Addition[]): Promise<void> {
    const error = (await this.check(runner, additions)).find((each) => each !== undefined);
    if (error) throw error;
  }

  /** Checks what the transaction has already added to a table. @throws AppError 403 if it does not fit */
  async requireCounted(runner: SqlRunner, tableId: string): Promise<void> {
    const [usage] = await runner.run(findQuotas, [tableId], this.defaults);
    if (usage?.maxBytes != null && usage.bytes > usage.maxBytes) throw tooManyBytes(usage.maxBytes);
  }

  /** Infinity if there is no limit. */
  async unfinishedImports(runner: SqlRunner, tableId: string): Promise<number> {
    const [found] = await runner.run(findMaxImports, tableId, this.config.UNFINISHED_IMPORTS);
    return found?.max ?? Infinity;
  }
}

type Usage = RowOf<typeof findQuotas>;

/** An addition without rows, or bytes, is not subject to that quota, even if the quota is already exceeded. */
function excess({ rows, bytes, maxRows, maxBytes }: Usage, added: Addition): AppError | undefined {
  if (added.rows > 0 && maxRows !== null && rows + added.rows > maxRows)
    return quotaExceeded('contact_rows', maxRows, 'Delete contacts');
  if (added.bytes > 0 && maxBytes !== null && bytes + BigInt(added.bytes) > maxBytes)
    return tooManyBytes(maxBytes);
  return undefined;
}

const tooManyBytes = (max: bigint): AppError =>
  quotaExceeded('stored_bytes', max, 'Delete contacts, smartlists or exports');

const plus = (usage: Usage, { rows, bytes }: Addition): Usage => ({
  ...usage,
  rows: usage.rows + rows,
  bytes: usage.bytes + BigInt(bytes),
});

const ownLimits = sql`
  SELECT contact_rows, stored_bytes, unfinished_imports FROM organisation
  WHERE organisation.id = contact_table.organisation_id LIMIT 1`;

/** What each table holds, and the limits of its organisation; NULL means no limit. */
const findQuotas = statement(
  {
    tableId: t.uuid,
    rows: t.int,
    bytes: t.bigint,
    maxRows: t.nullable(t.int),
    maxBytes: t.nullable(t.bigint),
  },
  (tableIds: readonly string[], defaults: DefaultQuotas) => sql`
    SELECT contact_table.id AS "tableId", stored.rows, stored.bytes,
      nullif(coalesce(contact_rows, ${defaults.rows}::int), 0) AS "maxRows",
      nullif(coalesce(stored_bytes, ${defaults.bytes}::bigint), 0) AS "maxBytes"
    FROM contact_table CROSS JOIN LATERAL (${ownLimits}) AS own
    CROSS JOIN LATERAL (${contactUsage(sql`contact_table.id`)}) AS stored
    WHERE contact_table.id = ANY (${tableIds}::uuid[])`,
  { samples: [[[], { rows: 0, bytes: 0 }]] },
);

const findMaxImports = statement(
  { max: t.nullable(t.int) },
  (tableId: string, byDefault: number) => sql`
    SELECT nullif(coalesce(unfinished_imports, ${byDefault}::int), 0) AS max
    FROM contact_table CROSS JOIN LATERAL (${ownLimits}) AS own
    WHERE contact_table.id = ${tableId}`,
);
