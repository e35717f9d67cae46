import { randomInt } from 'node:crypto';
import { Agent, request } from 'node:http';

export interface OtpLoad {
  readonly port: number;
  readonly key: string;
  readonly connections: number;
}

/** The milliseconds of each request of one kind, and the total time. */
export interface OtpTimes {
  readonly milliseconds: readonly number[];
  readonly seconds: number;
}

export const benchToken = '73519604';

/** Callers that request OTPs, then verify each with its token. */
export class OtpCallers {
  private readonly agent: Agent;

  constructor(private readonly load: OtpLoad) {
    this.agent = new Agent({ keepAlive: true, maxSockets: load.connections });
  }

  async requestFor(seconds: number): Promise<{ readonly ids: readonly string[]; readonly times: OtpTimes }> {
    const ids: string[] = [];
    const until = performance.now() + seconds * 1_000;
    const times = await this.runCallers(async (note) => {
      while (performance.now() < until) {
        const recipient = `+234803${randomInt(1e7).toString().padStart(7, '0')}`;
        ids.push(await note(() => this.post('/otp/request_token', { recipient, token: benchToken })));
      }
    });
    return { ids, times };
  }

  verifyAll(ids: readonly string[]): Promise<OtpTimes> {
    const left = [...ids];
    return this.runCallers(async (note) => {
      for (let id = left.pop(); id !== undefined; id = left.pop()) {
        const body = { id, token: benchToken };
        await note(() => this.post('/otp/verify', body));
      }
    });
  }

  close(): void {
    this.agent.destroy();
  }

  private async runCallers(
    caller: (note: (ask: () => Promise<string>) => Promise<string>) => Promise<void>,
  ): Promise<OtpTimes> {
    const milliseconds: number[] = [];
    const started = performance.now();
    const note = async (ask: () => Promise<string>): Promise<string> => {
      const asked = performance.now();
      const id = await ask();
      milliseconds.push(performance.now() - asked);
      return id;
    };
    await Promise.all(Array.from({ length: this.load.connections }, () => caller(note)));
    return { milliseconds, seconds: (performance.now() - started) / 1_000 };
  }

  /** Returns the id of the OTP. @throws for any other response */
  private post(path: string, body: object): Promise<string> {
    const { agent } = this;
    const { port, key } = this.load;
    const payload = JSON.stringify(body);
    const headers = {
      authorization: key,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(payload),
    };
    return new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path, method: 'POST', agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          if (response.statusCode === 200) resolve((JSON.parse(text) as { id: string }).id);
          else reject(new Error(`${path} responded ${text}`));
        });
      });
      asked.on('error', reject);
      asked.end(payload);
    });
  }
}
