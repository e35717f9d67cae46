import { declaredStatements } from '@gangan/database';
import * as storage from '@gangan/storage';
import { describeStatements } from '@gangan/testing';

await describeStatements({ declaredStatements, ...storage }, new URL('../src/', import.meta.url));
