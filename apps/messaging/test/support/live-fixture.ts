import type { SendSmsRequest } from '@gangan/contracts';
import { deliveryAttempts, sql } from '@gangan/database';
import { FakeProvider, type FakeScript, fakeTermii } from '@gangan/testing';
import { afterEach, beforeEach } from '@jest/globals';
import { DeliveryFixture } from './delivery-fixture.js';
import type { DeliveryWorker, WorkerOptions } from './delivery-worker.js';
import { type RouteConditions, storeRoute, storeTermii, type TermiiOptions } from './stored-providers.js';

/** The secret of all providers. */
export const apiKey = 'the api key';

/** For each test a worker and a live organisation, without providers and routes. */
export class LiveFixture {
  readonly fixture = DeliveryFixture.use();
  worker!: DeliveryWorker;
  organisationId!: string;
  private readonly servers: { stop(): Promise<void> }[] = [];

  private constructor(private readonly options: () => WorkerOptions) {}

  /** @param options of the worker, anew for each test */
  static use(options: () => WorkerOptions = () => ({})): LiveFixture {
    const live = new LiveFixture(options);
    beforeEach(() => live.start());
    afterEach(() => live.stop());
    return live;
  }

  private async start(): Promise<void> {
    await this.fixture.database.execute(
      sql`TRUNCATE provider, route, sender_registration, provider_template CASCADE`,
    );
    this.worker = await this.fixture.worker(this.options());
    this.organisationId = await this.fixture.organisation(100_000_000n, 'live');
  }

  private async stop(): Promise<void> {
    await Promise.all(this.servers.splice(0).map((server) => server.stop()));
  }

  /** Starts a fake provider, which is stopped after the test. */
  async serve<Message, Refusal extends object>(
    script: (apiKey: string) => FakeScript<Message, Refusal>,
  ): Promise<FakeProvider<Message, Refusal>> {
    const server = await FakeProvider.start(script(apiKey));
    this.servers.push(server);
    return server;
  }

  serveTermii() {
    return this.serve(fakeTermii);
  }

  /** Stores a provider. @returns its id */
  add(name: string, { url }: { url: string }, options: Partial<TermiiOptions> = {}): Promise<string> {
    return storeTermii(this.fixture.database, this.worker.sealer, name, { url, apiKey, ...options });
  }

  /** Stores a route, which the worker then uses. @param providerIds in the order in which they are tried */
  async route(providerIds: readonly string[], conditions?: RouteConditions): Promise<string> {
    const id = await storeRoute(this.fixture.database, providerIds, conditions);
    await this.refresh();
    return id;
  }

  /** Reads the providers, their routes and their health, as workers do every second. */
  async refresh(by = this.worker): Promise<void> {
    await by.providers.refresh();
    await by.health.refresh();
  }

  /** Accepts a message, and submits it. @returns the ids of its deliveries */
  async send(request: Partial<SendSmsRequest> = {}, by = this.worker): Promise<string[]> {
    const usual = { recipients: '+2348031234567', content: 'Hello', sender_id: 'Acme' };
    const { deliveries } = await by.accept(this.organisationId, { ...usual, ...request });
    await by.idle();
    return deliveries;
  }

  /** Submits stored deliveries. */
  due(ids: readonly string[], trafficClass?: 'sms' | 'otp'): Promise<void> {
    return this.worker.due(this.organisationId, ids, trafficClass);
  }

  /** The route of each attempt. */
  async routesOf(id: string): Promise<(string | null)[]> {
    const rows = await this.fixture.database.query<{ routeId: string | null }>(sql`
      SELECT route_id AS "routeId" FROM ${deliveryAttempts} AS made WHERE delivery_id = ${id}::uuid ORDER BY attempt`);
    return rows.map(({ routeId }) => routeId);
  }

  /** How many messages, deliveries and entries of the ledger there are. */
  counts(): Promise<object[]> {
    return this.fixture.database.query(sql`
      SELECT (SELECT count(*) FROM message)::int AS messages, (SELECT count(*) FROM delivery)::int AS deliveries,
        (SELECT count(*) FROM ledger_movement)::int AS entries`);
  }

  /** Makes all waiting deliveries due, and submits them. */
  async retry(): Promise<void> {
    await this.fixture.makeDue();
    await this.worker.sweep();
  }
}
