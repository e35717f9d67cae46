import type { ServerResponse } from 'node:http';
import { CallbackConsumer, type SeenCallback } from '../network/callback-consumer.js';

export interface FakeReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object | string;
}

/**
 * How the server treats a message.
 * - `accept`: it sends it and answers.
 * - `hang`: it never answers.
 * - `garbage`: it answers 200 with a page that is not JSON.
 * - `lost`: it sends it, and the connection breaks before the answer.
 * - else: it refuses it.
 */
export type FakeBehaviour<Refusal> = 'accept' | 'hang' | 'garbage' | 'lost' | Refusal;

export interface FakeResult<Message, Refusal> {
  readonly message: Message;
  /** Different for every message. */
  readonly number: number;
  readonly refusal: Refusal | undefined;
}

/** What a provider documents: how requests look, and what it answers. */
export interface FakeScript<Message, Refusal> {
  readonly path: string;
  /** The messages of a request, or the answer to a request without valid credentials. */
  read(request: SeenCallback): readonly Message[] | FakeReply;
  /** Why the provider refuses a message that breaks its rules. */
  check(message: Message): Refusal | undefined;
  answer(results: readonly FakeResult<Message, Refusal>[]): FakeReply;
  onSent?(message: Message): void;
  /** The answer to a request with valid credentials for our credit; undefined if it asks for something else. */
  credit?(request: SeenCallback): FakeReply | undefined;
  /** The answer to a request with valid credentials for the state of a message; undefined if it asks for something else. */
  poll?(request: SeenCallback, stateOf: (number: number) => string | undefined): FakeReply | undefined;
  /** A report about a message that was sent. */
  report?(result: FakeResult<Message, Refusal>, status: string): FakeReport;
}

/** A request of a provider to us. */
export interface FakeReport {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A server that answers like a provider. */
export class FakeProvider<Message, Refusal extends object> {
  readonly sent: Message[] = [];
  private readonly sentResults = new Map<Message, FakeResult<Message, Refusal>>();
  behaviour: (message: Message) => FakeBehaviour<Refusal> = () => 'accept';
  /** What it says if it is asked about a message that it has sent. */
  state: (message: Message) => string = () => 'sent';
  private accepted = 0;

  protected constructor(
    private readonly server: CallbackConsumer,
    private readonly script: FakeScript<Message, Refusal>,
  ) {}

  static async start<Message, Refusal extends object>(
    script: FakeScript<Message, Refusal>,
  ): Promise<FakeProvider<Message, Refusal>> {
    const server = await CallbackConsumer.start((_, response) => {
      fake.respond(response);
    });
    const fake = new FakeProvider(server, script);
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${this.server.port}${this.script.path}`;
  }

  /** How many requests arrived so far. */
  get requests(): number {
    return this.server.seen.length;
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  /** Reports about a message that it has sent. @returns the status of the response */
  async report(message: Message, status: string): Promise<number> {
    const { url, ...request } = this.reportAbout(message, status);
    return (await fetch(url, { method: 'POST', ...request })).status;
  }

  /** The report that it would send. */
  reportAbout(message: Message, status: string): FakeReport {
    const result = this.sentResults.get(message);
    const report = result && this.script.report?.(result, status);
    if (!report) throw new Error('This message was not sent, or the provider does not report about it');
    return report;
  }

  protected respond(response: ServerResponse): void {
    const request = this.server.seen.at(-1);
    const stateOf = (number: number): string | undefined => {
      const result = [...this.sentResults.values()].find((each) => each.number === number);
      return result && this.state(result.message);
    };
    const answer = request && (this.script.credit?.(request) ?? this.script.poll?.(request, stateOf));
    if (answer) {
      reply(response, answer);
      return;
    }
    const messages = request ? this.script.read(request) : [];
    if ('status' in messages) {
      reply(response, messages);
      return;
    }
    const treated = messages.map((message) => ({
      message,
      behaviour: this.script.check(message) ?? this.behaviour(message),
    }));
    const results = treated.map(({ message, behaviour }) => {
      const refusal = typeof behaviour === 'object' ? behaviour : undefined;
      const result = { message, number: (this.accepted += 1), refusal };
      if (behaviour === 'accept' || behaviour === 'lost') {
        this.sent.push(message);
        this.sentResults.set(message, result);
        this.script.onSent?.(message);
      }
      return result;
    });
    const behaviours = treated.map(({ behaviour }) => behaviour);
    if (behaviours.includes('lost')) response.destroy();
    else if (behaviours.includes('garbage')) response.end('<html><body>Gateway</body></html>');
    else if (!behaviours.includes('hang')) reply(response, this.script.answer(results));
  }
}

export function reply(response: ServerResponse, { status, headers, body }: FakeReply): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}
