import { connect } from 'node:net';

export interface Sent {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer;
}

export interface Received {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

const timeoutMs = 20_000;

/** Sends the bytes unchanged, as no HTTP client would; `undefined` if the server closed the connection during the body. */
export const exchange = (port: number, sent: Sent): Promise<Received | undefined> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytesOf(sent)));
    socket.setTimeout(timeoutMs, () => {
      socket.destroy();
      reject(new Error(`No answer within ${timeoutMs} ms`));
    });
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => {
      const received = Buffer.concat(chunks);
      if (received.length > 0) resolve(read(received));
      else if (sent.body && sent.body.length > 60_000) resolve(undefined);
      else reject(new Error('The server hung up without an answer'));
    });
  });

function bytesOf({ method, target, headers, body }: Sent): Buffer {
  const own = body ? [['content-length', String(body.length)]] : [];
  const lines = [...own, ...headers, ['connection', 'close']].map(
    ([name = '', value = '']) => `${name}: ${value}`,
  );
  const head = [`${method} ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)]);
}

function read(received: Buffer): Received {
  const end = received.indexOf('\r\n\r\n');
  const [first = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return {
    status: Number(first.split(' ')[1]),
    headers: new Map(headers),
    text: received.subarray(end + 4).toString('utf8'),
  };
}
