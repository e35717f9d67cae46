import {
  findProvider,
  noStatementDetails,
  type ProvenOutcome,
  readReport,
  readStatementLine,
  reconcileStatement,
  requireSecrets,
  type StatementDifference,
  type StatementLine,
  statementColumns,
  storeOutcomes,
  type UnreadableLine,
} from '@gangan/management';
import { formatMicros, notFoundAfterMs } from '@gangan/providers';
import type { Command } from 'commander';
import { readColumns, readRecords, readText } from '../reconcile/csv-records.js';
import { addFileOptions, writeDifferences } from '../reconcile/differences.js';
import { pastTime } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import { Money } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';

interface Options {
  readonly from: Date;
  readonly to?: Date;
  readonly file?: string;
  readonly separator: string;
  readonly output?: string;
  readonly resolve?: true;
}

const notes = `The statement comes from the API of the provider if that has a list of transactions (reloadly), else from a CSV file whose
first line names its columns: request_id, custom_identifier or idempotency_key (ours), transaction_id (theirs; request_id for
africastalking), amount (the face value), status and date. One of the two references
is enough; status and date are optional.
Purchases submitted in the period are compared, and all lines of a file. All differences are written to a file:
  charged_there  charged there; refunded here, or not submitted there. Book a refunded one as our loss: \`airtime resolve\`;
                 one that is pending here may be bought twice: ask the provider to reverse it
  charged_here   charged here; failed there, or not on the statement. Check with the provider, then refund: \`adjust\`
  unsettled      no outcome here yet
  amount         different amounts
  contradictory  lines that say charged and lines that say failed
  pending_there  no outcome there yet, and an outcome here
  unknown_there  a reference that is not stored here
  unreadable     a line without a reference, an amount or a known status
--resolve stores the outcome of unsettled purchases that the statement proves: charged there with the same amount, failed, or
missing although the statement has later lines and our reference on every line. Workers then settle them. Nothing else is changed.`;

export function addReconcileCommand(group: Command, session: AdminSession): void {
  const reconciling = addCommand(
    group,
    'reconcile <provider>',
    'compare our purchases with the statement of a provider; exits with 1 if they differ',
    ['reloadly --from 2026-10-01 --to 2026-11-01', 'vtpass --from 24h --file statement.csv --resolve'],
    notes,
  )
    .requiredOption('--from <time>', 'beginning of the period (UTC)', pastTime)
    .option('--to <time>', 'end of the period, which is not part of it (default: now)', pastTime)
    .option('--file <statement.csv>', 'statement of the provider');
  addFileOptions(reconciling, 'statement.csv')
    .option('--resolve', 'store the outcomes that the statement proves')
    .action(async (name: string, options: Options) => {
      const database = await session.database();
      const provider = await findProvider(database, session.sealer, name);
      if (provider.domain !== 'airtime')
        throw new CommandError(`${name} sells no airtime: see \`pnpm admin report reconcile\`.`);
      const now = new Date();
      const { from, to = now, file, separator } = options;
      if (from >= to) throw new CommandError('The period is empty: --from must be before --to.');
      const statement =
        file === undefined
          ? readReport(name, requireSecrets(provider), from, to)
          : { lines: readLines(file, separator, provider.kind), isReport: false };
      const output = options.output ?? `${file ?? name}.differences.csv`;
      const { result, shown, counts } = await writeDifferences(
        output,
        noStatementDetails,
        (onDifferences: (found: readonly StatementDifference[]) => Promise<void>) =>
          reconcileStatement(database, statement, {
            provider: name,
            listedWithinMs: notFoundAfterMs[provider.kind] ?? Infinity,
            from,
            to,
            now,
            onDifferences,
          }),
      );
      const { matched, proven, kinds } = result;
      const resolved = options.resolve ? await resolve(name, proven) : undefined;
      const count = [...counts.values()].reduce((sum, own) => sum + own, 0);
      if (count > (resolved?.stored ?? 0)) session.exitCode = 1;
      session.show({
        provider: name,
        from,
        to,
        matched,
        file: output,
        resolvable: proven.length,
        resolved: resolved?.stored,
        ...(resolved && resolved.pending > 0 && { waiting_for_approval: resolved.pending }),
        kinds: kinds.map(({ there, here, ...kind }) => ({
          ...kind,
          there: formatMicros(there),
          here: formatMicros(here),
        })),
        differences: shown,
      });
    });

  async function resolve(name: string, proven: readonly ProvenOutcome[]): ReturnType<typeof storeOutcomes> {
    if (proven.length === 0) return { stored: 0, pending: 0 };
    const sum = (outcome: string): string => {
      const chosen = proven.filter((one) => one.outcome === outcome);
      const { text } = new Money(chosen.reduce((total, { kobo }) => total + kobo, 0n));
      return `${chosen.length} (${text} naira)`;
    };
    await session.confirm(
      `Charge ${sum('success')} and refund ${sum('failed')} of the purchases without an outcome? This is final.`,
    );
    return storeOutcomes(await session.access(), name, proven);
  }
}

async function* readLines(
  path: string,
  separator: string,
  kind: string,
): AsyncGenerator<StatementLine | UnreadableLine> {
  const records = readRecords(readText(path), separator);
  const empty = 'The statement is empty: its first line must name the columns.';
  const required = [['ours', 'theirs'], ['amount']] as const;
  for await (const cells of readColumns(records, statementColumns(kind), required, empty))
    yield readStatementLine(cells);
}
