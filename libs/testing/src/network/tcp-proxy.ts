import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Called with the bytes of a lost answer, and the request. */
type OnLost = (answer: Buffer, request: Buffer) => void;

/** Decides whether the answer to this request is lost. A request is what arrives at once from the client. */
export type LosesAnswer = (request: Buffer) => boolean;

interface Loss {
  readonly losesAnswer: LosesAnswer;
  readonly onLost: OnLost;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** The next bytes from the server answer this request. They are dropped, with the connection. */
  lost: { readonly request: Buffer; readonly onLost: OnLost } | undefined;
  /** Delayed answers that are still to be written, in their order. */
  delayed: Promise<void> | undefined;
}

/** Forwards TCP connections to a port of this machine, and disturbs them on request. */
export class TcpProxy {
  private readonly pairs = new Set<Pair>();
  private delayMs = 0;
  private readonly losses = new Set<Loss>();
  /** Answers that were lost so far. */
  lostAnswers = 0;

  private constructor(
    private readonly listener: Server,
    private readonly target: number,
  ) {
    listener.on('connection', (client) => {
      this.connect(client);
    });
  }

  /** @param port where to listen; 0 chooses a free one */
  static async open(target: number, port = 0): Promise<TcpProxy> {
    const listener = createServer({ allowHalfOpen: true }).listen(port, '127.0.0.1');
    await once(listener, 'listening');
    return new TcpProxy(listener, target);
  }

  get port(): number {
    return (this.listener.address() as AddressInfo).port;
  }

  get connections(): number {
    return this.pairs.size;
  }

  /** The same URL with the port of the proxy. */
  urlOf(url: string): string {
    const through = new URL(url);
    through.hostname = '127.0.0.1';
    through.port = String(this.port);
    return through.href;
  }

  /** Resets all connections. Returns how many there were. */
  cut(): number {
    const { size } = this.pairs;
    for (const pair of this.pairs) reset(pair);
    return size;
  }

  /** Delays all bytes from the server by this time; 0 ends it. */
  delayAnswers(ms: number): void {
    this.delayMs = ms;
  }

  /**
   * Forwards the requests that `losesAnswer` chooses, and resets their connection when the server answers.
   *
   * @param onLost called then, before the connection is reset
   * @returns a function that ends this, and no other call
   */
  loseAnswers(losesAnswer: LosesAnswer, onLost: OnLost = () => undefined): () => void {
    const loss = { losesAnswer, onLost };
    this.losses.add(loss);
    return () => {
      this.losses.delete(loss);
    };
  }

  async close(): Promise<void> {
    const closed = once(this.listener, 'close');
    this.listener.close();
    this.cut();
    await closed;
  }

  private connect(client: Socket): void {
    client.on('error', () => undefined);
    const server = connect({ port: this.target, host: '127.0.0.1', allowHalfOpen: true });
    const pair: Pair = { client, server, lost: undefined, delayed: undefined };
    this.pairs.add(pair);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      // An error of one end closes both.
      socket.on('error', () => undefined);
      socket.once('close', () => {
        this.pairs.delete(pair);
        reset(pair);
      });
    }
    client.on('data', (chunk) => {
      const loss = pair.lost ? undefined : [...this.losses].find(({ losesAnswer }) => losesAnswer(chunk));
      if (loss) pair.lost = { request: chunk, onLost: loss.onLost };
      this.write(client, server, chunk);
    });
    server.on('data', (chunk) => {
      this.answer(pair, chunk);
    });
    client.once('end', () => server.end());
    server.once('end', () => void (pair.delayed ?? Promise.resolve()).then(() => client.end()));
  }

  private answer(pair: Pair, chunk: Buffer): void {
    if (pair.lost) {
      this.lostAnswers += 1;
      pair.lost.onLost(chunk, pair.lost.request);
      reset(pair);
    } else if (this.delayMs === 0 && !pair.delayed) this.write(pair.server, pair.client, chunk);
    else this.writeLater(pair, chunk);
  }

  private writeLater(pair: Pair, chunk: Buffer): void {
    const dueAt = performance.now() + this.delayMs;
    const written = (pair.delayed ?? Promise.resolve())
      .then(() => pause(Math.max(0, dueAt - performance.now())))
      .then(() => {
        this.write(pair.server, pair.client, chunk);
        if (pair.delayed === written) pair.delayed = undefined;
      });
    pair.delayed = written;
  }

  private write(from: Socket, to: Socket, chunk: Buffer): void {
    if (to.destroyed || to.write(chunk)) return;
    from.pause();
    to.once('drain', () => {
      from.resume();
    });
  }
}

function reset({ client, server }: Pair): void {
  for (const socket of [client, server]) {
    if (socket.destroyed) continue;
    // Node never closes a handle that is reset while it shuts down, and then hangs at the end of the process.
    if (!socket.writableEnded) socket.resetAndDestroy();
    // Without this it would first wait until what was written has been sent.
    socket.destroy();
  }
}
