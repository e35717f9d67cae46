import type {
  AirtimeProvider,
  QueryResult,
  SubmitResult,
  TopUp,
  TopUpQuery,
} from '../../src/providers/airtime-provider.js';

type Answer<T> = T | Error | Promise<T>;

/** A provider whose results a test sets. It records its calls. */
export class ScriptedProvider implements AirtimeProvider {
  readonly submitted: TopUp[] = [];
  readonly queried: string[] = [];
  costOf?: NonNullable<AirtimeProvider['costOf']>;
  onSubmit: (topUp: TopUp) => Answer<SubmitResult> = () => ({ kind: 'success' });
  onQuery: (reference: string) => Answer<QueryResult> = () => ({ kind: 'not_found' });

  constructor(readonly name = 'scripted') {}

  submit(topUp: TopUp): Promise<SubmitResult> {
    this.submitted.push(topUp);
    return answer(this.onSubmit(topUp));
  }

  query({ reference }: TopUpQuery): Promise<QueryResult> {
    this.queried.push(reference);
    return answer(this.onQuery(reference));
  }
}

const answer = <T>(given: Answer<T>): Promise<T> =>
  given instanceof Error ? Promise.reject(given) : Promise.resolve(given);

/** A result that a test gives later. */
export class Pending<T> {
  give: (answer: T) => void = () => undefined;
  readonly answer = new Promise<T>((resolve) => (this.give = resolve));
}
