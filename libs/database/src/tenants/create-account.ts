import { newId } from '@gangan/protocol';
import type { Statements } from '../sql/statements.js';
import { sql } from '../sql/statement.js';
import { createOrganisation } from './create-organisation.js';
import { newCallbackSecret } from './secrets.js';
import { type Mode, modes } from './tenant.js';

export interface NewAccount {
  readonly id: string;
  readonly organisations: readonly {
    readonly id: string;
    readonly mode: Mode;
    readonly callbackSecret: string;
  }[];
}

/** A customer with both organisations, each ready to work but for a key and money. */
export async function createAccount(
  transaction: Statements,
  { name, sender }: { readonly name: string; readonly sender: string },
): Promise<NewAccount> {
  const id = newId();
  await insertAccount(transaction, { id, name });
  const organisations = modes.map((mode) => ({ id: newId(), mode, callbackSecret: newCallbackSecret() }));
  for (const organisation of organisations) {
    await createOrganisation(transaction, {
      ...organisation,
      accountId: id,
      sender,
      callbackSecretId: newId(),
    });
  }
  return { id, organisations };
}

export async function insertAccount(
  transaction: Statements,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<void> {
  await transaction.execute(
    sql`INSERT INTO account (id, name) VALUES (${id}, ${name}) ON CONFLICT DO NOTHING`,
  );
}
