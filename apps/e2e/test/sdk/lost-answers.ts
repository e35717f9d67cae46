import { TcpProxy } from '@gangan/testing';

/** A way to the system on which the first answer to every request is lost, after the request was carried out. */
export class LostAnswers {
  /** Method and path of every request, in their order. */
  readonly requests: string[] = [];
  private readonly known = new Set<string>();

  private constructor(private readonly proxy: TcpProxy) {}

  static async open(port: number): Promise<LostAnswers> {
    const proxy = await TcpProxy.open(port);
    const lost = new LostAnswers(proxy);
    proxy.loseAnswers((bytes) => lost.isFirst(bytes));
    return lost;
  }

  get url(): string {
    return `http://127.0.0.1:${this.proxy.port}`;
  }

  get count(): number {
    return this.proxy.lostAnswers;
  }

  close(): Promise<void> {
    return this.proxy.close();
  }

  /** A request with a key is the same as an earlier one with this key, one without a key if it has the same path. */
  private isFirst(bytes: Buffer): boolean {
    const [head = ''] = bytes.toString('latin1').split('\r\n\r\n');
    const [, method, path] = /^(GET|POST|PATCH|DELETE) (\S+) HTTP/.exec(head) ?? [];
    // The rest of a body.
    if (method === undefined || path === undefined) return false;
    this.requests.push(`${method} ${path}`);
    const [, key = ''] = /^idempotency-key: (.*)$/im.exec(head) ?? [];
    const identity = `${method} ${path} ${key}`;
    if (this.known.has(identity)) return false;
    this.known.add(identity);
    return true;
  }
}
