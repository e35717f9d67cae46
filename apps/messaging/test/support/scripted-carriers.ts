import { newId } from '@gangan/protocol';
import type {
  SubmitResult,
  AskResult,
  MessageProvider,
  Submission,
} from '../../src/providers/message-provider.js';
import { Pending } from './scripted-provider.js';

/** What happens to the next calls of `submit`. */
export const fates = [
  'accepted',
  'rejected',
  'failed',
  'transient',
  'breaks off before it arrives',
  'breaks off after it arrived',
  'hangs before it arrives',
  'hangs after it arrived',
] as const;

export type Fate = (typeof fates)[number];

export interface Taken {
  readonly delivery: string;
  readonly provider: string;
  readonly reference: string;
}

const reason = { code: 'x', message: 'why' };

/** Two scripted providers, one of which can be asked, and what they really accepted. */
export class ScriptedCarriers {
  readonly taken: Taken[] = [];
  /** By delivery: the results other than `accepted`. */
  readonly said = new Map<string, Set<string>>();
  /** By delivery: the calls with an unknown outcome. */
  readonly doubts = new Map<string, number>();
  readonly providers: readonly MessageProvider[];
  readonly inFlight: (() => void)[] = [];
  fate: Fate = 'accepted';

  constructor() {
    const channels = ['sms', 'whatsapp'] as const;
    this.providers = [
      {
        name: 'askable',
        channels,
        submit: (submissions) => this.submit('askable', submissions),
        ask: (references) => Promise.resolve(references.map((reference) => this.ask(reference))),
      },
      { name: 'mute', channels, submit: (submissions) => this.submit('mute', submissions) },
    ];
  }

  takenOf(delivery: string): readonly Taken[] {
    return this.taken.filter((each) => each.delivery === delivery);
  }

  private submit(provider: string, submissions: readonly Submission[]): Promise<readonly SubmitResult[]> {
    const references = submissions.map(({ reference }) => reference);
    const take = (): SubmitResult[] => references.map((delivery) => this.take(provider, delivery));
    switch (this.fate) {
      case 'accepted':
        return Promise.resolve(take());
      case 'rejected':
      case 'failed':
      case 'transient': {
        const kind = this.fate;
        for (const delivery of references) this.say(delivery, kind);
        return Promise.resolve(references.map(() => ({ kind, reason })));
      }
      case 'breaks off before it arrives':
      case 'breaks off after it arrived':
        this.doubt(references);
        if (this.fate === 'breaks off after it arrived') take();
        return Promise.reject(new Error('socket hang up'));
      case 'hangs before it arrives':
        this.doubt(references);
        return this.hang(take);
      case 'hangs after it arrived': {
        this.doubt(references);
        const answers = take();
        return this.hang(() => answers);
      }
    }
  }

  private hang(answersOf: () => SubmitResult[]): Promise<readonly SubmitResult[]> {
    const pending = new Pending<readonly SubmitResult[]>();
    this.inFlight.push(() => {
      pending.give(answersOf());
    });
    return pending.answer;
  }

  private take(provider: string, delivery: string): SubmitResult {
    const reference = `${provider}-${newId()}`;
    this.taken.push({ delivery, provider, reference });
    return { kind: 'accepted', providerReference: reference };
  }

  private ask(delivery: string): AskResult {
    const taken = this.taken.find((each) => each.delivery === delivery && each.provider === 'askable');
    return taken ? { kind: 'accepted', providerReference: taken.reference } : { kind: 'not_found' };
  }

  private say(delivery: string, what: string): void {
    this.said.set(delivery, (this.said.get(delivery) ?? new Set()).add(what));
  }

  private doubt(deliveries: readonly string[]): void {
    for (const delivery of deliveries) this.doubts.set(delivery, (this.doubts.get(delivery) ?? 0) + 1);
  }
}
