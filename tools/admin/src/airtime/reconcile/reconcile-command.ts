import { findProvider, requireSecrets } from '@gangan/management';
import { notFoundAfterMs } from '@gangan/providers';
import type { Command } from 'commander';
import { addFileOptions, writeDifferences } from '../../reconcile/comparison.js';
import { pastTime } from '../../session/arguments.js';
import { CommandError } from '../../session/errors.js';
import { Money } from '../../session/print.js';
import { addCommand, type AdminSession } from '../../session/session.js';
import { differenceKinds } from './compare.js';
import { reconcile } from './reconcile.js';
import { type Difference, noDetails } from './reconciliation.js';
import { type ProvenOutcome, storeOutcomes } from './resolve.js';
import { readFileStatement, readReport } from './statement-source.js';
import { Totals } from './totals.js';

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
          ? readReport(name, requireSecrets(provider), { from, to })
          : readFileStatement(file, separator, provider.kind);
      const totals = new Totals();
      const proven: ProvenOutcome[] = [];
      const { file: differences, matched } = await writeDifferences<Difference>(
        options.output ?? `${file ?? name}.differences.csv`,
        noDetails,
        (report) =>
          reconcile(database, statement, {
            provider: name,
            listedWithinMs: notFoundAfterMs[provider.kind] ?? Infinity,
            from,
            to,
            now,
            onDifferences: async (found) => {
              await report(found);
              for (const difference of found) {
                const kobo = totals.add(difference);
                const { purchase: id, resolution: outcome } = difference;
                if (outcome !== '') proven.push({ id, outcome, kobo });
              }
            },
          }),
      );
      const resolved = options.resolve ? await resolve(name, proven) : undefined;
      if (totals.count > (resolved?.stored ?? 0)) session.exitCode = 1;
      session.show({
        provider: name,
        from,
        to,
        matched,
        file: differences.path,
        resolvable: proven.length,
        resolved: resolved?.stored,
        ...(resolved && resolved.pending > 0 && { waiting_for_approval: resolved.pending }),
        kinds: differenceKinds.map((kind) => totals.of(kind)),
        differences: differences.shown.map((difference) => ({ ...difference })),
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
    return storeOutcomes(session, await session.database(), name, proven);
  }
}
