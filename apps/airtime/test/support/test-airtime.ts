import { balancesOf, checkLedger } from '@gangan/billing';
import { CallbackAnnouncer } from '@gangan/callbacks';
import type { BuyAirtimeRequest, RecordEvent } from '@gangan/contracts';
import { Database, type OrganisationMode, sql, storeSpendLimits } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { Announcer, LeaseHolder, Retention } from '@gangan/leases';
import { newContext } from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { AppLogger, Registry, RuntimeConfig } from '@gangan/runtime';
import { deriveDataKeys, masterSealer, NamedKeys, newSealingKey } from '@gangan/sealing';
import {
  anOrganisation,
  configFor,
  createTestDatabase,
  createTestModule,
  type TestDatabase,
  valueFor,
} from '@gangan/testing';
import { expect } from '@jest/globals';
import { AirtimeConfig } from '../../src/airtime.config.js';
import { AirtimeModule } from '../../src/airtime.module.js';
import { AirtimeService } from '../../src/airtime.service.js';
import { ProductSync } from '../../src/products/product-sync.js';
import { ProductsService } from '../../src/products/products.service.js';
import type { AirtimeProvider } from '../../src/providers/airtime-provider.js';
import { AirtimeHealth } from '../../src/providers/airtime-health.js';
import { AirtimeProviders } from '../../src/providers/airtime-providers.js';
import type { ClaimedPurchase } from '../../src/purchase.js';
import { SettlementRepository } from '../../src/settlement/settlement.repository.js';
import { SettlementService } from '../../src/settlement/settlement.service.js';
import { Sweeper } from '../../src/settlement/sweeper.js';

export interface Stored {
  readonly state: string;
  readonly refunded: boolean;
  readonly attempt: number;
  readonly provider: string | null;
  readonly code: string | null;
}

/** One airtime worker without its queue: a test triggers its events and sweeps. */
export interface Worker {
  readonly service: AirtimeService;
  readonly products: ProductsService;
  readonly sync: ProductSync;
  readonly settlement: SettlementService;
  readonly sweeper: Sweeper;
  readonly retention: Retention;
  /** The `named` ones, or else those of the rows, as they were last read. */
  readonly providers: AirtimeProviders;
  readonly health: AirtimeHealth;
  /** Claims everything that is due, and waits for it. */
  sweep(): Promise<void>;
  /** Claims what is due, and does nothing with it. */
  claim(): Promise<ClaimedPurchase[]>;
  /** What another process does when this one has died. Returns how many purchases it held. */
  takeOver(): Promise<number | undefined>;
}

/** What the workers announced and logged. */
export class Recorded {
  readonly due: string[] = [];
  readonly callbacks: string[] = [];
  readonly errors: string[] = [];
  /** The fields of the warnings. */
  readonly warnings: object[] = [];
}

/** The column has millisecond precision; `now()` rounded up would not be due yet. */
const due = sql`now() - interval '1 ms'`;

/** The limits that are configured by default. */
export const defaultLimits = {
  DAILY_SPEND: 5_000_000,
  AIRTIME_DAILY_SPEND: 500_000,
  AIRTIME_DAILY_SPEND_PER_RECIPIENT: 100_000,
} as const;

const noLimits = { DAILY_SPEND: 0, AIRTIME_DAILY_SPEND: 0, AIRTIME_DAILY_SPEND_PER_RECIPIENT: 0 } as const;

/** A real database with organisations that have a balance, and airtime workers on it. */
export class TestAirtime {
  readonly recorded = new Recorded();
  private readonly dataKey = newSealingKey();
  readonly sealer = masterSealer([this.dataKey]);

  private constructor(
    private readonly postgres: TestDatabase,
    readonly database: Database,
  ) {}

  static async open(poolSize = 10): Promise<TestAirtime> {
    const postgres = await createTestDatabase(migrate);
    return new TestAirtime(postgres, new Database({ url: postgres.url, poolSize }));
  }

  /** Uses the `named` providers, or else those configured for the environment. */
  async worker({
    named,
    SIMULATE_LIVE = false,
    callMs = 2_000,
    limits = noLimits,
  }: {
    named?: readonly AirtimeProvider[];
    SIMULATE_LIVE?: boolean;
    callMs?: number;
    limits?: Partial<AirtimeConfig>;
  } = {}): Promise<Worker> {
    const { database, recorded } = this;
    const { DAILY_SPEND = 0, AIRTIME_DAILY_SPEND = 0 } = limits;
    await storeSpendLimits(this.postgres.url, { DAILY_SPEND, AIRTIME_DAILY_SPEND });
    const module = await createTestModule(AirtimeModule, [
      valueFor(Database, database),
      configFor(AirtimeConfig, {
        ...limits,
        DATA_KEYS: NamedKeys.parse(deriveDataKeys([this.dataKey], 'airtime')) as NamedKeys,
        AIRTIME_PROVIDER_TIMEOUT_MS: callMs,
        WAITING_CALLBACKS: 0,
      }),
      valueFor(RuntimeConfig, new RuntimeConfig({ NODE_ENV: 'test', SIMULATE_LIVE })),
      valueFor(AppLogger, {
        debug: () => undefined,
        info: () => undefined,
        warn: (fields: object) => void recorded.warnings.push(fields),
        error: (_: object, message: string) => void recorded.errors.push(message),
        fatal: () => undefined,
      }),
      valueFor(Registry, new Registry()),
      valueFor(QueueClient, {}),
      valueFor(Announcer, {
        announce: (_event, items) =>
          Promise.resolve(void recorded.due.push(...items.map((item) => (item as RecordEvent).id))),
      }),
      valueFor(CallbackAnnouncer, {
        announce: (ids) => Promise.resolve(void recorded.callbacks.push(...ids)),
      }),
      ...(named ? [valueFor(AirtimeProviders, only(named))] : []),
    ]);
    const [repository, sweeper, holder] = [
      module.get(SettlementRepository),
      module.get(Sweeper),
      module.get(LeaseHolder),
    ];
    return {
      service: module.get(AirtimeService),
      products: module.get(ProductsService),
      sync: module.get(ProductSync),
      settlement: module.get(SettlementService),
      retention: module.get(Retention),
      sweeper,
      providers: module.get(AirtimeProviders),
      health: module.get(AirtimeHealth),
      sweep: async () => {
        for (let more = true; more;) more = await sweeper.sweep();
        await sweeper.idle();
      },
      claim: () => repository.claimDue(10),
      takeOver: () =>
        database.transaction(async (transaction) => {
          return (await holder.takeOver(transaction, holder.id))['airtime_purchase'];
        }),
    };
  }

