import { balancesOf, historyOf, pricesOf, toNaira, type WalletChange } from '@gangan/billing';
import {
  type Balance,
  type Ledger,
  type LedgerEntry,
  type LedgerQuery,
  type PriceListing,
  parseTimestamp,
  formatTimestamp,
  defaultPageSize,
} from '@gangan/contracts';
import { Database, readPage } from '@gangan/database';
import { currentContext, newContext, requireOrganisationId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { readWithTimeout } from '../http/errors/read-with-timeout.js';

const timeoutMs = 10_000;

/** The ledger belongs to no worker, because every worker writes to it. So the gateway reads it itself. */
@Injectable()
export class BillingService {
  constructor(private readonly database: Database) {}

  async balance(): Promise<Balance> {
    const { available, reserved } = await readWithTimeout(
      timeoutMs,
      balancesOf(this.database, currentOrganisation()),
    );
    return { available_balance: toNaira(available), reserved: toNaira(reserved), currency: 'NGN' };
  }

  async ledger({ limit = defaultPageSize, before, kind, since, until }: LedgerQuery): Promise<Ledger> {
    const query = {
      organisationId: currentOrganisation(),
      before,
      kind,
      since: since === undefined ? undefined : parseTimestamp(since),
      until: until === undefined ? undefined : parseTimestamp(until),
    };
    const page = readPage(limit, (size) => historyOf(this.database, { ...query, limit: size }));
    const { rows, pagination } = await readWithTimeout(timeoutMs, page);
    return { entries: rows.map(toEntry), meta: { method: 'GET', resource: '/ledger', pagination } };
  }

  async prices(): Promise<PriceListing> {
    const rows = await readWithTimeout(timeoutMs, pricesOf(this.database, currentOrganisation()));
    return {
      prices: rows.map(({ service, category, prefix, kobo }) => ({
        service,
        prefix,
        ...(category !== '' && { category }),
        price: toNaira(kobo),
      })),
      currency: 'NGN',
      meta: { method: 'GET', resource: '/prices' },
    };
  }
}

const toEntry = (change: WalletChange): LedgerEntry => {
  const resource = resourceOf(change);
  return {
    id: change.id,
    kind: change.kind,
    ...(change.category !== null && { service: services[change.category] }),
    ...(resource !== undefined && { resource }),
    subject_id: change.subjectId,
    amount: toNaira(change.kobo),
    balance_after: toNaira(change.balance),
    ...(change.reference !== null && { reference: change.reference }),
    ...(change.note !== null && { note: change.note }),
    created_datetime: formatTimestamp(change.createdAt),
  };
};

const services = { message: 'sms', otp: 'otp', airtime: 'airtime', lookup: 'lookup' } as const;

function resourceOf({ category, subjectId, messageId, otpId }: WalletChange): string | undefined {
  if (category === 'message') return pathOf('/sms', messageId);
  if (category === 'otp') return pathOf('/otp', otpId);
  return category === 'airtime' ? pathOf('/airtime', subjectId) : undefined;
}

const pathOf = (collection: string, id: string | null): string | undefined =>
  id === null ? undefined : `${collection}/${id}`;

const currentOrganisation = (): string => requireOrganisationId(currentContext() ?? newContext());
