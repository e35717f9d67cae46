import type {
  AirtimeProvider,
  TopUpResult,
  QueryResult,
  SubmitResult,
} from '../../src/providers/airtime-provider.js';
import { Pending, ScriptedProvider } from './scripted-provider.js';

/** How the next submission goes. `dies…`: the worker dies while it waits for the result. */
export type Fate =
  | 'succeeds'
  | 'fails'
  | 'not_sent'
  | 'is declined'
  | 'is refused for our account'
  | 'breaks before it arrives'
  | 'breaks after delivery'
  | 'breaks after refusal'
  | 'dies before it arrives'
  | 'dies after delivery';

export const fates: readonly Fate[] = [
  'succeeds',
  'fails',
  'not_sent',
  'is declined',
  'is refused for our account',
  'breaks before it arrives',
  'breaks after delivery',
  'breaks after refusal',
  'dies before it arrives',
  'dies after delivery',
];

/** How queries go. `hangs`: the result is that of the time of the query, and arrives late. */
export type QueryBehaviour = 'answers' | 'knows nothing' | 'hangs';

const withoutEffect: readonly Fate[] = ['not_sent', 'is declined', 'is refused for our account'];
const reason = { code: 'refused', message: 'no' };
const broken = new Error('socket hang up');

/** A provider, and what really happened there, by the id of the purchase. */
export interface Carrier {
  readonly provider: AirtimeProvider;
  readonly truth: ReadonlyMap<string, 'delivered' | 'refused'>;
  /** How often each purchase was sent in a way that may have had an effect. */
  readonly sent: ReadonlyMap<string, number>;
  /** The purchases whose success the provider has reported. */
  readonly reported: ReadonlySet<string>;
  readonly callsInFlight: number;
  fate: Fate;
  queries: QueryBehaviour;
  /** A call of a worker that counted as dead arrives now (if it had not), and its result is returned. */
  oneArrivesLate(): string | undefined;
}

/** Without HTTP. */
export class SimulatedCarrier implements Carrier {
  readonly provider: ScriptedProvider;
  readonly truth = new Map<string, 'delivered' | 'refused'>();
  /** How often each reference was sent in a way that may have had an effect. */
  readonly sent = new Map<string, number>();
  /** The references whose success the provider has reported. */
  readonly reported = new Set<string>();
  private readonly inFlight: { reference: string; arrive: () => void }[] = [];
  fate: Fate = 'succeeds';
  queries: QueryBehaviour = 'answers';

  constructor(name?: string) {
    this.provider = new ScriptedProvider(name);
    this.provider.onSubmit = ({ reference }) => this.submit(reference);
    this.provider.onQuery = (reference) => this.query(reference);
  }

  /** A call of a worker that counted as dead arrives now (if it had not), and its result is returned. */
  oneArrivesLate(): string | undefined {
    const call = this.inFlight.shift();
    call?.arrive();
    return call?.reference;
  }

  get callsInFlight(): number {
    return this.inFlight.length;
  }

  private submit(reference: string): SubmitResult | Error | Promise<SubmitResult> {
    if (!withoutEffect.includes(this.fate)) this.sent.set(reference, (this.sent.get(reference) ?? 0) + 1);
    switch (this.fate) {
      case 'succeeds':
        this.truth.set(reference, 'delivered');
        return this.success(reference);
      case 'fails':
        this.truth.set(reference, 'refused');
        return { kind: 'failed', reason };
      case 'not_sent':
        return { kind: 'not_sent', reason };
      case 'is declined':
        return { kind: 'declined', reason };
      case 'is refused for our account':
        return { kind: 'refused', reason };
      case 'breaks before it arrives':
        return broken;
      case 'breaks after delivery':
        this.truth.set(reference, 'delivered');
        return broken;
      case 'breaks after refusal':
        this.truth.set(reference, 'refused');
        return broken;
      case 'dies after delivery':
        this.truth.set(reference, 'delivered');
        return this.hang(reference);
      case 'dies before it arrives':
        return this.hang(reference);
    }
  }

  private hang(reference: string): Promise<SubmitResult> {
    const pending = new Pending<SubmitResult>();
    const arrive = (): void => {
      this.truth.set(reference, 'delivered');
      pending.give(this.success(reference));
    };
    this.inFlight.push({ reference, arrive });
    return pending.answer;
  }

  private query(reference: string): QueryResult | Promise<QueryResult> {
    if (this.queries === 'knows nothing') return { kind: 'unknown' };
    const truth = this.truth.get(reference);
    if (this.queries === 'answers') return this.toResult(reference, truth);
    const pending = new Pending<QueryResult>();
    this.inFlight.push({
      reference,
      arrive: () => {
        pending.give(this.toResult(reference, truth));
      },
    });
    return pending.answer;
  }

  private toResult(reference: string, truth: 'delivered' | 'refused' | undefined): QueryResult {
    switch (truth) {
      case 'delivered':
        return this.success(reference);
      case 'refused':
        return { kind: 'failed', reason };
      case undefined:
        return { kind: 'not_found' };
    }
  }

  private success(reference: string): TopUpResult {
    this.reported.add(reference);
    return { kind: 'success' };
  }
}
