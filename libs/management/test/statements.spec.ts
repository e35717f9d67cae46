import { declaredStatements } from '@gangan/database';
import * as storage from '@gangan/storage';
import { describeStatements } from '@gangan/testing';

await describeStatements({ declaredStatements, ...storage }, new URL('../src/', import.meta.url), {
  app: 'operator',
  // Its connections allow scans, for reports over whole tables.
  readsWholeTables: [''],
});
