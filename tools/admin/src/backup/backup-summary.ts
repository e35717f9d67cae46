import type { CreatedBackup } from '@gangan/storage';

export const summaryOf = ({ manifest, rows }: Pick<CreatedBackup, 'manifest' | 'rows'>) => ({
  created: manifest.createdAt,
  rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
  tables: manifest.tables.length,
  last_migration: manifest.migrations.at(-1)?.name,
  data_keys: [...manifest.dataKeyIds],
});
