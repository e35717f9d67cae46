import type pg from 'pg';

/** Of one message, in kobo. */
export const price = 400n;
export const openingBalance = 1_000_000_000_000n;
const organisationCount = 100;

export const organisations: readonly string[] = Array.from(
  { length: organisationCount },
  (_, index) => `00000000-0000-7000-8000-${index.toString().padStart(12, '0')}`,
);

export async function createTables(client: pg.Client): Promise<void> {
  await client.query(`
    CREATE TABLE bench_wallet (
      id uuid PRIMARY KEY,
      balance bigint NOT NULL CHECK (balance >= 0)
    );
    CREATE TABLE bench_message (
      id uuid PRIMARY KEY,
      organisation uuid NOT NULL,
      recipient text NOT NULL,
      content text NOT NULL,
      balance bigint NOT NULL,
      created timestamptz(3) NOT NULL DEFAULT now()
    );
    CREATE TABLE bench_ledger (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      organisation uuid NOT NULL,
      message uuid NOT NULL,
      amount bigint NOT NULL
    );
  `);
}

/** Every run starts with full wallets and no messages. */
export async function resetTables(client: pg.Client): Promise<void> {
  await client.query('TRUNCATE bench_wallet, bench_message, bench_ledger');
  await client.query('INSERT INTO bench_wallet (id, balance) SELECT id, $2 FROM unnest($1::uuid[]) AS id', [
    organisations,
    openingBalance,
  ]);
}
