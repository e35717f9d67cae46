import type { ServerResponse } from 'node:http';
import { CallbackConsumer } from './callback-consumer.js';

export interface TermiiMessage {
  readonly api_key: string;
  readonly to: string;
  readonly from: string;
  readonly sms: string;
  readonly type: string;
  readonly channel: string;
}

/**
 * How the server treats a message.
 * - `accept`: it sends it and answers.
 * - `hang`: it never answers.
 * - `garbage`: it answers 200 with a page that is not JSON.
 * - `lost`: it sends it, and the connection breaks before the answer.
 * - else: it answers with this status and message.
 */
export type TermiiBehaviour =
  | 'accept'
  | 'hang'
  | 'garbage'
  | 'lost'
  | { readonly status: number; readonly message: string };

/**
 * A server that answers as https://developers.termii.com/messaging-api and https://developers.termii.com/error/ say. It checks
 * the fields of a request as the first page describes them.
 */
export class FakeTermii {
  /** The messages that it has sent. */
  readonly sent: TermiiMessage[] = [];
  behaviour: (message: TermiiMessage) => TermiiBehaviour = () => 'accept';

  private constructor(private readonly server: CallbackConsumer) {}

  static async start(apiKey: string): Promise<FakeTermii> {
    const server = await CallbackConsumer.start((_, response) => {
      fake.answer(response, apiKey);
    });
    const fake = new FakeTermii(server);
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${this.server.port}/api/sms/send`;
  }

  /** The requests so far, whatever became of them. */
  get requests(): number {
    return this.server.seen.length;
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  private answer(response: ServerResponse, apiKey: string): void {
    const message = JSON.parse(this.server.seen.at(-1)?.body ?? '{}') as TermiiMessage;
    const reply = (status: number, body: object | string): void => {
      const json = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(status, { 'content-type': 'application/json' }).end(json);
    };
    if (message.api_key !== apiKey) {
      reply(401, { message: 'Unauthorized' });
      return;
    }
    const isValid =
      /^[1-9]\d{7,14}$/.test(message.to) &&
      /^.{3,11}$/.test(message.from) &&
      message.sms !== '' &&
      ['plain', 'unicode'].includes(message.type) &&
      ['dnd', 'generic'].includes(message.channel);
    const behaviour = isValid ? this.behaviour(message) : { status: 422, message: 'Unprocessable entity' };
    if (behaviour === 'accept' || behaviour === 'lost') this.sent.push(message);
    if (behaviour === 'accept') reply(200, acceptance(this.sent.length));
    else if (behaviour === 'lost') response.destroy();
    else if (behaviour === 'garbage') response.end('<html><body>Gateway</body></html>');
    else if (behaviour !== 'hang') reply(behaviour.status, { message: behaviour.message });
  }
}

/** `message_id` is a number here: a text of it would hide that JSON.parse rounds 25 digits. */
function acceptance(sent: number): string {
  const id = String(3_017_544_054_459_083_819_800_000n + BigInt(sent));
  return `{"code":"ok","balance":1047.57,"message_id":${id},"message":"Successfully Sent","user":"Fake Account","message_id_str":"${id}"}`;
}
