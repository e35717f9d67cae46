import { newId } from '@gangan/protocol';
import { HttpClients } from '@gangan/providers';
import type { FakeAirtime } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type {
  AirtimeProvider,
  QueryResult,
  SubmitResult,
  TopUp,
} from '../../src/providers/airtime-provider.js';

interface Options<P extends AirtimeProvider> {
  readonly start: () => Promise<FakeAirtime>;
  readonly open: (url: string, clients: HttpClients, secrets?: Record<string, string>) => P;
  readonly wrongSecrets: Record<string, string>;
}

const timeLimit = (): AbortSignal => AbortSignal.timeout(5_000);

/** The adapter of a provider and its fake server, while the tests of the surrounding `describe` run. */
export class AdapterFixture<P extends AirtimeProvider> {
  server!: FakeAirtime;
  provider!: P;
  readonly clients = new HttpClients();

  private constructor(private readonly options: Options<P>) {}

  static use<P extends AirtimeProvider>(options: Options<P>): AdapterFixture<P> {
    const fixture = new AdapterFixture(options);
    beforeAll(async () => {
      fixture.server = await options.start();
      fixture.provider = fixture.open(fixture.server.url);
    });
    afterAll(async () => {
      await fixture.clients.close();
      await fixture.server.stop();
    });
    beforeEach(() => {
      fixture.server.payment = () => 'deliver';
      fixture.server.query = 'answer';
    });
    return fixture;
  }

  topUp(network: TopUp['network'] = 'MTN'): TopUp {
    const reference = this.provider.referenceFor?.(newId(), new Date()) ?? newId();
    return { reference, network, recipient: '+2348031234567', kobo: 10_050n };
  }

  submit(values = this.topUp(), to: AirtimeProvider = this.provider): Promise<SubmitResult> {
    return to.submit(values, timeLimit());
  }

  query(
    reference: string,
    providerReference: string | null = null,
    to = this.provider,
  ): Promise<QueryResult> {
    return to.query({ reference, providerReference }, timeLimit());
  }

  /** Another account at the same server. */
  openWithWrongSecrets(): P {
    return this.open(this.server.url, this.options.wrongSecrets);
  }

  /** Submits a purchase that is answered so. */
  async resultOf(
    payment: ReturnType<FakeAirtime['payment']>,
  ): Promise<[kind: string, code: string | undefined]> {
    this.server.payment = () => payment;
    const result = await this.submit();
    return [result.kind, 'reason' in result ? result.reason.code : undefined];
  }

  /** The tests of every adapter. @param credit what the fake server answers */
  behavesAsAllAdapters(credit: { readonly micros: bigint; readonly currency: string }): void {
    it.each([408, 500, 503])(
      'does not know the outcome after the status %s, which counts as no answer',
      async (status) => {
        expect(await this.resultOf({ status, body: 'Error' })).toEqual(['unknown', 'no_answer']);
      },
    );

    it.each(['lose', 'drop', { status: 200, body: '<html>' }] as const)(
      'does not know the outcome without an answer that can be read: %j',
      async (payment) => {
        expect(await this.resultOf(payment)).toMatchObject({ 0: 'unknown' });
      },
    );

    it('refuses our account with wrong secrets, and says so for a query only as unknown', async () => {
      const wrong = this.openWithWrongSecrets();
      expect(await this.submit(this.topUp(), wrong)).toMatchObject({ kind: 'refused' });
      expect(await this.query('x', 'y', wrong)).toEqual({ kind: 'unknown' });
    });

    it('was not reached if nothing listens, or if there is no time left', async () => {
      const unreachable = this.open('http://127.0.0.1:1/api');
      expect(await this.submit(this.topUp(), unreachable)).toMatchObject({ kind: 'not_sent' });
      expect(await this.provider.submit(this.topUp(), AbortSignal.abort())).toMatchObject({
        kind: 'not_sent',
      });
    });

    it('says what our credit is', async () => {
      expect(await this.provider.credit?.ask()).toEqual(credit);
    });
  }

  private open(url: string, secrets?: Record<string, string>): P {
    return this.options.open(url, this.clients, secrets);
  }
}