  async organisation(kobo = 100_000_000n, mode: OrganisationMode = 'test'): Promise<string> {
    return (await anOrganisation(this.database, { mode, balanceKobo: kobo })).id;
  }

  /** Places a purchase and returns its id. */
  async buy(
    worker: Worker,
    organisationId: string,
    request: Partial<BuyAirtimeRequest> = {},
  ): Promise<string> {
    const price = request.product_id === undefined ? { amount: 100 } : {};
    const whole = { network: 'MTN', recipient: '08031234567', ...price, ...request } as const;
    return (await worker.service.buy(whole, newContext({ organisationId }))).id;
  }

  async stored(id: string): Promise<Stored> {
    const [row] = await this.database.query<Stored>(sql`
      SELECT state, refunded, attempt, provider, error_code AS code FROM airtime_purchase WHERE id = ${id}`);
    if (!row) throw new Error('There is no such purchase');
    return row;
  }

  async updatedAt(id: string): Promise<Date | undefined> {
    const [row] = await this.database.query<{ at: Date }>(
      sql`SELECT updated_at AS at FROM airtime_purchase WHERE id = ${id}`,
    );
    return row?.at;
  }

  /** Lets time pass for all unfinished purchases; all of them are due then. */
  async pass(milliseconds: number): Promise<void> {
    await this.database.execute(sql`
      UPDATE airtime_purchase SET next_attempt_at = ${due}, submitted_at = submitted_at - ${milliseconds}::float8 * interval '1 ms'
      WHERE next_attempt_at IS NOT NULL`);
  }

  /** Makes a purchase older. */
  async age(id: string, milliseconds: number): Promise<void> {
    await this.database.execute(sql`
      UPDATE airtime_purchase SET created_at = created_at - ${milliseconds}::float8 * interval '1 ms',
        next_attempt_at = CASE WHEN next_attempt_at IS NOT NULL THEN ${due} END
      WHERE id = ${id}`);
  }

  /** Resets a purchase, as if it had never been submitted. */
  async forget(id: string): Promise<void> {
    await this.database.execute(sql`
      UPDATE airtime_purchase SET state = 'pending', provider = NULL, submitted_at = NULL WHERE id = ${id}`);
  }

  /** The kinds of its ledger transactions. */
  async booked(id: string): Promise<string[]> {
    const rows = await this.database.query<{ kind: string }>(
      sql`SELECT kind FROM ledger_movement WHERE subject_id = ${id} ORDER BY kind::text`,
    );
    return rows.map(({ kind }) => kind);
  }

  /** What `pnpm admin airtime resolve` and `airtime reconcile --resolve` write. */
  async resolve(id: string, outcome: 'success' | 'failed'): Promise<void> {
    await this.database.execute(sql`
      UPDATE airtime_purchase SET resolution = ${outcome},
        next_attempt_at = CASE WHEN lease_holder IS NULL THEN ${due} ELSE next_attempt_at END
      WHERE id = ${id} AND state IN ('sent', 'error') AND resolution IS NULL`);
  }

  /** The records of the simulator. */
  toppedUp(): Promise<{ reference: string; recipient: string; outcome: string }[]> {
    return this.database.query(sql`SELECT reference, recipient, outcome FROM simulated_top_up ORDER BY id`);
  }

  /** The types of the callbacks of a purchase, in order. */
  async reports(id: string): Promise<string[]> {
    const rows = await this.database.query<{ type: string }>(
      sql`SELECT type FROM callback WHERE resource_id = ${id} ORDER BY id`,
    );
    return rows.map(({ type }) => type);
  }

  balances(organisationId: string): Promise<{ available: bigint; reserved: bigint }> {
    return balancesOf(this.database, organisationId);
  }

  async expectSoundLedger(): Promise<void> {
    expect(await checkLedger(this.database)).toMatchObject({ clean: true, findings: [], warnings: [] });
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.postgres.drop();
  }
}

const only = (named: readonly AirtimeProvider[]): Partial<AirtimeProviders> => ({
  isServed: () => named.length > 0,
  withProducts: () => [],
  sellersFor: () => [],
  admit: () => Promise.resolve(named.map((provider) => ({ provider }))),
  reserve: () => true,
  record: () => Promise.resolve(),
  release: () => Promise.resolve(),
  findByName: (name) => named.find((provider) => provider.name === name),
});
