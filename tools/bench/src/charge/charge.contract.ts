import { defineRequest } from '@gangan/protocol';

/** The work of every request: debit the price of a message from the wallet, and store both. */
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
