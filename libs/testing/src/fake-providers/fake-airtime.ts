import type { ServerResponse } from 'node:http';
import { CallbackConsumer, type SeenCallback } from '../network/callback-consumer.js';
import { type FakeReply, reply } from './fake-provider.js';

/** What a provider of airtime did with a payment. */
export type FakeTopUp = 'delivered' | 'refused';

/**
 * How the server treats a payment.
 * - `deliver`, `refuse`: it does so, and answers.
 * - `pend`: it delivers, and answers that it does not know yet.
 * - `drop`: the connection breaks before it has read the payment.
 * - `lose`, `lose refusal`: it delivers or refuses, and the connection breaks before the answer.
 * - `hold`, `hold delivered`: the payment arrives, or its answer, when `releaseOne` is called.
 * - else: it answers so, and does nothing.
 */
export type FakePayment =
  | 'deliver'
  | 'refuse'
  | 'pend'
  | 'drop'
  | 'lose'
  | 'lose refusal'
  | 'hold'
  | 'hold delivered'
  | FakeReply;

/** How the server treats a query. `hold`: the answer is that of the time of the query, and arrives with `releaseOne`. */
export type FakeQuery = 'answer' | 'pend' | 'hold';

export type FakeCallKind = 'pay' | 'query' | 'report';

/** A request, by our reference. */
export interface FakeAirtimeCall {
  /** `report`: a query in a list of transactions. */
  readonly call: FakeCallKind;
  readonly reference: string;
  /** Why a payment is refused before anything else. */
  readonly refusal?: FakeReply | undefined;
}

/** What a provider documents: how requests look, and what it answers. */
export interface FakeAirtimeScript {
  readonly path: string;
  /** Whether the answer to a payment says that it was delivered; otherwise only a query does. */
  readonly reportsPayments: boolean;
  /**
   * A payment or a query; or the answer to any other request.
   * @param isKnown whether a payment with this reference arrived before, even if it was refused
   */
  read(request: SeenCallback, isKnown: (reference: string) => boolean): FakeAirtimeCall | FakeReply;
  /** The answer to a payment or a query; `undefined` if the reference is unknown. */
  answer(call: FakeCallKind, reference: string, topUp: FakeTopUp | 'pending' | undefined): FakeReply;
}

/** A provider of airtime that makes no top-ups, but stores which it would have made. */
export class FakeAirtime {
  readonly topUps = new Map<string, FakeTopUp>();
  /** How often each reference arrived. */
  readonly payments = new Map<string, number>();
  /** The references whose delivery was answered. */
  readonly reported = new Set<string>();
  payment: (reference: string) => FakePayment = () => 'deliver';
  query: FakeQuery = 'answer';
  private readonly held: { readonly reference: string; release(): void }[] = [];

  private constructor(
    private readonly server: CallbackConsumer,
    private readonly script: FakeAirtimeScript,
  ) {}

  static async start(script: FakeAirtimeScript): Promise<FakeAirtime> {
    const server = await CallbackConsumer.start((_, response) => {
      fake.respond(response);
    });
    const fake = new FakeAirtime(server, script);
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${this.server.port}${this.script.path}`;
  }

  get requests(): readonly SeenCallback[] {
    return this.server.seen;
  }

  get heldCount(): number {
    return this.held.length;
  }

  /** Returns the reference of the request. */
  releaseOne(): string | undefined {
    const next = this.held.shift();
    next?.release();
    return next?.reference;
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  private respond(response: ServerResponse): void {
    const request = this.server.seen.at(-1);
    if (!request) return;
    const read = this.script.read(request, (reference) => this.payments.has(reference));
    if ('status' in read) reply(response, read);
    else if (read.call !== 'pay') this.answerQuery(response, read.call, read.reference);
    else {
      this.payments.set(read.reference, (this.payments.get(read.reference) ?? 0) + 1);
      if (read.refusal) reply(response, read.refusal);
      else this.pay(response, read.reference, this.payment(read.reference));
    }
  }

  private pay(response: ServerResponse, reference: string, how: FakePayment): void {
    const delivers = how === 'deliver' || how === 'pend' || how === 'lose' || how === 'hold delivered';
    if (delivers) this.topUps.set(reference, 'delivered');
    if (how === 'refuse' || how === 'lose refusal') this.topUps.set(reference, 'refused');
    if (typeof how === 'object') reply(response, how);
    else if (how === 'deliver' || how === 'refuse')
      this.answer(response, 'pay', reference, this.topUps.get(reference));
    else if (how === 'pend') reply(response, this.script.answer('pay', reference, 'pending'));
    else if (how === 'hold' || how === 'hold delivered') {
      const release = (): void => {
        this.topUps.set(reference, 'delivered');
        this.answer(response, 'pay', reference, 'delivered');
      };
      this.held.push({ reference, release });
    } else response.destroy();
  }

  private answerQuery(response: ServerResponse, call: FakeCallKind, reference: string): void {
    const topUp = this.topUps.get(reference);
    if (this.query === 'pend') reply(response, this.script.answer(call, reference, 'pending'));
    else if (this.query === 'answer') this.answer(response, call, reference, topUp);
    else {
      const release = (): void => {
        this.answer(response, call, reference, topUp);
      };
      this.held.push({ reference, release });
    }
  }

  private answer(
    response: ServerResponse,
    call: FakeCallKind,
    reference: string,
    topUp: FakeTopUp | undefined,
  ): void {
    if (topUp === 'delivered' && (call !== 'pay' || this.script.reportsPayments))
      this.reported.add(reference);
    reply(response, this.script.answer(call, reference, topUp));
  }
}
