import { CallbackConsumer, type TestSystem, until } from '@gangan/testing';
import { expect } from '@jest/globals';

export interface Event {
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

/** An organisation that calls the API with its key and receives callbacks. */
export class LiveOrganisation {
  private constructor(
    private readonly system: TestSystem,
    readonly name: string,
    private readonly key: string,
    private readonly consumer: CallbackConsumer,
  ) {}

  static async open(system: TestSystem, name: string, key: string): Promise<LiveOrganisation> {
    const consumer = await CallbackConsumer.start((_, response) => response.end());
    return new LiveOrganisation(system, name, key, consumer);
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
    return until('the route is used', async () => {
      const answer = await this.post('/sms/send', body);
      return answer.status === 200 && (answer.body as Record<string, string>);
    });
  }

  /** Receives these events of the whole organisation, in addition to the callbacks of its requests. */
  async subscribe(...events: string[]): Promise<void> {
    const answer = await this.post('/callback-endpoints', { url: this.callbackUrl, events });
    expect(answer).toMatchObject({ status: 200 });
  }
}
