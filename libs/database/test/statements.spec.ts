import { describeStatements } from '@gangan/testing';
import * as database from '../src/index.js';

await describeStatements(database, new URL('../src/', import.meta.url), { readsWholeTables: ['sealed/'] });
