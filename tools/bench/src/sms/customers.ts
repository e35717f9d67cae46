import { topUp } from '@gangan/billing';
import { createAccount, type Database, issueKey, setLimits } from '@gangan/database';
import { newId } from '@gangan/protocol';

export interface Customer {
  readonly organisationId: string;
  readonly key: string;
}

const plenty = 1_000_000_000_000n;

/** Organisations with more money than they can spend, and no limit to how often they ask. */
export async function openCustomers(database: Database, count: number): Promise<Customer[]> {
  const customers: Customer[] = [];
  for (let made = 0; made < count; made += 1) {
    const customer = await database.transaction(async (transaction) => {
      const account = await createAccount(transaction, { name: `Bench ${made}`, sender: 'Bench' });
      const organisationId = account.organisations.find(({ mode }) => mode === 'test')?.id ?? '';
      await setLimits(transaction, organisationId, { requestsPerSecond: 0 });
      const wish = { organisationId, name: 'bench', scopes: ['sms:write'] } as const;
      const { key } = await issueKey(transaction, 'test', wish);
      return { organisationId, key };
    });
    await topUp(database, [{ subjectId: newId(), organisationId: customer.organisationId, kobo: plenty }]);
    customers.push(customer);
  }
  return customers;
}
