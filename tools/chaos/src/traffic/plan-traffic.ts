import { Random } from '../plan/random.js';
import type { Intent, IntentKind } from './intents.js';
import { airtimeStates, smsStates, specialNumber } from './simulated-numbers.js';

export type Amounts = Readonly<Record<IntentKind, number>>;

export interface TrafficInput {
  readonly seed: number;
  readonly seconds: number;
  /** In the first seconds the rate rises from zero, so that new processes are not overloaded. */
  readonly rampSeconds?: number;
  readonly organisations: number;
  readonly amounts: Amounts;
}

/** Shares of a rate of 100. */
const shares = { sms: 40, smartlist: 3, otp: 20, airtime: 22, contact: 15 };

/** Of 100 reads; the others are balances. */
const lookupShare = 25;

/** At a rate of intents that change something, and of reads. */
export function amountsAt(rate: number, readRate: number, seconds: number): Amounts {
  const amount = (kind: keyof typeof shares): number =>
    Math.max(1, Math.round((rate * seconds * shares[kind]) / 100));
  const reads = readRate * seconds;
  const lookup = Math.round((reads * lookupShare) / 100);
  return {
    sms: amount('sms'),
    smartlist: amount('smartlist'),
    otp: amount('otp'),
    airtime: amount('airtime'),
    contact: amount('contact'),
    lookup,
    balance: reads - lookup,
  };
}

const specialSms = Object.keys(smsStates) as [string, ...string[]];
const specialOtp = ['0003', '0005', '0006'] as const;
const specialAirtime = Object.keys(airtimeStates) as [string, ...string[]];

/** Requests with 50 recipients and more are not batched. */
const large = { share: 0.03, min: 60, max: 200 };
/** Of the requests, for the organisation that runs out of money. */
const lastShare = 0.03;

/** The intents of a run, in order of time. The same input gives the same intents. */
export function planTraffic({ seed, organisations, amounts, ...times }: TrafficInput): Intent[] {
  const random = new Random(seed, 'traffic');
  const kinds = random.shuffle(
    Object.entries(amounts).flatMap(([kind, amount]) =>
      Array.from({ length: amount }, () => kind as IntentKind),
    ),
  );
  let numbers = 0;
  const newNumber = (): string => `+234803${String((numbers += 1)).padStart(7, '0')}`;
  const recipient = (specials: readonly [string, ...string[]], probability: number): string =>
    random.chance(probability) ? specialNumber(random.pick(specials)) : newNumber();
  const recipients = (): string[] => {
    if (random.chance(large.share))
      return Array.from({ length: random.int(large.min, large.max) }, newNumber);
    const count = random.chance(0.75) ? 1 : random.int(2, 10);
    return [...new Set(Array.from({ length: count }, () => recipient(specialSms, 0.2)))];
  };
  const intentOf = (kind: IntentKind, index: number): Intent => {
    const common = {
      ref: `s${seed}-${kind}-${index}`,
      atMs: timeOf(index, kinds.length, times),
      organisation: random.chance(lastShare)
        ? organisations - 1
        : random.int(0, Math.max(0, organisations - 2)),
      asksAgain: random.chance(0.1),
    };
    switch (kind) {
      case 'sms':
        return { ...common, kind, recipients: recipients(), callback: random.chance(0.6) };
      case 'smartlist':
        return { ...common, kind, callback: random.chance(0.3) };
      case 'otp':
        return {
          ...common,
          kind,
          recipient: recipient(specialOtp, 0.1),
          token: String(random.int(100_000, 999_999)),
          verify: random.pick(['once', 'wrong-first', 'twice']),
        };
      case 'airtime':
        return {
          ...common,
          kind,
          recipient: recipient(specialAirtime, 0.2),
          naira: random.int(50, 500),
          copies: random.chance(0.1) ? 2 : 1,
          callback: random.chance(0.6),
        };
      case 'contact':
        return { ...common, kind };
      // A balance changes, so a second answer may differ.
      case 'lookup':
        return { ...common, kind, asksAgain: false, phone: newNumber() };
      case 'balance':
        return { ...common, kind, asksAgain: false };
    }
  };
  return kinds.map(intentOf);
}

/** When an intent begins: during the ramp the number of intents grows with the square of the time, then evenly. */
function timeOf(
  index: number,
  count: number,
  { seconds, rampSeconds = 0 }: Pick<TrafficInput, 'seconds' | 'rampSeconds'>,
): number {
  const rampMs = rampSeconds * 1_000;
  const evenMs = (index * (seconds * 1_000 - rampMs / 2)) / count;
  return Math.floor(evenMs < rampMs / 2 ? Math.sqrt(2 * rampMs * evenMs) : evenMs + rampMs / 2);
}
