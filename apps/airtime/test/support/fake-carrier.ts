import type { FakeAirtime, FakePayment } from '@gangan/testing';
import type {
  AirtimeProvider,
  SubmitResult,
  TopUp,
  TopUpQuery,
} from '../../src/providers/airtime-provider.js';
import type { Carrier, Fate, QueryBehaviour } from './simulated-carrier.js';

const payments: Readonly<Record<Exclude<Fate, 'not_sent'>, FakePayment>> = {
  succeeds: 'deliver',
  fails: 'refuse',
  'breaks before it arrives': 'drop',
  'breaks after delivery': 'lose',
  'breaks after refusal': 'lose refusal',
  'dies before it arrives': 'hold',
  'dies after delivery': 'hold delivered',
};
const queries = { answers: 'answer', 'knows nothing': 'pend', hangs: 'hold' } as const;
const reason = { code: 'refused', message: 'no' };

/** The adapter of a provider, its fake server, and what really happened there, by the id of the purchase. */
export class FakeCarrier implements Carrier {
  readonly provider: AirtimeProvider;
  fate: Fate = 'succeeds';
  private readonly purchaseIds = new Map<string, string>();

  constructor(
    private readonly server: FakeAirtime,
    adapter: AirtimeProvider,
  ) {
    this.provider = {
      name: 'scripted',
      referenceFor: (id, now) => {
        const reference = adapter.referenceFor?.(id, now) ?? id;
        this.purchaseIds.set(reference, id);
        return reference;
      },
      submit: (topUp: TopUp, signal: AbortSignal): Promise<SubmitResult> =>
        this.fate === 'not_sent'
          ? Promise.resolve({ kind: 'not_sent', reason })
          : adapter.submit(topUp, signal),
      query: (query: TopUpQuery, signal: AbortSignal) => adapter.query(query, signal),
    };
    server.payment = () => (this.fate === 'not_sent' ? 'drop' : payments[this.fate]);
  }

  set queries(behaviour: QueryBehaviour) {
    this.server.query = queries[behaviour];
  }

  get queries(): QueryBehaviour {
    return this.server.query === 'hold'
      ? 'hangs'
      : this.server.query === 'pend'
        ? 'knows nothing'
        : 'answers';
  }

  get truth(): ReadonlyMap<string, 'delivered' | 'refused'> {
    return new Map([...this.server.topUps].map(([reference, topUp]) => [this.idOf(reference), topUp]));
  }

  get sent(): ReadonlyMap<string, number> {
    const sent = new Map<string, number>();
    for (const [reference, count] of this.server.payments) {
      const id = this.idOf(reference);
      sent.set(id, (sent.get(id) ?? 0) + count);
    }
    return sent;
  }

  get reported(): ReadonlySet<string> {
    return new Set([...this.server.reported].map((reference) => this.idOf(reference)));
  }

  get callsInFlight(): number {
    return this.server.heldCount;
  }

  oneArrivesLate(): string | undefined {
    const reference = this.server.releaseOne();
    return reference === undefined ? undefined : this.idOf(reference);
  }

  private idOf(reference: string): string {
    return this.purchaseIds.get(reference) ?? reference;
  }
}
