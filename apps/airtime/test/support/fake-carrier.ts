import type { FakeAirtime, FakePayment, FakeReply } from '@gangan/testing';
import type {
  AirtimeProvider,
  SubmitResult,
  TopUp,
  TopUpQuery,
} from '../../src/providers/airtime-provider.js';
import type { Carrier, Fate, QueryBehaviour } from './simulated-carrier.js';

/** The adapter is not called. */
const uncalled = { not_sent: 'not_sent', 'is declined': 'declined' } as const;
type Uncalled = keyof typeof uncalled;
const isUncalled = (fate: Fate): fate is Uncalled => fate in uncalled;

const payments: Readonly<Record<Exclude<Fate, Uncalled | 'is refused for our account'>, FakePayment>> = {
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
  /** The references that had no effect, because our account was refused. */
  private readonly refused = new Set<string>();

  /** @param refusal how the provider refuses our account */
  constructor(
    private readonly server: FakeAirtime,
    adapter: AirtimeProvider,
    refusal: FakeReply,
  ) {
    this.provider = {
      name: 'scripted',
      referenceFor: (id, now) => {
        const reference = adapter.referenceFor?.(id, now) ?? id;
        this.purchaseIds.set(reference, id);
        return reference;
      },
      submit: (topUp: TopUp, signal: AbortSignal): Promise<SubmitResult> =>
        isUncalled(this.fate)
          ? Promise.resolve({ kind: uncalled[this.fate], reason })
          : adapter.submit(topUp, signal),
      query: (query: TopUpQuery, signal: AbortSignal) => adapter.query(query, signal),
    };
    server.payment = (reference) => {
      if (isUncalled(this.fate)) return 'drop';
      if (this.fate !== 'is refused for our account') return payments[this.fate];
      this.refused.add(reference);
      return refusal;
    };
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
      if (this.refused.has(reference)) continue;
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
