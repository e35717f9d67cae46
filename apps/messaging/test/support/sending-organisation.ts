import { setTimeout as sleep } from 'node:timers/promises';
import { balancesOf } from '@gangan/billing';
import { type SendSmsRequest, sendSmsContractFor } from '@gangan/contracts';
import { type Database, sql } from '@gangan/database';
import {
  type DataOf,
  newContext,
  type ReplyOf,
  type RequestContext,
  type RequestContract,
} from '@gangan/protocol';
import type { QueueClient } from '@gangan/queue';
import { isFullSuite, until } from '@gangan/testing';
import { firstValueFrom } from 'rxjs';

/** A caller that retries sooner than the gateway, so that a killed worker costs little time. */
const deadlineMs = 3_000;

/** With the pauses, a minute and more. */
const maxAttempts = 300;

/** An organisation whose requests go to running workers, and what became of its deliveries. */
export class SendingOrganisation {
  constructor(
    private readonly database: Database,
    private readonly client: QueueClient,
    readonly id: string,
  ) {}

  context(): RequestContext {
    return newContext({ organisationId: this.id });
  }

  /** Sends a request again until it has a response. */
  async request<C extends RequestContract>(contract: C, data: DataOf<C>): Promise<ReplyOf<C>> {
    const context = this.context();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await firstValueFrom(this.client.send({ ...contract, deadlineMs }, data, context));
      } catch (error) {
        if ((error as { status?: number }).status !== 503 || attempt === maxAttempts) throw error;
        await sleep(50);
      }
    }
  }

  /** @returns the message's id */
  async send(recipients: string | undefined, fields: Partial<SendSmsRequest> = {}): Promise<string> {
    const data = { content: 'Hello', ...(recipients !== undefined && { recipients }), ...fields };
    return (await this.request(sendSmsContractFor(data), data)).id;
  }

  /** How many deliveries have not ended. */
  async unfinished(): Promise<number> {
    const rows = await this.database.query(sql`
      SELECT FROM delivery WHERE state IN ('queued', 'submitting', 'sent') AND organisation_id = ${this.id}`);
    return rows.length;
  }

  async untilEnded(): Promise<void> {
    let unfinished = 0;
    const isEnded = async (): Promise<boolean> => (unfinished = await this.unfinished()) === 0;
    const details = (): string => `${unfinished} are not`;
    await until('all deliveries are finished', isEnded, {
      timeoutMs: isFullSuite ? 600_000 : 120_000,
      details,
    });
  }

  /** How often the simulator took each delivery. */
  async taken(): Promise<number[]> {
    const rows = await this.database.query<{ times: number }>(sql`
      SELECT count(*)::int AS times FROM simulated_message JOIN delivery ON delivery.id = reference
      WHERE outcome <> 'lost' AND delivery.organisation_id = ${this.id} GROUP BY reference`);
    return rows.map(({ times }) => times);
  }

  async counts(): Promise<Record<string, number>> {
    const rows = await this.database.query<{ state: string; count: number }>(sql`
      SELECT state, count(*)::int AS count FROM delivery WHERE organisation_id = ${this.id} GROUP BY state`);
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  }

  balances(): ReturnType<typeof balancesOf> {
    return balancesOf(this.database, this.id);
  }
}
