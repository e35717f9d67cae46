import { CallbackAnnouncer } from '@gangan/callbacks';
import type { SmsMessage } from '@gangan/contracts';
import { type Database, type MessageAction, sql } from '@gangan/database';
import { LeaseHolder, LeaseLostError } from '@gangan/leases';
import { newContext, newId } from '@gangan/protocol';
import { Registry } from '@gangan/runtime';
import { type TestingModule, valueFor } from '@gangan/testing';
import type { Type } from '@nestjs/common';
import { ChangeJob } from '../../src/changes/change-job.js';
import { ChangesRepository } from '../../src/changes/changes.repository.js';
import { ChangesService } from '../../src/changes/changes.service.js';
import { createMessaging } from './messaging-module.js';

const never = new AbortController().signal;

/** The part of a messaging worker that pauses, resumes and cancels messages. Jobs run when a test says so. */
export class ChangeWorker {
  readonly holder: LeaseHolder;
  readonly registry: Registry;
  readonly repository: ChangesRepository;
  readonly job: ChangeJob;
  private readonly service: ChangesService;

  private constructor(
    private readonly database: Database,
    private readonly module: TestingModule,
  ) {
    this.holder = module.get(LeaseHolder);
    this.registry = module.get(Registry);
    this.repository = module.get(ChangesRepository);
    this.job = module.get(ChangeJob);
    this.service = module.get(ChangesService);
  }

  static async create(database: Database): Promise<ChangeWorker> {
    const values = [valueFor(CallbackAnnouncer, { announce: () => Promise.resolve() })];
    return new ChangeWorker(database, await createMessaging(database, { values }));
  }

  /** Any other provider of the worker. */
  get<T>(type: Type<T>): T {
    return this.module.get(type);
  }

  request(
    action: MessageAction,
    organisationId: string,
    id: string,
    operationId = newId(),
  ): Promise<SmsMessage> {
    return this.service.change(action, { id }, newContext({ organisationId, operationId }));
  }

  /** Requests it, and runs the job. */
  async change(...request: Parameters<ChangeWorker['request']>): Promise<SmsMessage> {
    const response = await this.request(...request);
    await this.run();
    return response;
  }

  /** Runs one slice of the next job. @returns whether there was one */
  async runSlice(slice?: Parameters<ChangeJob['runSlice']>[2]): Promise<boolean> {
    const claimed = await this.repository.claimNext();
    if (claimed)
      await this.job.runSlice(claimed, never, slice).catch((error: unknown) => {
        if (!(error instanceof LeaseLostError)) throw error;
      });
    return claimed !== undefined;
  }

  /** Runs all jobs, until they have ended or wait for a provider. */
  async run(): Promise<void> {
    await this.makeDue();
    while (await this.runSlice());
  }

  /** As if the leases of workers had expired. */
  async makeDue(): Promise<void> {
    await this.database.execute(sql`UPDATE message_change SET next_attempt_at = now() - interval '1 second'`);
  }

  async jobs(): Promise<number> {
    return this.database.messageChange.count();
  }
}
