import { airtimeReason, networks } from '@gangan/contracts';
import { command, Database, sql } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type {
  AirtimeProvider,
  ProductLists,
  QueryResult,
  SubmitResult,
  TopUp,
  TopUpQuery,
  TopUpResult,
} from './airtime-provider.js';

type Outcome = TopUpResult['kind'];

/** What the simulator returns for one recipient. */
type Script = readonly [onSubmit: Outcome, onQuery: Outcome];

const defaultScript: Script = ['success', 'success'];

/** Scripts by the last four digits of the numbers +234 700 000 xxxx. All other numbers are topped up at once. */
const scripts: Readonly<Record<string, Script>> = {
  '0002': ['failed', 'failed'],
  '0005': ['unknown', 'success'],
  '0006': ['unknown', 'failed'],
  '0007': ['unknown', 'unknown'],
};

/** The bundles of every network; their names follow that of the network. */
const bundles = [
  { code: '500mb-7d', name: '500MB - 7 days', kobo: 50_000n },
  { code: '1.5gb-30d', name: '1.5GB - 30 days', kobo: 120_050n },
];

const invalidNumber = airtimeReason('invalid_number');
const noAnswer = airtimeReason('no_answer');

const insertTopUp = command(
  ({ reference, network, recipient, kobo }: TopUp, outcome: Outcome) => sql`
    INSERT INTO simulated_top_up (reference, network, recipient, amount_kobo, outcome)
    VALUES (${reference}, ${network}, ${recipient}, ${kobo}, ${outcome})`,
);

/**
 * Simulates a provider. It records each top-up in its own table, outside the transactions of the worker, so that its
 * records survive a crash of the worker.
 */
@Injectable()
export class Simulator implements AirtimeProvider {
  readonly name = 'simulator';

  constructor(private readonly database: Database) {}

  async submit(topUp: TopUp, signal: AbortSignal): Promise<SubmitResult> {
    const [onSubmit, onQuery] = findScript(topUp.recipient);
    await this.database.transaction(async (transaction) => {
      await transaction.run(insertTopUp, topUp, onQuery);
      signal.throwIfAborted();
    });
    return toResult(onSubmit, topUp.reference);
  }

  products(): Promise<ProductLists> {
    const listOf = (network: string) => bundles.map((one) => ({ ...one, name: `${network} ${one.name}` }));
    return Promise.resolve(new Map(networks.map((network) => [network, listOf(network)])));
  }

  async query({ reference }: Pick<TopUpQuery, 'reference'>): Promise<QueryResult> {
    const topUp = await this.database.simulatedTopUp.findFirst({
      where: { reference },
      orderBy: { id: 'asc' },
    });
    return topUp ? toResult(topUp.outcome as Outcome, reference) : { kind: 'not_found' };
  }
}

function findScript(recipient: string): Script {
  const [, lastDigits = ''] = /^\+234700000(\d{4})$/.exec(recipient) ?? [];
  return scripts[lastDigits] ?? defaultScript;
}

const toResult = (kind: Outcome, reference: string): TopUpResult =>
  kind === 'success'
    ? { kind, providerReference: `simulated-${reference}` }
    : { kind, reason: kind === 'failed' ? invalidNumber : noAnswer };
