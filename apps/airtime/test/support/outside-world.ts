import type { Inquiry, Submission } from '../../src/providers/airtime-provider.js';
import { Pending, ScriptedProvider } from './scripted-provider.js';

/** How the next call of the provider goes. `dies…`: our process does, while it waits for the answer. */
export type Fate =
  | 'succeeds'
  | 'fails'
  | 'unreached'
  | 'breaks before it arrives'
  | 'breaks after delivery'
  | 'breaks after refusal'
  | 'dies before it arrives'
  | 'dies after delivery';

export const fates: readonly Fate[] = [
  'succeeds',
  'fails',
  'unreached',
  'breaks before it arrives',
  'breaks after delivery',
  'breaks after refusal',
  'dies before it arrives',
  'dies after delivery',
];

const reason = { code: 'refused', message: 'no' };
const broken = new Error('socket hang up');

/** A provider and what really happened there, whatever we have heard of it. */
export class OutsideWorld {
  readonly provider = new ScriptedProvider();
  readonly truth = new Map<string, 'delivered' | 'refused'>();
  /** How often something was sent that may have had an effect. */
  readonly sent = new Map<string, number>();
  private readonly underWay: { reference: string; answer: Pending<Submission> }[] = [];
  fate: Fate = 'succeeds';
  silent = false;

  constructor() {
    this.provider.onSubmit = ({ reference }) => this.submit(reference);
    this.provider.onAsk = (reference) => this.ask(reference);
  }

  /** A call whose process was taken for dead arrives after all (if it had not), and its answer is heard. */
  async oneArrivesLate(): Promise<void> {
    const call = this.underWay.shift();
    if (!call) return;
    this.truth.set(call.reference, 'delivered');
    call.answer.give({ kind: 'success' });
    await new Promise(setImmediate);
  }

  get callsUnderWay(): number {
    return this.underWay.length;
  }

  private submit(reference: string): Submission | Error | Promise<Submission> {
    if (this.fate !== 'unreached') this.sent.set(reference, (this.sent.get(reference) ?? 0) + 1);
    switch (this.fate) {
      case 'succeeds':
        this.truth.set(reference, 'delivered');
        return { kind: 'success' };
      case 'fails':
        this.truth.set(reference, 'refused');
        return { kind: 'failed', reason };
      case 'unreached':
        return { kind: 'unreached', reason };
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

  private hang(reference: string): Promise<Submission> {
    const answer = new Pending<Submission>();
    this.underWay.push({ reference, answer });
    return answer.answer;
  }

  private ask(reference: string): Inquiry {
    if (this.silent) return { kind: 'unknown' };
    switch (this.truth.get(reference)) {
      case 'delivered':
        return { kind: 'success' };
      case 'refused':
        return { kind: 'failed', reason };
      case undefined:
        return { kind: 'unheard' };
    }
  }
}
