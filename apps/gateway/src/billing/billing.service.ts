import { balancesOf, historyOf, toNaira, type WalletChange } from '@gangan/billing';
import {
  type Balance,
  type Ledger,
  type LedgerEntry,
  type LedgerQuery,
  parseTimestamp,
  formatTimestamp,
  defaultPageSize,
} from '@gangan/contracts';
import { Database } from '@gangan/database';
import { currentContext, newContext, requireOrganisationId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { readInTime } from '../http/read-in-time.js';

/** As long as any other reading may take. */
const patienceMs = 10_000;

/**
 * Reads an organisation's money for it. Here, and not behind the queue like everything else: money belongs to no worker
 * (each of them moves some), so there is nobody to ask but the database.
 */
@Injectable()
export class BillingService {
  constructor(private readonly database: Database) {}

  async balance(): Promise<Balance> {
    const { available, reserved } = await readInTime(
      patienceMs,
      balancesOf(this.database, organisationAsking()),
    );
    return { available_balance: toNaira(available), reserved: toNaira(reserved), currency: 'NGN' };
  }

  async ledger({ limit = defaultPageSize, before, kind, since, until }: LedgerQuery): Promise<Ledger> {
    const history = historyOf(this.database, {
      organisationId: organisationAsking(),
      // One more than is shown tells whether there is a next page.
      limit: limit + 1,
      before,
      kind,
      since: since === undefined ? undefined : parseTimestamp(since),
      until: until === undefined ? undefined : parseTimestamp(until),
    });
    const found = await readInTime(patienceMs, history);
    const shown = found.slice(0, limit);
    const next = found.length > limit ? shown.at(-1)?.id : undefined;
    return {
      entries: shown.map(entryOf),
      meta: { method: 'GET', resource: '/ledger', pagination: { limit, ...(next && { next }) } },
    };
  }
}

const entryOf = ({ id, kind, subjectId, kobo, balance, note, createdAt }: WalletChange): LedgerEntry => ({
  id,
  kind,
  subject_id: subjectId,
  amount: toNaira(kobo),
  balance_after: toNaira(balance),
  ...(note !== null && { note }),
  created_datetime: formatTimestamp(createdAt),
});

const organisationAsking = (): string => requireOrganisationId(currentContext() ?? newContext());
