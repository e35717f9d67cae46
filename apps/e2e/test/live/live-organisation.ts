import type { Database } from '@gangan/database';
import { CallbackConsumer, type ReachableSystem, type TestResponse, until } from '@gangan/testing';
import { expect } from '@jest/globals';
import { newCallbackSecret, newOrganisation } from '../support/new-organisation.js';

export interface Event {
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

/** An organisation that calls the API with its key and receives callbacks. */
export class LiveOrganisation {
  private constructor(
    private readonly system: ReachableSystem,
    readonly id: string,
    private readonly key: string,
    private readonly consumer: CallbackConsumer,
  ) {}

  /** With 1,000 naira. */
  static async open(system: ReachableSystem, database: Database, name: string): Promise<LiveOrganisation> {
    const { id, key } = await newOrganisation(database, name, 100_000n, {
      mode: 'live',
      defaultSender: name,
    });
    await newCallbackSecret(system, database, id);
    const consumer = await CallbackConsumer.start((_, response) => response.end());
    return new LiveOrganisation(system, id, key, consumer);
  }

  close(): Promise<void> {
    return this.consumer.stop();
  }

  get callbackUrl(): string {
    return `http://127.0.0.1:${this.consumer.port}/`;
  }

  /** The callbacks so far. */
  events(type?: string): Event[] {
    const all = this.consumer.seen.map(({ body }) => JSON.parse(body) as Event);
    return type === undefined ? all : all.filter((event) => event.type === type);
  }

  async get<Body>(path: string): Promise<Body> {
    return (await this.system.request({ path, key: this.key })).body as Body;
  }

  post(path: string, body: object) {
    return this.system.request({ method: 'POST', path, key: this.key, body });
  }

  async balance(): Promise<number> {
    return (await this.get<{ available_balance: number }>('/balance')).available_balance;
  }

  /** Sends a message as soon as the workers know the route. */
  send(body: object): Promise<Record<string, string>> {
    return this.accepted('/sms/send', body);
  }

  /** The same for an OTP. */
  sendOtp(body: object): Promise<Record<string, string>> {
    return this.accepted('/otp/request_token', body);
  }

  /** Receives these events of the whole organisation, in addition to the callbacks of its requests. */
  async subscribe(...events: string[]): Promise<void> {
    const answer = await this.post('/callback-endpoints', { url: this.callbackUrl, events });
    expect(answer).toMatchObject({ status: 200 });
  }

  private accepted(path: string, body: object): Promise<Record<string, string>> {
    let answer: TestResponse | undefined;
    const isAccepted = async () => {
      answer = await this.post(path, body);
      return answer.status === 200 && (answer.body as Record<string, string>);
    };
    return until('the route is used', isAccepted, { details: () => JSON.stringify(answer?.body) });
  }
}
