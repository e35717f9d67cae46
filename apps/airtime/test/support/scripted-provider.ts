import type { AirtimeProvider, Inquiry, Submission, TopUp } from '../../src/providers/airtime-provider.js';

type Answer<T> = T | Error | Promise<T>;

/** A provider that does as a test tells it, and remembers whom it topped up. */
export class ScriptedProvider implements AirtimeProvider {
  readonly told: TopUp[] = [];
  readonly asked: string[] = [];
  onSubmit: (topUp: TopUp) => Answer<Submission> = () => ({ kind: 'success' });
  onAsk: (reference: string) => Answer<Inquiry> = () => ({ kind: 'unheard' });

  constructor(readonly name = 'scripted') {}

  submit(topUp: TopUp): Promise<Submission> {
    this.told.push(topUp);
    return answer(this.onSubmit(topUp));
  }

  ask(reference: string): Promise<Inquiry> {
    this.asked.push(reference);
    return answer(this.onAsk(reference));
  }
}

const answer = <T>(given: Answer<T>): Promise<T> =>
  given instanceof Error ? Promise.reject(given) : Promise.resolve(given);

/** An answer that a test gives when it likes. */
export class Pending<T> {
  give: (answer: T) => void = () => undefined;
  readonly answer = new Promise<T>((resolve) => (this.give = resolve));
}
