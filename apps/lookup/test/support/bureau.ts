import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { balancesOf, checkLedger, lockWallets, Prices, topUp } from '@gangan/billing';
import type { LookupReply } from '@gangan/contracts';
import {
  Database,
  migrate,
  openLedgerAccounts,
  type OrganisationMode,
  OrganisationModes,
  sql,
} from '@gangan/database';
import { newContext, newId } from '@gangan/protocol';
import { Registry } from '@gangan/runtime';
import { startPostgres, type TestPostgres } from '@gangan/testing';
import { expect } from '@jest/globals';
import { FindingRepository } from '../../src/live/finding.repository.js';
import { GuardedProvider } from '../../src/live/guarded-provider.js';
import { LiveLookups } from '../../src/live/live-lookups.js';
import { LiveMetrics } from '../../src/live/live-metrics.js';
import { openProvider } from '../../src/live/open-provider.js';
import { LookupCharges } from '../../src/lookup-charges.js';
import { LookupReservations } from '../../src/lookup-reservations.js';
import { LookupConfig } from '../../src/lookup.config.js';
import { LookupRepository } from '../../src/lookup.repository.js';
import { LookupService } from '../../src/lookup.service.js';
import { NumberingPlan } from '../../src/numbering-plan.js';
import { FakeProvider, secret } from './fake-provider.js';

/** One lookup worker without its queue. */
export interface Worker {
  readonly findings: FindingRepository;
  readonly reservations: LookupReservations;
  /** As the gateway does it: first what is known, then, if need be, the provider. */
  lookup(phone: string, organisationId: string, operationId?: string): Promise<LookupReply>;
}

/** A real database, a provider that is none, and lookup workers between them. */
export class Bureau {
  readonly log: string[] = [];

  private constructor(
    private readonly postgres: TestPostgres,
    private readonly folder: string,
    readonly database: Database,
    readonly provider: FakeProvider,
  ) {}

  static async open(): Promise<Bureau> {
    const postgres = await startPostgres();
    await migrate(postgres.url);
    const folder = await mkdtemp(join(tmpdir(), 'gangan-lookup-'));
    const database = new Database({ url: postgres.url, poolSize: 8 });
    return new Bureau(postgres, folder, database, await FakeProvider.open());
  }

  async worker({ timeoutMs = 4_000, withProvider = true } = {}): Promise<Worker> {
    const { database } = this;
    const note = (details: object, message: string): void => {
      this.log.push(`${message} ${JSON.stringify(details)}`);
    };
    const logger = { debug: note, info: note, warn: note, error: note, fatal: note };
    const config = new LookupConfig({
      LOOKUP_PROVIDER_FILE: withProvider
        ? await this.provider.describeIn(join(this.folder, 'provider.json'))
        : undefined,
      LOOKUP_PROVIDER_SECRET: secret,
      LOOKUP_PROVIDER_TIMEOUT_MS: timeoutMs,
    });
    const configured = await openProvider(config);
    const findings = new FindingRepository(database, configured);
    const guarded = new GuardedProvider(configured, config, new LiveMetrics(new Registry()), logger);
    const prices = new Prices(database);
    const reservations = new LookupReservations(database, prices, logger);
    const service = new LookupService(
      new NumberingPlan(),
      new LookupRepository(database),
      new OrganisationModes(database),
      new LookupCharges(database, prices),
      reservations,
      configured,
      findings,
      new LiveLookups(guarded, findings, logger),
    );
    const lookup = async (phone: string, organisationId: string, operationId = newId()) => {
      const context = newContext({ organisationId, operationId });
      const known = await service.lookup({ phone }, context);
      return known.found ? known : service.lookupLive({ phone }, context);
    };
    return { findings, reservations, lookup };
  }

  async organisation(kobo = 0n, mode: OrganisationMode = 'live'): Promise<string> {
    const id = newId();
    await this.database.transaction(async (transaction) => {
      await transaction.execute(sql`INSERT INTO account (id, name) VALUES (${id}, 'Test')`);
      await transaction.execute(sql`
        INSERT INTO organisation (id, account_id, mode, default_sender) VALUES (${id}, ${id}, ${mode}, 'Test')`);
      await openLedgerAccounts(transaction, id);
    });
    if (kobo > 0n) await topUp(this.database, [{ subjectId: newId(), organisationId: id, kobo }]);
    return id;
  }

  /** For workers that are made from now on. */
  async setPrice(kobo: bigint): Promise<void> {
    await this.database.execute(sql`UPDATE price SET kobo = ${kobo} WHERE service = 'lookup'`);
  }

  /** Lets time pass for all that providers said. */
  async pass(interval: string): Promise<void> {
    await this.database.execute(sql`
      UPDATE live_finding SET number_until = number_until - ${interval}::interval,
        dnd_until = dnd_until - ${interval}::interval, kept_until = kept_until - ${interval}::interval`);
  }

  async balance(organisationId: string): Promise<bigint> {
    return (await balancesOf(this.database, organisationId)).available;
  }

  async reserved(organisationId: string): Promise<bigint> {
    return (await balancesOf(this.database, organisationId)).reserved;
  }

  /** Lets all that was left unsettled become due. */
  async passReservations(): Promise<void> {
    await this.database.execute(sql`UPDATE lookup_reservation SET due_at = now() - interval '1 second'`);
  }

  /** Somebody else works with the wallet until the answer is called. */
  async holdWallet(organisationId: string): Promise<() => Promise<void>> {
    let letGo = (): void => undefined;
    const wished = new Promise<void>((resolve) => (letGo = resolve));
    let ended: Promise<void> | undefined;
    await new Promise<void>((held, failed) => {
      ended = this.database.transaction(async (transaction) => {
        await lockWallets(transaction, [organisationId]);
        held();
        await wished;
      });
      ended.catch(failed);
    });
    return async () => {
      letGo();
      await ended;
    };
  }

  async expectSoundLedger(): Promise<void> {
    expect(await checkLedger(this.database)).toMatchObject({ clean: true, findings: [], warnings: [] });
  }

  async close(): Promise<void> {
    await this.provider.close();
    await this.database.close();
    await this.postgres.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
