import { defineRequest } from '@gangan/protocol';

/** What every request of the bench asks for: take a message's price from the wallet, and remember both. */
export class Charge {
  recipient: string;
  content: string;
}

export class Receipt {
  id: string;
  created: string;
  /** Of the wallet after this charge, in kobo. */
  balance: string;
}

export const chargeWallet = defineRequest({
  queue: 'bench',
  name: 'bench.charge',
  deadlineMs: 10_000,
  request: Charge,
  reply: Receipt,
});
