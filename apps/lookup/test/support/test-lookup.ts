import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { balancesOf, checkLedger, lockWallets } from '@gangan/billing';
import type { LookupReply } from '@gangan/contracts';
import { Database, type OrganisationMode, sql } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { LeaseHolder, Retention } from '@gangan/leases';
import { newContext, newId } from '@gangan/protocol';
import { ProviderRegistry, sealSecrets } from '@gangan/providers';
import { QueueClient } from '@gangan/queue';
import { AppLogger, Registry } from '@gangan/runtime';
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
import { BatchJob } from '../../src/batches/batch-runner.js';
import { BatchesRepository } from '../../src/batches/batches.repository.js';
import { LookupCharges } from '../../src/charges/lookup-charges.js';
import { FindingRepository } from '../../src/live/finding.repository.js';
import { LookupConfig } from '../../src/lookup.config.js';
import { LookupModule } from '../../src/lookup.module.js';
import { LookupService } from '../../src/lookup.service.js';
import type { LookupProvider } from '../../src/providers/lookup-provider.js';
import { LookupProviders } from '../../src/providers/lookup-providers.js';
import { ProviderCalls } from '../../src/providers/provider-calls.js';
import { ProviderCounts } from '../../src/providers/provider-counts.js';
import { FakeProvider, secret } from './fake-provider.js';

/** One lookup worker without its queue. */
export interface Worker {
  readonly findings: FindingRepository;
  readonly holder: LeaseHolder;
  readonly charges: LookupCharges;
  readonly providers: LookupProviders;
  readonly counts: ProviderCounts;
  readonly batches: BatchesRepository;
  readonly job: BatchJob;
  readonly retention: Retention;
  /** Like the gateway: first local data and the cache, then the provider if needed. */
  lookup(phone: string, organisationId: string, operationId?: string): Promise<LookupReply>;
}

/** A real database, a fake provider, and lookup workers. */
export class TestLookup {
  readonly log: string[] = [];
  /** Of the last worker. */
  registry = new Registry();
  private readonly dataKey = newSealingKey();
  private readonly sealer = masterSealer([this.dataKey]);
  private readonly opened: ProviderRegistry<LookupProvider>[] = [];

  private constructor(
    private readonly postgres: TestDatabase,
    private readonly folder: string,
    readonly database: Database,
    readonly provider: FakeProvider,
  ) {}

  static async open(): Promise<TestLookup> {
    const postgres = await createTestDatabase(migrate);
    const folder = await mkdtemp(join(tmpdir(), 'gangan-lookup-'));
    const database = new Database({ url: postgres.url, poolSize: 8, connectionTimeoutMs: 30_000 });
    return new TestLookup(postgres, folder, database, await FakeProvider.open());
  }

  /** @param maxTotalMs how long a lookup may take, instead of 8 s */
  async worker({
    timeoutMs = 30_000,
    withProvider = true,
    maxTotalMs,
  }: { timeoutMs?: number; withProvider?: boolean; maxTotalMs?: number } = {}): Promise<Worker> {
    const note = (details: object, message: string): void => {
      this.log.push(`${message} ${JSON.stringify(details)}`);
    };
    const file = join(this.folder, 'provider.json');
    const module = await createTestModule(LookupModule, [
      valueFor(Database, this.database),
      configFor(LookupConfig, {
        ...(withProvider && { LOOKUP_PROVIDER_FILE: await this.provider.describeIn(file) }),
        LOOKUP_PROVIDER_SECRET: secret,
        LOOKUP_PROVIDER_TIMEOUT_MS: timeoutMs,
        DATA_KEYS: NamedKeys.parse(deriveDataKeys([this.dataKey], 'lookup')) as NamedKeys,
      }),
      valueFor(AppLogger, { debug: note, info: note, warn: note, error: note, fatal: note }),
      valueFor(Registry, new Registry()),
      valueFor(QueueClient, {}),
    ]);
    this.registry = module.get(Registry);
    const providers = module.get(LookupProviders);
    await providers.onModuleInit();
    this.opened.push(module.get<ProviderRegistry<LookupProvider>>(ProviderRegistry));
    if (maxTotalMs !== undefined) Object.assign(module.get(ProviderCalls), { maxTotalMs });
    const service = module.get(LookupService);
    return {
      findings: module.get(FindingRepository),
      charges: module.get(LookupCharges),
      holder: module.get(LeaseHolder),
      counts: module.get(ProviderCounts),
      batches: module.get(BatchesRepository),
      job: module.get(BatchJob),
      retention: module.get(Retention),
      providers,
      lookup: async (phone, organisationId, operationId = newId()) => {
        const context = newContext({ organisationId, operationId });
        const known = await service.lookup({ phone }, context);
        return known.found ? known : service.lookupLive({ phone }, context);
      },
    };
  }

  async organisation(balanceKobo = 0n, mode: OrganisationMode = 'live'): Promise<string> {
    return (await anOrganisation(this.database, { mode, balanceKobo })).id;
  }

  /** Counts for workers that are created later. */
  async setPrice(kobo: bigint): Promise<void> {
    await this.database.execute(
      sql`UPDATE price SET kobo = ${kobo}, test_only = false WHERE service = 'lookup'`,
    );
  }

  /** Lets time pass for all cached findings. */
  async pass(interval: string): Promise<void> {
    await this.database.execute(sql`
      UPDATE live_finding SET number_until = number_until - ${interval}::interval,
        dnd_until = dnd_until - ${interval}::interval, roaming_until = roaming_until - ${interval}::interval,
        kept_until = kept_until - ${interval}::interval`);
  }

  async balance(organisationId: string): Promise<bigint> {
    return (await balancesOf(this.database, organisationId)).available;
  }

  async reserved(organisationId: string): Promise<bigint> {
    return (await balancesOf(this.database, organisationId)).reserved;
  }

  /** Makes all reservations due. */
  async passReservations(): Promise<void> {
    await this.database.execute(sql`UPDATE lookup_reservation SET due_at = now() - interval '1 second'`);
  }

  /** Locks the wallet until the returned function is called. */
  async holdWallet(organisationId: string): Promise<() => Promise<void>> {
    let unlock = (): void => undefined;
    const unlocked = new Promise<void>((resolve) => (unlock = resolve));
    let ended: Promise<void> | undefined;
    await new Promise<void>((locked, failed) => {
      ended = this.database.transaction(async (transaction) => {
        await lockWallets(transaction, [organisationId]);
        locked();
        await unlocked;
      });
      ended.catch(failed);
    });
    return async () => {
      unlock();
      await ended;
    };
  }

  async expectSoundLedger(): Promise<void> {
    expect(await checkLedger(this.database)).toMatchObject({ clean: true, findings: [], warnings: [] });
  }

  /** Adds a provider as a row. */
  async addProvider(
    name: string,
    settings: object,
    {
      organisationId = null,
      secrets = {},
    }: { organisationId?: string | null; secrets?: Record<string, string> } = {},
  ): Promise<void> {
    const id = newId();
    const sealed = sealSecrets(this.sealer, { id, organisationId, domains: ['lookup'] }, secrets);
    await this.database.provider.create({
      data: {
        id,
        name,
        organisationId,
        kind: 'http',
        domains: ['lookup'],
        channels: [],
        settings,
        sealedSecrets: sealed && Uint8Array.from(sealed),
      },
    });
  }

  async removeProviders(): Promise<void> {
    await this.database.provider.deleteMany();
  }

  async close(): Promise<void> {
    for (const registry of this.opened) await registry.onApplicationShutdown();
    await this.provider.close();
    await this.database.close();
    await this.postgres.drop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
