import { declaredStatements } from '@gangan/database';
import { describeStatements } from '@gangan/testing';
import * as storage from '../src/index.js';

const tested = { declaredStatements, ...storage };

await describeStatements(tested, new URL('../src/', import.meta.url), { readsWholeTables: ['sealed/'] });
await describeStatements(tested, new URL('../../database/src/', import.meta.url));
