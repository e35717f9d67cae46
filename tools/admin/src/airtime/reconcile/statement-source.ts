import type { ProviderDefinition } from '@gangan/management';
import {
  HttpClients,
  HttpExchange,
  readReloadlyTransactions,
  reloadlyAccess,
  type ReloadlySettings,
} from '@gangan/providers';
import { readRecords, readText } from '../../reconcile/csv-records.js';
import { CommandError } from '../../session/errors.js';
import type { Statement } from './stored-statement.js';
import { readStatement, stateOf, type StatementLine, type UnreadableLine } from './statement-lines.js';

const maxTimeoutMs = 30_000;
/** The clocks of both sides differ, and a report may have the time of Lagos. */
const marginMs = 2 * 3_600_000;

export const readFileStatement = (path: string, separator: string, kind: string): Statement => ({
  lines: readStatement(readRecords(readText(path), separator), kind),
  isReport: false,
});

/** @throws CommandError if the provider has no report */
export function readReport(
  name: string,
  { kind, settings, secrets }: Pick<ProviderDefinition, 'kind' | 'settings' | 'secrets'>,
  period: { readonly from: Date; readonly to: Date },
): Statement {
  if (kind !== 'reloadly')
    throw new CommandError(
      `The API of ${name} (${kind}) has no list of transactions: export the statement from its dashboard as a CSV file, and name it with --file.`,
    );
  return { lines: readReloadly(settings, secrets, period), isReport: true };
}

async function* readReloadly(
  settings: ReloadlySettings,
  secrets: ProviderDefinition['secrets'],
  { from, to }: { readonly from: Date; readonly to: Date },
): AsyncGenerator<StatementLine | UnreadableLine> {
  const clients = new HttpClients();
  const request = reloadlyAccess(settings);
  const http = new HttpExchange({ clients, secrets, maxTimeoutMs, settings: { ...settings, request } });
  const asked = { from: new Date(from.getTime() - marginMs), to: new Date(to.getTime() + marginMs) };
  let line = 0;
  try {
    for await (const transaction of readReloadlyTransactions(http, settings, asked)) {
      line += 1;
      const {
        transactionId: providerReference,
        customIdentifier: reference,
        status,
        micros,
        at,
      } = transaction;
      const state = stateOf(status);
      if (state) yield { line, reference, providerReference, status, state, at, micros: micros ?? null };
      else {
        const fault = `the status "${status}" is not known`;
        yield { line, fault, reference, providerReference };
      }
    }
  } catch (cause) {
    throw new CommandError(
      `${(cause as Error).message}. Nothing was compared. If the report changes while it is read, use a --to at least two hours ago.`,
      { cause },
    );
  } finally {
    await clients.close();
  }
}
