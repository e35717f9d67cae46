import fc from 'fast-check';

/** One thing that is done. `subject` numbers what for: the same number again is the same subject. */
export interface Step {
  readonly act: 'charge' | 'refund' | 'reserve' | 'post' | 'void' | 'loss' | 'topUp';
  readonly organisation: number;
  readonly subject: number;
  readonly kobo: bigint;
}

export const organisationCount = 3;
export const funds = 100n;

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom('charge', 'charge', 'refund', 'reserve', 'reserve', 'post', 'void', 'loss', 'topUp'),
  organisation: fc.nat({ max: organisationCount - 1 }),
  subject: fc.nat({ max: 9 }),
  kobo: fc.bigInt({ min: 0n, max: 60n }),
});

/** Batches of one worker, one after the other: each does one thing, for different subjects. */
export const batches: fc.Arbitrary<Step[][]> = fc.array(
  fc
    .tuple(step, fc.uniqueArray(step, { minLength: 1, maxLength: 5, selector: subjectOf }))
    .map(([{ act }, steps]) => steps.map((each) => ({ ...each, act }))),
  { minLength: 1, maxLength: 8 },
);

export function subjectOf({ organisation, subject }: Step): string {
  return `${organisation} ${subject}`;
}

/** An organisation's money as a child would keep it: one thing after the other, and a list of what was done. */
export class Model {
  wallet = funds;
  reserved = 0n;
  private readonly done = new Map<string, bigint>();

  /** Whether anything moves. */
  perform({ act, subject, kobo }: Step): boolean {
    const amount = this.amountOf(act, subject, kobo);
    if (amount === undefined || this.isDone(act, subject)) return false;
    if ((act === 'charge' || act === 'reserve') && amount > this.wallet) return false;
    this.note(act, subject, amount);
    return true;
  }

  /** Takes the word of the ledger for it that it moved, which must be possible. */
  follow(step: Step): void {
    const amount = this.amountOf(step.act, step.subject, step.kobo);
    if (amount === 0n) return;
    if (amount === undefined || this.isDone(step.act, step.subject)) {
      throw new Error(`${step.act} of ${step.subject} cannot have moved anything`);
    }
    this.note(step.act, step.subject, amount);
  }

  private amountOf(act: Step['act'], subject: number, kobo: bigint): bigint | undefined {
    if (act === 'loss') return this.done.get(`void ${subject}`);
    if (act === 'refund') {
      const charged = this.done.get(`charge ${subject}`);
      if (charged === undefined) return undefined;
      return charged < kobo ? charged : kobo;
    }
    return act === 'post' || act === 'void' ? this.done.get(`reserve ${subject}`) : kobo;
  }

  private isDone(act: Step['act'], subject: number): boolean {
    const kinds = act === 'post' || act === 'void' ? ['post', 'void'] : [act];
    return kinds.some((kind) => this.done.has(`${kind} ${subject}`));
  }

  private note(act: Step['act'], subject: number, kobo: bigint): void {
    if (kobo > 0n) this.done.set(`${act} ${subject}`, kobo);
    if (act === 'charge' || act === 'reserve') this.wallet -= kobo;
    if (act === 'refund' || act === 'topUp' || act === 'void') this.wallet += kobo;
    if (act === 'reserve') this.reserved += kobo;
    if (act === 'post' || act === 'void') this.reserved -= kobo;
  }
}
