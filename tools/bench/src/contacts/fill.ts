import { type ContactTable } from '@gangan/contracts';
import { type Database, sql } from '@gangan/database';

const batchSize = 10_000;

/** How many rows of each organisation match the rare filter. */
export const rareRows = 10;
export const rareText = 'Zebulon';
/** The part of the rows that lies together at the end, as an import leaves them, with its own text. */
const latePart = 0.06;
export const lateText = 'late.example';

/** Inserts contacts with realistic names, addresses and numbers. Returns rows per second. */
export async function fill(database: Database, table: ContactTable, rows: number): Promise<number> {
  const [name = '', email = '', mobile = ''] = table.columns.map(({ id }) => id);
  const every = Math.floor(rows / rareRows);
  const late = Math.floor(rows * (1 - latePart));
  const started = performance.now();
  for (let from = 0; from < rows; from += batchSize) {
    const to = Math.min(rows, from + batchSize) - 1;
    await database.execute(sql`
      INSERT INTO contact_row (table_id, id, cells)
      SELECT ${table.id}::uuid, uuidv7(), jsonb_build_object(
        ${name}::text, CASE WHEN n % ${every} = 0 THEN ${rareText}
          ELSE (ARRAY['Ada', 'Chinedu', 'Grace', 'Bola', 'Musa', 'Kofi', 'Zainab', 'Tunde'])[1 + n % 8] END || ' ' ||
          (ARRAY['Okafor', 'Lovelace', 'Hopper', 'Adeyemi', 'Bello', 'Mensah'])[1 + n % 6] || ' ' || n,
        ${email}::text, 'person' || n || CASE WHEN n >= ${late}::int THEN ${`@${lateText}`}::text
          ELSE (ARRAY['@example.com', '@example.org', '@mail.example'])[1 + n % 3] END,
        ${mobile}::text, '+234803' || lpad(n::text, 7, '0'))
      FROM generate_series(${from}::int, ${to}::int) AS n`);
  }
  return (rows / (performance.now() - started)) * 1_000;
}
