import type { Check } from '../check.js';

/** Lookups and balances belong to the number and the organisation that were asked for. */
export const reads: Check = {
  name: 'reads',
  promise: 'every lookup is that of its number, and no balance is impossible',
  *find({ answers, organisations }) {
    for (const { key, status, body, text, request } of answers) {
      const { intent } = request;
      if (status !== 200) continue;
      if (intent.kind === 'lookup' && (body as { msisdn?: string }).msisdn !== intent.phone)
        yield { subject: key, message: `${intent.phone} was looked up, and the answer is ${text}` };
      const startKobo = organisations[intent.organisation]?.startKobo ?? 0n;
      if (intent.kind === 'balance' && !isPossible(body as { available_balance?: number }, startKobo))
        yield { subject: key, message: `the balance is ${text}, after ${startKobo} kobo at the start` };
    }
  },
};

/** Money is only spent during a run. */
const isPossible = ({ available_balance: naira = NaN }, startKobo: bigint): boolean =>
  naira >= 0 && naira * 100 <= Number(startKobo);
