import type { Finding, Inquiry, Submission } from '../../src/providers/airtime-provider.js';
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

/** How questions go. `hangs`: the answer tells what was true when it was asked, and arrives when others may know more. */
export type Asking = 'answers' | 'knows nothing' | 'hangs';

const reason = { code: 'refused', message: 'no' };
const broken = new Error('socket hang up');

/** A provider and what really happened there, whatever we have heard of it. */
export class OutsideWorld {
  readonly provider = new ScriptedProvider();
  readonly truth = new Map<string, 'delivered' | 'refused'>();
  /** How often something was sent that may have had an effect. */
  readonly sent = new Map<string, number>();
  /** Whose success we were told, one way or the other. */
  readonly heard = new Set<string>();
  private readonly underWay: { reference: string; arrive: () => void }[] = [];
  fate: Fate = 'succeeds';
  asking: Asking = 'answers';

  constructor() {
    this.provider.onSubmit = ({ reference }) => this.submit(reference);
    this.provider.onAsk = (reference) => this.ask(reference);
  }

  /** A call whose process was taken for dead arrives after all (if it had not), and its answer is heard. */
  oneArrivesLate(): string | undefined {
    const call = this.underWay.shift();
    call?.arrive();
    return call?.reference;
  }

  get callsUnderWay(): number {
    return this.underWay.length;
  }

  private submit(reference: string): Submission | Error | Promise<Submission> {
    if (this.fate !== 'unreached') this.sent.set(reference, (this.sent.get(reference) ?? 0) + 1);
    switch (this.fate) {
      case 'succeeds':
        this.truth.set(reference, 'delivered');
        return this.success(reference);
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
    const pending = new Pending<Submission>();
    const arrive = (): void => {
      this.truth.set(reference, 'delivered');
      pending.give(this.success(reference));
    };
    this.underWay.push({ reference, arrive });
    return pending.answer;
  }

  private ask(reference: string): Inquiry | Promise<Inquiry> {
    if (this.asking === 'knows nothing') return { kind: 'unknown' };
    const truth = this.truth.get(reference);
    if (this.asking === 'answers') return this.tell(reference, truth);
    const pending = new Pending<Inquiry>();
    this.underWay.push({
      reference,
      arrive: () => {
        pending.give(this.tell(reference, truth));
      },
    });
    return pending.answer;
  }

  private tell(reference: string, truth: 'delivered' | 'refused' | undefined): Inquiry {
    switch (truth) {
      case 'delivered':
        return this.success(reference);
      case 'refused':
        return { kind: 'failed', reason };
      case undefined:
        return { kind: 'unheard' };
    }
  }

  private success(reference: string): Finding {
    this.heard.add(reference);
    return { kind: 'success' };
  }
}
