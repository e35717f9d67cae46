import {
  HttpClients,
  HttpExchange,
  readReloadlyTransactions,
  reloadlyAccess,
  type ReloadlySettings,
  type Secrets,
} from '@gangan/providers';
import { Refusal } from '../../refusal.js';
import { type StatementLine, type UnreadableLine, withState } from './statement-lines.js';
import type { Statement } from './stored-statement.js';

const maxTimeoutMs = 30_000;
/** The clocks of both sides differ, and a report may have the time of Lagos. */
const marginMs = 2 * 3_600_000;

interface Account {
  readonly kind: string;
  readonly settings: ReloadlySettings;
  readonly secrets: Secrets;
}

/**
 * The statement that the API of a provider has.
 * @throws Refusal if its API has none
 */
export function readReport(name: string, account: Account, from: Date, to: Date): Statement {
  if (account.kind !== 'reloadly')
    throw new Refusal(
      'conflict',
      `The API of ${name} (${account.kind}) has no list of transactions: export the statement from its dashboard as a CSV file`,
      { next: 'name_file' },
    );
  return { lines: readReloadly(account, from, to), isReport: true };
}

async function* readReloadly(
  { settings, secrets }: Account,
  from: Date,
  to: Date,
): AsyncGenerator<StatementLine | UnreadableLine> {
  const clients = new HttpClients();
  const request = reloadlyAccess(settings);
  const http = new HttpExchange({ clients, secrets, maxTimeoutMs, settings: { ...settings, request } });
  const asked = { from: new Date(from.getTime() - marginMs), to: new Date(to.getTime() + marginMs) };
  let line = 0;
  try {
    for await (const transaction of readReloadlyTransactions(http, settings, asked)) {
      line += 1;
      const { transactionId: providerReference, customIdentifier: reference, micros = null } = transaction;
      const { status, at } = transaction;
      yield withState({ line, reference, providerReference, micros, status, at });
    }
  } catch (cause) {
    const { message } = cause as Error;
    throw new Refusal('unavailable', `${message}. Nothing was compared`, { next: 'end_earlier', cause });
  } finally {
    await clients.close();
  }
}
