import { SpendCategory } from '@gangan/database';
import fc from 'fast-check';

/** One thing that is done. The same `subject` number again is the same subject. */
export interface SpendStep {
  readonly act: 'charge' | 'reserve' | 'refund' | 'void' | 'midnight';
  readonly category: SpendCategory;
  readonly subject: number;
  readonly kobo: bigint;
}

export const categories = Object.values(SpendCategory);

export const limits = { daily: 150n, category: 60n } as const;

/** What is charged, and what is reserved. */
export const chargedCategories = ['message', 'otp', 'lookup'] as const;
export const reservedCategories = ['airtime', 'lookup'] as const;

const step = (acts: readonly SpendStep['act'][]): fc.Arbitrary<SpendStep> =>
  fc.constantFrom(...acts).chain((act) =>
    fc.record({
      act: fc.constant(act),
      category: fc.constantFrom(...(act === 'charge' ? chargedCategories : reservedCategories)),
      subject: fc.nat({ max: 12 }),
      kobo: fc.bigInt({ min: 0n, max: 70n }),
    }),
  );

const spendingActs = ['charge', 'charge', 'reserve', 'reserve', 'refund', 'void'] as const;

/** Within one day. */
export const oneDay = fc.array(step(spendingActs), { minLength: 1, maxLength: 20 });

export const severalDays = fc.array(step([...spendingActs, 'midnight']), { minLength: 1, maxLength: 30 });

interface Spent {
  readonly category: SpendCategory;
  readonly kobo: bigint;
  readonly day: number;
}

/** What an organisation spends, one step after the other. The wallet is large. */
export class SpendModel {
  readonly spent: Record<SpendCategory, bigint> = { message: 0n, otp: 0n, airtime: 0n, lookup: 0n };
  private day = 0;
  private readonly done = new Map<string, Spent>();

  /** Whether anything moves. */
  perform({ act, category, subject, kobo }: SpendStep): boolean {
    switch (act) {
      case 'midnight':
        this.day += 1;
        for (const each of categories) this.spent[each] = 0n;
        return true;
      case 'charge':
      case 'reserve':
        return this.spend(`${act} ${subject}`, category, kobo);
      case 'refund':
        return this.giveBack(`refund ${subject}`, this.done.get(`charge ${subject}`), ['message', 'otp']);
      case 'void':
        return this.giveBack(`void ${subject}`, this.done.get(`reserve ${subject}`), [category]);
    }
  }

  private spend(key: string, category: SpendCategory, kobo: bigint): boolean {
    if (this.done.has(key)) return false;
    const total = Object.values(this.spent).reduce((sum, each) => sum + each, 0n);
    if (kobo > limits.daily - total || kobo > limits.category - this.spent[category]) return kobo === 0n;
    // An item of 0 leaves no trace.
    if (kobo > 0n) this.done.set(key, { category, kobo, day: this.day });
    this.spent[category] += kobo;
    return true;
  }

  private giveBack(key: string, earlier: Spent | undefined, among: readonly SpendCategory[]): boolean {
    if (!earlier || !among.includes(earlier.category) || this.done.has(key)) return false;
    this.done.set(key, earlier);
    if (earlier.day === this.day) this.spent[earlier.category] -= earlier.kobo;
    return true;
  }
}
