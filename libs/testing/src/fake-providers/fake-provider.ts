import type { ServerResponse } from 'node:http';
import { CallbackConsumer, type SeenCallback } from '../callback-consumer.js';

export interface FakeReply {
  readonly status: number;
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
}

/** A server that answers like a provider. */
export class FakeProvider<Message, Refusal extends object> {
  /** The messages that it has sent. */
  readonly sent: Message[] = [];
  behaviour: (message: Message) => FakeBehaviour<Refusal> = () => 'accept';
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

  protected respond(response: ServerResponse): void {
    const request = this.server.seen.at(-1);
    const credit = request && this.script.credit?.(request);
    if (credit) {
      reply(response, credit);
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
      const isSent = behaviour === 'accept' || behaviour === 'lost';
      if (isSent) {
        this.sent.push(message);
        this.script.onSent?.(message);
      }
      const refusal = typeof behaviour === 'object' ? behaviour : undefined;
      return { message, number: (this.accepted += 1), refusal };
    });
    const behaviours = treated.map(({ behaviour }) => behaviour);
    if (behaviours.includes('lost')) response.destroy();
    else if (behaviours.includes('garbage')) response.end('<html><body>Gateway</body></html>');
    else if (!behaviours.includes('hang')) reply(response, this.script.answer(results));
  }
}

export function reply(response: ServerResponse, { status, body }: FakeReply): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}
