import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const types = { A: 1, AAAA: 28 } as const;
const noSuchName = 3;

/** The addresses of each name as bytes, by type; `silent` for a server that never answers. */
export type Zone = Readonly<
  Record<string, { readonly A?: number[][]; readonly AAAA?: number[][] } | 'silent'>
>;

/** A local name server with one zone. */
export class NameServer {
  private constructor(private readonly socket: Socket) {}

  static async start(zone: Zone): Promise<NameServer> {
    const socket = createSocket('udp4', (query, from) => {
      const reply = answer(query, zone);
      if (reply) socket.send(reply, from.port, from.address);
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new NameServer(socket);
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  stop(): void {
    this.socket.close();
  }
}

function answer(query: Buffer, zone: Zone): Buffer | undefined {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const question = query.subarray(12, at + 5);
  const entry = zone[labels.join('.')];
  if (entry === 'silent') return undefined;
  const asked = query.readUInt16BE(at + 1);
  const addresses = (asked === types.A ? entry?.A : asked === types.AAAA ? entry?.AAAA : undefined) ?? [];
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180 | (entry ? 0 : noSuchName), 2);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt32BE(0, 8);
  const records = addresses.map((bytes) =>
    Buffer.from([0xc0, 12, 0, asked, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]),
  );
  return Buffer.concat([header, question, ...records]);
}
