import { sql } from '@gangan/database';
import { type TestRequest, type TestResponse, until } from '@gangan/testing';
import { beforeAll, expect } from '@jest/globals';
import { DocumentedApi } from '../interface/documented-api.js';
import { exchange } from '../interface/exchange.js';
import { assemble, type RequestParts } from '../interface/request-parts.js';
import { ownOrganisation } from '../support/new-organisation.js';
import type { RunningSystem } from '../support/running.js';
import { hostileNumbers } from './hostile-numbers.js';
import { type Work, WorkCounters } from './work-counters.js';

/** At most this much work. */
export type Bounds = Partial<Work>;

/** A test organisation that sends hostile requests, one at a time, and measures what they cost. */
export class HostileClient {
  private readonly counters: WorkCounters;
  private known: DocumentedApi | undefined;

  constructor(
    readonly running: RunningSystem,
    private readonly organisation: { readonly id: () => string; readonly key: () => string },
  ) {
    this.counters = new WorkCounters(running.system);
  }

  get key(): string {
    return this.organisation.key();
  }

  get api(): DocumentedApi {
    if (!this.known) throw new Error('The tests have not begun');
    return this.known;
  }

  /** The work that each process does once is not that of a request: it learns which countries have a trunk zero. */
  async prepare(): Promise<void> {
    this.known = await DocumentedApi.of(this.running.system());
    const numbers = hostileNumbers(1_000);
    const body = (some: readonly string[], content: string) => ({ recipients: some.join(), content });
    // The gateway reads the first hundred numbers of a request that is invalid, and a worker all of a valid one.
    for (let at = 0; at < numbers.length; at += 100)
      await this.ask({
        method: 'POST',
        path: '/sms/estimate',
        body: body(numbers.slice(at, at + 100), ''),
      });
    await this.post('/sms/estimate', body(numbers, 'Hello'));
    await this.forgetWork();
  }

  /** What was done until now belongs to no request. */
  forgetWork(): Promise<void> {
    return this.counters.restart();
  }

  readonly ask = (question: TestRequest): Promise<TestResponse> =>
    this.running.system().request({ key: this.key, ...question });

  async post<Answer = { readonly id: string }>(
    path: string,
    body: object,
    method: 'POST' | 'PATCH' = 'POST',
  ): Promise<Answer> {
    const answer = await this.ask({ method, path, body });
    expect([path, answer.status, answer.body]).toEqual([path, 200, answer.body]);
    return answer.body as Answer;
  }

  /** The status of the response. */
  async send(parts: RequestParts): Promise<number> {
    const answer = await exchange(this.running.system().port, assemble(parts));
    return answer?.status ?? 0;
  }

  /** Requests, and what goes on after their responses, must end within `run`. @param bounds no more than zero by default */
  async expectWork<Result>(
    title: string,
    { parsed = 0, names = 0, routes = 0 }: Bounds,
    run: () => Promise<Result>,
  ): Promise<Result> {
    let result: Result | undefined;
    const work = await this.counters.of(async () => {
      result = await run();
    });
    const isWithin = work.parsed <= parsed && work.names <= names && work.routes <= routes;
    expect({ title, work, isWithin }).toEqual({ title, work, isWithin: true });
    return result as Result;
  }

  /** Not over HTTP, because showing a message may cost work, too. The fake providers report no deliveries. */
  untilEnded(organisationId = this.organisation.id()): Promise<true> {
    return until('all messages and purchases have ended', async () => {
      const [open] = await this.running.database().query<{ count: number }>(sql`
        SELECT (SELECT count(*)::int FROM message_expansion
            WHERE organisation_id = ${organisationId}::uuid AND state = 'expanding')
          + (SELECT count(*)::int FROM airtime_purchase
            WHERE organisation_id = ${organisationId}::uuid AND state IN ('pending', 'submitting', 'sent'))
          + (SELECT count(*)::int FROM delivery WHERE organisation_id = ${organisationId}::uuid
            AND (state IN ('queued', 'submitting') OR state = 'sent' AND provider = 'simulator')) AS count`);
      return open?.count === 0;
    });
  }

  untilDone(path: string): Promise<true> {
    return until('the job is done', async () => {
      const { state } = (await this.ask({ path })).body as { readonly state: string };
      return state === 'done';
    });
  }
}

/** For the tests of the surrounding `describe`. */
export function useHostileClient(running: RunningSystem): HostileClient {
  const client = new HostileClient(running, ownOrganisation(running, 'Hostile'));
  beforeAll(() => client.prepare());
  return client;
}
