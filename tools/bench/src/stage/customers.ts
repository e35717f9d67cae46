import { topUp } from '@gangan/billing';
import { createAccount, type Database, issueKey, type Mode, setLimits } from '@gangan/database';
import { type KeyScope, newId } from '@gangan/protocol';

export interface Customer {
  readonly organisationId: string;
  readonly key: string;
}

const plenty = 1_000_000_000_000n;

export interface CustomersWish {
  readonly count: number;
  readonly mode: Mode;
  readonly scope: KeyScope;
}

/** Organisations with more money than they can spend, and no limit to how often they ask; all else is as usual. */
export async function openCustomers(database: Database, wish: CustomersWish): Promise<Customer[]> {
  const customers: Customer[] = [];
  for (let made = 0; made < wish.count; made += 1) customers.push(await openCustomer(database, made, wish));
  return customers;
}

async function openCustomer(
  database: Database,
  place: number,
  { mode, scope }: CustomersWish,
): Promise<Customer> {
  const customer = await database.transaction(async (transaction) => {
    const account = await createAccount(transaction, { name: `Bench ${place}`, sender: 'Bench' });
    const organisationId = account.organisations.find((one) => one.mode === mode)?.id ?? '';
    await setLimits(transaction, organisationId, { requestsPerSecond: 0 });
    const { key } = await issueKey(transaction, mode, { organisationId, name: 'bench', scopes: [scope] });
    return { organisationId, key };
  });
  await topUp(database, [{ subjectId: newId(), organisationId: customer.organisationId, kobo: plenty }]);
  return customer;
}
