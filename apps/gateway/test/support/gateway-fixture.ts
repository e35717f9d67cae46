import {
  lookupPhone,
  lookupPhoneLive,
  type LookupPhoneRequest,
  type LookupReply,
  type PhoneLookup,
} from '@gangan/contracts';
import { Database, type TenantStatus } from '@gangan/database';
import { migrate } from '@gangan/storage';
import {
  ErrorPassthroughFilter,
  Handles,
  MasterKeys,
  migrateQueue,
  newQueueKey,
  Queues,
} from '@gangan/queue';
import {
  anApiKey,
  anOrganisation,
  createTestDatabase,
  type InjectedValue,
  type TestDatabase,
  valueFor,
} from '@gangan/testing';
import { Controller, type INestMicroservice, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { ActiveKey } from '../../src/auth/api-key.repository.js';
import { NegativeCache } from '../../src/negative-cache.js';
import { type GatewayOptions, queueConnection, RunningGateway } from './running-gateway.js';

export interface KeyFacts {
  readonly scopes?: readonly string[];
  readonly allowedNetworks?: readonly string[];
  readonly expiresAt?: Date;
  readonly revokedAt?: Date;
  readonly organisation?: TenantStatus;
  readonly account?: TenantStatus;
}

export interface IssuedKey {
  readonly key: string;
  readonly id: string;
  readonly organisationId: string;
  readonly accountId: string;
}

const inPlan = { operator: 'plan', country: 'plan', ported: 'registry', dnd: 'registry' } as const;
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Replaces the cache of keys in a gateway, for tests that wait until it notices a change. */
export const keyCache = (ttlMs: number): InjectedValue =>
  valueFor(NegativeCache, new NegativeCache<ActiveKey>(ttlMs, 1_000));

/** A real database and queue, gateways, and controllers that replace workers. */
export class GatewayFixture {
  private readonly gateways: RunningGateway[] = [];
  private worker?: { readonly app: INestMicroservice; readonly queues: Queues };
  readonly queueKey = newQueueKey();
  readonly asked: LookupPhoneRequest[] = [];
  readonly askedLive: LookupPhoneRequest[] = [];

  private constructor(
    readonly postgres: TestDatabase,
    readonly database: Database,
    private readonly redisUrl: string | undefined,
  ) {}

  /** @param redisUrl of the queues; in the database if absent */
  static async create(redisUrl?: string): Promise<GatewayFixture> {
    const postgres = await createTestDatabase(migrate, migrateQueue);
    return new GatewayFixture(postgres, new Database({ url: postgres.url, poolSize: 2 }), redisUrl);
  }

  async gateway(options: Partial<GatewayOptions> = {}): Promise<RunningGateway> {
    const gateway = await RunningGateway.start({
      databaseUrl: this.postgres.url,
      queueKey: this.queueKey,
      redisUrl: this.redisUrl,
      ...options,
    });
    this.gateways.push(gateway);
    return gateway;
  }

  /** Replaces the lookup worker. */
  async answerLookups(
    answer: (request: LookupPhoneRequest) => PhoneLookup | undefined | Promise<PhoneLookup>,
    answerLive: (request: LookupPhoneRequest) => LookupReply | Promise<LookupReply> = () => ({}),
  ): Promise<void> {
    const { asked, askedLive } = this;

    @Controller()
    class LookupDouble {
      @Handles(lookupPhone)
      async phone(request: LookupPhoneRequest): Promise<LookupReply> {
        asked.push(request);
        const found = await answer(request);
        return found ? { found, sources: inPlan } : {};
      }

      @Handles(lookupPhoneLive)
      async phoneLive(request: LookupPhoneRequest): Promise<LookupReply> {
        askedLive.push(request);
        return answerLive(request);
      }
    }

    await this.answer(LookupDouble);
  }

  /** Starts a worker with this controller. */
  async answer(double: Type): Promise<void> {
    @Module({ controllers: [double] })
    class DoubleModule {}

    const connection = queueConnection(this.postgres.url, this.redisUrl);
    const keys = new MasterKeys([this.queueKey]);
    const queues = await Queues.open({ connection, app: 'workers', keys }, 'worker', quiet);
    const app = await NestFactory.createMicroservice(DoubleModule, {
      strategy: queues.server,
      logger: false,
    });
    app.useGlobalFilters(new ErrorPassthroughFilter());
    await app.listen();
    this.worker = { app, queues };
  }

  async issueKey(facts: KeyFacts = {}): Promise<IssuedKey> {
    const { account, organisation, ...columns } = facts;
    const { id: organisationId, accountId } = await anOrganisation(this.database, {
      status: organisation,
      accountStatus: account,
    });
    const { id, key } = await anApiKey(this.database, organisationId, columns);
    return { key, id, organisationId, accountId };
  }

  async stop(): Promise<void> {
    for (const gateway of this.gateways.splice(0)) await gateway.stop();
    await this.worker?.app.close();
    await this.worker?.queues.client.close();
    await this.worker?.queues.close();
    await this.database.close();
    await this.postgres.drop();
  }
}
