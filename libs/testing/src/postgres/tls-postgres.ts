import { withClient } from '@gangan/embedded-postgres';
import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '../network/certificate.js';
import { startPostgres, type TestPostgres } from './postgres.js';
import { until } from '../until.js';

export interface TlsPostgres extends TestPostgres {
  /** A URL as an operator writes it: `sslmode=verify-full`, and the authority that signed the server's certificate. */
  readonly verifiedUrl: string;
  /** The same for another host name or another authority, which must not be accepted. */
  readonly wrongHostUrl: string;
  readonly wrongAuthorityUrl: string;
}

/** A Postgres whose certificate is for `localhost`, signed by an authority of its own. */
export async function startTlsPostgres(): Promise<TlsPostgres> {
  const authority = makeCertificate({ name: 'Test authority' });
  const postgres = await startPostgres();
  await enableTls(postgres.url, makeCertificate({ name: 'localhost', by: authority }));
  const folder = await mkdtemp(join(tmpdir(), 'gangan-tls-'));
  const [right, wrong] = [join(folder, 'authority.crt'), join(folder, 'other.crt')];
  await writeFile(right, authority.cert);
  await writeFile(wrong, makeCertificate({ name: 'Another authority' }).cert);
  return {
    ...postgres,
    verifiedUrl: verifyFull(postgres.url, 'localhost', right),
    wrongHostUrl: verifyFull(postgres.url, '127.0.0.1', right),
    wrongAuthorityUrl: verifyFull(postgres.url, 'localhost', wrong),
    stop: async () => {
      await postgres.stop();
      await rm(folder, { recursive: true });
    },
  };
}

export function verifyFull(url: string, host: string, authorityFile: string): string {
  const verified = new URL(url);
  verified.hostname = host;
  verified.searchParams.set('sslmode', 'verify-full');
  verified.searchParams.set('sslrootcert', authorityFile);
  return verified.href;
}

/** Postgres refuses a key that others may read, so the files belong to the owner of its data. */
async function enableTls(
  url: string,
  { cert, key }: { readonly cert: string; readonly key: string },
): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
    const data = rows[0]?.data_directory ?? '';
    const { uid, gid } = await stat(data);
    for (const [name, content] of [['server.crt', cert] as const, ['server.key', key] as const]) {
      await writeFile(join(data, name), content, { mode: 0o600 });
      await chown(join(data, name), uid, gid);
    }
    await client.query('ALTER SYSTEM SET ssl = on');
    await client.query('SELECT pg_reload_conf()');
    await until('TLS is on', async () => {
      const { rows: found } = await client.query<{ ssl: string }>('SHOW ssl');
      return found[0]?.ssl === 'on';
    });
  });
}
